"""Approximate entropy test: do patterns of m bits say anything about the bit that follows?

Source: NIST SP 800-22 Rev. 1a, 2.12 and 3.12.
"""

from __future__ import annotations

import math

import numpy as np

from rng.battery.result import TestResult
from rng.battery.sp800_22.histogram import WIDEST
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect


def phi(sample: BitSample, m: int) -> float:
    """Return the sum of π log π over the shares π of all patterns of m bits, the sequence read as a ring."""
    if m == 0:
        return 0.0
    counts = sample.ring_counts(m)
    seen = counts[counts > 0]
    return float((seen * np.log(seen / sample.length)).sum()) / sample.length


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the entropy of patterns of m and of m + 1 bits."""
    m, n = parameters["m"], sample.length
    statistic = 2 * n * (math.log(2) - (phi(sample, m) - phi(sample, m + 1)))
    return TestResult(
        p_values=(chi_square_p(statistic, 2**m),),
        parameters=dict(parameters),
        statistic=statistic,
        degrees_of_freedom=2**m,
        null="chi-square with 2^m degrees of freedom (SP 800-22 3.12)",
        detectable=class_effect(2**m, n),
    )


# 2.12.7: m < floor(log2 n) - 5, that is n >= 2^(m + 6).
TEST = SampleTest(
    "approximate-entropy",
    "2.12",
    evaluate,
    lambda parameters: 2 ** (parameters["m"] + 6),
    "SP 800-22 2.12.7: m < floor(log2 n) - 5",
    lambda parameters: parameters["m"] + 1,
    {"m": 10},
    {"m": (1, WIDEST - 1)},
)

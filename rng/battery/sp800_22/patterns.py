"""Overlapping patterns (SP 800-22 2.11 and 2.12): serial, and approximate entropy.

Serial test: does every pattern of m bits occur equally often, overlapping ones counted?

Source: NIST SP 800-22 Rev. 1a, 2.11 and 3.11; Good, Proc. Camb. Phil. Soc. 49, 1953.

Approximate entropy test: do patterns of m bits say anything about the bit that follows?

Source: NIST SP 800-22 Rev. 1a, 2.12 and 3.12.
"""

from __future__ import annotations

import math

import numpy as np

from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import WIDEST, BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import chi_square_p, class_effect


def squares(sample: BitSample, m: int) -> int:
    """Return 2^m times the sum of squared counts of the patterns of m bits, the sequence read as a ring."""
    if m == 0:
        return sample.length**2
    counts = sample.ring_counts(m)
    total = int((counts * counts).sum())
    return total << m


def evaluate_serial(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the pattern counts with equal ones by their first and second differences."""
    m, n = parameters["m"], sample.length
    # 2.11.4: ψ²_m = squares/n - n; the two n of the differences cancel, which leaves whole numbers over n.
    wide, middle, narrow = squares(sample, m), squares(sample, m - 1), squares(sample, m - 2)
    first = (wide - middle) / n
    second = (wide - 2 * middle + narrow) / n
    return TestResult(
        p_values=(chi_square_p(first, 2 ** (m - 1)), chi_square_p(second, 2 ** (m - 2))),
        labels=("first difference", "second difference"),
        parameters=dict(parameters),
        degrees_of_freedom=2 ** (m - 1),
        null="chi-square with 2^(m-1) and 2^(m-2) degrees of freedom (SP 800-22 3.11)",
        detectable=class_effect(2 ** (m - 1), n),
    )


# 2.11.7: m < floor(log2 n) - 2, that is n >= 2^(m + 3).
SERIAL = SampleTest(
    "serial",
    "2.11",
    evaluate_serial,
    lambda parameters: 2 ** (parameters["m"] + 3),
    "SP 800-22 2.11.7: m < floor(log2 n) - 2",
    lambda parameters: parameters["m"],
    {"m": 16},
    {"m": (2, WIDEST)},
)


def phi(sample: BitSample, m: int) -> float:
    """Return the sum of π log π over the shares π of all patterns of m bits, the sequence read as a ring."""
    if m == 0:
        return 0.0
    counts = sample.ring_counts(m)
    seen = counts[counts > 0]
    return float((seen * np.log(seen / sample.length)).sum()) / sample.length


def evaluate_approximate_entropy(
    sample: BitSample, parameters: Parameters, constants: Constants
) -> TestResult:
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
APPROXIMATE_ENTROPY = SampleTest(
    "approximate-entropy",
    "2.12",
    evaluate_approximate_entropy,
    lambda parameters: 2 ** (parameters["m"] + 6),
    "SP 800-22 2.12.7: m < floor(log2 n) - 5",
    lambda parameters: parameters["m"] + 1,
    {"m": 10},
    {"m": (1, WIDEST - 1)},
)

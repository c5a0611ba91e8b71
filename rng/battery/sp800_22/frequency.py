"""Frequency (monobit) test: are there as many ones as zeros?

Source: NIST SP 800-22 Rev. 1a, 2.1 and 3.1.
"""

from __future__ import annotations

import math

from rng.battery.goodness import POWER_WORDS, binomial_two_sided
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import normal_effect, two_sided_normal_p


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of ones with the number of zeros."""
    n = sample.length
    total = 2 * sample.ones - n
    statistic = abs(total) / math.sqrt(n)
    return TestResult(
        p_values=(two_sided_normal_p(statistic),),
        deciding=(binomial_two_sided(sample.ones, n, 0.5),),
        statistic=statistic,
        null="standard half-normal (SP 800-22 3.1); exactly, binomial with n trials of 1/2",
        discrete=True,
        detectable=f"share of ones off one half by {normal_effect() / (2 * math.sqrt(n)):.3g}{POWER_WORDS}",
    )


TEST = SampleTest("frequency", "2.1", evaluate, lambda _: 100, "SP 800-22 2.1.7")

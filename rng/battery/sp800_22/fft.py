"""Discrete Fourier transform (spectral) test: does any frequency stand out?

Source: NIST SP 800-22 Rev. 1a, 2.6 and 3.6.
"""

from __future__ import annotations

import math

from rng.battery.goodness import POWER_WORDS
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.battery.sp800_22.spec import Constants, Parameters, SampleTest
from rng.battery.sp800_22.special import normal_effect, two_sided_normal_p
from rng.battery.sp800_22.spectrum import count_below

# Share of the spectrum expected below the threshold (2.6.4 (4)).
SHARE = 0.95
# ln 20 as the reference program rounds it.
REFERENCE_LOG_20 = 2.995732274


def expectation(n: int, constants: Constants) -> tuple[float, float]:
    """Mean and variance of the number of frequencies below the threshold.

    The reference program takes n/2 times 0.95 and n/4 times 0.95 x 0.05. The exact figures: a squared
    modulus over n is exponential, so the indicator of "below t = ln 20" has variance 0.95 x 0.05. But all
    squared moduli together always sum to n² (Parseval's theorem). Removing the part of the indicator that
    follows that sum, its covariance -t/20 with the modulus, leaves 0.95 x 0.05 - (t/20)² for each of the n/2
    frequencies: n/3.79 times 0.95 x 0.05. Frequency 0 is the square of one normal variable, not of two.

    Source: SP 800-22 2.6.4; Pareschi, Rovatti and Setti, IEEE Trans. Inf. Forensics Secur. 7(2), 2012
    (n/3.8).
    """
    if constants == "reference":
        return SHARE * n / 2, n / 4 * SHARE * (1 - SHARE)
    t = math.log(20)
    mean = SHARE * (n // 2 - 1) + math.erf(math.sqrt(t / 2))
    return mean, n / 2 * (SHARE * (1 - SHARE) - ((1 - SHARE) * t) ** 2)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the number of frequencies below the threshold with its expectation."""
    n = sample.length
    bounds = (REFERENCE_LOG_20 * n, math.log(20) * n)
    counts = sample.once("peaks", lambda: count_below(sample.unpacked, bounds))
    below = counts[0] if constants == "reference" else counts[1]
    mean, variance = expectation(n, constants)
    statistic = (below - mean) / math.sqrt(variance)
    return TestResult(
        p_values=(two_sided_normal_p(statistic),),
        parameters={"constants": constants},
        statistic=statistic,
        null="standard normal (SP 800-22 3.6); the count is a whole number, so few p-values occur",
        discrete=True,
        detectable=f"{normal_effect() * math.sqrt(variance):.0f} of {n // 2} frequencies above the threshold"
        + POWER_WORDS,
    )


TEST = SampleTest("fft", "2.6", evaluate, lambda _: 1000, "SP 800-22 2.6.7")

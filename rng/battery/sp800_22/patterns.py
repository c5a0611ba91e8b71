"""Patterns (SP 800-22 2.9, 2.11, 2.12): Maurer's universal test, the serial test and approximate entropy.

Exact mean and variance of Maurer's statistic for random bits.

Source: Coron and Naccache, "An accurate evaluation of Maurer's universal test", SAC 1998, whose figures these
equal; derived here from the joint law of two distances.

Maurer's universal statistical test: can the sequence be compressed?

Source: NIST SP 800-22 Rev. 1a, 2.9 and 3.9.

Serial test: does every pattern of m bits occur equally often, overlapping ones counted?

Source: NIST SP 800-22 Rev. 1a, 2.11 and 3.11; Good, Proc. Camb. Phil. Soc. 49, 1953.

Approximate entropy test: do patterns of m bits say anything about the bit that follows?

Source: NIST SP 800-22 Rev. 1a, 2.12 and 3.12.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft

from rng.battery.goodness import POWER_WORDS, detectable_shift, normal_two_sided
from rng.battery.lanes import distances
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    WIDEST,
    BitSample,
    Constants,
    Parameters,
    SampleTest,
    chi_square_p,
    class_effect,
)


def squares(sample: BitSample, m: int) -> int:
    """Return 2^m times the sum of squared counts of the patterns of m bits, the sequence read as a ring."""
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


@lru_cache(maxsize=16)
def exact_moments(width: int, blocks: int) -> tuple[float, float]:
    """Return mean and standard deviation of the mean logarithm of ``blocks`` distances.

    Let V = 2^width, p = 1/V, q = 1 - p, r = 1 - 2p and g = log2. The distance A at one place back to the
    last equal pattern is geometric: P(A = i) = p q^(i-1). For places k apart the second distance j is
    independent of the first distance i unless j > k. For j = k + t, the two patterns differ, and

        P(i, j) = q^k p² r^(min(i,t)-1) q^(|i-t|-1) for i ≠ t, and 0 for i = t,

    against q^k p² q^(i+t-2) if they were independent. Hence the covariance of the logarithms at k places
    apart is q^k Σ_t g(k+t) h(t) with one function h for all k.
    """
    patterns = 2**width
    p = 1 / patterns
    q, r = 1 - p, 1 - 2 * p
    # Beyond forty times the mean distance what is left out is below e^-40.
    i = np.arange(1, 40 * patterns + 1, dtype=np.float64)
    g = np.log2(i)
    weight = p * q ** (i - 1)
    mean = float(weight @ g)
    variance = float(weight @ (g - mean) ** 2)

    shorter = np.concatenate(([0.0], np.cumsum(g * (r / q) ** (i - 1))[:-1])) * q ** (i - 2)
    beyond = np.concatenate((np.cumsum((g * q**i)[::-1])[::-1][1:], [0.0])) * r ** (i - 1) * q ** (-i - 1)
    independent = q ** (i - 1) * float((g * q ** (i - 1)).sum())
    h = p * p * (shorter + beyond - independent)

    k = np.arange(1, min(i.size, blocks))
    reached = np.log2(np.arange(1, 2 * i.size + 1, dtype=np.float64))
    # Σ_t g(k+t) h(t) for all k at once: a correlation by Fourier transforms.
    size = next_fast_len(reached.size + i.size, real=True)
    lagged = irfft(rfft(reached, size) * np.conj(rfft(h, size)), size)[1 : k.size + 1]
    covariances = q**k * lagged
    total = variance + 2 * float(((1 - k / blocks) * covariances).sum())
    return mean, math.sqrt(total / blocks)


# 2.9.7: shortest sequence for each pattern length L; Q = 10 · 2^L patterns start the table off.
LEAST_BITS = {
    6: 387_840,
    7: 904_960,
    8: 2_068_480,
    9: 4_654_080,
    10: 10_342_400,
    11: 22_753_280,
    12: 49_643_520,
    13: 107_560_960,
    14: 231_669_760,
    15: 496_435_200,
    16: 1_059_061_760,
}
# 2.9.4 (5): mean and variance of one distance's logarithm, with the standard's digits.
REFERENCE_MOMENTS = {
    6: (5.2177052, 2.954),
    7: (6.1962507, 3.125),
    8: (7.1836656, 3.238),
    9: (8.1764248, 3.311),
    10: (9.1723243, 3.356),
    11: (10.170032, 3.384),
    12: (11.168765, 3.401),
    13: (12.168070, 3.410),
    14: (13.167693, 3.416),
    15: (14.167488, 3.419),
    16: (15.167379, 3.421),
}


def distance_counts(blocks: NDArray[np.uint8], start: int) -> NDArray[np.int64]:
    """Count the distances back to the last equal pattern, of the blocks behind the first ``start``."""
    return np.bincount(distances(blocks, start), minlength=len(blocks) + 1)


@lru_cache(maxsize=2)
def _logarithms(size: int) -> NDArray[np.float64]:
    return np.log2(np.maximum(np.arange(size), 1))


def pattern_length(n: int) -> int:
    """Return L for a sequence of n bits (2.9.7)."""
    return max((width for width, least in LEAST_BITS.items() if n >= least), default=6)


def moments(width: int, blocks: int, constants: Constants) -> tuple[float, float]:
    """Mean and standard deviation of the statistic over ``blocks`` tested patterns of ``width`` bits."""
    if constants == "exact":
        return exact_moments(width, blocks)
    mean, variance = REFERENCE_MOMENTS[width]
    # 2.9.4 (5), after Maurer's approximation.
    c = 0.7 - 0.8 / width + (4 + 32 / width) * blocks ** (-3 / width) / 15
    return mean, c * math.sqrt(variance / blocks)


def evaluate(sample: BitSample, parameters: Parameters, constants: Constants) -> TestResult:
    """Compare the mean logarithm of the distances between equal patterns with its expectation."""
    width = pattern_length(sample.length)
    start = 10 * 2**width
    blocks = sample.length // width - start
    counts = sample.once("distances", lambda: distance_counts(sample.blocks(width), start))
    value = float(counts @ _logarithms(counts.size)) / blocks
    mean, deviation = moments(width, blocks, constants)
    statistic = (value - mean) / deviation
    return TestResult(
        p_values=(normal_two_sided(statistic),),
        parameters={"l": width, "q": start, "constants": constants},
        statistic=statistic,
        null="standard normal (SP 800-22 3.9)",
        detectable=f"mean logarithm of distances off by {detectable_shift(1) * deviation:.3g} bits{POWER_WORDS}",
    )


TEST = SampleTest(
    "universal", "2.9", evaluate, lambda _: LEAST_BITS[6], "SP 800-22 2.9.7", lambda _: 6 * (10 * 2**6 + 1)
)

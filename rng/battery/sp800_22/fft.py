"""Discrete Fourier transform (SP 800-22 2.6): the test, and the spectrum that it counts.

How many frequencies of a ±1 signal are weaker than a bound: a real Fourier transform in two passes.

Source: Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990 (the four-step method).

Discrete Fourier transform (spectral) test: does any frequency stand out?

Source: NIST SP 800-22 Rev. 1a, 2.6 and 3.6.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import DTypeLike, NDArray
from scipy.fft import fft, rfft

from rng.battery.goodness import POWER_WORDS, detectable_shift, normal_two_sided
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    BitSample,
    Constants,
    Parameters,
    SampleTest,
)

Spectrum = NDArray[np.complexfloating[Any, Any]]
Bounds = tuple[float, ...]


# Between these lengths the signal outgrows the nearer caches, and two passes of short transforms are quicker; beyond
# them the factors between the passes would take as much memory as the spectrum.
TWO_PASSES = range(1 << 15, 1 << 22)
# Two passes are of no use where one of the factors is shorter than this.
LEAST_FACTOR = 64


# How near a bound, relatively, single precision decides nothing: there its squared moduli are off by 1.6 · 10^-7 of
# the bound (root mean square; 7.3 · 10^-7 at most in 180,000). That is measured: what is proved of every signal is
# far worse.
NEAR = 1e-6
# A squared modulus of random bits above this many times n comes once in 50,000 spectra; errors grow with it.
STANDS_OUT = 24.0


@lru_cache(maxsize=4)
def _twiddles(height: int, width: int, kind: np.dtype[Any]) -> Spectrum:
    # The exponent is reduced in whole numbers first, so that every factor is correctly rounded.
    turns = np.arange(height // 2 + 1)[:, None] * np.arange(width) % (height * width)
    return np.asarray(np.exp(-2j * np.pi * turns / (height * width)).astype(kind))


@lru_cache(maxsize=64)
def split(n: int) -> tuple[int, int] | None:
    """Return two factors of n as near each other as possible, or None where one pass does as well."""
    heights = range(math.isqrt(n), LEAST_FACTOR, -1) if n in TWO_PASSES and n % 2 == 0 else ()
    return next(((height, n // height) for height in heights if n % height == 0), None)


@njit(cache=True, nogil=True)
def _weaker(spectrum: Spectrum, bounds: Bounds) -> NDArray[np.int64]:
    """Return how many squared moduli are below each bound."""
    below = np.zeros(len(bounds), dtype=np.int64)
    for value in spectrum:
        power = value.real * value.real + value.imag * value.imag
        for place in range(len(bounds)):
            below[place] += power < bounds[place]
    return below


def count_below(bits: NDArray[np.uint8], bounds: tuple[float, float]) -> tuple[int, int]:
    """Count the frequencies 0 to n/2 - 1 of the ±1 signal whose squared modulus is below each bound.

    Long signals are transformed in single precision first. Where a modulus is near a bound or between both, or
    stands out, all of them are counted again in double.
    """
    if split(bits.size) is not None:
        around = (min(bounds) * (1 - NEAR), max(bounds) * (1 + NEAR), STANDS_OUT * bits.size)
        below, above, usual = _below(bits, around, np.float32).tolist()
        if below == above and usual == bits.size // 2:
            return below, above
    first, second = _below(bits, bounds, np.float64).tolist()
    return first, second


def _below(bits: NDArray[np.uint8], bounds: Bounds, kind: DTypeLike) -> NDArray[np.int64]:
    """Count the frequencies below each bound by transforms of one precision.

    With n = height · width, place i · width + j and frequency k + height · l, the transform over i is real
    and short, and so is, after twiddle factors, the one over j. Rows k = 1, 2, … below height/2 hold one of
    each pair of conjugate frequencies, all of them counted; rows 0 and height/2 hold both, one is counted.
    """
    signal = (2 * bits.view(np.int8) - 1).astype(kind)
    factors = split(bits.size)
    if factors is None:
        return _weaker(np.asarray(rfft(signal, overwrite_x=True))[: bits.size // 2], bounds)
    height, width = factors
    turned = np.asarray(rfft(signal.reshape(height, width), axis=0, overwrite_x=True))
    turned *= _twiddles(height, width, turned.dtype)
    rows = np.asarray(fft(turned, axis=1, overwrite_x=True))
    below = _weaker(rows.reshape(-1), bounds)
    for k in (0,) if height % 2 else (0, height // 2):
        # Of the frequencies k, k + height, … only those below n/2 count.
        below -= _weaker(rows[k, -((k - bits.size // 2) // height) :], bounds)
    return below


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
        p_values=(normal_two_sided(statistic),),
        parameters={"constants": constants},
        statistic=statistic,
        null="standard normal (SP 800-22 3.6); the count is a whole number, so few p-values occur",
        discrete=True,
        detectable=f"{detectable_shift(1) * math.sqrt(variance):.0f} of {n // 2} frequencies above the threshold"
        + POWER_WORDS,
    )


TEST = SampleTest("fft", "2.6", evaluate, lambda _: 1000, "SP 800-22 2.6.7")

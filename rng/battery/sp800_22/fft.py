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
from numpy.typing import NDArray
from scipy.fft import fft, rfft

from rng.battery.goodness import POWER_WORDS, detectable_shift, normal_two_sided
from rng.battery.result import TestResult
from rng.battery.sp800_22.sample import (
    BitSample,
    Constants,
    Parameters,
    SampleTest,
)

Spectrum = NDArray[np.complex64] | NDArray[np.complex128]


# From this length on the signal outgrows the nearer caches, and two passes of short transforms are quicker.
TWO_PASSES_FROM = 1 << 15
# Rows transformed at a time: about a megabyte, which stays in the cache until it is used.
ROWS = 64
# A twiddle factor is the product of a coarse one and one of this many fine ones.
FINE = 32
# How near a bound, relatively, a squared modulus is computed again: single precision is wrong by 1.6 · 10^-7 of it.
NEAR = 2e-6
# A squared modulus of random bits above this many times n comes once in 10^22 spectra.
STANDS_OUT = 64


@njit(cache=True, nogil=True)
def _count_below(
    spectrum: Spectrum, bounds: tuple[float, float], sign: int, below: NDArray[np.int64]
) -> float:
    """Add ``sign`` to ``below`` for every squared modulus below each bound; the largest is returned."""
    first = second = 0
    largest = 0.0
    for i in range(spectrum.size):
        value = spectrum[i]
        power = value.real * value.real + value.imag * value.imag
        first += power < bounds[0]
        second += power < bounds[1]
        largest = max(largest, power)
    below[0] += sign * first
    below[1] += sign * second
    return largest


@njit(cache=True, nogil=True)
def _power(bits: NDArray[np.uint8], height: int, frequency: int) -> float:
    """Return the squared modulus of one frequency by its definition, in double precision."""
    width = bits.size // height
    turns = np.exp(-2j * np.pi * (frequency % height * np.arange(height) % height) / height)
    columns = np.zeros(width, dtype=np.complex128)
    for i in range(height):
        for j in range(width):
            columns[j] += turns[i] * (2.0 * bits[i * width + j] - 1.0)
    total = 0j
    for j in range(width):
        total += columns[j] * np.exp(-2j * np.pi * (frequency * j % bits.size) / bits.size)
    return total.real * total.real + total.imag * total.imag


@njit(cache=True, nogil=True)
def _take_columns(bits: NDArray[np.uint8], width: int, first: int, signal: NDArray[np.float64]) -> None:
    """Fill ``signal[j, i]`` with ±1 for bit ``i · width + first + j``."""
    for i in range(signal.shape[1]):
        for j in range(signal.shape[0]):
            signal[j, i] = 2.0 * bits[i * width + first + j] - 1.0


@njit(cache=True, nogil=True)
def _turn(part: Spectrum, first: int, coarse: Spectrum, fine: Spectrum, turned: Spectrum) -> None:
    """Write the transposed ``part``, every element times its twiddle factor, from column ``first`` on."""
    for k in range(part.shape[1]):
        for j in range(part.shape[0]):
            at = first + j
            turned[k, at] = part[j, k] * coarse[k, at // 32] * fine[k, at % 32]


@lru_cache(maxsize=4)
def _twiddles(height: int, width: int, kind: np.dtype[Any]) -> tuple[Spectrum, Spectrum]:
    n = height * width
    k = np.arange(height // 2 + 1)[:, None]
    # The exponent is reduced in whole numbers first, so that every factor is correctly rounded.
    coarse = k * FINE * np.arange(-(-width // FINE)) % n
    fine = k * np.arange(FINE) % n
    return np.exp(-2j * np.pi * coarse / n).astype(kind), np.exp(-2j * np.pi * fine / n).astype(kind)


@lru_cache(maxsize=64)
def split(n: int) -> tuple[int, int] | None:
    """Return two factors of n as near each other as possible, or None where one pass does as well."""
    if n < TWO_PASSES_FROM or n % 2:
        return None
    for height in range(math.isqrt(n), ROWS, -1):
        if n % height == 0:
            return height, n // height
    return None


def count_below_in_one_pass(bits: NDArray[np.uint8], bounds: tuple[float, float]) -> tuple[int, int]:
    """Count the frequencies 0 to n/2 - 1 whose squared modulus is below each bound by one transform."""
    spectrum = np.asarray(rfft(2.0 * bits - 1.0, overwrite_x=True))
    below = np.zeros(2, dtype=np.int64)
    _count_below(spectrum[: bits.size // 2], bounds, 1, below)
    return int(below[0]), int(below[1])


def count_below(bits: NDArray[np.uint8], bounds: tuple[float, float]) -> tuple[int, int]:
    """Count the frequencies 0 to n/2 - 1 of the ±1 signal whose squared modulus is below each bound.

    With n = height · width, place i · width + j and frequency k + height · l, the transform over i is real
    and short, and so is, after twiddle factors, the one over j. Rows k = 1, 2, … below height/2 hold one of
    each pair of conjugate frequencies, all of them counted; rows 0 and height/2 hold both, one is counted.

    Both passes are in single precision, where a modulus is wrong by some 10^-7 of their root mean square;
    what is as near a bound as ``NEAR`` is computed again in double. A signal with a frequency that is out
    has larger errors: all of it is then in double precision, as it is for bounds far from each other.
    """
    factors = split(bits.size)
    if factors is None:
        return count_below_in_one_pass(bits, bounds)
    height, width = factors
    near = None
    if max(bounds) - min(bounds) < NEAR * min(bounds):
        around = (min(bounds) * (1 - NEAR), max(bounds) * (1 + NEAR))
        below, near = _count_in_two_passes(bits, height, width, around, np.dtype(np.complex64))
    if near is None:
        below, _ = _count_in_two_passes(bits, height, width, bounds, np.dtype(np.complex128))
        return int(below[0]), int(below[1])
    powers = [_power(bits, height, frequency) for frequency in near]
    first, second = (int(below[0]) + sum(power < bound for power in powers) for bound in bounds)
    return first, second


def _count_in_two_passes(
    bits: NDArray[np.uint8], height: int, width: int, bounds: tuple[float, float], kind: np.dtype[Any]
) -> tuple[NDArray[np.int64], list[int] | None]:
    """Return the frequencies below each bound, and those between; none of these where one is out."""
    turned = _first_pass(bits, height, width, kind)
    # Rows that hold both of each pair; of their frequencies k, k + height, … only those below n/2 count.
    kept = {k: -((k - bits.size // 2) // height) for k in ((0,) if height % 2 else (0, height // 2))}
    below = np.zeros(2, dtype=np.int64)
    near: list[int] = []
    for first in range(0, height // 2 + 1, ROWS):
        rows = np.asarray(fft(turned[first : first + ROWS], axis=1, overwrite_x=True))
        before = below[1] - below[0]
        largest = _count_below(rows.ravel(), bounds, 1, below)
        if kind == np.complex64 and largest > STANDS_OUT * bits.size:
            return below, None
        if below[1] - below[0] > before:
            powers = rows.real * rows.real + rows.imag * rows.imag
            for row, column in np.argwhere((powers < bounds[1]) & ~(powers < bounds[0])).tolist():
                if column < kept.get(first + row, width):
                    near.append(first + row + height * column)
        for k, counted in kept.items():
            if first <= k < first + ROWS:
                _count_below(rows[k - first, counted:], bounds, -1, below)
    return below, near


def _first_pass(bits: NDArray[np.uint8], height: int, width: int, kind: np.dtype[Any]) -> Spectrum:
    turned = np.empty((height // 2 + 1, width), dtype=kind)
    coarse, fine = _twiddles(height, width, kind)
    for first in range(0, width, ROWS):
        signal = np.empty((min(ROWS, width - first), height), dtype=turned.real.dtype)
        _take_columns(bits, width, first, signal)
        _turn(np.asarray(rfft(signal, axis=1, overwrite_x=True)), first, coarse, fine, turned)
    return turned


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

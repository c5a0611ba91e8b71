"""How many frequencies of a ±1 signal are weaker than a bound: a real Fourier transform in two passes.

Source: Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990 (the four-step method).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numba import njit
from scipy.fft import fft, rfft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Spectrum = NDArray[np.complex128]

# From this length on the signal outgrows the nearer caches, and two passes of short transforms are quicker.
TWO_PASSES_FROM = 1 << 15
# Rows transformed at a time: about a megabyte, which stays in the cache until it is used.
ROWS = 64
# A twiddle factor is the product of a coarse one and one of this many fine ones.
FINE = 32


@njit(cache=True, nogil=True)
def _count_below(
    spectrum: Spectrum, bounds: tuple[float, float], sign: int, below: NDArray[np.int64]
) -> None:
    """Add ``sign`` to ``below`` for every squared modulus below each bound."""
    first = second = 0
    for i in range(spectrum.size):
        value = spectrum[i]
        power = value.real * value.real + value.imag * value.imag
        first += power < bounds[0]
        second += power < bounds[1]
    below[0] += sign * first
    below[1] += sign * second


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
def _twiddles(height: int, width: int) -> tuple[Spectrum, Spectrum]:
    n = height * width
    k = np.arange(height // 2 + 1)[:, None]
    # The exponent is reduced in whole numbers first, so that every factor is correctly rounded.
    coarse = k * FINE * np.arange(-(-width // FINE)) % n
    fine = k * np.arange(FINE) % n
    return np.exp(-2j * np.pi * coarse / n), np.exp(-2j * np.pi * fine / n)


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
    """
    factors = split(bits.size)
    if factors is None:
        return count_below_in_one_pass(bits, bounds)
    height, width = factors
    turned = _first_pass(bits, height, width)
    # Rows that hold both of each pair; of their frequencies k, k + height, … only those below n/2 count.
    both = (0,) if height % 2 else (0, height // 2)
    halves = [(k, -((k - bits.size // 2) // height)) for k in both]
    below = np.zeros(2, dtype=np.int64)
    for first in range(0, height // 2 + 1, ROWS):
        rows = np.asarray(fft(turned[first : first + ROWS], axis=1, overwrite_x=True))
        _count_below(rows.ravel(), bounds, 1, below)
        for k, kept in halves:
            if first <= k < first + ROWS:
                _count_below(rows[k - first, kept:], bounds, -1, below)
    return int(below[0]), int(below[1])


def _first_pass(bits: NDArray[np.uint8], height: int, width: int) -> Spectrum:
    turned = np.empty((height // 2 + 1, width), dtype=np.complex128)
    coarse, fine = _twiddles(height, width)
    for first in range(0, width, ROWS):
        signal = np.empty((min(ROWS, width - first), height))
        _take_columns(bits, width, first, signal)
        _turn(np.asarray(rfft(signal, axis=1, overwrite_x=True)), first, coarse, fine, turned)
    return turned

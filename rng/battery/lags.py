"""Products of signs some places apart, at every lag at once, and the strength of every frequency.

A sequence of signs is cut into blocks of equal length; each is transformed once, padded by as many zeros as there
are lags. The sum of the squared moduli is the periodogram, and its inverse transform the sums of products within the
blocks: whole numbers, found again by rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special
from scipy.fft import irfft, rfft

Signs = NDArray[np.float32]
"""Signs +1 and -1; 0 where a place has none."""

# So many of the lags that lie farthest out are judged exactly: no other can have the smallest p-value.
JUDGED = 64


@dataclass(frozen=True, slots=True)
class Lagged:
    """What the transforms of some blocks of signs say.

    Args:
        products: ``products[k - 1]`` is the sum of the products of signs k places apart in one block.
        terms: ``terms[k - 1]`` is the number of these products.
        power: Periodogram summed over the blocks: each frequency has mean 1 for each block.
        blocks: Number of blocks.
    """

    products: NDArray[np.int64]
    terms: NDArray[np.int64]
    power: NDArray[np.float64]
    blocks: int


@njit(cache=True)
def add_power(spectrum: NDArray[np.complex64], power: NDArray[np.float64]) -> None:
    """Adds the squared modulus of every frequency."""
    for i in range(power.size):
        power[i] += spectrum[i].real * spectrum[i].real + spectrum[i].imag * spectrum[i].imag


def transform_size(least: int) -> int:
    """A size that is quick to transform: 4, 5 or 6 times a power of two, no smaller than asked for.

    Example:
        >>> transform_size(1_000_000), transform_size(300_000)
        (1048576, 327680)
    """
    return min(many << max(0, (-(-least // many) - 1).bit_length()) for many in (4, 5, 6))


def power_of(blocks: Iterable[Signs], size: int) -> tuple[NDArray[np.float64], int]:
    """The squared modulus of every frequency, summed over blocks of padded signs, and the number of blocks."""
    power, count = np.zeros(size // 2 + 1), 0
    for block in blocks:
        add_power(np.asarray(rfft(block, size)), power)
        count += 1
    return power, count


def lagged(blocks: Iterable[Signs], length: int, lags: int) -> Lagged:
    """Sums of products at the lags 1 to ``lags``, and the periodogram.

    Args:
        blocks: Signs in blocks of the same length.
        length: Signs in a block, more than ``lags``.
        lags: Largest lag.

    Example:
        >>> lagged([np.array([1, 1, -1, 1], dtype=np.float32)], 4, 2).products.tolist()
        [-1, 0]
    """
    return lagged_of(*power_of(blocks, transform_size(length + lags)), length, lags)


def lagged_of(power: NDArray[np.float64], blocks: int, length: int, lags: int) -> Lagged:
    """The same from the power of so many blocks."""
    size = transform_size(length + lags)
    terms = blocks * (length - np.arange(1, lags + 1))
    products = np.rint(irfft(power.astype(np.float32), size)[1 : lags + 1]).astype(np.int64)
    return Lagged(np.clip(products, -terms, terms), terms, power / length, blocks)


def farthest(found: Lagged) -> tuple[float, int]:
    """P-value of the lag that lies farthest out, corrected for the number of lags, and that lag.

    The products of independent fair signs k places apart are themselves independent and fair, so that the number of
    those that are negative is binomial with probability 1/2: twice the smaller tail, exactly, and Bonferroni over the
    lags. Where some places have no sign, there are fewer products, and the tail is an upper bound.

    Example:
        >>> farthest(Lagged(np.array([0, 100]), np.array([101, 100]), np.ones(1), 1))[1]
        2
    """
    scores = np.abs(found.products) / np.sqrt(found.terms)
    best, where = 1.0, 0
    for index in np.argsort(scores)[::-1][:JUDGED].tolist():
        terms, excess = int(found.terms[index]), abs(int(found.products[index]))
        # So many of the products, or more, have the sign that prevails.
        tail = 2 * float(special.bdtrc((terms + excess) // 2 - 1, terms, 0.5)) if excess else 1.0
        if not where or tail < best:
            best, where = min(1.0, tail), index + 1
    return min(1.0, best * found.products.size), where


def highest_peak(found: Lagged) -> tuple[float, float]:
    """P-value of the strongest frequency, corrected for their number, and its frequency in cycles a place.

    The strength of one frequency in a block of independent fair signs is exponential with mean 1 in the limit, and its
    moments never exceed those of that law (a sum of signs is less spread than the normal variable); the sum over blocks
    is gamma. Bonferroni over the frequencies; the first and the last have one dimension and are left out.

    Source: Fisher, Proc. Royal Society A 125 (1929), 54-59, with the variance known.
    """
    inner = found.power[1:-1]
    place = int(inner.argmax())
    tail = float(special.gammaincc(found.blocks, inner[place]))
    return min(1.0, inner.size * tail), (place + 1) / (2 * (found.power.size - 1))


def detectable_correlation(terms: int, lags: int, level: float, power: float) -> float:
    """Correlation at one lag that is found among so many with a stated power at a level."""
    return float(special.ndtri(1 - level / (2 * lags)) + special.ndtri(power)) / math.sqrt(terms)

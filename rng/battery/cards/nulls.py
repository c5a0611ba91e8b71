"""Exact distributions over all orders of n cards, as whole numbers of permutations that sum to n!."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

# Above this many cards the inversions take too many values to be counted in whole numbers.
COUNTED = 64


def derangements(n: int) -> int:
    """Number of permutations of n cards without a fixed point: D(n) = n D(n-1) + (-1)^n.

    Example:
        >>> [derangements(n) for n in range(6)]
        [1, 0, 1, 2, 9, 44]
    """
    value = 1
    for k in range(1, n + 1):
        value = k * value + (-1) ** k
    return value


@cache
def fixed_points(n: int) -> tuple[int, ...]:
    """Permutations of n cards by number of fixed points: C(n, k) D(n-k).

    Example:
        >>> fixed_points(4)
        (9, 8, 6, 0, 1)
    """
    return tuple(comb(n, k) * derangements(n - k) for k in range(n + 1))


@cache
def inversions(n: int) -> tuple[int, ...]:
    """Permutations of n cards by number of inversions: Mahonian numbers, product of 1 + q + … + q^(i-1).

    Example:
        >>> inversions(4)
        (1, 3, 5, 6, 5, 3, 1)
    """
    row = [1]
    for size in range(2, n + 1):
        longer = [0] * (len(row) + size - 1)
        for k, value in enumerate(row):
            for extra in range(size):
                longer[k + extra] += value
        row = longer
    return tuple(row)


@cache
def descents(n: int) -> tuple[int, ...]:
    """Permutations of n cards by number of descents: Eulerian numbers.

    Example:
        >>> descents(4)
        (1, 11, 11, 1)
    """
    row = [1]
    for m in range(2, n + 1):
        row = [
            (k + 1) * (row[k] if k < m - 1 else 0) + (m - k) * (row[k - 1] if k > 0 else 0) for k in range(m)
        ]
    return tuple(row)


@cache
def successions(n: int) -> tuple[int, ...]:
    """Permutations of n cards by number of successions (card c directly followed by card c + 1).

    Source: Riordan, Introduction to Combinatorial Analysis, 8.4: C(n-1, k) (D(n-k) + D(n-k-1)).

    Example:
        >>> successions(4)
        (11, 9, 3, 1)
    """
    return tuple(comb(n - 1, k) * (derangements(n - k) + derangements(n - k - 1)) for k in range(n))


@dataclass(frozen=True, slots=True)
class NullLaw:
    """The distribution of a whole-number statistic over all orders.

    Args:
        probabilities: Probability of 0, 1, 2, …
        mean: Its exact mean.
        variance: Its exact variance.
    """

    probabilities: tuple[Fraction | float, ...]
    mean: Fraction
    variance: Fraction


@cache
def counted_law(counts: tuple[int, ...]) -> NullLaw:
    """The law of a statistic from its counts of permutations.

    Example:
        >>> law = counted_law(fixed_points(4))
        >>> law.probabilities[0], law.mean, law.variance
        (Fraction(3, 8), Fraction(1, 1), Fraction(1, 1))
    """
    total = sum(counts)
    mean = Fraction(sum(k * count for k, count in enumerate(counts)), total)
    square = Fraction(sum(k * k * count for k, count in enumerate(counts)), total)
    return NullLaw(tuple(Fraction(count, total) for count in counts), mean, square - mean**2)


@cache
def inversion_law(n: int) -> NullLaw:
    """Inversions of n cards: counted, or above 64 cards the same product of uniform laws in floating point.

    Mean n(n-1)/4 and variance n(n-1)(2n+5)/72 are exact for every n.

    Example:
        >>> inversion_law(4).variance == counted_law(inversions(4)).variance
        True
    """
    if n <= COUNTED:
        return counted_law(inversions(n))
    row = np.ones(1)
    for size in range(2, n + 1):
        sums = np.concatenate([np.cumsum(row), np.full(size - 1, row.sum())])
        sums[size:] -= sums[:-size].copy() if size < sums.size else 0.0
        row = np.maximum(sums, 0.0) / size
        row /= row.sum()
    return NullLaw(tuple(row.tolist()), Fraction(n * (n - 1), 4), Fraction(n * (n - 1) * (2 * n + 5), 72))


@cache
def descent_law(n: int) -> NullLaw:
    """Descents of n cards: Eulerian numbers."""
    return counted_law(descents(n))

"""Observations that are scarcer than chance allows, and those that repeat.

What good output never lacks: exact bounds on having too few observations for any chi-square to be taken.

A generator that never visits a class leaves the test of that class without observations. That is no reason to
give up: so few observations have a probability of their own, and it is the p-value.
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special


@njit(cache=True)
def rising_run_lengths(values: NDArray[np.uint64], longest: int) -> NDArray[np.int64]:
    """Counts strictly rising runs by length; the value that breaks a run is discarded.

    Args:
        values: The numbers in the order drawn.
        longest: Length counted in the last, open class.

    Returns:
        ``counts[r - 1]`` runs of length r; an unfinished run at the end is left out.
    """
    counts = np.zeros(longest, dtype=np.int64)
    length = 0
    previous = np.uint64(0)
    for value in values:
        if length == 0 or value > previous:
            length += 1
            previous = value
        else:
            counts[min(length, longest) - 1] += 1
            length = 0
    return counts


@cache
def rising_probabilities(below: int, longest: int) -> tuple[Fraction, ...]:
    """Exact probabilities that a strictly rising run has length 1, 2, …, the last class being open.

    Of r independent values below n exactly C(n, r) of the n^r orders rise strictly. The value that breaks a
    run is discarded, so that runs are independent.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2, exercise 14, with ties counted exactly.

    Example:
        >>> rising_probabilities(2, 8)[:3]
        (Fraction(3, 4), Fraction(1, 4), Fraction(0, 1))
    """
    longer = [Fraction(comb(below, r), below**r) for r in range(1, longest + 1)]
    return (*(a - b for a, b in pairwise(longer)), longer[-1])


# Good output has too few observations less often than this at the least sample of every test: where there are so few,
# this is the p-value.
IMPOSSIBLE = 1e-12


class ScarcityError(Exception):
    """Too few observations were left for a test, as good output leaves them in one case of ``1 / IMPOSSIBLE``."""


def binomial_at_most(count: int, trials: int, probability: float) -> float:
    """Probability that so many trials have at most ``count`` successes, exactly.

    Example:
        >>> binomial_at_most(0, 10, 0.5) == 2**-10
        True
    """
    return float(special.bdtr(count, trials, probability)) if count < trials else 1.0


def repeated(values: NDArray[np.integer]) -> int:
    """Number of values that had been seen before; by sorting, which is far quicker here than hashing.

    Example:
        >>> repeated(np.array([3, 1, 3, 3, 2, 1]))
        3
    """
    ordered = np.sort(values)
    return int((ordered[1:] == ordered[:-1]).sum())


def values_repeated(values: NDArray[np.integer]) -> NDArray[np.integer]:
    """The values that come more than once, each once.

    Example:
        >>> values_repeated(np.array([3, 1, 3, 3, 2, 1])).tolist()
        [1, 3]
    """
    ordered = np.sort(values)
    return np.unique(ordered[1:][ordered[1:] == ordered[:-1]])

"""Lengths of strictly rising runs, shared by the tests of decks and of sequences."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.minimum_counts import renewals_at_most


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


# Runs longer than this are bounded by the last of these lengths' share of the factorials: below 1e-300.
MOST_TERMS = 170
SLOPES = (0.25, 0.5, 1.0, 2.0, 3.0)


def rising_log_moment(below: int) -> Callable[[float], float]:
    """The logarithm of the moment function of a rising run with the value that breaks it.

    Example:
        >>> round(rising_log_moment(2)(0.0), 12)
        0.0
    """
    law = [float(probability) for probability in rising_probabilities(below, MOST_TERMS)]

    def log_moment(s: float) -> float:
        return math.log(math.fsum(q * math.exp(s * (r + 1)) for r, q in enumerate(law, 1)))

    return log_moment


def runs_at_most(count: int, length: int, below: int) -> float:
    """Upper bound on the probability of so few rising runs in a sequence of uniform values.

    Example:
        >>> runs_at_most(0, 1_000, 40) < 1e-100, runs_at_most(400, 1_000, 40)
        (True, 1.0)
    """
    return renewals_at_most(count, length, rising_log_moment(below), SLOPES)

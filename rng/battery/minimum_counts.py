"""Observations that are scarcer than chance allows, and those that repeat.

What good output never lacks: exact bounds on having too few observations for any chi-square to be taken.

A generator that never visits a class leaves the test of that class without observations. That is no reason to
give up: so few observations have a probability of their own, and it is the p-value.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, exp, fsum, log, log1p

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
        return log(fsum(q * exp(s * (r + 1)) for r, q in enumerate(law, 1)))

    return log_moment


def runs_at_most(count: int, length: int, below: int) -> float:
    """Upper bound on the probability of so few rising runs in a sequence of uniform values.

    Example:
        >>> runs_at_most(0, 1_000, 40) < 1e-100, runs_at_most(400, 1_000, 40)
        (True, 1.0)
    """
    return renewals_at_most(count, length, rising_log_moment(below), SLOPES)


# Good output has too few observations less often than this, so that no p-value of it is ever replaced.
IMPOSSIBLE = 1e-12

LogMoment = Callable[[float], float]


class ScarcityError(Exception):
    """Too few observations were left for a test; how unlikely that is takes the place of its p-values.

    Args:
        p_value: Upper bound on the probability of so few in good output.
        words: What there was too little of.
    """

    def __init__(self, p_value: float, words: str) -> None:
        super().__init__(words)
        self.p_value = p_value
        self.words = words


def binomial_at_most(count: int, trials: int, probability: float) -> float:
    """Probability that so many trials have at most ``count`` successes, exactly.

    Example:
        >>> binomial_at_most(0, 10, 0.5) == 2**-10
        True
    """
    return float(special.bdtr(count, trials, probability)) if count < trials else 1.0


def renewals_at_most(count: int, length: int, log_moment: LogMoment, slopes: Iterable[float]) -> float:
    """Upper bound on the probability that at most ``count`` independent waits end within ``length`` steps.

    The wait for the next of them then lasts beyond ``length``; Markov's inequality on the exponential of the
    total, for the best of the given slopes, bounds that.

    Args:
        count: Waits that ended.
        length: Steps there were.
        log_moment: Logarithm of the mean of ``exp(s · wait)``.
        slopes: Values of s > 0 to try; each gives a valid bound.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> renewals_at_most(0, 100, lambda s: s, (1.0, 5.0)) < 1e-200  # each wait is one step
        True
    """
    exponents = ((count + 1) * log_moment(s) - s * (length + 1) for s in slopes)
    return exp(min(0.0, *exponents))


def geometric_log_moment(chances: Iterable[float]) -> LogMoment:
    """The logarithm of the moment function of a sum of geometric waits with these chances of success.

    Example:
        >>> round(geometric_log_moment([0.5])(0.5), 6)
        1.546175
    """
    known = tuple(chances)

    def log_moment(s: float) -> float:
        return fsum(log(p) + s - log1p(-(1 - p) * exp(s)) for p in known)

    return log_moment


def slopes_below(limit: float) -> tuple[float, ...]:
    """Forty slopes between nothing and a limit, the limit left out.

    Example:
        >>> len(slopes_below(0.1))
        40
    """
    return tuple(float(s) for s in np.linspace(0.0, limit, 42)[1:-1])


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

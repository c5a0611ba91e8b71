"""Tails as they really are, far out: where the smallest of many p-values is read.

The chi-square and normal laws of counts are limits. At five times their stated level they are right to some
percent; at a millionth they can be wrong a hundredfold where a class is expected only a few times. The smallest
of thousands of p-values is then too small too often, and good output is rejected. What is computed here never
replaces a published p-value; it is what a verdict rests on.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

# Above this p-value the limit laws are as good as anything; below it the exact tails are looked at.
LOOKED_AT_BELOW = 1e-2
# A sum of more terms than this belongs to classes expected so often that the limit law is exact enough.
MOST_TERMS = 1 << 21
# Factorials of numbers below this are kept: the p-values of a stream ask for the same ones thousands of times.
MOST_TABLED = 1 << 16

Floats = NDArray[np.float64]


def binomial_chances(first: int, last: int, trials: int, probability: float) -> Floats:
    """Probabilities of ``first`` to ``last`` successes, both included.

    Example:
        >>> binomial_chances(0, 2, 2, 0.5).round(12).tolist()
        [0.25, 0.5, 0.25]
    """
    k = np.arange(first, last + 1)
    table = _log_factorials(trials.bit_length()) if trials < MOST_TABLED else None
    if table is not None:
        logs = table[trials] - table[first : last + 1] - table[trials - last : trials - first + 1][::-1]
    else:
        logs = special.gammaln(trials + 1) - special.gammaln(k + 1.0) - special.gammaln(trials - k + 1.0)
    if not 0 < probability < 1:
        return np.asarray(np.exp(logs) * (k == (trials if probability else 0)))
    return np.asarray(np.exp(logs + k * math.log(probability) + (trials - k) * math.log1p(-probability)))


@cache
def _log_factorials(bits: int) -> Floats:
    """Logarithms of the factorials of the numbers of so many bits."""
    return np.asarray(special.gammaln(np.arange(1, (1 << bits) + 1, dtype=np.float64)))


def one_class_tail(statistic: float, classes: int, trials: int, probability: float) -> float:
    """Probability that Pearson's statistic reaches a value, one class being counted exactly.

    Given the count of one class, the rest of the statistic is Pearson's over the other classes, which is taken
    for chi-square with two degrees less than there are classes.

    Args:
        statistic: Value of the statistic.
        classes: Number of classes.
        trials: Number of observations.
        probability: Of the class that is counted exactly.

    Example:
        >>> one_class_tail(4.0, 2, 4, 0.5) == 2 * 0.5**4  # all four in the same of two classes
        True
    """
    mean = trials * probability
    reach = math.sqrt(statistic * mean * (1 - probability))
    # The counts whose own share alone reaches the statistic; a rounding error must not lose the edge.
    low, high = math.floor(mean - reach + 1e-9), math.ceil(mean + reach - 1e-9)
    total = float(special.bdtrc(high - 1, trials, probability)) if high <= trials else 0.0
    total += float(special.bdtr(low, trials, probability)) if low >= 0 else 0.0
    first, last = max(0, low + 1), min(trials, high - 1)
    if classes == 2 or last < first:
        return min(1.0, total)
    if last - first > MOST_TERMS:
        return float(special.chdtrc(classes - 1, statistic))
    counts = np.arange(first, last + 1)
    rest = np.maximum(statistic - (counts - mean) ** 2 / (mean * (1 - probability)), 0.0)
    chances = binomial_chances(first, last, trials, probability)
    return min(1.0, total + float(chances @ special.chdtrc(classes - 2, rest)))


def pearson_tail(
    statistic: float, probabilities: Sequence[float] | Mapping[float, int], trials: int
) -> float:
    """Probability that Pearson's statistic reaches a value, with what each class adds to the chi-square tail.

    Each class in turn is counted exactly by its binomial law; what its tail then has beyond the chi-square
    law's is added up over the classes. Never less than the chi-square tail.

    Args:
        statistic: Value of the statistic.
        probabilities: Of the classes, or how many classes have each probability.
        trials: Number of observations.

    Example:
        >>> few, many = (pearson_tail(40.0, [0.01, 0.5, 0.49], n) for n in (500, 500_000))
        >>> few / many > 10, round(many, 10)
        (True, 2.2e-09)
    """
    counted = Counter(probabilities)
    classes = counted.total()
    limit = float(special.chdtrc(classes - 1, max(statistic, 0.0)))
    if limit >= LOOKED_AT_BELOW or not trials or not math.isfinite(statistic):
        return limit
    excess = sum(
        times * max(0.0, one_class_tail(statistic, classes, trials, p) - limit)
        for p, times in counted.items()
        if p < 1
    )
    return min(1.0, limit + excess)


def visits_two_sided(visits: int, cycles: int, state: int) -> float:
    """Two-sided p-value of the visits of a random walk to a state in so many cycles: twice the smaller tail.

    A cycle reaches the state with probability q = 1/(2|x|), and once there visits it again with probability 1 - q
    each time: the total is a binomial number of geometric ones. So many geometric numbers sum to v at most exactly
    if v trials have so many successes at least: P(visits <= v) = P(Bin(v, q) >= Bin(J, q)), two independent numbers.

    Args:
        visits: Visits to the state, all cycles together.
        cycles: Returns of the walk to zero.
        state: Distance from zero, not zero.

    Source: Révész, Random Walk in Random and Non-Random Environments (1990), 9.2; NIST SP 800-22 3.14.

    Example:
        >>> visits_two_sided(500, 500, 1) > 0.9, visits_two_sided(1_000, 500, 1) < 1e-20
        (True, True)
    """
    q = 1 / (2 * abs(state))
    reached = binomial_chances(0, cycles, cycles, q)
    if visits <= 0:
        return min(1.0, 2 * float(reached[0]))
    # Each tail is a sum of positive terms, added from its far end: right however small it is.
    wide = max(cycles, visits) + 2
    successes = np.zeros(wide)
    successes[: visits + 1] = binomial_chances(0, visits, visits, q)
    reached_by = successes[::-1].cumsum()[::-1]
    # P(visits >= v) = P(Bin(v - 1, q) < Bin(J, q)).
    one_less = np.zeros(wide)
    one_less[:visits] = binomial_chances(0, visits - 1, visits - 1, q)
    missed_by = np.concatenate(([0.0], one_less.cumsum()))
    at_most, at_least = reached @ reached_by[: cycles + 1], reached @ missed_by[: cycles + 1]
    return min(1.0, 2 * min(float(at_most), float(at_least)))

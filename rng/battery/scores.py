"""Directed tests: the score of a fault of known form on independent uniform digits, bounded without any limit law.

A test that looks everywhere pays for every place it looks at. Where a fault has a form, such as a word of few bits
brought to the range by its remainder, the likelihood ratio against that form is the most powerful test there is; its
moment function under uniform digits is a product, so that Chernoff's bound on its tail is exact arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery.cell_sums import lower_bound_tail, upper_bound_tail

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Form = Literal["modulo", "scaled"]

# A score nearer to its mean than so many standard deviations is not worth a bound: its p-value is taken for 1.
NOTICED = 2.0
# The same of a trend; its sample is cut into so many stretches in the order of time, and none is looked at within.
TREND_NOTICED, STRETCHES = 2.5, 64
# Words of more bits than these beyond the range's own bend the probabilities by less than a part in five hundred.
EXTRA_BITS = 9


def words_for_each(bits: int, below: int, form: Form) -> Counts:
    """How many of the words of so many bits give each number: by remainder, or by scaling and rounding down.

    Args:
        bits: Bits of the word, at most 62.
        below: Numbers that there are, at most 2^bits.
        form: ``modulo`` for ``word % below``, ``scaled`` for ``word * below >> bits``.

    Example:
        >>> words_for_each(3, 5, "modulo").tolist(), words_for_each(3, 5, "scaled").tolist()
        ([2, 2, 2, 1, 1], [2, 2, 1, 2, 1])
    """
    words = 1 << bits
    if form == "modulo":
        return np.asarray(words // below + (np.arange(below) < words % below), dtype=np.int64)
    if bits + below.bit_length() > 62:
        # In whole numbers of any size, as the product of range and words may not fit.
        edges = np.array([-(-words * value // below) for value in range(below + 1)], dtype=np.int64)
    else:
        edges = -(-words * np.arange(below + 1, dtype=np.int64) // below)
    return edges[1:] - edges[:-1]


@lru_cache(maxsize=1 << 14)
def log_ratios(bits: int, below: int, form: Form) -> Floats:
    """Logarithm of the likelihood ratio of each number: that form against equal likelihood."""
    return np.asarray(np.log(words_for_each(bits, below, form) * (below / 2.0**bits)))


def score_tail(counts: Sequence[Counts], weights: Sequence[Floats]) -> float:
    """Bound on the probability that the score of independent uniform digits is as high as observed.

    Args:
        counts: For each digit how often each of its values was seen; all digits were seen equally often.
        weights: For each digit what each value adds to the score.

    Source: Neyman and Pearson, Phil. Trans. A 231 (1933), 289-337 (the likelihood ratio); Chernoff, Ann. Math. Stat.
    23 (1952), 493-507.

    Example:
        Of 100 tosses 80 are heads, which has a probability of 5.6e-10:

        >>> 5.6e-10 < score_tail([np.array([20, 80])], [np.array([0.0, 1.0])]) < 1e-8
        True
    """
    trials = int(counts[0].sum())
    score = sum(float(c @ w) for c, w in zip(counts, weights, strict=True))
    mean = trials * sum(float(w.mean()) for w in weights)
    spread = math.sqrt(trials * sum(float(w.var()) for w in weights))
    if not spread or score < mean + NOTICED * spread:
        return 1.0
    sizes = np.array([w.size for w in weights])
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    joined = np.concatenate(list(weights))

    def log_moment(slope: float) -> float:
        highest = np.maximum.reduceat(slope * joined, starts)
        sums = np.add.reduceat(np.exp(slope * joined - np.repeat(highest, sizes)), starts)
        return trials * float((highest + np.log(sums / sizes)).sum())

    return upper_bound_tail(log_moment, score, spread)


def few_bits(counts: Sequence[Counts]) -> Iterator[tuple[str, float]]:
    """Yields what words of few bits would be, and the p-value of the digits against them.

    Args:
        counts: For each digit how often each of its values was seen.
    """
    own = max(c.size for c in counts).bit_length()
    for bits in range(own, own + EXTRA_BITS):
        for form in ("modulo", "scaled"):
            weights = [log_ratios(bits, c.size, form) for c in counts]
            if any(w.any() for w in weights):
                yield f"{bits} bits {form}", score_tail(counts, weights)


def mean_p(counts: Counts, law: Floats) -> float:
    """Two-sided p-value of the mean of independent whole numbers with a known law: twice the smaller tail's bound.

    Args:
        counts: How often 0, 1, … came.
        law: Their probabilities.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> mean_p(np.array([20, 80]), np.array([0.5, 0.5])) < 1e-7, mean_p(np.array([50, 50]), np.array([0.5, 0.5]))
        (True, 1.0)
    """
    trials, values = int(counts.sum()), np.arange(counts.size)
    mean = float(law @ values)
    spread = math.sqrt(trials * max(0.0, float(law @ np.square(values - mean))))
    score = float(counts @ (values - mean))
    if not spread or abs(score) < NOTICED * spread:
        return 1.0
    centred, logs = values - mean, np.log(np.maximum(law, 5e-324))

    def log_moment(slope: float) -> float:
        exponents = logs + slope * centred
        top = float(exponents.max())
        return trials * (top + math.log(float(np.exp(exponents - top).sum())))

    bound = upper_bound_tail if score > 0 else lower_bound_tail
    return min(1.0, 2 * bound(log_moment, score, spread))


def trend_p(counts: np.ndarray, sizes: np.ndarray, chance: float) -> float:
    """Two-sided p-value of the linear trend of an event: twice the bound on the smaller tail.

    Args:
        counts: How often it came in each stretch of time.
        sizes: Rounds in each stretch.
        chance: Its probability in one round.

    Source: Cochran, Biometrics 10 (1954), 417-451 (linear trend in proportions); Chernoff, Ann. Math. Stat. 23 (1952).

    Example:
        >>> trend_p(np.array([40, 60]), np.array([100, 100]), 0.5) < 0.2
        True
    """
    times = np.linspace(-1.0, 1.0, counts.size)
    centred = times - float(times @ sizes) / float(sizes.sum())
    score = float(centred @ (counts - sizes * chance))
    spread = float(np.sqrt(chance * (1 - chance) * (sizes @ np.square(centred))))
    if not spread or abs(score) < TREND_NOTICED * spread:
        return 1.0

    def log_moment(slope: float) -> float:
        grown = np.logaddexp(np.log1p(-chance), np.log(chance) + slope * centred)
        return float(sizes @ (grown - slope * centred * chance))

    bound = upper_bound_tail if score > 0 else lower_bound_tail
    return min(1.0, 2 * bound(log_moment, score, spread))

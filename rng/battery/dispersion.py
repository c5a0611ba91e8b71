"""Dispersion: Pearson's statistic of counts within blocks of every size, with the exact law of both its tails.

Numbers that come from a bag without being put back, shuffled lists, and draws that make up for rare numbers are more
even than chance; hot and cold stretches are less even. Each shows at blocks about as long as itself.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.array_types import Counts, Floats
from rng.battery import goodness
from rng.battery.cell_sums import CellSum, pearson_value, two_sided_bound, upper_bound_tail
from rng.battery.result import Parameters, TestResult

Form = Literal["modulo", "scaled"]

# The same of a trend; its sample is cut into so many stretches in the order of time, and none is looked at within.
TREND_NOTICED, STRETCHES = 2.5, 64
# Words of more bits than these beyond the range's own bend the probabilities by less than a part in five hundred.
EXTRA_BITS = 9


def words_for_each(bits: int, below: int, form: Form) -> Counts:
    """How many of the words of so many bits give each number: by remainder, or by scaling and rounding down.

    Args:
        bits: Bits of the word; with those of the range at most 62.
        below: Numbers that there are, at most 2^bits.
        form: ``modulo`` for ``word % below``, ``scaled`` for ``word * below >> bits``.

    Example:
        >>> words_for_each(3, 5, "modulo").tolist(), words_for_each(3, 5, "scaled").tolist()
        ([2, 2, 2, 1, 1], [2, 2, 1, 2, 1])
    """
    words = 1 << bits
    if form == "modulo":
        return np.asarray(words // below + (np.arange(below) < words % below), dtype=np.int64)
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
    centred, logs = values - mean, np.log(np.maximum(law, 5e-324))

    def log_moment(slope: float) -> float:
        exponents = logs + slope * centred
        top = float(exponents.max())
        return trials * (top + math.log(float(np.exp(exponents - top).sum())))

    return two_sided_bound(log_moment, score, spread)


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

    def log_moment(slope: float) -> float:
        grown = np.logaddexp(np.log1p(-chance), np.log(chance) + slope * centred)
        return float(sizes @ (grown - slope * centred * chance))

    return two_sided_bound(log_moment, score, spread, noticed=TREND_NOTICED)


MOST_CLASSES = 1 << 16
LEAST_SAMPLE = 100
# Blocks this short are counted in the first so many numbers only: there are more than enough of them.
SHORT, MOST_IN_SHORT = 1 << 14, 1 << 23
# Nearer than so many standard deviations a statistic is not worth the exact law: its p-value is taken for 1.
NOTICED = 2.0
# Blocks in which a class is expected less often tell little of how evenly it comes.
LEAST_OF_A_CLASS = 4
NULL = "Pearson's statistic of multinomial counts, summed over blocks; Chernoff's bound on its exact moments"


@njit(cache=True)
def equal_pairs(values: NDArray[np.integer], size: int, classes: int) -> int:
    """Pairs of equal numbers within blocks of a size, all whole blocks together."""
    counts = np.zeros(classes, dtype=np.int64)
    pairs = 0
    for start in range(0, values.size - size + 1, size):
        for i in range(start, start + size):
            pairs += counts[values[i]]
            counts[values[i]] += 1
        for i in range(start, start + size):
            counts[values[i]] = 0
    return pairs


def block_sizes(numbers: int) -> tuple[int, ...]:
    """The whole sample, its half, its quarter and so on, down to pairs.

    Example:
        >>> block_sizes(100)
        (100, 50, 25, 12, 6, 3)
    """
    return tuple(numbers >> halved for halved in range(numbers.bit_length() - 1) if numbers >> halved > 1)


def dispersion_p(pairs: int, blocks: int, size: int, classes: int) -> float:
    """Two-sided p-value of the equal pairs in blocks of independent uniform numbers: twice the smaller tail's bound.

    The sum of Pearson's statistics over the blocks is 2k/B · pairs + blocks · (k - B); its moment function is known
    to working precision for every size, so that both bounds hold for the shortest blocks as for the longest.

    Args:
        pairs: Pairs of equal numbers within blocks.
        blocks: Number of blocks.
        size: Numbers in each, B.
        classes: Values that a number can take, k.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16 (index of dispersion, both tails);
    Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        A die from a bag that holds each face 100 times, 40 bags; and 24,000 throws of a fair one, which have
        40 · 600·599/2 / 6 = 1,198,000 pairs on the average:

        >>> dispersion_p(40 * 6 * 100 * 99 // 2, 40, 600, 6) < 1e-200, dispersion_p(1_198_300, 40, 600, 6)
        (True, 1.0)
    """
    statistic = 2 * classes / size * pairs + blocks * (classes - size)
    return pearson_p(statistic, blocks, size, {1 / classes: classes})


def classes_p(seen: NDArray[np.integer], law: Sequence[float]) -> float:
    """Two-sided p-value of how evenly classes come in blocks of every size, corrected for the sizes.

    What is held even need not be the numbers themselves: as many low as high ones, a win in so many rounds.

    Args:
        seen: The class of each trial, by its number.
        law: Probability of each class in one trial, whatever came before.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.

    Example:
        Heads once in every ten tosses, and the same ten times in every hundred:

        >>> one = np.tile([1, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1_000)
        >>> classes_p(one, (0.9, 0.1)) < 1e-70, classes_p(np.sort(one.reshape(-1, 100)).ravel(), (0.9, 0.1)) < 1e-6
        (True, True)
    """
    possible = {number: chance for number, chance in enumerate(law) if chance > 0}
    rarest = min(possible.values())
    sizes = [size for size in block_sizes(seen.size) if size * rarest >= LEAST_OF_A_CLASS]
    statistics = np.zeros(len(sizes))
    for number, chance in possible.items():
        came = np.concatenate(([0], np.cumsum(seen == number)))
        for place, size in enumerate(sizes):
            counts = np.diff(came[: MOST_IN_SHORT + 1 if size < SHORT else None : size])
            statistics[place] += float(np.square(counts - size * chance).sum()) / (size * chance)
    found = []
    for size, statistic in zip(sizes, statistics.tolist(), strict=True):
        trials = min(seen.size, MOST_IN_SHORT) if size < SHORT else seen.size
        found.append(pearson_p(statistic, trials // size, size, Counter(possible.values())))
    return min(1.0, min(found, default=1.0) * max(1, len(found)))


def pearson_p(statistic: float, blocks: int, size: int, law: Mapping[float, int]) -> float:
    """Two-sided p-value of Pearson's statistics of some blocks, added up: twice the smaller tail's bound.

    Args:
        statistic: The sum.
        blocks: Number of blocks.
        size: Trials in each.
        law: How many classes have each probability.

    Source: Haldane, Biometrika 29 (1937), 133-143 (the variance); Chernoff, Ann. Math. Stat. 23 (1952), 493-507.
    """
    classes = sum(law.values())
    mean = blocks * (classes - 1.0)
    uneven = sum(many / chance for chance, many in law.items()) - classes * classes - 2 * classes + 2
    spread = math.sqrt(max(0.0, blocks * (2 * (classes - 1) + uneven / size)))
    one = CellSum(size, law, pearson_value)
    return two_sided_bound(lambda slope: blocks * one.log_moment(slope), statistic, spread, mean=mean)


def even_classes(looked_at: Iterable[tuple[str, NDArray[np.integer], Sequence[float]]]) -> dict[str, float]:
    """Returns what is looked at, and the p-value of how evenly its classes come.

    Args:
        looked_at: What it is, the class of each trial, and the probability of each class.
    """
    return {f"{name}, blocks of every size": classes_p(seen, law) for name, seen, law in looked_at}


def worst_of_sizes(values: NDArray[np.integer], classes: int) -> float:
    """The smallest p-value of the blocks of all sizes, corrected for their number."""
    found = [p_value for _, p_value in by_block_size(values, classes)]
    return min(1.0, min(found) * len(found))


def by_block_size(values: NDArray[np.integer], classes: int) -> Iterator[tuple[str, float]]:
    """Yields what the blocks of each size are, and their p-value.

    Args:
        values: Independent numbers, uniform below ``classes``; one-dimensional.
        classes: Values that each can take.
    """
    for size in block_sizes(values.size):
        part = values[:MOST_IN_SHORT] if size < SHORT else values
        blocks = part.size // size
        pairs = int(equal_pairs(part, size, classes))
        yield f"{blocks:,} blocks of {size:,}", dispersion_p(pairs, blocks, size, classes)


def detectable(numbers: int, p_values: int) -> str:
    """Smallest share by which the variance of counts may be off unseen, in words."""
    share = goodness.detectable_shift(1, p_values) * math.sqrt(2 / numbers)
    words = goodness.power_words(p_values)
    return f"a variance of the counts in blocks of as many as classes off by a share of {share:.3g}{words}"


def over_blocks(
    columns: Mapping[str, NDArray[np.integer]],
    classes: int,
    parameters: Parameters | None = None,
) -> TestResult:
    """The dispersion of columns of independent numbers within blocks of all sizes, both tails.

    Args:
        columns: What each column is, and its numbers; nothing is stated of a single one.
        classes: Values that each number can take.
        parameters: That the test was run with.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    found = {
        f"{column}, {blocks}" if column else blocks: p_value
        for column, values in columns.items()
        for blocks, p_value in by_block_size(values, classes)
    }
    size = next(iter(columns.values())).size
    return TestResult.of(
        found,
        parameters=parameters,
        null=NULL,
        detectable=detectable(size, len(found)),
    )

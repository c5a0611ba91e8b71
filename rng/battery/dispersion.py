"""Dispersion: Pearson's statistic of counts within blocks of every size, with the exact law of both its tails.

Numbers that come from a bag without being put back, shuffled lists, and draws that make up for rare numbers are more
even than chance; hot and cold stretches are less even. Each shows at blocks about as long as itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cell_sums import CellSum, lower_bound_tail, pearson_value, upper_bound_tail
from rng.battery.result import Parameters, TestResult

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
    if abs(statistic - mean) < NOTICED * spread or not spread:
        return 1.0
    one = CellSum(size, law, pearson_value)
    bound = lower_bound_tail if statistic < mean else upper_bound_tail
    return min(1.0, 2 * bound(lambda slope: blocks * one.log_moment(slope), statistic, spread))


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
        yield judged(int(equal_pairs(part, size, classes)), part.size // size, size, classes)


def judged(pairs: int, blocks: int, size: int, classes: int) -> tuple[str, float]:
    """Returns what the blocks of a size are, and the p-value of their equal pairs."""
    return f"{blocks:,} blocks of {size:,}", dispersion_p(pairs, blocks, size, classes)


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
        columns: What each column is, and its numbers; nothing is said of a single one.
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

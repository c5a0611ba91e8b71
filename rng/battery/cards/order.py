"""How ordered a deck still is: inversions, descents, rising sequences, longest increasing subsequence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls
from rng.battery.cards.decks import (
    CHUNK,
    DISTRIBUTION_DECKS,
    CardTest,
    Decks,
    DeckShoe,
    column_chunks,
    plain,
)
from rng.battery.result import TestResult

# 52 cards have 281,589 partitions; the sum over them takes seconds.
MOST_PARTITIONED = 52

Values = Callable[[Decks], Iterator[NDArray[np.integer]]]


def inversion_numbers(decks: Decks) -> Iterator[NDArray[np.integer]]:
    """Number of pairs of cards out of order, deck by deck."""
    for piece in _pieces(decks):
        yield kernels.lehmer_code(piece).sum(axis=1, dtype=np.int64)


def descent_numbers(decks: Decks) -> Iterator[NDArray[np.integer]]:
    """Number of positions where the next card is smaller, deck by deck."""
    for columns in column_chunks(decks):
        yield (columns[1:] < columns[:-1]).sum(axis=0)


def rising_descents(decks: Decks) -> Iterator[NDArray[np.integer]]:
    """Number of rising sequences less one, deck by deck."""
    for piece in _pieces(decks):
        places = kernels.inverse(piece)
        yield (places[:, 1:] < places[:, :-1]).sum(axis=1)


def increasing_lengths(decks: Decks) -> Iterator[NDArray[np.integer]]:
    """Length of the longest increasing subsequence, deck by deck."""
    for piece in _pieces(decks):
        yield kernels.longest_increasing(piece)


def _pieces(decks: Decks) -> Iterator[NDArray[Any]]:
    for start in range(0, len(decks), CHUNK):
        yield np.ascontiguousarray(decks[start : start + CHUNK])


def histogram(values: Iterator[NDArray[np.integer]], classes: int) -> NDArray[np.int64]:
    """Counts of a whole-number statistic over all decks."""
    counts = np.zeros(classes, dtype=np.int64)
    for piece in values:
        counts += np.bincount(piece, minlength=classes)
    return counts


def compare(name: str, counts: NDArray[np.int64], law: nulls.NullLaw, null: str) -> TestResult:
    """Compares a statistic with its exact distribution over all permutations, in mean and in distribution."""
    size = int(counts.sum())
    mean, variance = law.mean, law.variance
    total = int((np.arange(counts.size) * counts).sum())
    z = (total - size * float(mean)) / (size * float(variance)) ** 0.5
    p_values, labels = [goodness.normal_two_sided(z)], ["mean"]
    deciding = list(p_values)
    statistic, freedom = z, None
    if size >= DISTRIBUTION_DECKS:
        fit = goodness.chi_square_fit(counts, law.probabilities, ordered=True)
        p_values, labels = [*p_values, fit.p_value], [*labels, "distribution"]
        deciding.append(fit.two_sided)
        statistic, freedom = fit.statistic, fit.degrees_of_freedom
    return TestResult(
        p_values=tuple(p_values),
        deciding=tuple(deciding),
        labels=tuple(labels),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null=null,
        detectable=goodness.describe_shift(
            size, f"standard deviations of the statistic (mean {float(mean):g}, variance {float(variance):g})"
        ),
    )


def _test(
    name: str,
    minimum: int | Callable[[DeckShoe], int | str],
    values: Values,
    null: Callable[[int], nulls.NullLaw],
    words: str,
) -> CardTest:
    def run(decks: Decks) -> TestResult:
        law = null(decks.shape[1])
        return compare(name, histogram(values(decks), len(law.probabilities)), law, words)

    return plain(name, minimum, run)


def _partitions(shoe: DeckShoe) -> int | str:
    if shoe.cards > MOST_PARTITIONED:
        return (
            f"its exact null is summed over the partitions of the number of cards: up to {MOST_PARTITIONED}"
        )
    return 200


TESTS = (
    _test("inversions", 32, inversion_numbers, nulls.inversion_law, "Mahonian numbers over n!"),
    _test("descents", 32, descent_numbers, nulls.descent_law, "Eulerian numbers over n!"),
    _test(
        "rising-sequences",
        32,
        rising_descents,
        nulls.descent_law,
        "Eulerian numbers over n! (Bayer, Diaconis)",
    ),
    _test(
        "longest-increasing",
        _partitions,
        increasing_lengths,
        nulls.increasing_law,
        "squared tableau counts over n! (Schensted)",
    ),
)

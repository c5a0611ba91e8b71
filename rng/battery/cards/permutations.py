"""A deck as a permutation: fixed points, cycles, rises and inversions, and neighbours."""

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
    a_cell,
    column_chunks,
    plain,
)
from rng.battery.result import TestResult

LAGS = (1, 2, 3, 4)


def fixed_point_counts(decks: Decks) -> NDArray[np.int64]:
    """How many decks have 0, 1, …, n cards at the position of their own id."""
    n = decks.shape[1]
    counts = np.zeros(n + 1, dtype=np.int64)
    own = np.arange(n, dtype=np.uint16)[:, None]
    for columns in column_chunks(decks):
        counts += np.bincount((columns == own).sum(axis=0), minlength=n + 1)
    return counts


def match_counts(decks: Decks, lag: int) -> NDArray[np.int64]:
    """How many decks have 0, 1, …, n cards in the same position as ``lag`` decks later."""
    n = decks.shape[1]
    counts = np.zeros(n + 1, dtype=np.int64)
    for columns in column_chunks(decks, overlap=lag):
        counts += np.bincount((columns[:, :-lag] == columns[:, lag:]).sum(axis=0), minlength=n + 1)
    return counts


def _total(counts: NDArray[np.int64]) -> int:
    return int((np.arange(counts.size) * counts).sum())


def _result(counts: NDArray[np.int64], totals: list[float], labels: list[str], detectable: str) -> TestResult:
    """Puts the totals and, from enough decks, the distribution together."""
    size = int(counts.sum())
    statistic, freedom = float(_total(counts)), None
    deciding = totals
    if size >= DISTRIBUTION_DECKS:
        null = nulls.probabilities(nulls.fixed_points(counts.size - 1))
        fit = goodness.chi_square_fit(counts, null, ordered=True)
        deciding = [fit.two_sided, *totals]
        totals, labels = [fit.p_value, *totals], ["distribution", *labels]
        statistic, freedom = fit.statistic, fit.degrees_of_freedom
    return TestResult(
        p_values=tuple(totals),
        deciding=tuple(deciding),
        labels=tuple(labels),
        statistic=statistic,
        degrees_of_freedom=freedom,
        discrete=size < goodness.COARSE_BELOW,
        null="rencontres numbers over n!; the total is Poisson",
        detectable=goodness.describe_shift(size, detectable),
    )


def run_fixed_points(decks: Decks) -> TestResult:
    """Fixed points against the order of the ids: C(n, k) D(n-k)/n!, in distribution and in total.

    The number in one deck differs from a Poisson variable of mean 1 by less than 2^n/(n+1)! (1e-37 for forty
    cards), so that the total over N decks is Poisson(N).
    """
    counts = fixed_point_counts(decks)
    total = goodness.poisson_two_sided(_total(counts), len(decks))
    return _result(counts, [total], ["total"], "in the mean number of fixed points (expected 1)")


def run_matches(decks: Decks) -> TestResult:
    """Cards in the same position of two decks: for independent shuffles distributed like fixed points.

    The quotients of consecutive independent uniform permutations are themselves independent and uniform, so
    that overlapping pairs of decks may all be counted.
    """
    counts = [match_counts(decks, lag) for lag in LAGS]
    totals = [goodness.poisson_two_sided(_total(count), int(count.sum())) for count in counts]
    labels = [f"total, {lag} decks apart" for lag in LAGS]
    return _result(counts[0], totals, labels, "in the mean number of matches (expected 1)")


FIXED_POINTS = (
    plain("fixed-points", 32, run_fixed_points),
    plain("matches-next-deck", 64, run_matches),
)


def cycle_counts(decks: Decks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decks by number of cycles (0 to n), and by length of the cycle of card 0 (1 to n)."""
    n = decks.shape[1]
    numbers = np.zeros(n + 1, dtype=np.int64)
    lengths = np.zeros(n + 1, dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        count, first = kernels.cycle_structure(np.ascontiguousarray(decks[start : start + CHUNK]))
        numbers += np.bincount(count, minlength=n + 1)
        lengths += np.bincount(first, minlength=n + 1)
    return numbers, lengths[1:]


def run_cycles(decks: Decks) -> TestResult:
    """Even and odd permutations, the number of cycles, and the length of the cycle of the first card (uniform)."""
    n, size = decks.shape[1], len(decks)
    numbers, lengths = cycle_counts(decks)
    # A permutation is even exactly when n less its number of cycles is even.
    even = goodness.binomial_two_sided(int(numbers[n % 2 :: 2].sum()), size, 0.5)
    found = {"parity": (even, even)}
    fit = goodness.chi_square_fit(numbers, nulls.probabilities(nulls.cycles(n)), ordered=True)
    for label, one in (("number of cycles", fit), ("cycle of the first card", goodness.uniform_fit(lengths))):
        found[label] = (one.p_value, one.two_sided)
    return TestResult(
        p_values=tuple(published for published, _ in found.values()),
        deciding=tuple(decided for _, decided in found.values()),
        labels=tuple(found),
        statistic=fit.statistic,
        degrees_of_freedom=fit.degrees_of_freedom,
        null="even permutations binomial(N, 1/2), exact; unsigned Stirling numbers of the first kind over n!; uniform "
        "cycle length",
        discrete=True,
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size, len(found)),
    )


CYCLES = (plain("cycles", a_cell(10), run_cycles),)


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


ORDER = (
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


def successor_table(decks: Decks) -> NDArray[np.int64]:
    """How often each card was directly followed by each other, the last card by the first."""
    n = decks.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        kernels.successor_counts(np.ascontiguousarray(decks[start : start + CHUNK]), counts)
    return counts


def successor_statistic(counts: NDArray[np.int64], decks: int) -> tuple[float, int]:
    """Chi-square statistic of the successor table and its degrees of freedom.

    Closed to a circle, a shuffled deck is a uniformly random cyclic order: every card has one successor,
    each other card with probability p = 1/(n-1); two given successions occur together with probability q =
    p/(n-2) when they can at all. The covariance of the table has two eigenspaces: sums over both directions
    (variance 2p a pair, n(n-3)/2 dimensions) and differences (2p + 4q a pair, (n-1)(n-2)/2 dimensions).
    """
    n = counts.shape[0]
    p = 1 / (n - 1)
    q = p / (n - 2)
    upper = np.triu_indices(n, 1)
    sums = (counts + counts.T)[upper] - 2 * p * decks
    differences = (counts - counts.T)[upper].astype(np.float64)
    statistic = (np.square(sums) / (2 * p) + np.square(differences) / (2 * p + 4 * q)).sum() / decks
    return float(statistic), n * (n - 3) // 2 + (n - 1) * (n - 2) // 2


def succession_counts(decks: Decks) -> NDArray[np.int64]:
    """How many decks have 0, 1, …, n-1 cards directly followed by the next id."""
    n = decks.shape[1]
    counts = np.zeros(n, dtype=np.int64)
    for columns in column_chunks(decks):
        successions = (columns[1:].astype(np.int32) == columns[:-1].astype(np.int32) + 1).sum(axis=0)
        counts += np.bincount(successions, minlength=n)
    return counts


def run(decks: Decks) -> TestResult:
    """Adjacent cards: the table of who follows whom, and the number of consecutive ids left together."""
    size = len(decks)
    statistic, freedom = successor_statistic(successor_table(decks), size)
    null = nulls.probabilities(nulls.successions(decks.shape[1]))
    consecutive = goodness.chi_square_fit(succession_counts(decks), null, ordered=True)
    return TestResult(
        p_values=(goodness.chi_square_tail(statistic, freedom), consecutive.p_value),
        labels=("successor table", "consecutive ids"),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="covariance of a uniformly random cyclic order, exact; permutations by successions (Riordan)",
        detectable=goodness.describe_deviation(freedom, size * decks.shape[1]),
    )


ADJACENT = (plain("adjacent-cards", lambda shoe: 5 * shoe.cards, run),)

"""Cards that follow each other: who lies next to whom."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls
from rng.battery.cards.decks import CHUNK, Decks, column_chunks, plain
from rng.battery.result import TestResult


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


TESTS = (plain("adjacent-cards", lambda shoe: 5 * shoe.cards, run),)

"""Cards that stay where they were: against the reference order, and from one deck to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import nulls
from rng.battery.cards.decks import DISTRIBUTION_DECKS, Decks, column_chunks, plain
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


TESTS = (
    plain("fixed-points", 32, run_fixed_points),
    plain("matches-next-deck", 64, run_matches),
)

"""Shuffles that change slowly: the first half of the sample against the second, and trends along it."""

from __future__ import annotations

import math

import numpy as np

from rng.battery import goodness
from rng.battery.cards.card_position import position_counts
from rng.battery.cards.decks import CHUNK, Decks, a_cell, plain
from rng.battery.result import TestResult


def halves_statistic(decks: Decks) -> float:
    """Chi-square statistic of the difference between the position tables of the two halves."""
    n, middle = decks.shape[1], len(decks) // 2
    first, second = decks[:middle], decks[middle:]
    difference = position_counts(first) / len(first) - position_counts(second) / len(second)
    # One cell of one deck has variance (1/n)(1 - 1/n); the factor (n-1)/n is the one of the card-position
    # test.
    return float((n - 1) * np.square(difference).sum() / (1 / len(first) + 1 / len(second)))


def trend_statistic(decks: Decks) -> float:
    """Chi-square statistic of the linear trends of the card ids at all positions together."""
    n, size = decks.shape[1], len(decks)
    sums = [0] * n  # of twice the centred time with twice the centred ids, exact
    for start in range(0, size, CHUNK):
        piece = 2 * decks[start : start + CHUNK].astype(np.int64) - (n - 1)
        times = 2 * np.arange(start, start + len(piece)) - (size - 1)
        sums = [s + int(x) for s, x in zip(sums, (times[:, None] * piece).sum(axis=0), strict=True)]
    weight = size * (size * size - 1) / 3
    variance = (n * n - 1) / 3
    return float((n - 1) / n * math.fsum(float(s) ** 2 for s in sums) / (weight * variance))


def run(decks: Decks) -> TestResult:
    """Drift: halves of the sample compared, and linear trends."""
    n, size = decks.shape[1], len(decks)
    halves, trend = halves_statistic(decks), trend_statistic(decks)
    return TestResult(
        suite="cards",
        test="drift",
        p_values=(
            goodness.chi_square_tail(halves, (n - 1) ** 2),
            goodness.chi_square_tail(trend, n - 1),
        ),
        labels=("halves", "trend"),
        sample_size=size,
        statistic=halves,
        degrees_of_freedom=(n - 1) ** 2,
        null="difference of two without-replacement tables; trends with covariance I - J/n; chi-square",
        detectable=goodness.describe_deviation((n - 1) ** 2, size * (n - 1) / 4) + " between the halves",
    )


TESTS = (plain("drift", a_cell(20), run),)

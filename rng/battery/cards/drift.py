"""Decks over time: halves and trends of the sample, single cards that drift, blocks that are too even or too uneven."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rng.battery import dispersion, goodness
from rng.battery.cards.decks import CHUNK, SMALL, Decks, DeckShoe, a_cell, of_shoe, plain
from rng.battery.cards.positions import position_counts
from rng.battery.result import TestResult
from rng.battery.scores import STRETCHES, trend_p
from rng.battery.suite import at_least


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


def run_drift(decks: Decks) -> TestResult:
    """Drift: halves of the sample compared, and linear trends."""
    n, size = decks.shape[1], len(decks)
    halves, trend = halves_statistic(decks), trend_statistic(decks)
    return TestResult(
        p_values=(
            goodness.chi_square_tail(halves, (n - 1) ** 2),
            goodness.chi_square_tail(trend, n - 1),
        ),
        labels=("halves", "trend"),
        statistic=halves,
        degrees_of_freedom=(n - 1) ** 2,
        null="difference of two without-replacement tables; trends with covariance I - J/n; chi-square",
        detectable=goodness.describe_deviation((n - 1) ** 2, size * (n - 1) / 4) + " between the halves",
    )


def _classes(decks: Decks, shoe: DeckShoe) -> Iterator[tuple[str, NDArray[np.integer], Sequence[float]]]:
    """Yields ranks and suits at the first places, and whether the first two cards are alike in them."""
    for what, groups in (("rank", shoe.ranks), ("suit", shoe.suits)):
        if not groups:
            continue
        sizes, table = np.bincount(groups), np.array(groups)
        first = [table[decks[:, place]] for place in range(GROUPED)]
        for place, column in enumerate(first, 1):
            yield f"{what} at place {place}", column, (sizes / shoe.cards).tolist()
        alike = float((sizes * (sizes - 1)).sum() / (shoe.cards * (shoe.cards - 1)))
        yield f"first two of one {what}", (first[0] == first[1]).astype(np.int64), (1 - alike, alike)


def run_dispersion(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Dispersion of what is dealt at each of the first places: decks from a bag of decks, hot and cold stretches.

    The cards at one place are independent from deck to deck and equally likely, as numbers drawn are; so is whatever
    one deck shows, with its own probability: a rank, a suit, a pair.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    places = min(decks.shape[1], SMALL)
    columns = {f"position {place + 1}": decks[:, place].astype(np.int64) for place in range(places)}
    found = dispersion.over_blocks(columns, decks.shape[1], {"positions": places})
    return found.with_bounds(dispersion.even_classes(_classes(decks, shoe)))


# Ranks and suits are looked at on so many places.
GROUPED = 4
PLACES = 8
FRONTS = (4, 8)


def run_trends(decks: Decks) -> TestResult:
    """Trend of every card at each of the first places and among the first four and eight.

    Source: GLI-19 v3.0, 3.2.2; Cochran, Biometrics 10 (1954), 417-451.
    """
    n, size = decks.shape[1], len(decks)
    edges = np.arange(STRETCHES + 1) * size // STRETCHES
    sizes = np.diff(edges).astype(np.float64)
    places = min(PLACES, n)
    table = np.zeros((places, STRETCHES, n), dtype=np.int64)
    for stretch in range(STRETCHES):
        piece = decks[edges[stretch] : edges[stretch + 1]]
        for place in range(places):
            table[place, stretch] = np.bincount(piece[:, place], minlength=n)
    looked_at = {f"place {place + 1}": (table[place], 1 / n) for place in range(places)}
    looked_at |= {f"first {k}": (table[:k].sum(axis=0), k / n) for k in FRONTS if k <= places and k < n}
    found = {
        f"{where}, card {card}": trend_p(counts[:, card], sizes, chance)
        for where, (counts, chance) in looked_at.items()
        for card in range(n)
    }
    share = goodness.detectable_shift(size, len(found)) * np.sqrt(3 * n)
    return TestResult.of(
        found,
        null="linear score of independent rounds, Chernoff's bound on its exact moments",
        detectable=f"a card at one place that drifts by {100 * share:.3g} % from its middle to either end"
        f"{goodness.power_words(len(found))}",
    )


TESTS = (
    plain("drift", a_cell(20), run_drift),
    of_shoe("dispersion", at_least(dispersion.LEAST_SAMPLE), run_dispersion),
    plain("card-trends", 2 * STRETCHES, run_trends),
)

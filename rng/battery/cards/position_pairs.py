"""Every pair of positions in a deck, against dealing without replacement."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import SUITS, CardTest, Decks, column_chunks, rank_of
from rng.battery.result import TestResult


def pair_labels(cards: int) -> tuple[str, ...]:
    """Labels of the pairs of positions, counted from one."""
    return tuple(f"positions {i + 1} and {j + 1}" for i, j in combinations(range(cards), 2))


def pair_tables(decks: Decks, groups: int) -> NDArray[np.int64]:
    """How often card (or rank) a lay in the first and b in the second position: ``counts[pair, a, b]``."""
    n = decks.shape[1]
    counts = np.zeros((n * (n - 1) // 2, groups, groups), dtype=np.int64)
    for columns in column_chunks(decks):
        kernels.pair_counts(columns if groups == n else rank_of(columns), counts)
    return counts


def pair_probabilities(cards: int, groups: int) -> NDArray[np.float64]:
    """Probability of each ordered pair of cards (or ranks) in two positions of one deck."""
    size = cards // groups
    same = size * (size - 1) / (cards * (cards - 1))
    return np.where(np.eye(groups, dtype=bool), same, size * size / (cards * (cards - 1)))


def run(decks: Decks) -> TestResult:
    """Ordered pairs of cards in each pair of positions: n(n-1) equally likely outcomes.

    Below ten expectations a cell the ranks are compared instead of the cards.

    Source: South Dakota 48:02:08:02(3) and GLI-19 3.2.4: values inside one draw, without replacement.
    """
    n, size = decks.shape[1], len(decks)
    by_card = size >= goodness.LEAST_EXPECTED * n * (n - 1)
    groups = n if by_card else n // SUITS
    tables = pair_tables(decks, groups)
    expected = size * pair_probabilities(n, groups)
    possible = expected > 0
    freedom = int(possible.sum()) - 1
    squares = np.square(tables[:, possible] - expected[possible]) / expected[possible]
    return TestResult(
        suite="cards",
        test="position-pairs",
        p_values=tuple(goodness.chi_square_tail(float(x), freedom) for x in squares.sum(axis=1)),
        labels=pair_labels(n),
        parameters={"by": "card" if by_card else "rank"},
        sample_size=size,
        degrees_of_freedom=freedom,
        null="multinomial over ordered pairs drawn without replacement; chi-square",
        detectable=goodness.describe_deviation(freedom, size, len(squares)),
    )


TESTS = (CardTest("position-pairs", 1300, run),)

"""Every pair of positions in a deck, against dealing without replacement."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import SMALL, Decks, DeckShoe, column_chunks, grouped, of_shoe
from rng.battery.cells import two_sided, worst
from rng.battery.result import TestResult

# In a large shoe: neighbours everywhere, and all pairs among the positions that the first rounds use.
FIRST_POSITIONS = 20


def paired(cards: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of positions that are compared: all, or in a large shoe the neighbours and the first ones."""
    first, second = np.triu_indices(cards, 1)
    kept = (
        (second - first == 1) | (second < FIRST_POSITIONS) if cards > SMALL else np.ones(first.size, np.bool_)
    )
    return first[kept].astype(np.int64), second[kept].astype(np.int64)


def pair_labels(cards: int) -> tuple[str, ...]:
    """Labels of the pairs of positions, counted from one."""
    return tuple(f"positions {i + 1} and {j + 1}" for i, j in zip(*paired(cards), strict=True))


def pair_tables(decks: Decks, groups: tuple[int, ...]) -> NDArray[np.int64]:
    """How often a card of group a lay in the first and of group b in the second position: ``counts[pair, a, b]``."""
    first, second = paired(decks.shape[1])
    counts = np.zeros((first.size, max(groups) + 1, max(groups) + 1), dtype=np.int64)
    for columns in column_chunks(decks):
        kernels.pair_counts(grouped(columns, groups), first, second, counts)
    return counts


def pair_probabilities(groups: tuple[int, ...]) -> NDArray[np.float64]:
    """Probability of each ordered pair of groups in two positions of one deck."""
    cards, sizes = len(groups), np.bincount(groups)
    return (np.outer(sizes, sizes) - np.diag(sizes)) / (cards * (cards - 1))


def _by_card(shoe: DeckShoe, size: int) -> bool:
    return shoe.cards <= SMALL and size >= goodness.LEAST_EXPECTED * shoe.cards * (shoe.cards - 1)


def _fewest(shoe: DeckShoe) -> int | str:
    """Ten expectations in the rarest pair of ranks that can be; of cards, where they have no ranks."""
    groups = shoe.ranks or tuple(range(shoe.cards))
    if not shoe.ranks and shoe.cards > SMALL:
        return "the cards have no ranks to compare, and are too many to compare each"
    rarest = min(p for p in pair_probabilities(groups).flat if p > 0)
    return math.ceil(goodness.LEAST_EXPECTED / rarest - 1e-6)


def alike(decks: Decks, groups: tuple[int, ...]) -> tuple[str, float]:
    """The two positions that hold two cards of one group most or least often: their names, and a p-value for all."""
    counts = np.trace(pair_tables(decks, groups), axis1=1, axis2=2)
    law = np.full(counts.size, float(np.trace(pair_probabilities(groups))))
    return worst(two_sided(counts, len(decks), law), pair_labels(len(groups)))


def run(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Ordered pairs of cards in pairs of positions: n(n-1) equally likely outcomes; and two ranks, or suits, alike.

    Below ten expectations a cell, and in large shoes, the ranks are compared instead of the cards. How often two
    positions hold one rank, or one suit, is binomial; Bonferroni over the pairs.

    Source: South Dakota 48:02:08:02(3) and GLI-19 3.2.4: values inside one draw, without replacement.
    """
    size = len(decks)
    by_card = _by_card(shoe, size)
    groups = tuple(range(shoe.cards)) if by_card else shoe.ranks
    tables = pair_tables(decks, groups)
    expected = size * pair_probabilities(groups)
    possible = expected > 0
    freedom = int(possible.sum()) - 1
    squares = np.square(tables[:, possible] - expected[possible]) / expected[possible]
    return TestResult(
        p_values=tuple(goodness.chi_square_tail(float(x), freedom) for x in squares.sum(axis=1)),
        labels=pair_labels(shoe.cards),
        parameters={"by": "card" if by_card else "rank"},
        degrees_of_freedom=freedom,
        null="multinomial over ordered pairs drawn without replacement; chi-square",
        detectable=goodness.describe_deviation(freedom, size, len(squares)),
    ).with_bounds(
        {
            f"{where}: {name} alike": p_value
            for name, groups in (("ranks", shoe.ranks), ("suits", shoe.suits))
            if groups and 1 < len(set(groups)) < shoe.cards
            for where, p_value in [alike(decks, groups)]
        }
    )


TESTS = (of_shoe("position-pairs", _fewest, run),)

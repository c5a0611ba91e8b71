"""Every card, rank and suit must be equally likely in every position of the deck."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import (
    Decks,
    DeckShoe,
    a_cell,
    column_chunks,
    of_shoe,
    plain,
    positions,
    smallest_group,
)
from rng.battery.result import TestResult


def position_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each card lay in each position: ``counts[position, card]``."""
    cards = decks.shape[1]
    counts = np.zeros((cards, cards), dtype=np.int64)
    for columns in column_chunks(decks):
        for position, column in enumerate(columns):
            counts[position] += np.bincount(column, minlength=cards)
    return counts


def table_statistic(counts: NDArray[np.int64]) -> float:
    """Chi-square statistic of a position-by-group table, corrected for dealing without replacement.

    Each deck puts every card in exactly one position, so the cells are not independent: Pearson's sum
    exceeds a chi-square variable by the factor n/(n-1), which is taken out here (39/40 for forty cards).

    Args:
        counts: ``counts[position, group]``; every row sums to the number of decks.
    """
    n = counts.shape[0]
    decks = int(counts[0].sum())
    expected = counts.sum(axis=0, keepdims=True) / n
    pearson = float((np.square(counts - expected) / expected).sum()) if decks else 0.0
    return pearson * float(n - 1) / float(n)


def _table_result(counts: NDArray[np.int64]) -> TestResult:
    n, groups = counts.shape
    decks = int(counts[0].sum())
    freedom = (n - 1) * (groups - 1)
    statistic = table_statistic(counts)
    return TestResult(
        p_values=(goodness.chi_square_tail(statistic, freedom),),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="(n-1)/n · X² is chi-square with (n-1)(g-1) degrees of freedom: cards without replacement",
        detectable=goodness.describe_deviation(freedom, decks * (n - 1)),
    )


def run_card_position(decks: Decks) -> TestResult:
    """Card × position: T = (n-1)/n · X², chi-square with (n-1)² degrees of freedom."""
    return _table_result(position_counts(decks))


def _grouped(counts: NDArray[np.int64], groups: tuple[int, ...]) -> NDArray[np.int64]:
    table = np.zeros((counts.shape[0], max(groups) + 1), dtype=np.int64)
    for card, group in enumerate(groups):
        table[:, group] += counts[:, card]
    return table


def run_rank_position(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Rank × position, without-replacement null."""
    return _table_result(_grouped(position_counts(decks), shoe.ranks))


def run_suit_position(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Suit × position, without-replacement null."""
    return _table_result(_grouped(position_counts(decks), shoe.suits))


def run_each_position(decks: Decks) -> TestResult:
    """Each position by itself: the cards dealt there are independent from deck to deck and equally likely."""
    counts = position_counts(decks)
    fits = [goodness.uniform_fit(row) for row in counts]
    n = decks.shape[1]
    return goodness.fitted(
        fits,
        labels=positions(n),
        null="multinomial with equal probabilities; X² is chi-square with n-1 degrees of freedom",
        detectable=goodness.describe_deviation(n - 1, len(decks)),
    )


def run_fullest(decks: Decks) -> TestResult:
    """The fullest cell of the card × position table: a card that keeps to one place shows in a few decks."""
    counts = position_counts(decks)
    n, size = decks.shape[1], len(decks)
    position, card = np.unravel_index(int(counts.argmax()), counts.shape)
    return TestResult(
        p_values=(goodness.fullest_cell(counts, size, 1 / n),),
        parameters={"position": int(position) + 1, "card": int(card)},
        statistic=float(counts.max()),
        null="exact binomial tail of each cell, Bonferroni over all cells (an upper bound)",
        discrete=True,
        detectable="a card that lies in one position in every deck"
        if size < 400
        else goodness.describe_count(size / n, "times in one cell"),
    )


def _by_group(expected: int, what: str) -> Callable[[DeckShoe], int | str]:
    def minimum(shoe: DeckShoe) -> int | str:
        groups = shoe.ranks if what == "ranks" else shoe.suits
        if not groups:
            return f"the cards have no {what} to compare"
        return -(-expected * shoe.cards // smallest_group(groups))

    return minimum


# Expectations of ten and more: N/n a card, and N times its share of the cards a rank or a suit.
TESTS = (
    plain("card-position", a_cell(10), run_card_position),
    of_shoe("rank-position", _by_group(16, "ranks"), run_rank_position),
    of_shoe("suit-position", _by_group(25, "suits"), run_suit_position),
    plain("each-position", a_cell(10), run_each_position),
    plain("fullest-cell", 16, run_fullest),
)

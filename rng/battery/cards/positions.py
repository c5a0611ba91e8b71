"""Cards and positions: each card at each place, two places together, and correlations of places."""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import (
    CardTest,
    Decks,
    DeckShoe,
    Fewest,
    a_cell,
    of_shoe,
    pieces,
    plain,
    positions,
    values_by_place,
)
from rng.battery.result import TestResult


def position_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each card lay in each position: ``counts[position, card]``."""
    return values_by_place(pieces(decks), decks.shape[1])


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


def _by(name: str, minimum: Fewest, groups: Callable[[DeckShoe], Sequence[int]]) -> CardTest:
    """Groups of cards × position: T = (n-1)/n · X², chi-square with (n-1)(g-1) degrees of freedom."""

    def run(decks: Decks, shoe: DeckShoe) -> TestResult:
        group = np.array(groups(shoe))
        members = group[:, None] == np.arange(group.max() + 1)
        return _table_result(position_counts(decks) @ members.astype(np.int64))

    return of_shoe(name, minimum, run)


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


def _by_group(expected: int, what: str) -> Callable[[DeckShoe], int | str]:
    def minimum(shoe: DeckShoe) -> int | str:
        groups = shoe.ranks if what == "ranks" else shoe.suits
        if not groups:
            return f"the cards have no {what} to compare"
        return -(-expected * shoe.cards // min(Counter(groups).values()))

    return minimum


# Expectations of ten and more: N/n a card, and N times its share of the cards a rank or a suit.
CARD_POSITION = (
    _by("card-position", a_cell(10), lambda shoe: range(shoe.cards)),
    _by("rank-position", _by_group(16, "ranks"), lambda shoe: shoe.ranks),
    _by("suit-position", _by_group(25, "suits"), lambda shoe: shoe.suits),
    plain("each-position", a_cell(10), run_each_position),
)

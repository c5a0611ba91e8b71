"""Cards and positions: each card at each place, two places together, and correlations of places."""

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import Decks, a_cell, pieces, plain, positions, values_by_place
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


def run_positions(decks: Decks) -> TestResult:
    """Cards × position: T = (n-1)/n · X², chi-square with (n-1)² degrees of freedom."""
    n = decks.shape[1]
    statistic, freedom = table_statistic(position_counts(decks)), (n - 1) ** 2
    return TestResult(
        p_values=(goodness.chi_square_tail(statistic, freedom),),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="(n-1)/n · X² is chi-square with (n-1)² degrees of freedom: cards without replacement",
        detectable=goodness.describe_deviation(freedom, len(decks) * (n - 1)),
    )


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


# Ten expectations and more: N/n a card.
CARD_POSITION = (
    plain("card-position", a_cell(10), run_positions),
    plain("each-position", a_cell(10), run_each_position),
)

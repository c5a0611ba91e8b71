"""Independence of consecutive decks, position by position."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import (
    SMALL,
    Decks,
    DeckShoe,
    column_chunks,
    grouped,
    of_shoe,
    plain,
    positions,
    smallest_group,
)
from rng.battery.result import TestResult

LAGS = (1, 2, 3, 4, 5, 8, 16)


def serial_tables(decks: Decks, by: tuple[int, ...]) -> NDArray[np.int64]:
    """Counts of (group now, group in the next deck) at each position, the decks taken in a circle."""
    n, groups = decks.shape[1], max(by) + 1
    tables = np.zeros((n, groups * groups), dtype=np.int64)
    ends = np.vstack([decks[-1:], decks[:1]])
    for columns in (*column_chunks(decks, overlap=1), np.ascontiguousarray(ends.T)):
        group = grouped(columns, by).astype(np.int64)
        codes = group[:, :-1] * groups + group[:, 1:]
        for position in range(n):
            tables[position] += np.bincount(codes[position], minlength=groups * groups)
    return tables.reshape(n, groups, groups)


def _fewest(shoe: DeckShoe) -> int | str:
    if not shoe.ranks and shoe.cards > SMALL:
        return "the cards have no ranks to compare, and are too many to compare each"
    smallest = smallest_group(shoe.ranks) if shoe.ranks else 1
    return -(-int(goodness.LEAST_EXPECTED) * shoe.cards**2 // smallest**2)


def run_tables(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Pairs of consecutive cards at each position: Good's serial statistic on overlapping pairs.

    Source: Good, Proc. Cambridge Phil. Soc. 49 (1953), 276-284: psi²_2 - psi²_1 is chi-square, d² - d
    degrees.
    """
    n, size = decks.shape[1], len(decks)
    by_card = n <= SMALL and size >= goodness.LEAST_EXPECTED * n * n
    by = tuple(range(n)) if by_card else shoe.ranks
    tables = serial_tables(decks, by).astype(np.float64)
    share = np.bincount(by) / n
    groups = share.size
    pairs = (np.square(tables) / np.outer(share, share)).sum(axis=(1, 2)) / size - size
    singles = (np.square(tables.sum(axis=2)) / share).sum(axis=1) / size - size
    freedom = groups * groups - groups
    return TestResult(
        p_values=tuple(goodness.chi_square_tail(float(x), freedom) for x in pairs - singles),
        labels=positions(n),
        parameters={"by": "card" if by_card else "rank"},
        degrees_of_freedom=freedom,
        null="Good's psi²_2 - psi²_1 on overlapping pairs of decks, chi-square",
        detectable=goodness.describe_deviation(freedom, size),
    )


def lagged_products(decks: Decks, lag: int) -> NDArray[np.float64]:
    """Sums over decks of the product of centred ids now and ``lag`` decks later, for each position."""
    n = decks.shape[1]
    sums = np.zeros(n)
    for columns in column_chunks(decks, overlap=lag):
        centred = columns.astype(np.float64) - (n - 1) / 2
        sums += (centred[:, :-lag] * centred[:, lag:]).sum(axis=1)
    return sums


def whole_deck_variance(cards: int) -> float:
    """Variance of the sum over positions of the products of two independent decks: n² sigma⁴/(n-1).

    Example:
        >>> whole_deck_variance(2)  # (±1/4) twice, together +1/2 or -1/2
        0.25
    """
    return float(cards**2 * ((cards**2 - 1) / 12) ** 2 / (cards - 1))


def run_correlation(decks: Decks) -> TestResult:
    """Serial correlation at each position with the next deck, and over the whole deck at several lags.

    Consecutive decks are independent, so the products are uncorrelated with known variance: sigma⁴ at one
    position, n² sigma⁴/(n-1) for the sum over positions (variance of a sum over a random permutation).

    Source: South Dakota 48:02:08:02(4), GLI-19 3.2.2(f); Hoeffding, Ann. Math. Stat. 22 (1951), theorem 2.
    """
    n, size = decks.shape[1], len(decks)
    variance = (n * n - 1) / 12
    sums = {lag: lagged_products(decks, lag) for lag in LAGS}
    single = sums[1] / (variance * (size - 1) ** 0.5)
    whole = [sums[lag].sum() / (whole_deck_variance(n) * (size - lag)) ** 0.5 for lag in LAGS]
    scores = [*single.tolist(), *whole]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(float(z)) for z in scores),
        labels=positions(n) + tuple(f"all positions, {lag} decks apart" for lag in LAGS),
        statistic=float(np.abs(scores).max()),
        null="normal with mean 0 and the exact variance of products of independent decks",
        detectable=goodness.describe_shift(size, "in the correlation of consecutive decks at one position"),
    )


TESTS = (
    of_shoe("serial-positions", _fewest, run_tables),
    plain("serial-correlation", 1000, run_correlation),
)

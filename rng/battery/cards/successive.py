"""From deck to deck: tables and runs at one position, places that cards move between, and every lag."""

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import (
    CHUNK,
    Decks,
    column_chunks,
    plain,
    positions,
)
from rng.battery.cards.positions import table_statistic
from rng.battery.result import TestResult

DECK_LAGS = (1, 2, 3, 4, 5, 8, 16)


def lagged_products(decks: Decks, lag: int) -> NDArray[np.float64]:
    """Sums over decks of the product of centred ids now and ``lag`` decks later, for each position."""
    n = decks.shape[1]
    sums = np.zeros(n)
    for columns in column_chunks(decks, overlap=lag):
        centred = columns.astype(np.float64) - (n - 1) / 2
        sums += np.einsum("ij,ij->i", centred[:, :-lag], centred[:, lag:])
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
    sums = {lag: lagged_products(decks, lag) for lag in DECK_LAGS}
    single = sums[1] / (variance * (size - 1) ** 0.5)
    whole = [sums[lag].sum() / (whole_deck_variance(n) * (size - lag)) ** 0.5 for lag in DECK_LAGS]
    scores = [*single.tolist(), *whole]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(float(z)) for z in scores),
        labels=positions(n) + tuple(f"all positions, {lag} decks apart" for lag in DECK_LAGS),
        statistic=float(np.abs(scores).max()),
        null="normal with mean 0 and the exact variance of products of independent decks",
        detectable=goodness.describe_shift(size, "in the correlation of consecutive decks at one position"),
    )


SERIAL_CORRELATION = (plain("serial-correlation", 1000, run_correlation),)


PLACE_LAGS = 16
LEAST_DECKS = 64
# Cells of the tables counted at once: 4 MiB, so that they stay near the processor.
MOST_CELLS = 1 << 20


def lagged_tables(decks: Decks, lags: NDArray[np.int64]) -> NDArray[np.int32]:
    """How often the card in place i lay in place j some decks later: ``counts[lag, i, j]``."""
    n = decks.shape[1]
    counts = np.zeros((lags.size, n, n), dtype=np.int32)
    for start in range(0, len(decks), CHUNK):
        place = kernels.inverse(decks[start : start + CHUNK])
        for k, lag in enumerate(lags.tolist()):
            kernels.lagged_place_counts(place, decks[start + lag : start + CHUNK + lag], counts[k])
    return counts


def run_lagged_places(decks: Decks) -> TestResult:
    """Places against places at lags 1 to 16: which place of a later deck the card of a place goes to.

    The order that leads from one deck to the one some decks later is uniformly random, and those of different decks
    are independent: each table is a sum of independent permutation matrices, like that of cards against positions,
    and each of its cells is binomial with probability 1/n.
    """
    n, size = decks.shape[1], len(decks)
    # The chi-square of a table needs ten expectations a cell; the fullest cell is exact from the first deck on.
    whole = size - PLACE_LAGS >= goodness.LEAST_EXPECTED * n
    group = max(1, min(PLACE_LAGS, MOST_CELLS // (n * n)))
    p_values, labels, fullest = [], [], (1.0, 0, 0, 0)
    for first in range(1, PLACE_LAGS + 1, group):
        lags = np.arange(first, min(first + group, PLACE_LAGS + 1))
        for lag, table in zip(lags.tolist(), lagged_tables(decks, lags), strict=True):
            if whole:
                statistic = table_statistic(table.astype(np.int64))
                p_values.append(goodness.chi_square_tail(statistic, (n - 1) ** 2))
                labels.append(f"{lag} decks later")
            here, there = divmod(int(table.argmax()), n)
            tail = float(special.bdtrc(int(table.max()) - 1, size - lag, 1 / n))
            fullest = min(fullest, (tail, lag, here + 1, there + 1))
    return TestResult(
        p_values=(*p_values, min(1.0, PLACE_LAGS * n * n * fullest[0])),
        labels=(*labels, "fullest cell"),
        parameters=dict(zip(("lag", "from place", "to place"), fullest[1:], strict=True)),
        degrees_of_freedom=(n - 1) ** 2 if whole else None,
        null="(n-1)/n · X² is chi-square with (n-1)² degrees of freedom; fullest cell binomial (a bound)",
        discrete=True,
        detectable=goodness.describe_fullest(
            size - PLACE_LAGS,
            1 / n,
            PLACE_LAGS * n * n,
            "cards that go from one place to another",
        ),
    )


LAGGED_PLACES = (plain("lagged-places", LEAST_DECKS, run_lagged_places),)

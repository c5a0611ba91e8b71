"""Where a card goes: the place of every card against its place in each of the sixteen decks that follow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.card_position import table_statistic
from rng.battery.cards.decks import CHUNK, Decks, plain
from rng.battery.result import TestResult

LAGS = 16
LEAST_DECKS = 64
# Cells of the tables counted at once: 4 MiB, so that they stay near the processor.
MOST_CELLS = 1 << 20


def lagged_tables(decks: Decks, lags: NDArray[np.int64]) -> NDArray[np.int32]:
    """How often the card in place i lay in place j some decks later: ``counts[lag, i, j]``."""
    n = decks.shape[1]
    counts = np.zeros((lags.size, n, n), dtype=np.int32)
    for start in range(0, len(decks), CHUNK):
        piece: NDArray[Any] = np.ascontiguousarray(decks[start : start + CHUNK + int(lags.max())])
        kernels.lagged_place_counts(piece, lags, 0, min(CHUNK, len(decks) - start), counts)
    return counts


def run(decks: Decks) -> TestResult:
    """Places against places at lags 1 to 16: which place of a later deck the card of a place goes to.

    The order that leads from one deck to the one some decks later is uniformly random, and those of different decks
    are independent: each table is a sum of independent permutation matrices, like that of cards against positions,
    and each of its cells is binomial with probability 1/n.
    """
    n, size = decks.shape[1], len(decks)
    # The chi-square of a table needs ten expectations a cell; the fullest cell is exact from the first deck on.
    whole = size - LAGS >= goodness.LEAST_EXPECTED * n
    group = max(1, min(LAGS, MOST_CELLS // (n * n)))
    p_values, labels, fullest = [], [], (1.0, 0, 0, 0)
    for first in range(1, LAGS + 1, group):
        lags = np.arange(first, min(first + group, LAGS + 1))
        for lag, table in zip(lags.tolist(), lagged_tables(decks, lags), strict=True):
            if whole:
                statistic = table_statistic(table.astype(np.int64))
                p_values.append(goodness.chi_square_tail(statistic, (n - 1) ** 2))
                labels.append(f"{lag} decks later")
            here, there = divmod(int(table.argmax()), n)
            tail = float(special.bdtrc(int(table.max()) - 1, size - lag, 1 / n))
            fullest = min(fullest, (tail, lag, here + 1, there + 1))
    return TestResult(
        p_values=(*p_values, min(1.0, LAGS * n * n * fullest[0])),
        labels=(*labels, "fullest cell"),
        parameters=dict(zip(("lag", "from place", "to place"), fullest[1:], strict=True)),
        degrees_of_freedom=(n - 1) ** 2 if whole else None,
        null="(n-1)/n · X² is chi-square with (n-1)² degrees of freedom; fullest cell binomial (a bound)",
        discrete=True,
        detectable=goodness.describe_fullest(
            size - LAGS, 1 / n, LAGS * n * n, "cards that go from one place to another"
        ),
    )


TESTS = (plain("lagged-places", LEAST_DECKS, run),)

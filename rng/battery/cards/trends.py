"""One card that comes more and more often, or less and less: its trend at each place and among the first ones."""

from __future__ import annotations

import numpy as np

from rng.battery import goodness
from rng.battery.cards.decks import Decks, plain
from rng.battery.cell_sums import lower_bound_tail, upper_bound_tail
from rng.battery.result import TestResult

# The sample is cut into so many stretches in the order of time; a trend within one is not looked at.
STRETCHES = 64
PLACES = 8
FRONTS = (4, 8)
NOTICED = 2.5


def trend_p(counts: np.ndarray, sizes: np.ndarray, chance: float) -> float:
    """Two-sided p-value of the linear trend of an event: twice the bound on the smaller tail.

    Args:
        counts: How often it came in each stretch of time.
        sizes: Rounds in each stretch.
        chance: Its probability in one round.

    Source: Cochran, Biometrics 10 (1954), 417-451 (linear trend in proportions); Chernoff, Ann. Math. Stat. 23 (1952).

    Example:
        >>> trend_p(np.array([40, 60]), np.array([100, 100]), 0.5) < 0.2
        True
    """
    times = np.linspace(-1.0, 1.0, counts.size)
    centred = times - float(times @ sizes) / float(sizes.sum())
    score = float(centred @ (counts - sizes * chance))
    spread = float(np.sqrt(chance * (1 - chance) * (sizes @ np.square(centred))))
    if not spread or abs(score) < NOTICED * spread:
        return 1.0

    def log_moment(slope: float) -> float:
        grown = np.logaddexp(np.log1p(-chance), np.log(chance) + slope * centred)
        return float(sizes @ (grown - slope * centred * chance))

    bound = upper_bound_tail if score > 0 else lower_bound_tail
    return min(1.0, 2 * bound(log_moment, score, spread))


def run(decks: Decks) -> TestResult:
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
    return TestResult(
        suite="cards",
        test="card-trends",
        p_values=tuple(found.values()),
        labels=tuple(found),
        sample_size=size,
        null="linear score of independent rounds, Chernoff's bound on its exact moments",
        discrete=True,
        detectable=f"a card at one place that drifts by {100 * share:.3g} % from its middle to either end"
        f"{goodness.power_words(len(found))}",
    )


TESTS = (plain("card-trends", 2 * STRETCHES, run),)

"""Numbers that are due, and numbers that were just drawn: bets on them, chosen from what was seen and settled fairly.

A player who waits for a number that has been missing bets on a set that the past determines. At fair prices nothing is
won by that, whatever the waiting time; a generator that makes up for missing numbers, or avoids them, pays.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import evidence, goodness

Floats = NDArray[np.float64]

# A number is due when it has been missing for so many times its mean waiting time; the first set is of numbers that
# were missing for a quarter of it at least, so that the bets against it are bets on what was just drawn.
WAITED = (0.25, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
# A hit is taken to be so many times as likely as is fair; the unit is divided equally among these bets.
TILTS = (0.25, 0.5, 0.67, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)
MOST_NUMBERS = 1 << 12
MOST_DRAWN = 1 << 23
LEAST_DRAWN = 100
NULL = "capital of bets at fair prices, Ville's inequality: exact at any size"


@njit(cache=True)
def capital(
    rows: NDArray[np.int64], numbers: int, least_ages: NDArray[np.int64], tilts: Floats, prices: Floats
) -> Floats:
    """Logarithm of what each bet has become, shape (sets, tilts).

    Args:
        rows: Numbers drawn together, a draw a row.
        numbers: Numbers that there are.
        least_ages: A number is in a set if it was not in so many draws.
        tilts: Logarithm of what the bet takes a hit to be times as likely as.
        prices: Logarithm of the mean of ``exp(tilt · hits)`` for each size of a set and each tilt.
    """
    last = np.full(numbers, -1, dtype=np.int64)
    sizes = np.zeros(least_ages.size, dtype=np.int64)
    won = np.zeros((least_ages.size, tilts.size))
    hits = np.zeros(least_ages.size, dtype=np.int64)
    for t in range(rows.shape[0]):
        for c in range(least_ages.size):
            hits[c] = 0
            # What was seen last so many draws ago, and not since, is in the set from now on.
            then = t - least_ages[c] - 1
            if then >= 0:
                for number in rows[then]:
                    if last[number] == then:
                        sizes[c] += 1
            elif then == -1:
                for number in range(numbers):
                    if last[number] == -1:
                        sizes[c] += 1
        for number in rows[t]:
            for c in range(least_ages.size):
                if t - last[number] > least_ages[c]:
                    hits[c] += 1
        for c in range(least_ages.size):
            if 0 < sizes[c] < numbers:
                for j in range(tilts.size):
                    won[c, j] += hits[c] * tilts[j] - prices[sizes[c], j]
            sizes[c] -= hits[c]
        for number in rows[t]:
            last[number] = t
    return won


def log_prices(numbers: int, drawn: int, tilts: Floats) -> Floats:
    """Logarithm of the mean of ``exp(tilt · hits)`` for a set of each size, hit by numbers drawn together.

    Example:
        >>> np.exp(log_prices(4, 2, np.log([3.0])))[2].round(6).tolist()  # 1/6 · 1 + 4/6 · 3 + 1/6 · 9
        [3.666667]
    """
    size, hits = np.arange(numbers + 1.0)[:, None], np.arange(drawn + 1.0)[None, :]

    def log_choose(n: Floats, k: Floats) -> Floats:
        inside = (k >= 0) & (k <= n)
        k = np.where(inside, k, 0.0)
        ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(np.maximum(n - k, 0) + 1)
        return np.where(inside, ways, -np.inf)

    law = log_choose(size, hits) + log_choose(numbers - size, drawn - hits)
    law -= special.gammaln(numbers + 1) - special.gammaln(drawn + 1) - special.gammaln(numbers - drawn + 1)
    return np.stack([special.logsumexp(law + hits * tilt, axis=1) for tilt in tilts], axis=1)


def by_waiting(rows: NDArray[np.int64], numbers: int) -> Iterator[tuple[str, float]]:
    """Yields how long numbers have been missing at least, and the p-value of the bets on them.

    Args:
        rows: Numbers drawn together, none twice in a draw; a draw a row.
        numbers: Numbers that there are.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    drawn = rows.shape[1]
    tilts = np.log(TILTS)
    ages = np.unique([max(1, round(wait * numbers / drawn)) for wait in WAITED])
    won = capital(np.ascontiguousarray(rows), numbers, ages, tilts, log_prices(numbers, drawn, tilts))
    for age, bets in zip(ages.tolist(), won, strict=True):
        yield f"missing for {age} draws and more", evidence.p_value(evidence.mean_log(bets))


def detectable(hits: float, p_values: int) -> str:
    """Smallest change of the probability of due numbers that is found, in words."""
    share = goodness.detectable_shift(max(1, int(hits)), p_values)
    return f"numbers missing twice their mean waiting time {100 * share:.3g} % more or less likely" + (
        goodness.power_words(p_values)
    )


def due_share(numbers: int, drawn: int) -> float:
    """Share of the numbers drawn that had been missing for twice their mean waiting time."""
    return math.exp(2 * numbers / drawn * math.log1p(-drawn / numbers)) if drawn < numbers else 0.0

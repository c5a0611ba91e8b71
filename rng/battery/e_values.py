"""Capital of bets as evidence: e-values of what is bet on, and bets on what is due.

Bets that no player wins against fair draws: what a bet has won is evidence against them, exactly, at any size.

A bet on the next outcome at its fair price is a martingale, whatever was seen before and however the bet is chosen from
it. The capital that it has become, started with one unit, exceeds 1/p with probability at most p: no number of
observations is needed, no independence of the contexts, no limit law.

Numbers that are due, and numbers that were just drawn: bets on them, chosen from what was seen and settled fairly.

A player who waits for a number that has been missing bets on a set that the past determines. At fair prices nothing is
won by that, whatever the waiting time; a generator that makes up for missing numbers, or avoids them, pays.
"""

import math
from collections.abc import Iterator

import numpy as np
from numba import njit
from scipy import special

from rng.array_types import Counts, Floats
from rng.battery import goodness

# Bets as if the share of hits were spread about the fair one like that of so many observations: strong faults are won
# on by the first, weak ones by the last; the unit is divided equally among them.
STRENGTHS = (8.0, 128.0, 2_048.0)


def log_capital(hits: Counts, trials: Counts, chance: Floats) -> Floats:
    """Logarithm of what a unit has become that was bet on and against an event, trial by trial, at its fair price.

    Args:
        hits: How often the event came in each context.
        trials: How often the context came; each context is bet on by itself.
        chance: Probability of the event in one trial, the same whatever came before.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, Testing by betting, J. R. Stat.
    Soc. A 184 (2021), 407-431.

    Example:
        Betting on 200 tosses that were all heads; and on 100 of each:

        >>> log_capital(np.array([200, 100]), np.array([200, 200]), np.array([0.5, 0.5])).round(1).tolist()
        [123.0, -0.5]
    """
    parts = []
    for strength in STRENGTHS:
        on, against = strength * chance, strength * (1 - chance)
        parts.append(
            special.betaln(hits + on, trials - hits + against)
            - special.betaln(on, against)
            - special.xlogy(hits, chance)
            - special.xlog1py(trials - hits, -chance)
        )
    return np.asarray(special.logsumexp(np.stack(parts), axis=0) - math.log(len(parts)))


def p_value(logarithm: float) -> float:
    """Upper bound on the probability that a fair bet ever wins so much.

    Example:
        >>> round(p_value(math.log(20)), 12), p_value(-3.0)
        (0.05, 1.0)
    """
    return math.exp(-max(0.0, logarithm))


def mean_log(logarithms: Floats) -> float:
    """Logarithm of the mean of several capitals: a unit divided equally among them."""
    return float(special.logsumexp(logarithms)) - math.log(logarithms.size)


# A number is due when it has been missing for so many times its mean waiting time; the first set is of numbers that
# were missing for a quarter of it at least, so that the bets against it are bets on what was just drawn.
WAITED = (0.25, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0)
# A hit is taken to be so many times as likely as is fair; the unit is divided equally among these bets.
TILTS = (0.25, 0.5, 0.67, 0.8, 0.9, 0.95, 1.05, 1.1, 1.25, 1.5, 2.0, 4.0)
RECENT_TILTS = (0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.25)
MOST_NUMBERS = 1 << 12
MOST_DRAWN = 1 << 23
LEAST_DRAWN = 100
NULL = "capital of bets at fair prices, Ville's inequality: exact at any size"


@njit(cache=True)
def capital(rows: Counts, numbers: int, least_ages: Counts, tilts: Floats, prices: Floats) -> Floats:
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
        hits[:] = 0
        for c in range(least_ages.size):
            # What was seen last so many draws ago, and not since, is in the set from now on.
            then = t - least_ages[c] - 1
            if then >= 0:
                for number in rows[then]:
                    sizes[c] += last[number] == then
            elif then == -1:
                sizes[c] += (last == -1).sum()
        for number in rows[t]:
            for c in range(least_ages.size):
                hits[c] += t - last[number] > least_ages[c]
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


def by_waiting(rows: Counts, numbers: int) -> Iterator[tuple[str, float]]:
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
        yield f"missing for {age} draws and more", p_value(mean_log(bets))


@njit(cache=True)
def recent_capital(values: Counts, numbers: int, span: int, tilts: Floats) -> Floats:
    """Logarithm of what bets have become that take a number for likelier, or less likely, each time it came lately.

    Args:
        values: The numbers in the order drawn.
        numbers: Numbers that there are.
        span: Draws before, of which each occurrence of a number counts.
        tilts: Logarithm of what one occurrence takes a number to be times as likely as.
    """
    counts = np.zeros(numbers, dtype=np.int64)
    totals = np.full(tilts.size, float(numbers))
    won = np.zeros(tilts.size)
    prices = np.exp(np.outer(np.arange(span + 2), tilts))
    for t in range(values.size):
        number, gone = values[t], values[max(0, t - span)]
        for j in range(tilts.size):
            won[j] += tilts[j] * counts[number] - np.log(totals[j] / numbers)
            totals[j] += prices[counts[number] + 1, j] - prices[counts[number], j]
        counts[number] += 1
        if t >= span:
            for j in range(tilts.size):
                totals[j] += prices[counts[gone] - 1, j] - prices[counts[gone], j]
            counts[gone] -= 1
    return won


def by_recency(values: Counts, numbers: int) -> tuple[str, float]:
    """The p-value of bets on numbers by how often each was among as many draws before as there are numbers."""
    won = recent_capital(values, numbers, numbers, np.log(RECENT_TILTS))
    return f"among the last {numbers} draws", p_value(mean_log(won))


def detectable(hits: float, p_values: int) -> str:
    """Smallest change of the probability of due numbers that is found, in words."""
    share = goodness.detectable_shift(max(1, int(hits)), p_values)
    return f"numbers missing twice their mean waiting time {100 * share:.3g} % more or less likely" + (
        goodness.power_words(p_values)
    )


def due_share(numbers: int, drawn: int) -> float:
    """Share of the numbers drawn that had been missing for twice their mean waiting time."""
    return math.exp(2 * numbers / drawn * math.log1p(-drawn / numbers)) if drawn < numbers else 0.0

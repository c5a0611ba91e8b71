"""E-processes: evidence against the exact law that may be looked at every day, and what it says of the change.

A day's likelihood ratio of a stated change q against the law p is the product of (q/p) to the counts. With weights w
over the day on which the change began, W(t) = L(t) (W(t-1) + w(t)), and the mean of W over all changes plus the weights
to come is an e-process: it ever reaches 1/alpha with a probability of at most alpha, however often one looks.

Source: J. Ville, Étude critique de la notion de collectif, 1939; A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-
theoretic statistics and safe anytime-valid inference", Statistical Science 38, 2023; R. Wang, A. Ramdas, "False
discovery rate control with e-values", J. R. Stat. Soc. B 84, 2022; I. Waudby-Smith, A. Ramdas, "Estimating means of
bounded random variables by betting", J. R. Stat. Soc. B 86, 2024.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from certify.live.law import Floats, StakeLaw, tilted
from rng.streams import stream
from rng.uniform import many_below

FACTORS: Final = (0.02, 0.5, 0.8, 0.9, 0.95, 0.98, 1.02, 1.05, 1.1, 1.25, 2.0)
"""Changes of a pay: how many times as often it comes; the first stands for one that is missing."""

TILTS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Changes of the return, in stakes, to either side: every pay is tilted towards more or less."""

RAREST: Final = 1e-4
"""Pays that come less often are changed together with the next higher ones, until they come as often."""

MOST_DAYS: Final = 20_000
"""Days over which the beginning of a change is weighed, at most."""

LIKELY: Final = math.log(20)
"""A day may be that of the change where the likelihood is at least a twentieth of that of the likeliest day."""

BETS: Final = (0.99, 0.75, *(0.5**n for n in range(1, 19)))
"""Shares of what is held that are bet on each round by those who find which returns are too low."""

RUNS: Final = 40
"""Watches that are simulated to see how long a deviation takes to be seen."""

STRONGEST: Final = 8
"""Changes that are looked for in them: those that gain most."""

LONGEST: Final = 730
"""Days that each of them goes on, at most."""

SURE: Final = 1e-12
"""Of faultless logs so many, at most, hold a stretch of results that is taken for one that came again."""

LAGS: Final = 8
"""Distances at which results are held against earlier ones: those at which most stretches came again."""


@dataclass(frozen=True)
class Changes:
    """Every change of a law that is looked for.

    Args:
        ratios: Logarithm of (changed / exact) probability, a row a change, a column a pay.
        pays: For each change the pays whose chance changes; empty where the return is tilted.
        sizes: Factor of their chance, or change of the return in stakes.
    """

    ratios: Floats
    pays: tuple[tuple[int, ...], ...]
    sizes: tuple[float, ...]


@lru_cache(maxsize=256)
def changes_of(law: StakeLaw, stake: int) -> Changes:
    """Returns the changes of a law that are looked for; of what is drawn, which has no stake, none of a return."""
    p = law.p / law.p.sum()
    wins = np.array([float(win) for win in law.wins]) / max(stake, 1)
    ratios: list[Floats] = []
    pays: list[tuple[int, ...]] = []
    sizes: list[float] = []
    for group in _groups(p):
        chance = float(p[list(group)].sum())
        for factor in FACTORS:
            if chance < 1 and chance * factor < 1:
                ratio = np.full(len(p), math.log((1 - chance * factor) / (1 - chance)))
                ratio[list(group)] = math.log(factor)
                ratios.append(ratio)
                pays.append(group)
                sizes.append(factor)
    for size in (*TILTS, *(-one for one in TILTS)) if stake else ():
        mean = float(p @ wins)
        if wins[0] < mean + size < wins[-1]:
            ratios.append(tilted(p, wins, mean + size))
            pays.append(())
            sizes.append(size)
    return Changes(np.array(ratios), tuple(pays), tuple(sizes))


def _groups(p: Floats) -> list[tuple[int, ...]]:
    """Returns pays, by their places from the least on, in groups that come often enough."""
    groups: list[tuple[int, ...]] = []
    held: tuple[int, ...] = ()
    for place in range(len(p)):
        held += (place,)
        if p[list(held)].sum() >= RAREST:
            groups.append(held)
            held = ()
    if held:
        groups[-1:] = [(*groups[-1], *held)] if groups else [held]
    return groups


@lru_cache(maxsize=1)
def _weights() -> tuple[Floats, Floats]:
    """Returns the logarithm of the weight of each day as the first of a change, and of all days after it together."""
    days = np.arange(MOST_DAYS) + 9.0
    weights = 1 / (days * np.log(days) ** 2)
    weights /= weights.sum()
    return np.log(weights), np.log(np.maximum(1 - np.cumsum(weights), 1e-300))


@dataclass(frozen=True)
class Watched:
    """The evidence of one cell, day by day.

    Args:
        log_e: Logarithm of the e-process after each day.
        change: The change that the evidence is greatest for, after the last day.
        since: The day on which it most likely began, with the first and the last day on which it may have.
    """

    log_e: Floats
    change: int
    since: tuple[int, int, int]


def watched(counts: NDArray[np.int64], changes: Changes) -> Watched:
    """Returns the evidence of a cell, from counts by day and pay.

    Args:
        counts: How often each pay came, a row a day from the first that is watched.
        changes: What is looked for.
    """
    gained = counts @ changes.ratios.T
    first, rest = _weights()
    held = np.full(len(changes.sizes), -np.inf)
    log_e = np.empty(len(counts))
    for day, gain in enumerate(gained):
        held = np.logaddexp(held, first[day]) + gain
        log_e[day] = np.logaddexp(_log_mean(held), rest[day])
    change = int(held.argmax())
    # A change begins on a day that has rounds.
    from_day = np.where(counts.any(axis=1), np.cumsum(gained[::-1, change])[::-1], -np.inf)
    likely = np.flatnonzero(from_day >= from_day.max() - LIKELY)
    return Watched(log_e, change, (int(from_day.argmax()), int(likely[0]), int(likely[-1])))


def _log_mean(logs: Floats) -> Floats:
    """Returns the logarithm of the mean of what has these logarithms, along the last axis."""
    top = logs.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logs - top[..., None]).mean(axis=-1)))


def repeated(pays: NDArray[np.int64], p: Floats) -> tuple[int, int] | None:
    """Returns where results come again as they came before, for longer than chance makes them, and how many they are.

    A result comes again at a distance with its own chance. Along a stretch, the inverse of the product of these chances
    is a martingale: of all places and distances together, one reaches rows²/SURE with a probability of at most SURE.
    What is stuck repeats at a distance of 1, a short cycle or a generator that began anew at a longer one.

    Args:
        pays: Which pay each round had, in the order of rounds; -1 of those that are none of the law.
        p: The probability of each.
    """
    surprise = -np.log(np.maximum(np.append(p, 1.0), 1e-300))
    reach, width = math.log(len(pays) ** 2 / SURE), 1
    # Where a stretch of usual results is long enough to show it, its digest is there twice.
    digests, factor = pays.astype(np.uint64), 0x9E3779B97F4A7C15
    while width * float(p @ surprise[:-1]) < reach:
        if 2 * width > len(pays):
            return None
        digests = digests[:-width] * np.uint64(factor) + digests[width:]
        width, factor = 2 * width, factor**2 % 2**64
    order = np.argsort(digests, kind="stable")
    twice = digests[order[1:]] == digests[order[:-1]]
    lags, times = np.unique(np.diff(order)[twice], return_counts=True)
    for lag in lags[np.argsort(-times, kind="stable")[:LAGS]]:
        same = (pays[lag:] == pays[:-lag]) & (pays[lag:] >= 0)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
        held = np.concatenate([[0.0], np.cumsum(np.where(same, surprise[pays[lag:]], 0.0))])
        gained = np.append(held[edges[1::2]] - held[edges[::2]], 0.0)
        most = int(gained.argmax())
        if gained[most] >= reach:
            first, end = edges[2 * most : 2 * most + 2]
            return int(first + lag), int(end - first)
    return None


def interval(wins: Floats, counts: Floats, most: float, alpha: float) -> tuple[float, float]:
    """Returns the confidence sequence of a return after these rounds: at every look the true return is inside.

    It ever lies outside with a probability of at most alpha, whatever the law of pays: a gambler who bets a share of
    what is held at the odds of a mean m holds a martingale where m is the mean. Those means are outside at which bets
    on more, or on less, hold 2/alpha times what they began with.

    Args:
        wins: What came back, in stakes.
        counts: How often.
        most: The most that can come back, in stakes.
        alpha: The probability with which it ever lies outside, at most.
    """
    reach = math.log(2 / alpha)
    return _least_mean(wins, counts, reach), most - _least_mean(most - wins, counts, reach)


def _least_mean(values: Floats, counts: Floats, reach: float) -> float:
    """Returns the largest mean found that is too low for these values, by what bets on more come to."""
    # At the mean that was seen no bet has won, and what a bet holds falls as the mean grows.
    low, high = 0.0, float(values @ counts / counts.sum())
    shares = np.array(BETS)
    for _ in range(60):
        mean = (low + high) / 2
        gained = counts @ np.log1p(np.outer(values / mean - 1, shares)) if mean else np.zeros(1)
        low, high = (mean, high) if float(_log_mean(gained)) >= reach else (low, mean)
    return float(low)


@dataclass(frozen=True, slots=True)
class Power:
    """How long a return that is lower would take to be seen, by simulated watches.

    Args:
        size: How much lower it is, in stakes.
        since: First day on which it is.
        rows: Rounds a day.
        runs: How many watches were simulated.
        seen: How many of them gave an alarm within the longest time.
        half: Within how many days half of them did; none where fewer did.
        nine_tenths: Within how many days nine tenths of them did; none where fewer did.
    """

    size: float
    since: str
    rows: int
    runs: int
    seen: int
    half: int | None
    nine_tenths: int | None


def days_until_seen(
    law: StakeLaw, stake: int, size: float, rows: int, after: int, reach: float, seed: bytes
) -> list[int] | None:
    """Returns on which day simulated watches see a return that is lower, the first ones first; none where none can be.

    The day is counted from the one on which the return falls. What was seen before that day is left out, and so are
    the changes that gain less by it than others: neither makes a watch faster.

    Args:
        law: The exact law.
        stake: The stake.
        size: How much lower the return is, in stakes.
        rows: Rounds a day, on average.
        after: Days that the watch goes on before the return falls.
        reach: Logarithm of the evidence that is an alarm.
        seed: What the simulation begins from, 32 bytes.
    """
    changes, p = changes_of(law, stake), law.p / law.p.sum()
    wins = np.array([float(win) for win in law.wins]) / stake
    mean = float(p @ wins) - size
    if not wins[0] < mean < wins[-1] or not rows:
        return None
    q = p * np.exp(tilted(p, wins, mean))
    gaining = changes.ratios[np.argsort(changes.ratios @ q)[-STRONGEST:]]
    share = math.log(len(gaining) / len(changes.sizes))
    source, (first, rest) = stream(seed, "battery-calibration", 0), _weights()
    held = np.full((RUNS, len(gaining)), -np.inf)
    seen = np.zeros(RUNS, dtype=np.int64)
    drawn = [_poisson(max(rows * float(chance), 1e-300)) for chance in q / q.sum()]
    for day in range(min(LONGEST, MOST_DAYS - after)):
        uniform = many_below(source, 1 << 53, RUNS * len(q)).reshape(len(q), RUNS) * 2.0**-53
        counts = np.array(
            [least + sums.searchsorted(u) for (least, sums), u in zip(drawn, uniform, strict=True)]
        )
        held = np.logaddexp(held, first[after + day]) + (gaining @ counts).T
        log_e = np.logaddexp(_log_mean(held) + share, rest[after + day])
        seen[(seen == 0) & (log_e >= reach)] = day + 1
        if seen.all():
            break
    return sorted(int(day) for day in seen if day)


def _poisson(mean: float) -> tuple[int, Floats]:
    """Returns the least number that a count of a mean comes to, and the chances of at most it and each one after.

    With a number of rounds that is itself of Poisson's law the counts of all pays are independent. What is left out is
    twelve standard deviations away.
    """
    least = max(0, int(mean - 12 * math.sqrt(mean) - 12))
    counts = np.arange(least, int(mean + 12 * math.sqrt(mean) + 40))
    logs = counts * math.log(mean) - mean - gammaln(counts + 1.0)
    return least, np.cumsum(np.exp(logs))


def rejected(log_e: Sequence[float], alpha: float) -> list[int]:
    """Returns the cells whose evidence is an alarm, by e-BH: of all alarms at most alpha is expected to be false.

    Where nothing is wrong in any cell, there is ever an alarm with a probability of at most alpha: the mean of the
    e-processes is one as well, and every alarm needs it to reach 1/alpha. Where n cells become N, it is at most
    alpha (1 + ln(N/n)).

    Source: Y. S. Chow, "A martingale inequality and the law of large numbers", Proc. Amer. Math. Soc. 11, 1960.

    >>> rejected([0.0, 8.0, 1.0], 0.01), rejected([0.0, 5.0, 1.0], 0.01)
    ([1], [])
    """
    order = sorted(range(len(log_e)), key=lambda cell: -log_e[cell])
    reached = [
        rank
        for rank, cell in enumerate(order, start=1)
        if log_e[cell] >= math.log(len(order) / (rank * alpha))
    ]
    return sorted(order[: max(reached, default=0)])

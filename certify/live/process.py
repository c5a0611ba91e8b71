"""E-processes: evidence against the exact law that may be looked at every day, and what it says of the change.

A day's likelihood ratio of a stated change q against the law p is the product of (q/p) to the counts. With weights w
over the day on which the change began, W(t) = L(t) (W(t-1) + w(t)), and the mean of W over all changes plus the weights
to come is an e-process: it ever reaches 1/alpha with a probability of at most alpha, however often one looks.

Source: J. Ville, Étude critique de la notion de collectif, 1939; A. Ramdas, P. Grünwald, V. Vovk, G. Shafer, "Game-
theoretic statistics and safe anytime-valid inference", Statistical Science 38, 2023; R. Wang, A. Ramdas, "False
discovery rate control with e-values", J. R. Stat. Soc. B 84, 2022.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.live.law import Floats, StakeLaw

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

    def drift(self, law: StakeLaw, change: int) -> float:
        """Returns how fast evidence grows in a round where a change is there: its divergence from the exact law."""
        ratio = self.ratios[change]
        return float((law.p * np.exp(ratio)) @ ratio)


@lru_cache(maxsize=256)
def changes_of(law: StakeLaw, stake: int) -> Changes:
    """Returns the changes of a law that are looked for."""
    p = law.p / law.p.sum()
    wins = np.array([float(win) for win in law.wins]) / stake
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
    for size in (*TILTS, *(-one for one in TILTS)):
        mean = float(p @ wins)
        if wins[0] < mean + size < wins[-1]:
            ratios.append(_tilted(p, wins, mean + size))
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


def _tilted(p: Floats, wins: Floats, mean: float) -> Floats:
    """Returns the logarithm of the ratio of the exponential tilt that has a mean."""
    low, high = -700 / float(wins[-1] - wins[0]), 700 / float(wins[-1] - wins[0])
    for _ in range(100):
        t = (low + high) / 2
        weights = p * np.exp(t * (wins - wins[0]) - max(0.0, t * float(wins[-1] - wins[0])))
        low, high = (t, high) if weights @ wins / weights.sum() < mean else (low, t)
    exponents = t * wins
    top = float(exponents.max())
    return np.asarray(exponents - top - math.log(float(p @ np.exp(exponents - top))))


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
        top = float(held.max())
        mean = top + math.log(float(np.exp(held - top).mean()))
        log_e[day] = np.logaddexp(mean, rest[day])
    change = int(held.argmax())
    from_day = np.cumsum(gained[::-1, change])[::-1]
    likely = np.flatnonzero(from_day >= from_day.max() - LIKELY)
    return Watched(log_e, change, (int(from_day.argmax()), int(likely[0]), int(likely[-1])))


def rejected(log_e: Sequence[float], alpha: float) -> list[int]:
    """Returns the cells whose evidence is an alarm, by e-BH: of all alarms at most alpha is expected to be false.

    Where nothing is wrong in any cell, there is ever an alarm with a probability of at most alpha: the mean of the
    e-processes is one as well, and every alarm needs it to reach 1/alpha.

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

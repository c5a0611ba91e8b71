"""How often a whole round wins at least so much, features included: from the transform of its win.

The law of a series that may go on for ever has no end, yet its transform is the solution of one equation at every
point of a circle. What the way back leaves uncertain (wins beyond the circle's length, floating point) is bounded, so
that every chance lies between the two numbers that are given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.families.slot.exact.branching import (
    OverFeatures,
    branching,
    is_limited,
    over_series,
    own_series,
    series_states,
)
from certify.families.slot.exact.limited import limited_round, unit_of
from certify.families.slot.exact.spin import SpinLaw, spin_law
from certify.families.slot.rules import BASE, FreeGames, SlotRules, SpinKind

Transform = NDArray[np.complex128]

MOST_POINTS: Final = 1 << 20
"""Points of the circle, at most."""

LEAST_POINTS: Final = 1 << 18
"""The more points, the less is uncertain by wins beyond them."""

MOST_HELD: Final = 1 << 26
"""Points of all states of a series together, at most."""

DAMPING: Final = 1e-3
"""What the radius of the circle is after as many powers as it has points: wins beyond its length are divided so."""

STEPS: Final = 60
"""Steps of Newton's method, at most; it takes about six."""

Chance = tuple[Fraction, Fraction]
"""Lowest and highest that a chance can be."""


@lru_cache(maxsize=16)
def at_least(rules: SlotRules, bets: tuple[int, ...]) -> dict[int, Chance]:
    """Returns the chance that a paid round wins at least so many total bets, as far as it can be told.

    Args:
        rules: Rules of the slot.
        bets: Numbers of total bets.
    """
    if rules.most is not None:
        limited = limited_round(rules)
        chances = [limited.at_least(Fraction(many * rules.cost)) for many in bets]
        return {many: (chance, chance) for many, chance in zip(bets, chances, strict=True)}
    if not rules.features:
        law = spin_law(rules, BASE).distribution
        exact = {
            many: sum((chance for win, chance in law.items() if win >= many * rules.cost), Fraction(0))
            for many in bets
        }
        return {many: (chance, chance) for many, chance in exact.items()}
    circle = _Circle(rules, max(bets))
    return {many: circle.at_least(many) for many in bets if circle.reaches(many)}


@dataclass(frozen=True, slots=True)
class _Known:
    """A transform at every point, and how far off it can be at any."""

    values: Transform
    off: float


class _Circle(OverFeatures[_Known]):
    """Transforms of all spins at the points of one circle."""

    def __init__(self, rules: SlotRules, bets: int) -> None:
        super().__init__(rules)
        self.unit = unit_of(rules)
        wanted = max(LEAST_POINTS, 2 * math.ceil(bets * rules.cost / self.unit))
        room = min(MOST_POINTS, MOST_HELD // _states(rules))
        self.points = min(1 << (wanted - 1).bit_length(), 1 << (room.bit_length() - 1))
        self.radius = DAMPING ** (1 / self.points)
        self.rounding = 64 * math.log2(self.points) * np.finfo(float).eps
        self.stages: dict[str, _Known] = {}
        self.law = self._round()

    def reaches(self, bets: int) -> bool:
        """Tells whether a number of bets lies in the nearer half of the circle, where little is uncertain."""
        return 2 * bets * self.rules.cost <= self.points * self.unit

    def at_least(self, bets: int) -> Chance:
        """Returns the chance of at least so many bets."""
        below = math.ceil(bets * self.rules.cost / self.unit)
        parts = np.fft.irfft(self.law.values, self.points)[:below] * self.radius ** -np.arange(below)
        mean, variance = branching(self.rules).spins[BASE]
        second = float(variance + mean**2)
        # By Markov's inequality on squares; errors at the points make no more in their root mean square.
        beyond = DAMPING * second / (self.points * float(self.unit)) ** 2
        noise = (self.law.off + self.rounding) * math.sqrt(below) * self.radius**-below
        chance, off = 1 - math.fsum(parts), beyond + noise
        return Fraction(max(0.0, chance - off)), Fraction(min(1.0, chance + off))

    def _wins(self, wins: Mapping[int, int], law: SpinLaw) -> Transform:
        steps = np.array([int(win / self.unit) for win in wins], dtype=np.int64)
        weights = np.array([weight / law.total for weight in wins.values()])
        folded = np.bincount(
            steps % self.points, weights * self.radius ** steps.astype(float), minlength=self.points
        )
        return np.fft.rfft(folded)

    def _round(self) -> _Known:
        parts = self._by_number(self.rules.stage(BASE))
        return parts[0]

    def _by_number(self, stage: SpinKind) -> dict[int, _Known]:
        """Returns the transform of a spin and what it starts, by the games that it adds to its own series."""
        law, own = spin_law(self.rules, stage.id), own_series(self.rules, stage)
        found: dict[int, _Known] = {}
        for starts, wins in law.wins.items():
            values, off = self._wins(wins, law), self.rounding
            chance = sum(wins.values()) / law.total
            for place, times in enumerate(starts):
                if times and place != own:
                    more = self.started(stage, place, times)
                    values, off = values * more.values, off + chance * more.off
            number = 0 if own is None else starts[own]
            before = found.get(number)
            found[number] = (
                _Known(values, off) if before is None else _Known(before.values + values, before.off + off)
            )
        return found

    def prizes(self, law: Mapping[Fraction, Fraction], unit: int) -> _Known:
        folded = np.zeros(self.points)
        for value, chance in law.items():
            step = int(value * unit / self.unit)
            folded[step % self.points] += float(chance) * self.radius**step
        return _Known(np.fft.rfft(folded), self.rounding)

    def mixed(self, parts: Sequence[tuple[Fraction, _Known]]) -> _Known:
        values: Any = sum(float(chance) * one.values for chance, one in parts)
        return _Known(values, sum(float(chance) * one.off for chance, one in parts) + self.rounding)

    def power(self, one: _Known, times: int) -> _Known:
        # Transforms of chances are at most one in size.
        return _Known(one.values**times, times * (one.off + self.rounding))

    def series(self, feature: FreeGames, stage: SpinKind, games: int) -> _Known:
        if is_limited(feature):
            return self._limited(feature, stage, games)
        if stage.id not in self.stages:
            self.stages[stage.id] = self._solved(stage)
        return self.power(self.stages[stage.id], games)

    def _solved(self, stage: SpinKind) -> _Known:
        """Returns the transform of a game with all that follow from it: x = sum of parts times x^number."""
        parts = self._by_number(stage)
        if not any(parts):
            return parts[0]
        law, own = spin_law(self.rules, stage.id), own_series(self.rules, stage)
        more = sum(starts[own or 0] * chance for starts, (chance, _, _) in law.moments().items())
        found = np.zeros_like(next(iter(parts.values())).values)
        left = math.inf
        for _ in range(STEPS):
            value: Any = sum(part.values * found**n for n, part in parts.items())
            slope: Any = sum(n * part.values * found ** (n - 1) for n, part in parts.items() if n)
            before, left = left, float(np.abs(value - found).max())
            if left >= before and left < 1e-9:
                break
            found = found - (value - found) / (slope - 1)
        # Within the circle the sum moves by at most ``more`` times what its argument does.
        off = sum(part.off for part in parts.values()) + left + self.rounding
        return _Known(found, off / float(1 - more))

    def _limited(self, feature: FreeGames, stage: SpinKind, games: int) -> _Known:
        parts = self._by_number(stage)
        off = sum(part.off for part in parts.values()) + self.rounding

        def game(after: Mapping[int, _Known]) -> _Known:
            values: Any = sum(part.values * after[number].values for number, part in parts.items())
            return _Known(values, off + max(one.off for one in after.values()))

        ended = _Known(np.ones(self.points // 2 + 1, dtype=complex), 0.0)
        return over_series(feature, games, parts, ended, game)


def _states(rules: SlotRules) -> int:
    """Returns in how many ways a series with a limit may stand, at most over all of them."""
    most = 1
    for feature in rules.free_games:
        for name, _ in feature.stages if is_limited(feature) else ():
            stage = rules.stage(name)
            own = own_series(rules, stage)
            numbers = {starts[own or 0] for starts in spin_law(rules, name).wins}
            games = max((*feature.trigger.starts, *feature.again))
            most = max(most, len(series_states(feature, games, numbers)[1]))
    return most

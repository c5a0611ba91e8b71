"""How often a whole round wins at least so much, features included; and its highest win, with its chance.

The law of a series that may go on for ever has no end, yet its transform is the solution of one equation at every
point of a circle. What the way back leaves uncertain (wins beyond the circle's length, floating point) is bounded, so
that every chance is between the two numbers that are given.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
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
    own_series,
    series_states,
)
from certify.families.slot.exact.limited import Limited, limited_feature, limited_round, unit_of
from certify.families.slot.exact.prizes import PrizeLaw
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
    """Returns the chance that a paid round wins at least so many total bets, as far as it is known.

    Args:
        rules: Rules of the slot.
        bets: Numbers of total bets.
    """
    if rules.most is not None:
        limited = limited_round(rules)
        return {many: (limited.at_least(Fraction(many * rules.cost)),) * 2 for many in bets}
    if not rules.features:
        law = spin_law(rules, BASE).distribution
        return {
            many: (sum((chance for win, chance in law.items() if win >= many * rules.cost), Fraction(0)),) * 2
            for many in bets
        }
    circle = _Circle(rules, max(bets))
    return {many: circle.at_least(many) for many in bets if circle.reaches(many)}


@dataclass(frozen=True, slots=True)
class _Known:
    """A transform at every point, how far off it can be at any, and the chance of what it is of."""

    values: Transform
    off: float
    chance: float = 1.0


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
        self.nothing = _Known(np.ones(self.points // 2 + 1, dtype=complex), 0.0)
        self.law = self.either(self.by_starts(rules.stage(BASE)).values())

    def reaches(self, bets: int) -> bool:
        """Returns whether a number of bets is in the nearer half of the circle, where little is uncertain."""
        return 2 * bets * self.rules.cost <= self.points * self.unit

    def at_least(self, bets: int) -> Chance:
        """Returns the chance of at least so many bets."""
        below = math.ceil(bets * self.rules.cost / self.unit)
        parts = np.fft.irfft(self.law.values, self.points)[:below] * self.radius ** -np.arange(below)
        mean, variance = branching(self.rules).spin(self.rules.stage(BASE))
        second = float(variance + mean**2)
        # By Markov's inequality on squares; errors at the points make no more in their root mean square.
        beyond = DAMPING * second / (self.points * float(self.unit)) ** 2
        noise = (self.law.off + self.rounding) * math.sqrt(below) * self.radius**-below
        chance, off = 1 - math.fsum(parts), beyond + noise
        return Fraction(max(0.0, chance - off)), Fraction(min(1.0, chance + off))

    def wins(self, law: SpinLaw, wins: Mapping[int, int]) -> _Known:
        steps = np.array([int(win / self.unit) for win in wins], dtype=np.int64)
        weights = np.array([weight / law.total for weight in wins.values()])
        folded = np.bincount(
            steps % self.points, weights * self.radius ** steps.astype(float), minlength=self.points
        )
        return _Known(np.fft.rfft(folded), self.rounding, sum(wins.values()) / law.total)

    def both(self, one: _Known, other: _Known) -> _Known:
        return _Known(one.values * other.values, one.off + one.chance * other.off, one.chance)

    def either(self, parts: Iterable[_Known]) -> _Known:
        several = list(parts)
        values: Any = sum(one.values for one in several)
        return _Known(values, sum(one.off for one in several), sum(one.chance for one in several))

    def prizes(self, law: PrizeLaw, unit: int) -> _Known:
        folded = np.zeros(self.points)
        for value, weight in law.weights.items():
            step = int(value * unit / self.unit)
            folded[step % self.points] += weight / law.whole * self.radius**step
        return _Known(np.fft.rfft(folded), self.rounding)

    def mixed(self, parts: Sequence[tuple[Fraction, _Known]]) -> _Known:
        values: Any = sum(float(chance) * one.values for chance, one in parts)
        return _Known(values, sum(float(chance) * one.off for chance, one in parts) + self.rounding)

    def power(self, one: _Known, times: int) -> _Known:
        # Transforms of chances are at most one in size.
        return _Known(one.values**times, times * (one.off + self.rounding))

    def endless(self, feature: FreeGames, stage: SpinKind, parts: Mapping[int, _Known]) -> _Known:
        """Returns the transform of a game with all that follow from it: x = sum of parts times x^number."""
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

    def game(self, parts: Mapping[int, _Known], after: Mapping[int, _Known]) -> _Known:
        values: Any = sum(part.values * after[number].values for number, part in parts.items())
        off = sum(part.off for part in parts.values()) + self.rounding
        return _Known(values, off + max(one.off for one in after.values()))


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


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest win, in coins, with its chance."""

    coins: Fraction = Fraction(0)
    chance: Fraction = Fraction(1)

    def then(self, other: "Highest", times: int = 1) -> "Highest":
        """Returns the highest of both together, the other one so many times."""
        return Highest(self.coins + times * other.coins, self.chance * other.chance**times)


@lru_cache(maxsize=64)
def highest_win(rules: SlotRules) -> Highest | None:
    """Returns the highest win of a paid round in coins, with its exact chance; None where there is no end of it."""
    if rules.most is not None:
        return _highest_paid(limited_round(rules))
    ends = _Ends(rules)
    return ends.either(ends.by_starts(rules.stage(BASE)).values())


def highest_of_feature(rules: SlotRules, place: int, starts: int) -> Highest | None:
    """Returns the same of so many starts of a feature by themselves."""
    if rules.most is not None:
        return _highest_paid(limited_feature(rules, place, starts))
    return _Ends(rules).started(rules.stage(BASE), place, starts)


def _highest_paid(limited: Limited) -> Highest:
    most = max(
        (limited.step * win for law in limited.by_starts.values() for win in law.wins),
        default=Fraction(0),
    )
    most = limited.limit if limited.above else most
    return Highest(most, limited.at_least(most))


class _Ends(OverFeatures[Highest | None]):
    """The highest of everything; none where there is no end of it."""

    nothing = Highest()

    def wins(self, law: SpinLaw, wins: Mapping[int, int]) -> Highest | None:
        return Highest(Fraction(max(wins)), Fraction(wins[max(wins)], law.total))

    def prizes(self, law: PrizeLaw, unit: int) -> Highest | None:
        return Highest(unit * max(law.weights), Fraction(law.weights[max(law.weights)], law.whole))

    def both(self, one: Highest | None, other: Highest | None) -> Highest | None:
        return one.then(other) if one and other else None

    def power(self, one: Highest | None, times: int) -> Highest | None:
        return Highest().then(one, times) if one else None

    def mixed(self, parts: Sequence[tuple[Fraction, Highest | None]]) -> Highest | None:
        return self.either(one and Highest(one.coins, one.chance * chance) for chance, one in parts)

    def either(self, parts: Iterable[Highest | None]) -> Highest | None:
        """Returns the highest of several that exclude each other; equal ones are taken together."""
        ends = list(parts)
        several = [one for one in ends if one is not None]
        if len(several) < len(ends):
            return None
        most = max(one.coins for one in several)
        return Highest(most, sum((one.chance for one in several if one.coins == most), Fraction(0)))

    def endless(
        self, feature: FreeGames, stage: SpinKind, parts: Mapping[int, Highest | None]
    ) -> Highest | None:
        return None

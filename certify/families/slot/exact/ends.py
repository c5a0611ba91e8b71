"""Both ends of what a round wins: the chance of nothing at all, and the highest win with its chance."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.families.slot.exact.branching import after_game, is_limited, own_series, series_states
from certify.families.slot.exact.limited import limited_round
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.spin import Starts, spin_law
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import BASE, BonusPrizes, FreeGames, SlotRules, SpinKind

Chance = tuple[Fraction, Fraction]
"""A chance, or the interval that contains it where it has no end of digits."""

DIGITS: Final = 160
"""Binary digits to which the chance is found that a series which may go on for ever wins nothing."""

SURE: Chance = (Fraction(1), Fraction(1))


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest win, in coins, with its chance."""

    coins: Fraction = Fraction(0)
    chance: Fraction = Fraction(1)

    def then(self, other: Highest, times: int = 1) -> Highest:
        """Returns the highest of both together, the other one so many times."""
        return Highest(self.coins + times * other.coins, self.chance * other.chance**times)


def highest_win(rules: SlotRules) -> Highest | None:
    """Returns the highest win of a paid round in coins, with its exact chance; None where there is no end of it."""
    if rules.most is not None:
        limited = limited_round(rules)
        most = max(
            (limited.step * win for law in limited.by_starts.values() for win in law.wins),
            default=Fraction(0),
        )
        most = limited.limit if limited.above else most
        return Highest(most, limited.at_least(most))
    by_number = _highest_spins(rules, BASE)
    return None if by_number is None else _best(by_number.values())


@lru_cache(maxsize=64)
def nothing_won(rules: SlotRules) -> Chance:
    """Returns the chance that a paid round wins nothing, features included.

    It is exact, or between two numbers that agree to some fifty digits where a series may go on for ever.
    """
    return _nothing(rules, rules.stage(BASE))


# --- the highest -------------------------------------------------------------------------------------------


def _best(some: Iterable[Highest]) -> Highest:
    """Returns the highest of several that exclude each other; equal ones are taken together."""
    several = list(some)
    most = max(one.coins for one in several)
    return Highest(most, sum((one.chance for one in several if one.coins == most), Fraction(0)))


@lru_cache(maxsize=64)
def _highest_spins(rules: SlotRules, stage_id: str) -> dict[int, Highest] | None:
    """Returns the highest win of a spin and what it starts, by the games that it adds to its own series."""
    stage, law = rules.stage(stage_id), spin_law(rules, stage_id)
    own = own_series(rules, stage)
    found: dict[int, list[Highest]] = {}
    for starts, wins in law.wins.items():
        most = max(wins)
        one: Highest | None = Highest(Fraction(most), Fraction(wins[most], law.total))
        for place, times in enumerate(starts):
            if times and place != own and one is not None:
                more = _highest_of(rules, stage, place, times)
                one = None if more is None else one.then(more)
        if one is None:
            return None
        found.setdefault(0 if own is None else starts[own], []).append(one)
    return {number: _best(some) for number, some in found.items()}


def _highest_of(rules: SlotRules, stage: SpinKind, place: int, times: int) -> Highest | None:
    """Returns the highest that so many starts of a feature lead to."""
    feature = rules.features[place]
    if isinstance(feature, BonusPrizes):
        several, held = feature.begun(times)
        law = prize_law(feature, held)
        unit = award_unit(rules, feature.per) * (stage.multiplier if feature.multiplied else 1)
        return Highest().then(Highest(unit * max(law), law[max(law)]), several)
    parts = []
    for name, chance in feature.stages:
        one = _highest_series(rules, feature, name, times)
        if one is None:
            return None
        parts.append(Highest(one.coins, one.chance * chance))
    return _best(parts)


def _highest_series(rules: SlotRules, feature: FreeGames, stage_id: str, games: int) -> Highest | None:
    spins = _highest_spins(rules, stage_id)
    if spins is None or (any(spins) and not is_limited(feature)):
        return None
    if not is_limited(feature):
        return Highest().then(spins[0], games)
    first, states = series_states(feature, games, spins)
    settled: dict[tuple[int, int, int], Highest] = {}
    for state in states:
        settled[state] = (
            _best(one.then(settled[after_game(feature, state, number)]) for number, one in spins.items())
            if state[0]
            else Highest()
        )
    return settled[first]


# --- nothing at all ----------------------------------------------------------------------------------------


def _times(one: Chance, other: Chance) -> Chance:
    return one[0] * other[0], one[1] * other[1]


def _power(one: Chance, times: int) -> Chance:
    return one[0] ** times, one[1] ** times


@lru_cache(maxsize=64)
def _nothing(rules: SlotRules, stage: SpinKind) -> Chance:
    """Returns the chance that a spin with everything that it starts wins nothing."""
    own = own_series(rules, stage)
    parts = _nothing_by_number(rules, stage, own)
    if own is None or not any(parts):
        return parts.get(0, (Fraction(0), Fraction(0)))
    # The least solution of x = sum of chances times x^number: from nothing it is approached from below, and as one
    # lies above it and the sum is convex, from one it is approached from above.
    low, high = Fraction(0), Fraction(1)
    for _ in range(4 * DIGITS):
        low, high = _outwards(
            sum((part[0] * low**n for n, part in parts.items()), Fraction(0)),
            sum((part[1] * high**n for n, part in parts.items()), Fraction(0)),
        )
        if high - low <= Fraction(8, 1 << DIGITS):
            break
    return low, high


def _outwards(low: Fraction, high: Fraction) -> Chance:
    """Returns an interval with ends of few digits that contains the given one."""
    unit = 1 << DIGITS
    return Fraction(math.floor(low * unit), unit), Fraction(math.ceil(high * unit), unit)


def _nothing_by_number(rules: SlotRules, stage: SpinKind, own: int | None) -> dict[int, Chance]:
    """Returns the chance of a spin that wins nothing, by the games that it adds to its own series."""
    law = spin_law(rules, stage.id)
    found: dict[int, Chance] = {}
    for starts, wins in law.wins.items():
        one = Fraction(wins.get(0, 0), law.total)
        if not one:
            continue
        low, high = _times((one, one), _nothing_beside(rules, stage, starts, own))
        number = 0 if own is None else starts[own]
        before = found.get(number, (Fraction(0), Fraction(0)))
        found[number] = (before[0] + low, before[1] + high)
    return found


def _nothing_beside(rules: SlotRules, stage: SpinKind, starts: Starts, own: int | None) -> Chance:
    chance = SURE
    for place, times in enumerate(starts):
        if times and place != own:
            chance = _times(chance, _nothing_of(rules, rules.features[place], times))
    return chance


def _nothing_of(rules: SlotRules, feature: FreeGames | BonusPrizes, times: int) -> Chance:
    if isinstance(feature, BonusPrizes):
        several, held = feature.begun(times)
        none = prize_law(feature, held).get(Fraction(0), Fraction(0)) ** several
        return none, none
    low = high = Fraction(0)
    for name, share in feature.stages:
        one = _nothing_in_series(rules, feature, rules.stage(name), times)
        low, high = low + share * one[0], high + share * one[1]
    return low, high


def _nothing_in_series(rules: SlotRules, feature: FreeGames, stage: SpinKind, games: int) -> Chance:
    if not is_limited(feature):
        return _power(_nothing(rules, stage), games)
    parts = _nothing_by_number(rules, stage, own_series(rules, stage))
    if not parts:
        return Fraction(0), Fraction(0)
    first, states = series_states(feature, games, parts)
    settled: dict[tuple[int, int, int], Chance] = {}
    for state in states:
        if not state[0]:
            settled[state] = SURE
            continue
        low = high = Fraction(0)
        for number, part in parts.items():
            rest = settled[after_game(feature, state, number)]
            low, high = low + part[0] * rest[0], high + part[1] * rest[1]
        settled[state] = _outwards(low, high)
    return settled[first]

"""The highest win of a round with its chance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from certify.families.slot.exact.branching import after_game, is_limited, own_series, series_states
from certify.families.slot.exact.limited import limited_round
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import BASE, BonusPrizes, FreeGames, SlotRules, SpinKind


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

"""The highest win of a round with its chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from certify.families.slot.exact.branching import OverFeatures
from certify.families.slot.exact.limited import Limited, limited_feature, limited_round
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.spin import SpinLaw, Starts, spin_law
from certify.families.slot.random_elements import bonuses_held, games_of
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import BASE, FreeGames, SlotRules, SpinKind


def longest_coins(rules: SlotRules) -> Fraction | None:
    """Returns the most coins of a round whose series are as long as a row of draws lets them be.

    Nothing where series lead to others or share a stage, and where a row cannot hold all bonuses.
    """
    lone = all({*one.begins_in} <= {BASE, *(name for name, _ in one.stages)} for one in rules.free_games)
    stages = [name for one in rules.free_games for name, _ in one.stages]
    if not lone or len(set(stages)) < len(stages) or not _bonuses_fit(rules, stages):
        return None
    found = (
        coins
        + sum(_series(rules, n, times) for n, times in enumerate(starts[: len(rules.free_games)]) if times)
        for starts, coins in _tops(rules, BASE).items()
    )
    most = max(found)
    return most if rules.most is None else min(most, rules.most * rules.cost)


def _tops(rules: SlotRules, stage_id: str) -> dict[Starts, Fraction]:
    """Returns the highest win of a spin by what it starts, what bonuses pay included."""
    stage, found = rules.stage(stage_id), {}
    for starts, wins in spin_law(rules, stage_id).wins.items():
        coins = Fraction(max(wins))
        for bonus, times in zip(rules.bonuses, starts[len(rules.free_games) :], strict=True):
            unit = award_unit(rules, bonus.per) * (stage.multiplier if bonus.multiplied else 1)
            several, held = bonus.begun(times)
            coins += several * unit * max(prize_law(bonus, held)) if times else 0
        found[starts] = coins
    return found


def _bonuses_fit(rules: SlotRules, stages: Sequence[str]) -> bool:
    """Tells whether a row holds draws of every bonus that a round may begin."""
    games = {BASE: 1, **{name: games_of(rules, name) for name in stages}}
    for place, bonus in enumerate(rules.bonuses, start=len(rules.free_games)):
        most = {name: max(bonus.begun(starts[place])[0] for starts in _tops(rules, name)) for name in games}
        if sum(many * most[name] for name, many in games.items()) > bonuses_held(rules, bonus):
            return False
    return True


def _series(rules: SlotRules, place: int, games: int) -> Fraction:
    """Returns the most that a series of so many games at first wins, in the best of its stages."""
    return max(_in_stage(rules, place, games, name) for name, _ in rules.free_games[place].stages)


def _in_stage(rules: SlotRules, place: int, games: int, stage: str) -> Fraction:
    """Returns the most that a series wins in one stage: spins that grant games first, then those that win most.

    ``reached[again, more]``: the most that so many such spins win which come to so many further games.
    """
    feature = rules.free_games[place]
    tops: dict[int, Fraction] = {}
    for starts, coins in _tops(rules, stage).items():
        tops[starts[place]] = max(coins, tops.get(starts[place], Fraction(0)))
    limited = bool(feature.most_games) and feature.most_games <= games_of(rules, stage)
    games = min(games, feature.most_games) if limited else games
    room = (feature.most_games if limited else games_of(rules, stage)) - games
    again = feature.most_again if feature.most_again >= 0 else room
    reached = {(0, 0): Fraction(0)}
    layer = dict(reached)
    while layer:
        after: dict[tuple[int, int], Fraction] = {}
        for (times, more), coins in layer.items():
            for granted, win in tops.items() if times < again and more < room else ():
                to = min(more + granted, room) if limited else more + granted
                if granted and to <= room:
                    after[times + 1, to] = max(coins + win, after.get((times + 1, to), Fraction(0)))
        reached |= after
        layer = after
    most = Fraction(0)
    for (times, more), coins in reached.items():
        left = games + more - times
        # Where no further game can be granted, a spin that would grant some is as good as any other.
        free = (limited and more == room) or times == again
        rest = max(tops.values()) if free else tops.get(0)
        if left >= 0 and rest is not None:
            most = max(most, coins + left * rest)
    return most


@dataclass(frozen=True, slots=True)
class Highest:
    """The highest win, in coins, with its chance."""

    coins: Fraction = Fraction(0)
    chance: Fraction = Fraction(1)

    def then(self, other: Highest, times: int = 1) -> Highest:
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

    def prizes(self, law: Mapping[Fraction, Fraction], unit: int) -> Highest | None:
        return Highest(unit * max(law), law[max(law)])

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

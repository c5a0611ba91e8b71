"""The highest win of a round with its chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from certify.families.slot.exact.branching import OverFeatures, is_limited, over_series, own_series
from certify.families.slot.exact.limited import Limited, limited_feature, limited_round
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.spin import Starts, spin_law
from certify.families.slot.exact.windows import Window
from certify.families.slot.random_elements import bonuses_held, games_of
from certify.families.slot.rows import Stopped, TopSpin, award_unit
from certify.families.slot.rules import BASE, FreeGames, SlotRules, SpinKind


@dataclass(frozen=True, slots=True)
class TopRound:
    """The round that wins most.

    Args:
        coins: What it wins.
        spins: Its spins in order; those of which the count names no windows have no reels.
    """

    coins: Fraction
    spins: tuple[TopSpin, ...]

    @property
    def shown(self) -> bool:
        """Whether the windows of all its spins are known."""
        return all(one.reels for one in self.spins)


def highest_round(rules: SlotRules) -> TopRound | None:
    """Returns the round that wins most, or nothing where a bound alone is known.

    That is where series lead to others or share a stage, and where a row cannot hold all bonuses. A series without a
    limit is taken as long as a row of draws lets it be.
    """
    lone = all({*one.begins_in} <= {BASE, *(name for name, _ in one.stages)} for one in rules.free_games)
    stages = [name for one in rules.free_games for name, _ in one.stages]
    if not lone or len(set(stages)) < len(stages) or not _bonuses_fit(rules, stages):
        return None
    best: TopRound | None = None
    for top in _tops(rules, BASE):
        series = [
            _series(rules, feature, times)
            for feature, times in zip(rules.free_games, top.starts, strict=False)
            if times
        ]
        spins = (_spin(BASE, top), *(spin for part in series for spin in part.spins))
        found = TopRound(top.coins + sum(part.coins for part in series), spins)
        best = found if best is None or found.coins > best.coins else best
    if best is not None and rules.most is not None:
        return replace(best, coins=min(best.coins, rules.most * rules.cost))
    return best


_Granted = tuple[int, "_Granted"] | None


@dataclass(frozen=True, slots=True)
class _Top:
    """The highest win of a spin with its bonuses, of those that start so much."""

    starts: Starts
    coins: Fraction
    windows: tuple[Window, ...]


def _tops(rules: SlotRules, stage_id: str) -> list[_Top]:
    """Returns the highest win of a spin by what it starts, what bonuses pay included."""
    law, stage = spin_law(rules, stage_id), rules.stage(stage_id)
    found = []
    for starts, wins in law.wins.items():
        coins = Fraction(max(wins))
        for bonus, times in zip(rules.bonuses, starts[len(rules.free_games) :], strict=True):
            unit = award_unit(rules, bonus.per) * (stage.multiplier if bonus.multiplied else 1)
            several, held = bonus.begun(times)
            coins += several * unit * max(prize_law(bonus, held)) if times else 0
        found.append(_Top(starts, coins, law.tops.get(starts, ())))
    return found


def _bonuses_fit(rules: SlotRules, stages: Sequence[str]) -> bool:
    """Tells whether a row holds draws of every bonus that a round may begin."""
    games = {BASE: 1, **{name: games_of(rules, name) for name in stages}}
    for place, bonus in enumerate(rules.bonuses, start=len(rules.free_games)):
        most = {name: max(bonus.begun(top.starts[place])[0] for top in _tops(rules, name)) for name in games}
        if sum(many * most[name] for name, many in games.items()) > bonuses_held(rules, bonus):
            return False
    return True


def _spin(stage: str, top: _Top) -> TopSpin:
    """Returns the spin that wins most of those that start so much."""
    reels = (
        Stopped(one.stopped, tuple(dict.fromkeys((cell.symbol, cell.factor) for cell in one.cells)), one.stop)
        for one in top.windows
    )
    return TopSpin(stage, tuple(reels))


def _series(rules: SlotRules, feature: FreeGames, games: int) -> TopRound:
    """Returns the series of so many games at first that wins most, in the best of its stages."""
    found = (_in_stage(rules, feature, games, name) for name, _ in feature.stages)
    return max(found, key=lambda one: one.coins)


def _in_stage(rules: SlotRules, feature: FreeGames, games: int, stage: str) -> TopRound:
    """Returns the best series in one stage: spins that grant games first, then those that win most.

    ``reached[again, more]``: the most that so many such spins win which come to so many further games, and what they
    grant, the last one first, each with those before it.
    """
    place = rules.free_games.index(feature)
    tops: dict[int, _Top] = {}
    for top in _tops(rules, stage):
        before = tops.get(top.starts[place])
        tops[top.starts[place]] = top if before is None or top.coins > before.coins else before
    limited = bool(feature.most_games) and feature.most_games <= games_of(rules, stage)
    games = min(games, feature.most_games) if limited else games
    room = (feature.most_games if limited else games_of(rules, stage)) - games
    again = feature.most_again if feature.most_again >= 0 else room
    grants = [(granted, top.coins) for granted, top in tops.items() if granted]
    reached: dict[tuple[int, int], tuple[Fraction, _Granted]] = {(0, 0): (Fraction(0), None)}
    layer = dict(reached)
    while layer:
        after: dict[tuple[int, int], tuple[Fraction, _Granted]] = {}
        for (times, more), (coins, by) in layer.items():
            for granted, win in grants if times < again and more < room else ():
                to = min(more + granted, room) if limited else more + granted
                if to <= room and coins + win > after.get((times + 1, to), (-1, ()))[0]:
                    after[times + 1, to] = (coins + win, (granted, by))
        reached |= after
        layer = after
    most, order = Fraction(-1), list[int]()
    for (times, more), (coins, by) in reached.items():
        left = games + more - times
        # Where no further game can be granted, a spin that would grant some is as good as any other.
        free = (limited and more == room) or times == again
        rest = max(tops, key=lambda one: tops[one].coins) if free else 0
        if left >= 0 and rest in tops and coins + left * tops[rest].coins > most:
            most, order = coins + left * tops[rest].coins, [*_in_order(by), *([rest] * left)]
    spins = {granted: _spin(stage, tops[granted]) for granted in order}
    drawn_for = feature.id if len(feature.stages) > 1 else ""
    first = (replace(spins[granted], drawn_for=drawn_for) for granted in order[:1])
    return TopRound(most, (*first, *(spins[granted] for granted in order[1:])))


def _in_order(by: _Granted) -> list[int]:
    """Returns what spins granted, the first one first."""
    found = []
    while by is not None:
        granted, by = by
        found.append(granted)
    return found[::-1]


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
    by_number = _Ends(rules).spins(rules.stage(BASE))
    return None if by_number is None else _best(by_number.values())


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


def _best(some: Iterable[Highest]) -> Highest:
    """Returns the highest of several that exclude each other; equal ones are taken together."""
    several = list(some)
    most = max(one.coins for one in several)
    return Highest(most, sum((one.chance for one in several if one.coins == most), Fraction(0)))


class _Ends(OverFeatures[Highest | None]):
    """The highest of everything; none where there is no end of it."""

    def __init__(self, rules: SlotRules) -> None:
        super().__init__(rules)
        self.stages: dict[str, dict[int, Highest] | None] = {}

    def prizes(self, law: Mapping[Fraction, Fraction], unit: int) -> Highest:
        return Highest(unit * max(law), law[max(law)])

    def power(self, one: Highest | None, times: int) -> Highest | None:
        return None if one is None else Highest().then(one, times)

    def mixed(self, parts: Sequence[tuple[Fraction, Highest | None]]) -> Highest | None:
        ends = [Highest(one.coins, one.chance * chance) for chance, one in parts if one is not None]
        return _best(ends) if len(ends) == len(parts) else None

    def series(self, feature: FreeGames, stage: SpinKind, games: int) -> Highest | None:
        if stage.id not in self.stages:
            self.stages[stage.id] = self.spins(stage)
        spins = self.stages[stage.id]
        if spins is None or (any(spins) and not is_limited(feature)):
            return None
        if not is_limited(feature):
            return self.power(spins[0], games)
        return over_series(
            feature,
            games,
            spins,
            Highest(),
            lambda after: _best(one.then(after[number]) for number, one in spins.items()),
        )

    def spins(self, stage: SpinKind) -> dict[int, Highest] | None:
        """Returns the highest win of a spin and what it starts, by the games that it adds to its own series."""
        law, own = spin_law(self.rules, stage.id), own_series(self.rules, stage)
        found: dict[int, list[Highest]] = {}
        for starts, wins in law.wins.items():
            most = max(wins)
            one = Highest(Fraction(most), Fraction(wins[most], law.total))
            for place, times in enumerate(starts):
                if times and place != own:
                    more = self.started(stage, place, times)
                    if more is None:
                        return None
                    one = one.then(more)
            found.setdefault(0 if own is None else starts[own], []).append(one)
        return {number: _best(some) for number, some in found.items()}

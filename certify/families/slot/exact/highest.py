"""The round that wins most, spin by spin: from the laws of the spins alone, as far as a row of draws holds it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.families.slot.classes import Stopped, TopSpin
from certify.families.slot.exact.spin import Starts, spin_law
from certify.families.slot.pieces import games_of
from certify.families.slot.rules import BASE, FreeGames, SlotRules


@dataclass(frozen=True, slots=True)
class TopRound:
    """The round that wins most.

    Args:
        coins: What it wins.
        spins: Its spins in order.
    """

    coins: int
    spins: tuple[TopSpin, ...]


def highest_round(rules: SlotRules) -> TopRound | None:
    """Returns the round that wins most, or nothing where a bound alone is known: features lead to others, or ways pay.

    A series without a limit is taken as long as a row of draws lets it be.
    """
    lone = all({*one.begins_in} <= {BASE, *(name for name, _ in one.stages)} for one in rules.free_games)
    stages = [name for one in rules.free_games for name, _ in one.stages]
    shown = all(spin_law(rules, name).tops for name in (BASE, *stages))
    if rules.bonuses or not lone or len(set(stages)) < len(stages) or not shown:
        return None
    best: TopRound | None = None
    for starts, coins in _tops(rules, BASE).items():
        parts = [
            _series(rules, feature, times)
            for feature, times in zip(rules.free_games, starts, strict=True)
            if times
        ]
        spins = (_spin(rules, BASE, starts), *(spin for part in parts for spin in part.spins))
        found = TopRound(coins + sum(part.coins for part in parts), spins)
        best = found if best is None or found.coins > best.coins else best
    return best


def _tops(rules: SlotRules, stage: str) -> dict[tuple[int, ...], int]:
    """Returns the highest win of a spin by what it starts."""
    return {starts: max(wins) for starts, wins in spin_law(rules, stage).wins.items()}


def _spin(rules: SlotRules, stage: str, starts: Starts, drawn_for: str = "") -> TopSpin:
    """Returns the spin that wins most of those that start so much."""
    return TopSpin(
        stage,
        tuple(
            Stopped(one.stopped, tuple(dict.fromkeys((cell.symbol, cell.factor) for cell in one.cells)))
            for one in spin_law(rules, stage).tops[starts]
        ),
        drawn_for,
    )


def _series(rules: SlotRules, feature: FreeGames, games: int) -> TopRound:
    """Returns the series of so many games at first that wins most, in the best of its stages."""
    return max(
        (_in_stage(rules, feature, games, name) for name, _ in feature.stages), key=lambda one: one.coins
    )


def _in_stage(rules: SlotRules, feature: FreeGames, games: int, stage: str) -> TopRound:
    """Returns the best series in one stage: spins that grant games first, then those that win most.

    ``reached[again, more]``: the most that so many such spins win which come to so many further games.
    """
    place = rules.free_games.index(feature)
    tops = {starts[place]: coins for starts, coins in _tops(rules, stage).items()}
    limited = bool(feature.most_games) and feature.most_games <= games_of(rules, stage)
    games = min(games, feature.most_games) if limited else games
    room = (feature.most_games if limited else games_of(rules, stage)) - games
    again = feature.most_again if feature.most_again >= 0 else room
    grants = [(granted, coins) for granted, coins in tops.items() if granted]
    reached: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {(0, 0): (0, ())}
    layer = dict(reached)
    while layer:
        after: dict[tuple[int, int], tuple[int, tuple[int, ...]]] = {}
        for (times, more), (coins, by) in layer.items():
            for granted, win in grants if times < again and more < room else ():
                to = min(more + granted, room) if limited else more + granted
                if to <= room and coins + win > after.get((times + 1, to), (-1, ()))[0]:
                    after[times + 1, to] = (coins + win, (*by, granted))
        reached |= after
        layer = after
    best = TopRound(-1, ())
    for (times, more), (coins, by) in reached.items():
        left = games + more - times
        # Where no further game can be granted, a spin that would grant some is as good as any other.
        free = (limited and more == room) or times == again
        rest = max(tops, key=lambda one: tops[one]) if free else 0
        if left < 0 or rest not in tops or coins + left * tops[rest] <= best.coins:
            continue
        spins = tuple(
            _spin(
                rules,
                stage,
                tuple(one if n == place else 0 for n in range(len(rules.free_games))),
                feature.id if number == 0 and len(feature.stages) > 1 else "",
            )
            for number, one in enumerate((*by, *([rest] * left)))
        )
        best = TopRound(coins + left * tops[rest], spins)
    return best

"""Small slots whose every draw can be tried, apart from the exact counting."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

from certify.families.slot.exact.prizes import PrizeLaw
from certify.families.slot.reference import Done, SlotRound
from certify.families.slot.rules import BASE, SlotRules
from certify.model import Game
from certify.submission import parse_game

HEAD = """
schema = "certify-game/1"
rules = []
readings = []
claims = []

[game]
id = "small-slot"
title = "Small slot"
version = "1.0.0"
family = "slot"
supplier = "Tests"
banked_by = "house"

[[wagers]]
id = "main"
title = "Total bet"
description = "One round"
limits = { minimum = "0.10", maximum = "100.00", currency = "EUR" }

[terms]
malfunction_voids_all = true
unresolved_void_after_days = 90
resume_after_disconnection = true
previous_wins_paid = true
history_available = true

[[sources]]
id = "rules"
title = "Rules"
file = "rules.txt"
sha256 = "0000000000000000000000000000000000000000000000000000000000000000"
"""

LINES = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222", "121"]

[[strips]]
id = "base"
reels = ["a b star c wild b", "a wild b c star:2", "b a c wild star a"]

[[strips]]
id = "free"
reels = ["a b star wild", "a b b c star", "c a wild b"]

[[stages]]
id = "free"
strips = "free"
multiplier = 3

[[wilds]]
symbol = "wild"
multiplies = "2"
together = "multiply"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [1, 2, 9]

[[line_pays]]
symbol = "c"
pays = [0, 0, 7]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
"""

WAYS = """
[slot]
heights = [2, 3, 2]
ways = true
cost = 5

[[strips]]
id = "base"
reels = ["a b star c b a", "a wild b c c star:2", "b a c wild star a"]

[[wilds]]
symbol = "wild"
multiplies = "2:1/2 3:1/2"
together = "multiply"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [0, 2, 9]

[[line_pays]]
symbol = "c"
pays = [0, 0, 7]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]
"""


def small(text: str) -> Game:
    """Returns a small slot from its tables."""
    return parse_game((HEAD + text).encode(), "game.toml")


def chances(law: PrizeLaw) -> dict[Fraction, Fraction]:
    """Returns the chance of every sum of prizes."""
    return {value: Fraction(weight, law.whole) for value, weight in law.weights.items()}


Law = dict[tuple[tuple[tuple[str, int], ...], Fraction], Fraction]
"""The chance of all (features begun, coins won) of a spin."""

CERTAIN: Final = {Fraction(0): Fraction(1)}


def every_draw(rules: SlotRules, stage: str) -> Iterator[tuple[Fraction, Done]]:
    """Yields every way in which a spin ends, with its chance: the reference step on every draw that it asks for."""
    reference = SlotRound(rules, "main")
    pieces = {piece.id: piece for piece in reference.equipment}
    waiting: list[tuple[Fraction, tuple[str, ...]]] = [(Fraction(1), ())]
    while waiting:
        chance, faces = waiting.pop()
        step = reference.spin(stage)
        try:
            asked = next(step)
            for face in faces:
                asked = step.send(face)
        except StopIteration as ended:
            yield chance, ended.value
            continue
        piece = pieces[asked]
        for place, face in enumerate(piece.faces):
            waiting.append((chance * Fraction(piece.shows.count(place), piece.size), (*faces, face)))


def every(rules: SlotRules, stage_id: str = BASE) -> Law:
    """Returns the law of a spin, draw by draw."""
    law = Law()
    for chance, done in every_draw(rules, stage_id):
        started = tuple(sorted(one for one in done.starts if one[1]))
        key = (started, sum((won.coins for won in done.won), Fraction(0)))
        law[key] = law.get(key, Fraction(0)) + chance
    return law


def every_round(
    rules: SlotRules, depth: int = 10**9, limit: int = 10**9, prizes: Mapping[Fraction, Fraction] = CERTAIN
) -> dict[Fraction, Fraction]:
    """Returns the chance of every win of a round of one series, game by game, as far as depth and limit.

    Args:
        rules: Rules of the slot.
        depth: Games that are played at most; rounds of more are left out.
        limit: Coins at which a round ends.
        prizes: What each bonus pays, in total bets.
    """
    free, tables = rules.free_games[0], {stage.id: every(rules, stage.id) for stage in rules.stages}
    waiting: dict[tuple[int, int, Fraction], Fraction] = {(1, 0, Fraction(0)): Fraction(1)}
    law: dict[Fraction, Fraction] = {}
    stage = BASE
    while waiting and depth >= 0:
        after: dict[tuple[int, int, Fraction], Fraction] = {}
        for (left, granted, won), chance in waiting.items():
            for (starts, coins), share in tables[stage].items():
                begun = dict(starts)
                more = begun.pop(free.id, 0)
                more = min(more, free.most_games - granted) if free.most_games else more
                for prize, part in (prizes if begun else CERTAIN).items():
                    total = min(won + coins + prize * rules.cost, Fraction(limit))
                    key = (left - 1 + more, granted + more, total)
                    over = total == limit or not key[0]
                    into: dict[Any, Fraction] = law if over else after
                    into[total if over else key] = (
                        into.get(total if over else key, Fraction(0)) + chance * share * part
                    )
        waiting, stage, depth = after, free.stages[0][0], depth - 1
    return law

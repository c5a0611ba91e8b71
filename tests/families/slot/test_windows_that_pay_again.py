"""Reels that are held, full reels and wins that fall: exact laws against every stop played in plain Python."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from representatives import firsts
from small_slots import every, small

from certify.errors import InputError
from certify.families.slot.exact.cycle import FIRST, added, listed, tallies
from certify.families.slot.exact.round import round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.rules import rules_of

BASE = """
[slot]
heights = [2, 2, 2]
lines = ["111", "222", "121"]

[[strips]]
id = "base"
reels = ["a b star c wild b a c", "a wild b c a b star:2 c", "b a c wild star a c b"]

[[stages]]
id = "free"
strips = "base"
multiplier = 3

[[wilds]]
symbol = "wild"
multiplies = "2"

[[line_pays]]
symbol = "a"
pays = [0, 3, 20]

[[line_pays]]
symbol = "b"
pays = [0, 2, 9]

[[scatter_pays]]
symbol = "star"
pays = [0, 1, 4]

[[free_games]]
id = "free-games"
stage = "free"
symbol = "star"
games = [0, 2, 4]
most_games = 6
"""
HELD = '[[respins]]\nid = "held"\nsymbol = "wild"\nreels = [2, 3]\nstages = ["base", "free"]\n'
FALLS = '[[cascades]]\nmultipliers = [1, 2, 4]\nrefill = "strip above"\nstages = ["base", "free"]\n'
FULL = '[[full_reels]]\nsymbols = ["a", "b", "wild"]\ntimes = [1, 2, 7]\nwilds = true\n'
STACKED = BASE.replace("a b star c wild b a c", "a a b star c wild wild b b a").replace(
    "a wild b c a b star:2 c", "a a wild wild b b c star:2"
)

WAYS = (
    BASE.replace('lines = ["111", "222", "121"]', "ways = true\ncost = 5")
    .replace("heights = [2, 2, 2]", "heights = [2, 3, 2]")
    .replace("a b star c wild b a c", "a b star c wild b a c a")
    .replace('multiplies = "2"', 'multiplies = "2"\ntogether = "multiply"')
)
NOT_ALONE = WAYS.replace('multiplies = "2"', 'multiplies = "3"\nalone = false')


def test_pairs_are_tallied_as_a_dictionary_would() -> None:
    draw, table = random.Random(5), tallies()  # noqa: S311 - a test repeats its numbers
    many: dict[tuple[int, int], list[int]] = {}
    for number in range(5_000):
        pair = (draw.randrange(1 << 40) if number % 3 else draw.randrange(9), 7 * draw.randrange(90))
        table = added(table, *pair, number + 1, number)
        many.setdefault(pair, [0, number])[0] += number + 1
    assert len(many) > FIRST
    assert listed(table) == [[*pair, *told] for pair, told in sorted(many.items())]


@pytest.mark.parametrize("stage", firsts(["base", "free"]))
@pytest.mark.parametrize(
    "text",
    [
        BASE + HELD,
        BASE + FALLS,
        STACKED + FULL,
        pytest.param(STACKED + FULL + HELD, marks=pytest.mark.slow),
        STACKED + FULL + FALLS,
        WAYS + FALLS,
        NOT_ALONE + FALLS,
        BASE.replace("pays = [0, 2, 9]", "pays = [0, 1, 9]") + FALLS,
    ],
    ids=[
        "reels held",
        "wins that fall",
        "full reels",
        "full reels, held",
        "full reels, falling",
        "ways that fall",
        "ways that fall, not of wilds alone",
        "wins of one coin that fall",
    ],
)
def test_the_law_is_that_of_every_stop(text: str, stage: str) -> None:
    rules = rules_of(small(text))
    law = spin_law(rules, stage)
    counted = {
        ((("free-games", starts[0]),) if starts[0] else (), win): Fraction(weight, law.total)
        for starts, wins in law.wins.items()
        for win, weight in wins.items()
    }
    assert counted == every(rules, stage)
    assert sum(share.coins for share in law.rows) == sum(win * chance for (_, win), chance in counted.items())


@pytest.mark.parametrize("added", [HELD, FALLS, FULL])
def test_it_is_not_the_game_without(added: str) -> None:
    """Planted: the same strips without the table, whose figures must differ."""
    with_it = round_figures(rules_of(small(STACKED + added)), "main")
    assert with_it.return_to_player != round_figures(rules_of(small(STACKED)), "main").return_to_player


def test_strips_that_win_for_ever_are_refused() -> None:
    endless = BASE.replace("a b star c wild b a c", "a").replace("a wild b c a b star:2 c", "a")
    endless = endless.replace("b a c wild star a c b", "a b c star wild").replace("most_games = 6", "")
    with pytest.raises(InputError, match="may win for ever"):
        spin_law(rules_of(small(endless + FALLS)), "base")


REFUSED = {
    FALLS.replace("strip above", "symbols"): "symbols drawn anew may go on for ever",
    FALLS + FALLS: "a second one for the same stage",
    FALLS + HELD: 'reels are held in "base", where wins fall too',
    FALLS + '[[doubled]]\nsymbol = "c"\nstands_for = "a"\n': "symbols that count several times",
    FULL.replace("[1, 2, 7]", "[0, 2]"): "a multiplier 0: expected 1 to 10,000",
    HELD.replace("[2, 3]", "[4]"): "reel 4: expected 1 to 3",
}

"""Published games of one draw as a new user writes them: their printed edges, and both readings on dealt rounds."""

from fractions import Fraction
from pathlib import Path

import pytest
from representatives import only

from certify.certification.texts import texts_of
from certify.mathematics import analyze
from certify.submission import read_game

HERE = Path(__file__).parent / "strangers"
EDGES = {
    # photoeditorx.com/games/two-up: 31 of 64, 29,791 of 262,144 at 7.5 to 1; 3.125 % and 3.40 %.
    "two-up": {"heads": Fraction(1, 32), "spinner": 1 - Fraction(29_791, 262_144) * Fraction(17, 2)},
    # macauodds.blogspot.com: 3.75 %, 2.50 % and 1.25 %.
    "fan-tan": {
        "fan": Fraction(375, 10_000),
        "nim": Fraction(25, 1_000),
        "kwok": Fraction(25, 1_000),
        "nga-tan": Fraction(125, 10_000),
        "sheh-sam-hong": Fraction(125, 10_000),
    },
    # wizardofodds.com/games/crown-and-anchor: 125 of 216 lose, 75, 15 and 1 win; 7.87 %.
    "crown-and-anchor": {"crown": Fraction(125 - 75 - 2 * 15 - 3, 216)},
    # internetradiomercedes.com/games/boule: 11.11 % on every bet.
    "boule": {"low": Fraction(1, 9), "even": Fraction(1, 9), "number": Fraction(1, 9)},
    # wizardofodds.com, Bonus Craps: each of two to six before a seven at 34 to 1, 7.76 %.
    "all-small": {"all-small": Fraction(1_687, 21_736)},
    # wizardofodds.com and lasvegasadvisor.com, Double Ball Roulette: 5.33 % on a number; both balls for the others.
    "double-ball-roulette": {
        "both-odd": 1 - 4 * Fraction(18, 38) ** 2,
        "seventeen": 1 - Fraction(18 * 2 * 37 + 35, 38**2),
        "jackpot": 1 - Fraction(1201, 38**2),
    },
    # jndiario.com/games/blackjack/side-bets/21plus3, version 1: 485,096 of 5,013,320 win at 9 to 1, 3.24 %.
    "twenty-one-and-three": {"bet": 1 - 10 * Fraction(485_096, 5_013_320)},
    # coverselectorshop.com, on under and over seven: 15 of 36 at 1 to 1, 6 of 36 at 4 to 1.
    "under-over-7": {"under": Fraction(6, 36), "over": Fraction(6, 36), "seven": Fraction(6, 36)},
}


@pytest.mark.parametrize("name", only(EDGES, *(EDGES.keys() - {"twenty-one-and-three"})))
def test_a_game_of_one_draw_has_the_published_edges(name):
    game = read_game(HERE / f"{name}.toml")
    analysis = analyze(game)
    assert {wager: analysis.wager(wager).house_edge for wager in EDGES[name]} == EDGES[name]
    found = texts_of(game, bytes(range(32)), analysis.strategy, 200)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())

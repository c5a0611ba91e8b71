"""Games of one draw at the desk and from strangers: the gate, the life of rounds, packs."""

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import ROOT
from representatives import only

from certify.certification.cross_checks import texts_of
from certify.mathematics import analyze
from certify.submission import read_game

PRISON = ROOT / "fixtures/games/roulette-en-prison/game.toml"
BIG_SIX = ROOT / "fixtures/games/big-six/game.toml"


def test_the_gate_sees_a_changed_condition_group_and_wheel(certify, tmp_path, monkeypatch):
    monkeypatch.setenv("CERTIFY_CACHE", str(tmp_path / "cache"))
    after = tmp_path / "game.toml"
    text = PRISON.read_text("utf-8")
    for old, new, wager, delta in (
        ('when = "wheel shows {1 to 12}"', 'when = "wheel shows {1 to 11}"', "dozen", "-3/37"),
        ('"34", "36"]', '"34"]', "red", None),
        ('row = "released"\nreturns = "1"', 'row = "released"\nreturns = "1/2"', "red", "-9/1369"),
    ):
        assert old in text
        after.write_text(text.replace(old, new), "utf-8")
        document = certify("gate", PRISON, after, "--format", "json").json
        found = document["games"][0]["wagers"][wager]["return"]["delta"]
        assert found == delta if delta else found.startswith("-")
        assert "return-changed" in {change["id"] for change in document["changes"]}


def test_the_whole_submission_of_the_documentation_is_one(certify, tmp_path):
    text = (ROOT / "docs/single-draw.md").read_text("utf-8")
    (whole,) = re.findall(r"^```toml\n(schema = .*?)^```$", text, re.S | re.M)
    printed = b"Three dice are thrown. Six pays 1, 2 or 3 to 1 for as many sixes. House edge 7.87 %.\n"
    assert hashlib.sha256(printed).hexdigest() in whole
    (tmp_path / "rules.txt").write_bytes(printed)
    game = tmp_path / "game.toml"
    game.write_text(whole, "utf-8")
    assert certify("lint", game).code == 0
    said = certify("analyze", game).out
    assert "exactly 199/216" in said
    assert "printed 7.87 % (house-edge): holds" in said
    game.write_text(whole.replace("sides = 6", "side = 6"), "utf-8")
    mistakes = certify("lint", game).out + certify("lint", game).err
    assert 'unknown key "side": did you mean "sides"?' in mistakes
    assert "is drawn from" not in mistakes  # What follows from the mistake is none by itself.


def test_rounds_of_several_spins_are_exercised(certify):
    called = certify("rounds", "exercise", PRISON, "--decks", "1", "--seed", "5a" * 32, "--format", "json")
    assert (called.code, json.loads(called.out)["verdict"]) == (0, "satisfied")


def test_copies_of_stops_and_tickets_are_read_within_bounds(certify, tmp_path):
    text = BIG_SIX.read_text("utf-8")
    spoilt = tmp_path / "game.toml"
    for old, new, expected in (
        (
            "copies = [24, 15, 7, 4, 2, 1, 1]",
            "copies = [24, 15, 7, 4, 2, 1]",
            "6 numbers of copies for 7 names",
        ),
        ("copies = [24,", "copies = [0,", "no copies: expected 1 to 4096"),
        ("copies = [24,", "copies = [4096,", "4126 items: expected 2 to 4096"),
        ('"joker", "logo"]', '"joker", "joker"]', "stated twice"),
    ):
        assert old in text
        spoilt.write_text(text.replace(old, new, 1), "utf-8")
        refused = certify("lint", spoilt)
        assert refused.code != 0
        assert expected in refused.out + refused.err


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
    assert (found.differing, found.shared) == (0, ())

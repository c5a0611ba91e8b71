"""Games of one draw at the desk: the gate, the life of rounds, and packs made and verified again."""

import hashlib
import json
import re
from collections.abc import Callable

import pytest
from cli_support import ROOT, SEED, Called

Certify = Callable[..., Called]
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
        document = json.loads(certify("gate", PRISON, after, "--format", "json").out)
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
    assert 'unknown key "side"' in mistakes
    assert "no sides: expected 2 to 4096" in mistakes
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


@pytest.mark.slow
@pytest.mark.parametrize("game", ["big-six", "craps"])
def test_a_pack_is_made_and_its_whole_run_repeated(certify, tmp_path, game):
    path, out = ROOT / f"fixtures/games/{game}/game.toml", tmp_path / "pack"
    made = certify("run", path, "--out", out, "--profile", "quick", "--seed", SEED)
    assert made.code in {0, 4}, made.out
    called = certify("verify", out, "--trust", out / "certs/root.pem", "--replay", "--format", "json")
    assert (called.code, json.loads(called.out)["verified"]) == (0, True), called.out

"""``certify play``: rounds as they are seen, the same again by seed and number."""

from __future__ import annotations

import json

import pytest
from cli_support import GAME, ROOT, SEED

SLOT = ROOT / "fixtures/slots/slot-free-games/game.toml"


@pytest.mark.parametrize("game", [GAME, SLOT], ids=["cards", "reels"])
def test_a_round_is_seen_again_by_its_number(certify, game):
    """The third of three rounds, and the same one alone."""
    three = certify("play", game, "--rounds", 3, "--seed", SEED, "--format", "json")
    one = certify("play", game, "--round", 2, "--seed", SEED, "--format", "json")
    assert (three.code, one.code) == (0, 0)
    assert json.loads(three.out)["rounds"][2] == json.loads(one.out)["rounds"][0]
    assert json.loads(one.out)["rounds"][0]["results"][0]["wager"] == "main"


def test_a_slot_shows_windows_and_wins(certify):
    """Stops, the window row by row, and how the wager settles."""
    called = certify("play", SLOT, "--rounds", 2, "--seed", SEED)
    assert called.code == 0
    assert called.out.startswith("round 0\n  base game: reels stop at ")
    assert "  main settles as " in called.out
    assert f"--seed {SEED}" in called.out

"""``certify play``: rounds as they are seen, the same again by seed and number."""

import json
from types import SimpleNamespace

import pytest
from cli_support import GAME, ROOT, SEED

from certify.cli import play as playing

CASINO_WAR = ROOT / "fixtures/games/casino-war/game.toml"
RED_DOG = ROOT / "fixtures/games/red-dog/game.toml"
BLACKJACK = ROOT / "fixtures/games/blackjack-no-hole-card"
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
    called = certify("play", SLOT, "--rounds", 2, "--seed", SEED).expect(0)
    assert called.out.startswith("round 0\n  base game: reels stop at ")
    assert "  main settles as " in called.out
    assert f"--seed {SEED}" in called.out


def test_each_decision_is_told_with_what_it_costs(certify):
    """A raise on a wide spread, by a strategy that always raises: its cost, as text and as a fraction."""
    call = ("play", RED_DOG, "--rounds", 2, "--strategy", "always:raise", "--seed", SEED)
    told, whole = certify(*call).out, json.loads(certify(*call, "--format", "json").out)
    assert " is worth " in told
    assert "; raise costs " in told
    rounds = whole["rounds"]
    assert all(len(one["costs"]) == len(one["decisions"]) for one in rounds)
    assert {cost for one in rounds for cost in one["costs"]} <= {"1/25", "1/5", "7/25", "9/25", "13/25"}


def test_whoever_sits_at_the_terminal_is_asked_and_told_the_cost(certify, monkeypatch):
    """Decisions typed in: what is offered is asked for, and answered with its cost."""
    asked = []

    def typed(text, **said):
        asked.append((text.strip(), tuple(said["type"].choices), said["default"]))
        return "raise"

    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", typed)
    called = certify("play", RED_DOG, "--rounds", 2, "--seed", SEED)
    assert set(asked) == {("decide", ("call", "raise"), "call")}
    assert called.out.count("; raise costs ") == len(asked)


def test_input_that_ends_ends_the_play_without_a_traceback(certify, monkeypatch):
    """The terminal is closed while a decision is asked for: nothing is decided, and no round is told as played."""
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    called = certify("play", RED_DOG, "--rounds", 2, "--seed", SEED)
    assert called.code not in (0, None)
    assert "decide" in called.out
    assert "settles" not in called.out
    assert "Traceback" not in called.out + called.err


def test_cards_are_told_before_a_decision_is_asked_for(certify, monkeypatch):
    """The tie of Casino War, the question after it, what each answer is worth after that, and the war."""
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", lambda *_, **named: "surrender")
    lines = certify("play", CASINO_WAR, "--round", 8, "--seed", "11" * 32).out.splitlines()
    told = [line.strip() for line in lines]
    dealt, asked, worth, decided = (
        next(place for place, line in enumerate(told) if said in line)
        for said in (
            "dealer is dealt Q of spades",
            "sees",
            "surrender is worth -0.500000",
            "player decides surrender",
        )
    )
    assert dealt < asked < worth
    assert asked < decided


@pytest.mark.slow
def test_what_was_dealt_is_told_before_a_decision_is_asked_for(certify, monkeypatch, tmp_path):
    """Open cards and the question after them; a card face down is named when its holder draws, not before."""
    text = (BLACKJACK / "game.toml").read_text("utf-8")
    text = text.replace('id = "dealer-peeks"\nvalue = "never"', 'id = "dealer-peeks"\nvalue = "ace and ten"')
    text = text.replace('id = "surrender"\nvalue = "none"', 'id = "surrender"\nvalue = "early"')
    (tmp_path / "game.toml").write_text(text.replace("decks = 6", "decks = 8"), "utf-8")
    (tmp_path / "sources.md").write_bytes((BLACKJACK / "sources.md").read_bytes())
    monkeypatch.setattr(playing, "sys", SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True)))
    monkeypatch.setattr(playing.click, "prompt", lambda *_, **named: "stand")
    lines = certify("play", tmp_path / "game.toml", "--round", 4, "--seed", "11" * 32).out.splitlines()
    told = [line.strip() for line in lines]
    covered, asked = (
        told.index("dealer is dealt, face down, one card"),
        told.index("the player sees 4-6 against 9"),
    )
    worth = next(place for place, line in enumerate(told) if "surrender is worth -0.500000" in line)
    named = next(
        place for place, line in enumerate(told) if line.startswith("dealer is dealt, face down, 5 of")
    )
    drawn = next(place for place, line in enumerate(told) if line.startswith("dealer draws"))
    assert told.index("player is dealt 4 of hearts: total 4") < covered < asked < worth < named < drawn

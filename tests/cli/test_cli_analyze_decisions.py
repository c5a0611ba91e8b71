"""``certify analyze`` in a terminal: figures, decisions as a chart, the tree behind one, and the whole stake."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import Called

from certify.cli.decisions_chart import chart_lines, place_of
from certify.model.figures import Decision

GAMES = Path(__file__).parents[2] / "fixtures/games"
Certify = Callable[..., Called]
SEVEN = GAMES / "playtech-7-e-mezzo/game.toml"
CASINO = GAMES / "us5632489-casino/game.toml"


@pytest.mark.slow
def test_figures_come_first_and_decisions_as_a_short_chart_by_total(certify: Certify) -> None:
    lines = certify("analyze", SEVEN).out.splitlines()
    assert len(lines) < 60
    assert lines[2] == "main: return 99.538476 %"
    assert lines.index("main: return 99.538476 %") < next(
        n for n, line in enumerate(lines) if line.startswith("best decisions")
    )
    chart = [line.split() for line in lines[lines.index("    1            hit") :]]
    rows = [" ".join(words[:-1]) for words in chart]
    assert rows.index("4") < rows.index("4½") < rows.index("5") < rows.index("3 + matta")
    assert dict(zip(rows, (words[-1] for words in chart), strict=True))["4½"] == "stand"


def test_every_hand_is_listed_only_when_asked_for_and_in_json(certify: Certify) -> None:
    chart, every, none = (
        certify("analyze", SEVEN, *options).out
        for options in ((), ("--decisions", "all"), ("--decisions", "none"))
    )
    assert "A+2+2" not in chart
    assert "A+2+2" in every
    assert "best decisions" not in none
    assert every.startswith(none.rstrip("\n"))
    document = json.loads(certify("analyze", SEVEN, "--format", "json").out)
    assert len(document["decisions"]) == len(
        [line for line in every.splitlines() if " stand " in line or " draw " in line]
    )


def test_a_chart_against_a_shown_card_has_one_column_for_each(certify: Certify) -> None:
    lines = certify("analyze", CASINO).out.splitlines()
    head = next(n for n, line in enumerate(lines) if line.split() == ["A", *"234567", "face"])
    assert {len(line.split()) for line in lines[head + 1 :]} == {9}
    assert [line.split()[0] for line in lines[head + 1 :]] == ["½", *"1234567"]


def decision(hand: str, best: str, hit: int, stand: int) -> Decision:
    values = {"hit": Fraction(hit, 10), "stand": Fraction(stand, 10)}
    return Decision(hand, (), None, best, values, best, Fraction(1))


def test_a_row_whose_hands_differ_is_starred_with_the_most_that_the_other_decision_gains() -> None:
    hands = [
        decision("4+face", "hit", 3, 1),
        decision("A+3+face", "stand", 1, 5),
        decision("2+2+face", "hit", 2, 1),
    ]
    place = place_of(hands)
    assert (place.usual, place.others, place.cost) == ("hit", 1, Fraction(4, 10))
    row, note = chart_lines(hands, lambda _: (0, "4½"))
    assert row.split() == [
        "4½",
        "hit",
        "*",
        "1",
        "of",
        "3",
        "hands",
        "otherwise,",
        "gaining",
        "at",
        "most",
        "0.400000",
    ]
    assert "--decisions all" in note


@pytest.mark.parametrize("hands", [[], [Decision("4", (), None, "hit", {})]])
def test_hands_that_cannot_be_met_are_not_charted(hands: list[Decision]) -> None:
    assert list(chart_lines(hands, lambda one: (0, one.hand))) == []


def test_explain_prints_the_tree_of_a_hand(certify: Certify) -> None:
    found = json.loads(certify("analyze", SEVEN, "--explain", "4", "--format", "json").out)
    assert (found["best"], found["stand"], found["hit"]) == (
        "hit",
        "-4421119/9787869",
        "-11219906/29363607",
    )
    assert certify("analyze", SEVEN, "--explain", "4").out.splitlines()[-1] == "best: hit"


def test_stakes_add_the_figures_of_the_whole_stake(certify: Certify) -> None:
    staked = ("analyze", SEVEN, "--stakes", "main=1,mano-di-poker=1/2")
    document = json.loads(certify(*staked, "--strategy", "jointly-optimal", "--format", "json").out)
    assert document["joint"]["stakes"] == {"main": "1", "partita-perfetta": "0", "mano-di-poker": "1/2"}
    assert "whole stake: return" in certify(*staked).out

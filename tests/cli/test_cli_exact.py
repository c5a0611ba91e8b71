"""Documented shapes and exit codes: analyze, identify, simulate, doctor, and games with an open dealer's card."""

from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from cli_support import GAME

from certify.cli import options
from certify.cli.decisions_chart import chart_lines, place_of
from certify.cli.failures import with_excerpt
from certify.cli.schema import analysis_schema
from certify.errors import Problem
from certify.model import Decision


def test_analyze_prints_one_json_object_in_the_documented_shape(certify):
    document = certify("analyze", GAME, "--format", "json").expect(0).json
    jsonschema.validate(document, analysis_schema(), cls=jsonschema.Draft202012Validator)
    assert (document["game"], document["strategy"]) == ("playtech-7-e-mezzo", "main-optimal")
    main = document["wagers"]["main"]
    assert main["return_percent"] == "99.538476"
    assert Fraction(main["return"]) + Fraction(main["house_edge"]) == 1
    king = next(o for o in main["outcomes"] if o["outcome"] == "king-of-denari-seven-and-a-half")
    assert (king["pays"], king["probability"]) == ("2 to 1", "1/60")
    for wager in document["wagers"].values():
        assert sum(Fraction(o["probability"]) for o in wager["outcomes"]) == 1
        assert sum(Fraction(n["probability"]) for n in wager["net"]) == 1
        expected = 1 + sum(Fraction(n["net"]) * Fraction(n["probability"]) for n in wager["net"])
        assert Fraction(wager["return"]) == expected
        assert {"hit_frequency", "variance", "standard_deviation", "claims"} <= set(wager)
    four = next(d for d in document["decisions"] if d["hand"] == "4")
    assert (four["dealer"], four["best"]) == (None, "hit")
    assert Fraction(four["values"]["hit"]) > Fraction(four["values"]["stand"])
    assert main["claims"][0]["printed"] == "99.54 %"
    assert main["claims"][0]["holds"] is True


def test_progress_is_a_line_every_ten_seconds_in_a_log(monkeypatch, capsys):
    moments = iter((0.0, 0.0, 4.0, 11.0, 22.0))
    monkeypatch.setattr(options.time, "monotonic", lambda: next(moments))
    progress = options.Progress()
    for done in (1, 3, 4, 8):
        progress.at(done, 8, "rounds")
    assert [line.partition("] [")[2].partition("] ")[2] for line in capsys.readouterr().err.splitlines()] == [
        " 50 % of 8 rounds, 11 s left",
        "100 % of 8 rounds, 0 s left",
    ]


def test_a_mistake_is_shown_with_its_line_and_a_caret_on_a_terminal(tmp_path, monkeypatch, capsys):
    (tmp_path / "game.toml").write_text('[game]\nid = "mine"\n  suplier = "X"\ntitle = "A" B\n')
    for line, column, shown in (
        (3, 3, ['     3 |   suplier = "X"', "       |   ^"]),
        (4, 13, ['     4 | title = "A" B', f"       | {' ' * 12}^"]),
        (9, 1, []),
        (1, 0, []),
        (0, 0, []),
    ):
        problem = Problem(str(tmp_path / "game.toml"), line, "wrong", column)
        assert with_excerpt(problem) == (str(problem), *shown)


def test_an_unforeseen_error_is_3_and_never_looks_like_a_finding(certify, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("certify.cli.analyze.read_game", broken)
    certify("analyze", GAME).expect(3, err="internal error")


GAMES = Path(__file__).parents[2] / "fixtures/games"
SEVEN = GAMES / "playtech-7-e-mezzo/game.toml"


def test_every_hand_is_listed_only_when_asked_for_and_in_json(certify):
    chart, every, none = (
        certify("analyze", SEVEN, *options).out
        for options in ((), ("--decisions", "all"), ("--decisions", "none"))
    )
    assert "A+2+2" not in chart
    assert "A+2+2" in every
    assert "best decisions" not in none
    assert every.startswith(none.rstrip("\n"))
    document = certify("analyze", SEVEN, "--format", "json").json
    assert len(document["decisions"]) == len(
        [line for line in every.splitlines() if " stand " in line or " draw " in line]
    )


def decision(hand, best, hit, stand):
    values = {"hit": Fraction(hit, 10), "stand": Fraction(stand, 10)}
    return Decision(hand, (), None, best, values, best, Fraction(1))


def test_a_row_whose_hands_differ_is_starred_with_the_most_that_the_other_decision_gains():
    hands = [
        decision("4+face", "hit", 3, 1),
        decision("A+3+face", "stand", 1, 5),
        decision("2+2+face", "hit", 2, 1),
    ]
    place = place_of(hands)
    assert (place.usual, place.others, place.cost) == ("hit", 1, Fraction(4, 10))
    row, note = chart_lines(hands, lambda _: (0, "4½"))
    assert " ".join(row.split()) == "4½ hit * 1 of 3 hands otherwise, gaining at most 0.400000"
    assert "--decisions all" in note


def test_many_hands_of_a_game_without_a_shown_card_are_a_grid_of_the_last_card():
    hands = [f"A {high} {low}" for high in range(10, 1, -1) for low in range(high - 1, 0, -1)]
    met = [decision(hand, "hit" if hand == "A 10 9" else "stand", 0, 0) for hand in hands]
    head, *rows = chart_lines(met)
    assert (head.split(), len(rows)) == ([str(n) for n in range(1, 10)], 9)
    assert rows[-1].split() == ["A", "10", "_", *["stand"] * 8, "hit"]
    # A class of faces is one card, and a grid of one hand a row says less than a list of these hands.
    names = [f"sum {n}; open cards {n} 10/J/Q/K" for n in range(1, 42)]
    listed = chart_lines([decision(name, "hit" if "40" in name else "stand", 0, 0) for name in names])
    assert [" ".join(line.split()) for line in listed] == [
        "sum 40; open cards 40 10/J/Q/K hit",
        "rows left out, 40 of 41: every hand of them asks for stand",
    ]
    # Where no row was left in the chart it ended as an internal error.
    (left_out,) = chart_lines([decision(f"{first} 9", "hit", 1, 0) for first in range(41)])
    assert left_out == "    rows left out, 41 of 41: every hand of them asks for hit"


@pytest.mark.parametrize("hands", [[], [Decision("4", (), None, "hit", {})]])
def test_hands_that_cannot_be_met_are_not_charted(hands):
    assert list(chart_lines(hands, lambda one: (0, one.hand))) == []

"""Documented shapes and exit codes: analyze, identify, simulate, doctor, and games with an open dealer's card."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import GAME

from certify.cli.decisions_chart import chart_lines, place_of
from certify.cli.main import run
from certify.exact import parse_fraction
from certify.model.figures import Decision


def test_analyze_prints_one_json_object_in_the_documented_shape(certify):
    document = certify("analyze", GAME, "--format", "json").expect(0).json
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


def test_identify_counts_every_paytable_of_a_side_bet(certify):
    arguments = ("identify", GAME, "--wager", "partita-perfetta", "--maximum", "60", "--format", "json")
    document = certify(*arguments).json
    weights = (1, 3, 6)
    fitting = [
        (a, b, c)
        for a in range(1, 61)
        for b in range(1, a + 1)
        for c in range(1, b + 1)
        if Fraction(96145, 100000)
        <= Fraction(sum(w * (p + 1) for w, p in zip(weights, (a, b, c), strict=True)), 130)
        < Fraction(96155, 100000)
    ]
    unconditional = next(r for r in document["readings"] if r["reading"]["pair-condition"] == "unconditional")
    assert unconditional["fits_count"] == len(fitting)


def test_simulate_agrees_and_is_deterministic(certify):
    arguments = ("simulate", GAME, "--rounds", "1500000", "--seed", "11" * 32, "--format", "json")
    first, second = certify(*arguments), certify(*arguments, "--workers", "2")
    # Long enough for Partita Perfetta, shorter than the margins of the other wagers ask for.
    assert first.code == second.code == 4
    one, two = json.loads(first.out), json.loads(second.out)
    assert one["wagers"] == two["wagers"]
    assert [wager["verdict"] for wager in one["wagers"]] == ["inconclusive", "satisfied", "inconclusive"]
    for wager, ends in zip(one["wagers"], ([100_929_586], [], [18_264_588]), strict=True):
        assert [reason.rsplit(": ", 1)[1] for reason in wager["reasons"]] == [
            f"{needed:,} rounds would show it" for needed in ends
        ]


def test_too_few_rounds_are_inconclusive_never_a_pass(certify):
    certify("simulate", GAME, "--rounds", "100", "--seed", "11" * 32, "--format", "json").expect(4)


def test_doctor_finds_this_machine_complete(certify):
    called = certify("doctor", "--format", "json").expect(0)
    assert json.loads(called.out)["complete"] is True


def test_an_unforeseen_error_is_3_and_never_looks_like_a_finding(certify, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("certify.submission.read_game", broken)
    certify("analyze", GAME).expect(3, err="internal error")


GAMES = Path(__file__).parents[2] / "fixtures/games"
SEVEN = GAMES / "playtech-7-e-mezzo/game.toml"
CASINO = GAMES / "us5632489-casino/game.toml"


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
def test_hands_that_cannot_be_met_are_not_charted(hands):
    assert list(chart_lines(hands, lambda one: (0, one.hand))) == []


def test_a_folder_stands_for_the_submission_in_it(certify):
    folder = GAME.parents[1] / "big-six"
    assert certify("analyze", folder).out == certify("analyze", folder / "game.toml").out
    certify("analyze", folder.parent).expect(2, err="is a directory")


PATENT = str(GAMES / "us5632489-casino/game.toml")


def test_explain_prints_the_tree_behind_one_decision(capsys):
    assert run(["analyze", PATENT, "--explain", "3 against 4", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["values"]["stand-1"], found["values"]["hit-1"], found["best"]) == (
        "-8/19",
        "-283/703",
        "hit-1",
    )
    for option, worth in found["values"].items():
        led = [branch for branch in found["branches"] if branch["option"] == option]
        assert sum(parse_fraction(branch["chance"]) for branch in led) == 1
        told = (parse_fraction(branch["chance"]) * parse_fraction(branch["value"]) for branch in led)
        assert sum(told) == parse_fraction(worth)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_the_par_sheet_is_written(tmp_path, suffix, capsys):
    target = tmp_path / f"par.{suffix}"
    assert run(["analyze", PATENT, "--par-sheet", str(target)]) == 0
    assert target.stat().st_size > 1000

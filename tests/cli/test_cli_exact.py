"""Documented shapes and exit codes: analyze, identify, simulate, doctor, and games with an open dealer's card."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import GAME, ROOT

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


@pytest.mark.parametrize(
    ("strategy", "main", "mano"),
    [("always-second-card", "79.663067", "96.315789"), ("main-optimal", "99.538476", "70.080972")],
)
def test_each_return_is_stated_with_its_strategy(certify, strategy, main, mano):
    document = certify("analyze", GAME, "--strategy", strategy, "--format", "json").json
    assert document["wagers"]["main"]["return_percent"] == main
    assert document["wagers"]["mano-di-poker"]["return_percent"] == mano


@pytest.mark.slow
def test_joint_play_depends_on_the_stakes(certify):
    alone = certify(
        "analyze", GAME, "--strategy", "jointly-optimal", "--stakes", "main=1", "--format", "json"
    ).json
    both = certify(
        "analyze",
        GAME,
        "--strategy",
        "jointly-optimal",
        "--stakes",
        "main=1,mano-di-poker=5",
        "--format",
        "json",
    ).json
    assert alone["wagers"]["main"]["return_percent"] == "99.538476"
    assert Fraction(both["wagers"]["mano-di-poker"]["return"]) > Fraction(
        alone["wagers"]["mano-di-poker"]["return"]
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "absent.toml"),
        ("analyze", GAME, "--strategy", "clairvoyant"),
        ("analyze", GAME, "--strategy", "jointly-optimal", "--stakes", "main"),
        ("analyze", GAME, "--strategy", "jointly-optimal", "--stakes", "roulette=1"),
        ("analyze", GAME, "--strategy", "stand-on:8"),
        ("identify", GAME, "--wager", "roulette"),
        ("identify", GAME, "--wager", "main", "--pays", "win=²"),
        ("simulate", GAME),
        ("simulate", GAME, "--rounds", "10", "--seed", "xyz"),
        ("simulate", GAME, "--rounds", "10", "--seed", "00"),
        ("run", GAME, "--out", "x", "--at", "yesterday"),
        ("run", GAME, "--out", "x", "--at", "2026-11-21"),
        ("nonsense",),
    ],
)
def test_wrong_calls_are_2_with_one_message_and_nothing_written(certify, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    called = certify(*arguments).expect(2)
    assert called.out == ""
    assert called.err.strip()
    assert "Traceback" not in called.err
    assert list(tmp_path.iterdir()) == []


def test_identify_finds_the_one_candidate_of_main(certify):
    document = certify("identify", GAME, "--wager", "main", "--format", "json").expect(0).json
    assert (document["wager"], document["printed"]) == ("main", "99.54 %")
    assert (document["candidates_tried"], document["fits_count"]) == (28, 1)
    (fit,) = document["fits"]
    assert fit["reading"]["tie"] == "lose"
    assert fit["pays"]["king-of-denari-seven-and-a-half"] == "2 to 1"
    said = certify("identify", GAME, "--wager", "main").out
    assert "1, 3/2, 2, 5/2, 3, 4 or 5 to 1" in said
    assert "No other pays were, 7.5 to 1 for instance unless it is named here." in said


def test_a_game_that_prints_no_return_has_nothing_to_identify(certify, tmp_path):
    text = GAME.read_text("utf-8")
    silent = tmp_path / "game.toml"
    start, end = text.index("[[claims]]"), text.index("[terms]")
    silent.write_text("claims = []\n" + text[:start] + text[end:], "utf-8")
    called = certify("identify", silent)
    assert (called.code, called.out) == (5, "")
    assert "nothing to identify" in called.err


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


def test_identify_takes_the_bets_of_a_layout_that_lost_a_pay(certify, tmp_path):
    """One of many printed bets lost its pay: the others are nothing to search for, and do not break it off."""
    layout = ROOT / "fixtures/games/sic-bo-table"
    text = (layout / "game.toml").read_text("utf-8")
    (tmp_path / "game.toml").write_text(text.replace('pays = "60 to 1"\n', "", 1), "utf-8")
    (tmp_path / "sources.md").write_bytes((layout / "sources.md").read_bytes())
    called = certify("identify", tmp_path / "game.toml", "--format", "json")
    (found,) = json.loads(called.out)["wagers"]
    assert (called.code, found["wager"], found["fits"][0]["pays"]) == (0, "total-4", {"win": "60 to 1"})


GAMES = Path(__file__).parents[2] / "fixtures/games"
SEVEN = GAMES / "playtech-7-e-mezzo/game.toml"
CASINO = GAMES / "us5632489-casino/game.toml"


@pytest.mark.slow
def test_figures_come_first_and_decisions_as_a_short_chart_by_total(certify):
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


def test_a_chart_against_a_shown_card_has_one_column_for_each(certify):
    lines = certify("analyze", CASINO).out.splitlines()
    head = next(n for n, line in enumerate(lines) if line.split() == ["A", *"234567", "face"])
    assert {len(line.split()) for line in lines[head + 1 :]} == {9}
    assert [line.split()[0] for line in lines[head + 1 :]] == ["½", *"1234567"]


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


def test_explain_prints_the_tree_of_a_hand(certify):
    found = certify("analyze", SEVEN, "--explain", "4", "--format", "json").json
    assert (found["best"], found["stand"], found["hit"]) == (
        "hit",
        "-4421119/9787869",
        "-11219906/29363607",
    )
    assert certify("analyze", SEVEN, "--explain", "4").out.splitlines()[-1] == "best: hit"


def test_stakes_add_the_figures_of_the_whole_stake(certify):
    staked = ("analyze", SEVEN, "--stakes", "main=1,mano-di-poker=1/2")
    document = certify(*staked, "--strategy", "jointly-optimal", "--format", "json").json
    assert document["joint"]["stakes"] == {"main": "1", "partita-perfetta": "0", "mano-di-poker": "1/2"}
    assert "whole stake: return" in certify(*staked).out


def test_a_folder_stands_for_the_submission_in_it(certify):
    folder = GAME.parents[1] / "big-six"
    assert certify("analyze", folder).out == certify("analyze", folder / "game.toml").out
    certify("analyze", folder.parent).expect(2, err="is a directory")


PATENT = str(GAMES / "us5632489-casino/game.toml")


def test_analyze_says_who_has_the_edge_and_judges_every_printed_row(capsys):
    assert run(["analyze", PATENT]) == 0
    text = capsys.readouterr().out
    assert "The player has the edge: 46.6492 % of the ante, 20.6389 % of everything staked" in text
    assert "On 5 first decisions two final bets are worth the same; the smaller one is placed." in text
    assert "FINDING (critical)" in text
    for label in ("TWO FACE CARDS", "ACE-SIX", "KING OF DIAMONDS", "bust-8-to-14"):
        assert label in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["identify", PATENT], 5, "prints no return"),
        (["analyze", PATENT, "--explain", "4"], 2, "such as"),
        (["analyze", PATENT, "--explain", "4+3 against 2"], 2, "nothing is decided"),
        (["analyze", PATENT, "--explain", "matta against 2"], 2, "nothing is decided"),
        (["analyze", PATENT, "--strategy", "jointly-optimal"], 2, "open card"),
        (["analyze", PATENT, "--par-sheet", "par.ods"], 2, ".csv or .xlsx"),
    ],
)
def test_what_is_not_written_for_the_family_is_refused(
    arguments, code, message, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == code
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


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

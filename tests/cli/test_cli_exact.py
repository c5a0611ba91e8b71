"""The shapes and exit codes that scripts of auditors rely on: analyze, identify, simulate, doctor."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import GAME, ROOT, Called

Certify = Callable[..., Called]


def test_analyze_prints_one_json_object_in_the_documented_shape(certify: Certify) -> None:
    called = certify("analyze", GAME, "--format", "json")
    document = json.loads(called.out)
    assert called.code == 0
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
def test_each_return_is_stated_with_its_strategy(
    certify: Certify, strategy: str, main: str, mano: str
) -> None:
    document = json.loads(certify("analyze", GAME, "--strategy", strategy, "--format", "json").out)
    assert document["wagers"]["main"]["return_percent"] == main
    assert document["wagers"]["mano-di-poker"]["return_percent"] == mano


@pytest.mark.slow
def test_joint_play_depends_on_the_stakes(certify: Certify) -> None:
    alone = json.loads(
        certify(
            "analyze", GAME, "--strategy", "jointly-optimal", "--stakes", "main=1", "--format", "json"
        ).out
    )
    both = json.loads(
        certify(
            "analyze",
            GAME,
            "--strategy",
            "jointly-optimal",
            "--stakes",
            "main=1,mano-di-poker=5",
            "--format",
            "json",
        ).out
    )
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
def test_wrong_calls_are_2_with_one_message_and_nothing_written(
    certify: Certify, arguments: tuple[str | Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    called = certify(*arguments)
    assert called.code == 2
    assert called.out == ""
    assert called.err.strip()
    assert "Traceback" not in called.err
    assert list(tmp_path.iterdir()) == []


def test_identify_finds_the_one_candidate_of_main(certify: Certify) -> None:
    called = certify("identify", GAME, "--wager", "main", "--format", "json")
    document = json.loads(called.out)
    assert called.code == 0
    assert (document["wager"], document["printed"]) == ("main", "99.54 %")
    assert (document["candidates_tried"], document["fits_count"]) == (28, 1)
    (fit,) = document["fits"]
    assert fit["reading"]["tie"] == "lose"
    assert fit["pays"]["king-of-denari-seven-and-a-half"] == "2 to 1"
    said = certify("identify", GAME, "--wager", "main").out
    assert "1, 3/2, 2, 5/2, 3, 4 or 5 to 1" in said
    assert "No other pays were, 7.5 to 1 for instance unless it is named here." in said


def test_a_game_that_prints_no_return_has_nothing_to_identify(certify: Certify, tmp_path: Path) -> None:
    text = GAME.read_text("utf-8")
    silent = tmp_path / "game.toml"
    start, end = text.index("[[claims]]"), text.index("[terms]")
    silent.write_text("claims = []\n" + text[:start] + text[end:], "utf-8")
    called = certify("identify", silent)
    assert (called.code, called.out) == (5, "")
    assert "nothing to identify" in called.err


def test_identify_counts_every_paytable_of_a_side_bet(certify: Certify) -> None:
    arguments = ("identify", GAME, "--wager", "partita-perfetta", "--maximum", "60", "--format", "json")
    document = json.loads(certify(*arguments).out)
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


def test_simulate_agrees_and_is_deterministic(certify: Certify) -> None:
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


def test_too_few_rounds_are_inconclusive_never_a_pass(certify: Certify) -> None:
    called = certify("simulate", GAME, "--rounds", "100", "--seed", "11" * 32, "--format", "json")
    assert called.code == 4


def test_doctor_finds_this_machine_complete(certify: Certify) -> None:
    called = certify("doctor", "--format", "json")
    assert called.code == 0
    assert json.loads(called.out)["complete"] is True


def test_an_unforeseen_error_is_3_and_never_looks_like_a_finding(
    certify: Certify, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("planted")

    monkeypatch.setattr("certify.submission.read_game", broken)
    called = certify("analyze", GAME)
    assert called.code == 3
    assert "internal error" in called.err


def test_identify_takes_the_bets_of_a_layout_that_lost_a_pay(certify: Certify, tmp_path: Path) -> None:
    """One of many printed bets lost its pay: the others are nothing to search for, and do not break it off."""
    layout = ROOT / "fixtures/games/sic-bo-table"
    text = (layout / "game.toml").read_text("utf-8")
    (tmp_path / "game.toml").write_text(text.replace('pays = "60 to 1"\n', "", 1), "utf-8")
    (tmp_path / "sources.md").write_bytes((layout / "sources.md").read_bytes())
    called = certify("identify", tmp_path / "game.toml", "--format", "json")
    (found,) = json.loads(called.out)["wagers"]
    assert (called.code, found["wager"], found["fits"][0]["pays"]) == (0, "total-4", {"win": "60 to 1"})

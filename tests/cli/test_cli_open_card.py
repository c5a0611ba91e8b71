"""The games with an open dealer's card on the command line: figures, play-through, and clear refusals."""

import json
from pathlib import Path

import pytest

from certify.cli.main import run
from certify.exact import parse_fraction

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = str(GAMES / "us5632489-casino/game.toml")
HOME = str(GAMES / "us5632489-home/game.toml")
SEED = "5a" * 32


def test_analyze_says_who_has_the_edge_and_judges_every_printed_row(capsys):
    assert run(["analyze", CASINO]) == 0
    text = capsys.readouterr().out
    assert "The player has the edge: 46.6492 % of the ante, 20.6389 % of everything staked" in text
    assert "On 5 first decisions two final bets are worth the same; the smaller one is placed." in text
    assert "FINDING (critical)" in text
    for label in ("TWO FACE CARDS", "ACE-SIX", "KING OF DIAMONDS", "bust-8-to-14"):
        assert label in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["identify", CASINO], 5, "prints no return"),
        (["analyze", CASINO, "--explain", "4"], 2, "such as"),
        (["analyze", CASINO, "--explain", "4+3 against 2"], 2, "nothing is decided"),
        (["analyze", CASINO, "--explain", "matta against 2"], 2, "nothing is decided"),
        (["analyze", CASINO, "--strategy", "jointly-optimal"], 2, "open card"),
        (["analyze", CASINO, "--par-sheet", "par.ods"], 2, ".csv or .xlsx"),
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
    assert run(["analyze", CASINO, "--explain", "3 against 4", "--format", "json"]) == 0
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
    assert run(["analyze", CASINO, "--par-sheet", str(target)]) == 0
    assert target.stat().st_size > 1000

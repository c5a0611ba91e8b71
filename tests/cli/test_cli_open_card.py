"""The games with an open dealer's card on the command line: figures, play-through, and clear refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from certify.cli.main import run
from certify.exact import parse_fraction

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = str(GAMES / "us5632489-casino/game.toml")
HOME = str(GAMES / "us5632489-home/game.toml")
SEED = "5a" * 32


def test_analyze_speaks_json(capsys):
    assert run(["analyze", CASINO, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    ante = document["wagers"]["ante"]
    assert (ante["return"], ante["return_percent"]) == ("201034/137085", "146.649159")
    assert "return_on_total_wagered" in ante
    decisions = {(entry["hand"], entry["dealer"]): entry for entry in document["decisions"]}
    assert decisions["7", "6"]["best"] == "stand-2"
    assert decisions["face", "7"]["best"] == "fold"
    assert set(decisions["3", "3"]["values"]) == {"fold", "stand-1", "hit-1", "stand-2", "hit-2"}


def test_analyze_says_who_has_the_edge_and_judges_every_printed_row(capsys):
    assert run(["analyze", CASINO]) == 0
    text = capsys.readouterr().out
    assert "The player has the edge: 46.6492 % of the ante, 20.6389 % of everything staked" in text
    assert "On 5 first decisions two final bets are worth the same; the smaller one is placed." in text
    assert "FINDING (critical)" in text
    for label in ("TWO FACE CARDS", "ACE-SIX", "KING OF DIAMONDS", "bust-8-to-14"):
        assert label in text


def test_simulate_agrees_with_the_exact_figures(capsys):
    assert run(["simulate", CASINO, "--rounds", "1400000", "--seed", SEED, "--format", "json"]) == 0
    (ante,) = json.loads(capsys.readouterr().out)["wagers"]
    assert (ante["verdict"], ante["reasons"]) == ("satisfied", [])
    assert ante["equivalence"]["rounds_needed"] < 1_400_000


@pytest.mark.parametrize(("game", "needed"), [(CASINO, 1_293_027), (HOME, 95_118_979)])
def test_a_campaign_too_short_for_its_margin_is_inconclusive_and_says_how_many_rounds_it_wants(
    game, needed, capsys
):
    assert run(["simulate", game, "--rounds", "400000", "--seed", SEED, "--format", "json"]) == 4
    (ante,) = json.loads(capsys.readouterr().out)["wagers"]
    assert ante["verdict"] == "inconclusive"
    # Nothing speaks against the exact figures; only the margin is not reached.
    (reason,) = ante["reasons"]
    assert reason.endswith(f"{needed:,} rounds would show it")
    assert ante["equivalence"]["rounds_needed"] == needed


def test_a_campaign_goes_on_where_it_was_broken_off(tmp_path, capsys):
    call = ["simulate", CASINO, "--rounds", "400000", "--seed", SEED, "--format", "json"]
    assert run(call) == 4  # Too short for its margin.
    whole = json.loads(capsys.readouterr().out)
    for _ in range(2):
        assert run([*call, "--resume", str(tmp_path)]) == 4
        assert json.loads(capsys.readouterr().out) == whole


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_the_par_sheet_is_written(tmp_path, suffix, capsys):
    target = tmp_path / f"par.{suffix}"
    assert run(["analyze", CASINO, "--par-sheet", str(target)]) == 0
    assert target.stat().st_size > 1000


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


def test_the_gate_counts_what_a_change_does(tmp_path, capsys):
    assert run(["gate", CASINO, CASINO]) == 0
    text = Path(CASINO).read_text("utf-8")
    changed = tmp_path / "game.toml"
    changed.write_text(text.replace('pays = "3 to 1"', 'pays = "4 to 1"'), "utf-8")
    capsys.readouterr()
    assert run(["gate", CASINO, str(changed), "--no-cache", "--isolated"]) == 1
    # The King of diamonds is the player's first card once in forty rounds.
    assert "146.649159 % → 149.149159 %  +2.500000 pp  = 1/40" in capsys.readouterr().out


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

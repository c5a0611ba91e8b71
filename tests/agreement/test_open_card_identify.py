"""From the printed return of a game with an open dealer's card back to readings and pays, against brute force."""

import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from certify.cli.main import run
from certify.errors import InputError, NothingCheckedError
from certify.evidence.encode import plain
from certify.exact import parse_percent
from certify.families.open_card.family import reading_grid
from certify.mathematics import analyze, identify
from certify.model.game import Claim
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
CASINO = read_game(GAMES / "us5632489-casino/game.toml")
HOME = read_game(GAMES / "us5632489-home/game.toml")


def printing(game, *texts, truncated=False):
    """The game as if its source printed these returns."""
    claims = tuple(
        Claim("ante", "return-to-player", text, parse_percent(text, truncated=truncated), "patent")
        for text in texts
    )
    return replace(game, claims=claims)


def paying(game, king, win=1):
    wager = game.wager("ante")
    pays = {"king-of-diamonds": Fraction(king), "win": Fraction(win)}
    rows = tuple(replace(row, pays=pays.get(row.id, row.pays)) for row in wager.paytable.rows)
    return replace(game, wagers=(replace(wager, paytable=replace(wager.paytable, rows=rows)),))


@cache
def every_return(game, kings, wins):
    """Every reading, every pay: each a game that is enumerated by itself."""
    return {
        (entry.reading, king, win): analyze(paying(entry.game, king, win)).wager("ante").return_to_player
        for entry in reading_grid(game)
        for king in kings
        for win in wins
    }


def by_brute_force(game, claim, kings, wins=(1,)):
    """The readings and pays that a printed figure can stand for, of all there are."""
    returns = every_return(replace(game, claims=()), tuple(kings), wins)
    return {one for one, value in returns.items() if claim.stands_for(value)}


def found_by(game, **options):
    found = identify(game, "ante", limit=10_000, **options)
    fits = {
        (tuple(fit.reading.items()), dict(fit.pays)["king-of-diamonds"], dict(fit.pays)["win"])
        for fit in found.fits
    }
    assert len(fits) == found.fits_count
    return fits


@pytest.mark.parametrize("text", ["146.65 %", "20.00 %"])
def test_no_candidate_of_the_casino_version_is_missed(text):
    none_is_missed(text, range(2, 5))


def none_is_missed(text, pays):
    game = printing(CASINO, text)
    expected = by_brute_force(game, game.claims[0].printed, pays)
    assert found_by(game, minimum=pays[0], maximum=pays[-1]) == expected
    assert bool(expected) == (text != "20.00 %")


def test_the_figure_of_the_adopted_game_is_found_and_the_conclusion_says_how_far_it_goes():
    found = identify(printing(CASINO, "146.6492 %"), "ante")
    document = plain(found)
    assert (document["candidates_tried"], document["fits_count"]) == (16 * 500, 1)
    assert document["fits"][0]["pays"] == {"king-of-diamonds": "3 to 1", "win": "1 to 1"}
    assert document["fits"][0]["reading"] == {
        "player-may-stand-on-first-card": "yes",
        "final-bet": "1 or 2 antes",
        "tie": "push",
    }
    assert document["conclusion"].startswith("Unique within the bounds")
    assert plain(identify(printing(CASINO, "200 %"), "ante"))["conclusion"].startswith("Ambiguous")
    impossible = identify(printing(CASINO, "146.6492 %"), "ante", by_row={"king-of-diamonds": [4]})
    assert impossible.conclusion.startswith("Impossible")
    assert "the nearest returns" in impossible.conclusion


def test_several_figures_of_one_wager_are_taken_together():
    assert identify(printing(CASINO, "147 %"), "ante", maximum=10).fits_count > 1
    assert identify(printing(CASINO, "147 %", "146.65 %"), "ante", maximum=10).fits_count == 1
    with pytest.raises(InputError, match="cannot stand for one value"):
        identify(printing(CASINO, "146 %", "148 %"), "ante")


def test_rows_that_the_rules_fix_are_no_unknowns():
    with pytest.raises(InputError, match="fixed by the rules"):
        identify(printing(CASINO, "147 %"), "ante", by_row={"push": [0, 1]})


@pytest.mark.parametrize("game", ["us5632489-casino", "us5632489-home"])
@pytest.mark.parametrize("arguments", [[], ["--wager", "ante"], ["--wager", "ante", "--format", "json"]])
def test_a_game_without_a_printed_return_is_told_what_is_missing(game, arguments, capsys):
    assert run(["identify", str(GAMES / game / "game.toml"), *arguments]) == 5
    printed = capsys.readouterr()
    # What goes wrong is an object on standard output where JSON was asked for, and words beside it.
    assert printed.out == "" or json.loads(printed.out)["error"]["exit_code"] == 5
    assert (
        f"{game} prints no return for ante: there is nothing to identify pays or readings by" in printed.err
    )
    assert "Expected [[claims]]" in printed.err
    with pytest.raises(NothingCheckedError):
        identify(CASINO, "ante")


def test_the_command_line_identifies_a_lost_pay(tmp_path, capsys):
    text = (GAMES / "us5632489-casino/game.toml").read_text("utf-8")
    claim = (
        '[[claims]]\nwager = "ante"\nmetric = "return-to-player"\nprinted = "146.65 %"\nsource = "patent"\n\n'
    )
    path = tmp_path / "game.toml"
    path.write_text(text.replace("claims = []\n", "").replace("[terms]", claim + "[terms]"), "utf-8")
    assert run(["identify", str(path), "--maximum", "10"]) == 0
    printed = capsys.readouterr().out
    assert "Unique within the bounds: one of 160 candidates" in printed
    assert "king-of-diamonds 3 to 1, win 1 to 1" in printed


@pytest.mark.slow
def test_no_candidate_is_missed_where_the_win_is_lost_too():
    game = printing(CASINO, "150 %")
    expected = by_brute_force(game, game.claims[0].printed, range(4), (1, 2))
    assert found_by(game, by_row={"king-of-diamonds": range(4), "win": [1, 2]}) == expected

"""Returns found by walking the text of 7 e Mezzo, beside the enumerator's fractions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from certify.families.registry import family_of
from certify.families.sette_e_mezzo.rules import Tie
from certify.mathematics import analyze
from certify.model.game import Game
from certify.submission import parse_game

GAMES = Path(__file__).parents[2] / "fixtures" / "games"
SEVEN = "playtech-7-e-mezzo"


@cache
def game_of(name: str) -> Game:
    path = GAMES / name / "game.toml"
    return parse_game(path.read_bytes(), str(path))


@pytest.mark.parametrize(
    "strategy",
    [
        *("main-optimal", "always-second-card", "mimic-dealer", "stand-on:4"),
    ],
)
@pytest.mark.parametrize("tie", [Tie.LOSE, Tie.PUSH])
@pytest.mark.slow
def test_both_ways_give_the_same_fraction(strategy: str, tie: Tie) -> None:
    game = game_of(SEVEN)
    game = replace(game, rules=replace(game.rules, tie=tie))
    analysis = analyze(game, strategy)
    counting = family_of(game).checks.counting
    assert counting is not None
    assert counting(game, analysis.strategy) == {one.wager: one.return_to_player for one in analysis.wagers}

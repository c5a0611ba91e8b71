"""Returns counted forward over ordered deals by the reference rules, beside the enumerator's fractions."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import perm
from pathlib import Path

import pytest

from certify.analysis import analyze
from certify.families.registry import family_of
from certify.families.sette_e_mezzo.counting_hands import counted_main
from certify.families.sette_e_mezzo.rules import Tie
from certify.families.seven_and_a_half.ordered_deals import players
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
        pytest.param(name, marks=() if name == "main-optimal" else pytest.mark.slow)
        for name in ("main-optimal", "always-second-card", "mimic-dealer", "stand-on:4")
    ],
)
def test_both_ways_give_the_same_fraction(strategy: str) -> None:
    game = game_of(SEVEN)
    analysis = analyze(game, strategy)
    counting = family_of(game).counting
    assert counting is not None
    assert counting.counted(game, analysis.strategy)["main"] == analysis.wager("main").return_to_player


@pytest.mark.slow
def test_a_tie_that_pushes_is_counted_alike_in_7_e_mezzo() -> None:
    game = game_of(SEVEN)
    other = replace(game, rules=replace(game.rules, tie=Tie.PUSH))
    analysis = analyze(other)
    assert counted_main(other, analysis.strategy) == analysis.wager("main").return_to_player


def test_every_ordered_deal_of_the_first_cards_is_counted_once() -> None:
    pairs = players(lambda shown: lambda hand: True)
    assert sum(ways for _, _, ways in pairs) == perm(40, 2)

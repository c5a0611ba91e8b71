"""Whether a round waits for a decision is what walking it card by card finds."""

from pathlib import Path

import pytest

from certify.families.port import Choice
from certify.families.registry import family_of
from certify.mathematics import has_decisions
from certify.model.points import walk
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures" / "games"


@pytest.mark.parametrize(
    ("name", "decides"),
    [
        ("red-dog", True),
        ("craps", True),
        ("dragon-tiger", False),
        ("deal-em", False),
        ("roulette-en-prison", False),
    ],
)
def test_a_game_decides_where_its_round_does(name, decides):
    game = read_game(GAMES / name / "game.toml")
    walked = walk(family_of(game).reference(game))
    assert any(isinstance(reached.node, Choice) for reached in walked) == decides
    assert has_decisions(game) == decides

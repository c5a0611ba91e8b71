"""The engine's walk of the games with an open card, under the family's own tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from certify.errors import InputError
from certify.families.registry import family_of
from certify.kit.subject import Subject, differences, figures_of, walked_figures
from certify.mathematics import analyze
from certify.mathematics.of_game import plan_of
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
HOME = read_game(GAMES / "us5632489-home/game.toml")


@pytest.fixture(scope="module")
def subject() -> Subject:
    return Subject(family_of(HOME), HOME, b"walk of the home version, 32 byte")


@pytest.mark.parametrize("name", plan_of(HOME).analysed)
def test_a_table_of_the_hands_that_a_strategy_comes_to_is_walked_without_asking_for_others(
    subject: Subject, name: str
) -> None:
    own = subject.analyses[name]
    (walked,) = subject.walked
    assert differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine") == []


def test_every_strategy_that_is_offered_by_name_is_one_of_the_game() -> None:
    offered = [name for name in plan_of(HOME).names if name == name.lower()]
    for name in offered:
        assert analyze(HOME, name).wagers[0].return_to_player > 0
    with pytest.raises(InputError, match="only found where the player may hold two cards"):
        analyze(HOME, "best-by-own-card")
    assert "best-by-own-card" not in offered

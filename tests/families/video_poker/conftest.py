"""Games that the tests of video poker share."""

from __future__ import annotations

import pytest
from representatives import only
from video_poker_games import SMALL, game_of, small_game

from certify.model.game import Game


@pytest.fixture(scope="session")
def jacks() -> Game:
    """Full pay Jacks or Better."""
    return game_of("jacks-or-better-9-6")


@pytest.fixture(scope="session", params=only(SMALL, "deuces-wild-full-pay"))
def small(request: pytest.FixtureRequest) -> Game:
    """Each game on its small deck: one with wild cards, and in a slow run the others."""
    return small_game(request.param)

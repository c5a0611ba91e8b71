"""Games that are certified side by side: one submission, several returns."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class Certified:
    """A game as it is certified: the submission itself, or one beside it that an operator may switch to.

    Args:
        id: Id of the variant; empty for the submission itself.
        title: Its name.
        game: The game, with what is printed of the variant as its claims.
        plays: What a round depends on: two that agree in it are the same game.
    """

    id: str
    title: str
    game: Game
    plays: Hashable

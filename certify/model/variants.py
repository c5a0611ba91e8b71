"""The same game with one thing otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from certify.model.game import Game, repaid

RAISED: Final = "pays one unit more"


@dataclass(frozen=True, slots=True)
class Variant:
    """The same game with one thing otherwise.

    Args:
        subject: Id of the rule or row.
        words: What is otherwise.
        game: The game so changed.
    """

    subject: str
    words: str
    game: Game


def raised_pays(game: Game, wager: str) -> Iterator[Variant]:
    """Yields a game with each pay of a wager raised by one unit to 1."""
    for row in game.wager(wager).paytable.rows:
        yield Variant(row.id, RAISED, repaid(game, {(wager, row.id): row.pays + 1}))

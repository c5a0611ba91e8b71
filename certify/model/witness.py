"""Rounds that prove that a row of a paytable can occur."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Witness:
    """A round that proves that a row can occur.

    Args:
        wager: Id of the wager.
        row: Id of the row that the round produces.
        deck: Everything that chance gives the round: the whole shoe, or the draws of each piece.
        deck_names: The same as a player calls it.
        decisions: Decisions in that round.
    """

    wager: str
    row: str
    deck: tuple[int, ...]
    deck_names: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A round as one would show it: what is drawn first, and what is decided.

    Args:
        faces: Names of the faces drawn first, in order, from the one piece of the game.
        decisions: Options taken in turn; after the last of them, and where one is not offered, the first option is.
    """

    faces: tuple[str, ...]
    decisions: tuple[str, ...] = ()

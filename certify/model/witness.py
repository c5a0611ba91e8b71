"""Rounds that show something: that a row of a paytable can occur, and the most that a round can cost."""

from __future__ import annotations

from dataclasses import dataclass

from certify.model.form import origins


@origins()
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


@origins()
@dataclass(frozen=True, slots=True)
class Exposure:
    """The most that one round can cost the house over all wagers together.

    Args:
        amount: Highest total net win at the table's limits, in minor units.
        currency: Currency of the amount.
        wins: Net win of each wager in that round, in minor units.
        deck: Witness: the first cards of a deck that produces it, in dealing order, as card ids; empty where the amount
            is a bound that no round exceeds, and none is shown that comes to it.
        decisions: Decisions of the player in that round, in order.
        stakes: Everything staked on each wager in that round, what the player added to it included, in minor units;
            0 where it is not placed.
        deck_names: The witness as a player calls it.
    """

    amount: int
    currency: str
    wins: tuple[tuple[str, int], ...]
    deck: tuple[int, ...]
    decisions: tuple[str, ...]
    stakes: tuple[tuple[str, int], ...] = ()
    deck_names: tuple[str, ...] = ()

    @property
    def attained(self) -> bool:
        """Whether a round is shown that costs just so much; the amount is a bound where none is."""
        return bool(self.deck)

"""Rounds that prove that a row of a paytable can occur."""

from __future__ import annotations

from dataclasses import dataclass

from certify.families.seven_and_a_half.cards import DECK_SIZE, parse_card


@dataclass(frozen=True, slots=True)
class Witness:
    """A round that proves that a row can occur.

    Args:
        wager: Id of the wager.
        row: Id of the row that the round produces.
        deck: All forty card ids in dealing order.
        decisions: Decisions of the player in that round.
    """

    wager: str
    row: str
    deck: tuple[int, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Recipe:
    """First cards of a deck in dealing order, and the number of cards the player takes if allowed."""

    cards: str
    player_cards: int

    def deck(self) -> tuple[int, ...]:
        """Returns the recipe completed to forty cards in the order of their ids."""
        first = [parse_card(card) for card in self.cards.split(", ")]
        return (*first, *(card for card in range(DECK_SIZE) if card not in first))

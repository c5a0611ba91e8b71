"""A deck by faces, and the complaint about one that is not whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, Equipment, Kind, shoe
from certify.model.game import Game

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""Ranks from low to high; an ace may be low too, in a straight."""

Card = tuple[int, int]
"""Place of the rank in RANKS, and number of the suit."""


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards by face.

    Args:
        cards: Rank and suit of the card of each face.
        suits: Number of suits.
    """

    cards: tuple[Card, ...]
    suits: int

    @property
    def size(self) -> int:
        """Number of cards."""
        return len(self.cards)

    def of(self, faces: Sequence[int]) -> tuple[Card, ...]:
        """Returns the cards of some faces, in their order."""
        return tuple(self.cards[face] for face in faces)


@lru_cache(maxsize=32)
def deck_of_piece(piece: Equipment) -> Deck:
    """Returns the deck that a piece of equipment is."""
    cards = []
    for name in piece.faces:
        rank, _, suit = name.partition(" of ")
        cards.append((RANKS.index(rank), piece.suits.index(suit)))
    return Deck(tuple(cards), len(piece.suits))


def smaller(game: Game, sizes: Sequence[tuple[str, int]]) -> Iterator[Game]:
    """Yields the game dealt from fewer cards.

    Args:
        game: The submission.
        sizes: Ranks apart by spaces, and the number of suits, of each deck.
    """
    (piece,) = game.equipment
    for ranks, suits in sizes:
        yield replace(game, equipment=(shoe(piece.id, ranks.split(), piece.suits[:suits]),))


def not_whole(equipment: tuple[Equipment, ...]) -> str:
    """Returns what is wrong with the equipment of a game dealt from one deck of 52 cards, nothing where it serves."""
    if [piece.kind for piece in equipment] == [Kind.SHOE]:
        (deck,) = equipment
        whole = sorted(deck.ranks) == sorted(FRENCH_RANKS) and sorted(deck.suits) == sorted(FRENCH_SUITS)
        if whole and deck.size == len(deck.faces) == 52:
            return ""
    return (
        "this family is dealt from one deck of 52 cards: expected one piece of the kind shoe with one deck, "
        f"ranks {', '.join(FRENCH_RANKS)}, suits {', '.join(FRENCH_SUITS)}"
    )

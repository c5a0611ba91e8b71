"""The deck, and hands up to the names of suits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from certify.families.french_deck.deck import RANKS, Card, Deck, deck_of_piece
from certify.model.game import Game

HAND: Final = 3
"""Cards of a hand."""


def deck_of(game: Game) -> Deck:
    """Returns the deck of a game."""
    return deck_of_piece(game.equipment[0])


def label(cards: Sequence[Card]) -> str:
    """Returns cards from the highest, suits renamed a, b, c in the order of what is held of them.

    >>> label([(10, 3), (2, 0), (4, 3)]), label([(5, 1), (5, 2), (12, 2)])
    ('Qa 6a 4b', 'Aa 7a 7b')
    """
    held: dict[int, int] = {}
    for rank, suit in cards:
        held[suit] = held.get(suit, 0) | 1 << rank
    letters = dict(zip(sorted(held, key=lambda suit: -held[suit]), "abc", strict=False))
    named = sorted((-rank, letters[suit]) for rank, suit in cards)
    return " ".join(f"{RANKS[-rank]}{letter}" for rank, letter in named)


def cards_of(text: str) -> tuple[Card, ...]:
    """Returns the cards of a label.

    >>> cards_of("Qa 10a 4b")
    ((10, 0), (8, 0), (2, 1))
    """
    return tuple((RANKS.index(card[:-1]), "abc".index(card[-1])) for card in text.split(" "))

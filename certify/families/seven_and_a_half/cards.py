"""Cards of the forty-card Italian deck and their ids."""

from collections.abc import Sequence
from typing import Final

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "J", "Q", "K")
SUITS: Final = ("Denari", "Coppe", "Spade", "Bastoni")
FRENCH_SUITS: Final = ("diamonds", "hearts", "spades", "clubs")
"""Suits of the same forty cards where a game is played with French ones, in the order of the ids."""

DECK_SIZE: Final = len(RANKS) * len(SUITS)

RANK_SEVEN: Final = 6
RANK_FIRST_FACE: Final = 7
RANK_KING: Final = 9
SUIT_DENARI: Final = 0

CLASSES: Final = ("A", "2", "3", "4", "5", "6", "7", "face", "matta")
"""Classes of cards that a total cannot tell apart: faces without the matta are one class."""

CLASS_FACE: Final = 7
CLASS_MATTA: Final = 8


def card_id(rank: int, suit: int) -> int:
    """Returns the id of a card, ``4 * rank + suit``.

    >>> card_id(RANK_KING, SUIT_DENARI)
    36
    """
    return 4 * rank + suit


def rank_of(card: int) -> int:
    """Returns the rank of a card id, 0 for the ace to 9 for the king."""
    return card >> 2


def suit_of(card: int) -> int:
    """Returns the suit of a card id, 0 for Denari to 3 for Bastoni."""
    return card & 3


def card_name(card: int, suits: Sequence[str] = SUITS) -> str:
    """Returns a card as a player calls it.

    Args:
        card: Card id.
        suits: Names of the suits in the order of the ids; the Italian ones where left out.

    >>> card_name(36), card_name(0), card_name(36, FRENCH_SUITS)
    ('K of Denari', 'A of Denari', 'K of diamonds')
    """
    return f"{RANKS[rank_of(card)]} of {suits[suit_of(card)]}"


MATTA: Final = card_id(RANK_KING, SUIT_DENARI)

SEVEN_AND_A_HALF: Final = 15
"""The target of the games in half points."""

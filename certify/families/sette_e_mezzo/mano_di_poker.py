"""Mano di Poker: which combination three cards form."""

from __future__ import annotations

from typing import Final

from certify.families.seven_and_a_half.cards import RANK_FIRST_FACE, RANK_SEVEN, rank_of, suit_of

ROYAL_FLUSH: Final = "royal-flush"
STRAIGHT_FLUSH: Final = "straight-flush"
THREE_OF_A_KIND: Final = "three-of-a-kind"
FLUSH: Final = "flush"
STRAIGHT: Final = "straight"
COMBINATIONS: Final = (ROYAL_FLUSH, STRAIGHT_FLUSH, THREE_OF_A_KIND, FLUSH, STRAIGHT)
"""Combinations in printed order, the best first."""


def is_straight(first: int, second: int, third: int) -> bool:
    """Tells whether three ranks run A-2-3 to 5-6-7 or J-Q-K; 6-7-J, 7-J-Q and K-A-2 do not."""
    low, middle, high = sorted((first, second, third))
    if (middle, high) != (low + 1, low + 2):
        return False
    return high <= RANK_SEVEN or low == RANK_FIRST_FACE


def classify(first: int, second: int, third: int) -> str | None:
    """Returns the best combination that three cards form in any order, or None where they form none.

    Args:
        first: Card id; the King of Denari is a plain King here.
        second: Card id.
        third: Card id.

    >>> classify(29, 33, 37), classify(37, 1, 5)  # J-Q-K of Coppe; K-A-2 of Coppe
    ('royal-flush', 'flush')
    """
    ranks = (rank_of(first), rank_of(second), rank_of(third))
    suited = suit_of(first) == suit_of(second) == suit_of(third)
    straight = is_straight(*ranks)
    if suited and straight:
        return ROYAL_FLUSH if min(ranks) == RANK_FIRST_FACE else STRAIGHT_FLUSH
    if ranks[0] == ranks[1] == ranks[2]:
        return THREE_OF_A_KIND
    if suited:
        return FLUSH
    return STRAIGHT if straight else None

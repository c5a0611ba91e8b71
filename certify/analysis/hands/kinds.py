"""Kinds of hands, from the lowest: five cards, and three cards."""

from __future__ import annotations

from typing import Final

SHIFT: Final = 26
"""Bits below the kind of a hand in its strength."""

(
    HIGH,
    PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH,
    FIVE,
    ROYAL,
) = range(11)
KINDS: Final = 11
"""Kinds of five cards; a royal flush is the highest straight flush, five of a kind needs a wild card."""

THREE_PAIR, THREE_FLUSH, THREE_STRAIGHT, THREE_OF_THREE, THREE_STRAIGHT_FLUSH, MINI_ROYAL = range(1, 7)
"""Kinds of three cards above HIGH, from the lowest; a mini royal is the highest straight flush."""

TITLES: Final = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house"),
    *("four of a kind", "straight flush", "five of a kind", "royal flush"),
)
"""Kinds of five cards in words."""

THREE_TITLES: Final = (
    *("high", "pair", "flush", "straight", "three of a kind", "straight flush", "straight flush"),
)
"""Kinds of three cards in words; a mini royal is a straight flush."""


def _rows(titles: tuple[str, ...], royal: str) -> tuple[tuple[str, ...], ...]:
    rows = [title.replace(" ", "-") for title in titles]
    return ((), *((row,) for row in rows[1:-1]), (royal, "straight-flush"))


ROWS: Final = _rows(TITLES, "royal-flush")
"""Rows by which each kind of five cards may be paid, the highest first: a royal flush also as a straight flush."""

THREE_ROWS: Final = _rows(THREE_TITLES, "mini-royal")
"""Rows by which each kind of three cards may be paid, the highest first."""


def ranks_that_decide(strength: int) -> tuple[int, int]:
    """Returns the ranks held most often and the others of a strength that goes by ranks, each as bits.

    >>> ranks_that_decide(PAIR << SHIFT | 1 << 13 + 9 | 0b111)
    (512, 7)
    """
    return strength >> 13 & 8191, strength & 8191

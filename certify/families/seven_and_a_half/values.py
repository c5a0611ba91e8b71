"""What cards are worth in half points, with the matta, and hands that every family of the kind knows."""

from typing import Final

from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand

POINTS: Final[tuple[int, ...]] = (2, 4, 6, 8, 10, 12, 14, 1)
"""Value of each class of cards but the matta, in half points: A to 7, faces."""


def with_matta(plain: int) -> int:
    """Returns the total of the matta next to cards that count so much.

    It takes the value of any other card: it is read as the value that gives the best total not above 7½, and as the
    lowest value where even that one is too much.

    >>> with_matta(1), with_matta(14), with_matta(2), with_matta(18)
    (15, 15, 14, 19)
    """
    fitting = [value for value in POINTS if plain + value <= SEVEN_AND_A_HALF]
    return plain + (max(fitting) if fitting else min(POINTS))


def total(hand: Hand) -> int:
    """Returns the total of a hand, its cards counted by class, in half points.

    >>> total((0, 0, 0, 0, 0, 0, 1, 1, 0)), total((0, 0, 0, 1, 1, 0, 0, 0, 0))
    (15, 18)
    """
    plain = sum(value * held for value, held in zip(POINTS, hand, strict=False))
    return with_matta(plain) if hand[CLASS_MATTA] else plain


def is_first_face(hand: Hand) -> bool:
    """Returns whether a hand is a single face card, the King of Denari included."""
    return sum(hand) == 1 and (hand[CLASS_FACE] == 1 or hand[CLASS_MATTA] == 1)

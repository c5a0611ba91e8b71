"""What cards are worth in half points, with the matta, and hands that every family of the kind knows."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import InputError
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    RANK_FIRST_FACE,
    RANKS,
    SEVEN_AND_A_HALF,
)
from certify.families.seven_and_a_half.counting import Hand
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class CardValues:
    """Value of each class of cards but the matta in half points, A to 7 and the faces."""

    points: tuple[int, ...]

    def total(self, hand: Hand) -> int:
        """Returns the total of a hand in half points.

        The matta takes the value of any other card: it is read as the value that gives the best total not
        above 7½, and as the lowest value where even that one is too much.

        >>> values = CardValues((2, 4, 6, 8, 10, 12, 14, 1))
        >>> values.total((0, 0, 0, 0, 0, 0, 0, 1, 1)), values.total((0, 0, 0, 0, 0, 0, 1, 0, 1))
        (15, 15)
        >>> values.total((1, 0, 0, 0, 0, 0, 0, 0, 1)), values.total((0, 0, 0, 1, 1, 0, 0, 0, 0))
        (14, 18)
        """
        plain = sum(value * held for value, held in zip(self.points, hand, strict=False))
        if not hand[CLASS_MATTA]:
            return plain
        fitting = [value for value in self.points if plain + value <= SEVEN_AND_A_HALF]
        return plain + (max(fitting) if fitting else min(self.points))


def card_values(game: Game) -> CardValues:
    """Returns the values of a game's cards by class.

    Raises:
        InputError: A rank has no value, or the face cards differ in value.
    """
    by_rank = dict(game.values)
    missing = [rank for rank in RANKS if rank not in by_rank]
    if missing:
        raise InputError(
            f"{game.path}: no value for the ranks {', '.join(missing)}: expected one for each rank"
        )
    faces = {by_rank[rank] for rank in RANKS[RANK_FIRST_FACE:]}
    if len(faces) > 1:
        raise InputError(
            f"{game.path}: face cards of different values: enumeration expects one value for J, Q and K"
        )
    return CardValues((*(by_rank[rank] for rank in RANKS[:RANK_FIRST_FACE]), *faces))


def is_first_face(hand: Hand) -> bool:
    """Tells whether a hand is a single face card, the King of Denari included."""
    return sum(hand) == 1 and (hand[CLASS_FACE] == 1 or hand[CLASS_MATTA] == 1)

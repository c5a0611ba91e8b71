"""What a player knows in the middle of a hand, as far as any wager depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.families.sette_e_mezzo.exact.sidebets import rank_of_type
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, CLASSES, RANK_FIRST_FACE
from certify.families.seven_and_a_half.counting import (
    CLASS_OF_TYPE,
    TYPE_KING,
    TYPE_MATTA,
    ClassDeck,
    Hand,
    plus,
    single,
)

KIND_SAME_FACE = len(CLASSES)
"""Kind of a face card of the same rank as the first card, the matta apart; other kinds are the classes."""


@dataclass(frozen=True, slots=True)
class FirstCards:
    """What the player knows that any wager depends on.

    Args:
        first: Type of the first card.
        hand: Cards by class.
        same_faces: Further face cards of the first card's rank, the matta apart.
    """

    first: int
    hand: Hand
    same_faces: int = 0

    @property
    def same(self) -> int:
        """Further cards of the first card's rank in the hand."""
        if self.first < RANK_FIRST_FACE:
            return self.hand[self.first] - 1
        return self.same_faces + (self.hand[CLASS_MATTA] if self.first == TYPE_KING else 0)

    def kinds_left(self, deck: ClassDeck) -> tuple[int, ...]:
        """Returns how many cards of each kind are left."""
        classes = deck.left(self.hand)
        if self.first < RANK_FIRST_FACE:
            return (*classes, 0)
        same = deck.type_counts[rank_of_type(self.first)] - self.same_faces
        same -= 0 if self.first == TYPE_MATTA else 1
        return (*classes[:CLASS_FACE], classes[CLASS_FACE] - same, classes[CLASS_MATTA], same)

    def drawn(self, kind: int) -> FirstCards:
        """Returns the state after one more card of a kind."""
        if kind == KIND_SAME_FACE:
            return FirstCards(self.first, plus(self.hand, CLASS_FACE), self.same_faces + 1)
        return FirstCards(self.first, plus(self.hand, kind), self.same_faces)

    def kind_of(self, card_type: int) -> int:
        """Returns the kind of a type of card beside this first card."""
        if RANK_FIRST_FACE <= card_type < TYPE_MATTA and card_type == rank_of_type(self.first):
            return KIND_SAME_FACE
        return CLASS_OF_TYPE[card_type]


def class_of_kind(kind: int) -> int:
    """Returns the class that cards of a kind belong to."""
    return CLASS_FACE if kind == KIND_SAME_FACE else kind


def first_state(card_type: int) -> FirstCards:
    """Returns the state after a first card of a type."""
    return FirstCards(card_type, single(CLASS_OF_TYPE[card_type]))

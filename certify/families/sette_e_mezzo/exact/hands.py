"""Hands of 7 e Mezzo: their totals with the matta, and every hand that can occur under any play."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from certify.families.seven_and_a_half.cards import (
    CLASS_MATTA,
    SEVEN_AND_A_HALF,
)
from certify.families.seven_and_a_half.counting import ClassDeck, Hand, single
from certify.families.seven_and_a_half.values import is_first_face, total


def is_king_seven_and_a_half(hand: Hand, total: int) -> bool:
    """Tells whether a hand is the two-card 7½ with the King of Denari."""
    return total == SEVEN_AND_A_HALF and hand[CLASS_MATTA] == 1 and sum(hand) == 2


@dataclass(frozen=True, slots=True)
class PlayerHands:
    """Every hand that a player can hold under any play.

    Args:
        totals: Total of each hand in half points, hands with fewer cards first.
        forced: Hands on which the rules draw for the player.
    """

    totals: dict[Hand, int]
    forced: frozenset[Hand]

    def is_open(self, hand: Hand) -> bool:
        """Tells whether a hand can still receive a card."""
        return self.totals[hand] < SEVEN_AND_A_HALF

    def is_decision(self, hand: Hand) -> bool:
        """Tells whether the player may choose between a card and standing."""
        return self.is_open(hand) and hand not in self.forced


@lru_cache(maxsize=8)
def player_hands(deck: ClassDeck, draws_on_first_face: bool) -> PlayerHands:
    """Returns every hand that a player can hold, whatever the player decides."""
    totals: dict[Hand, int] = {}
    level = [single(card_class) for card_class, count in enumerate(deck.class_counts) if count]
    forced = frozenset(hand for hand in level if draws_on_first_face and is_first_face(hand))
    while level:
        totals.update((hand, total(hand)) for hand in level)
        level = sorted(
            {longer for hand in level if totals[hand] < SEVEN_AND_A_HALF for _, _, longer in deck.draws(hand)}
        )
    return PlayerHands(totals, forced)

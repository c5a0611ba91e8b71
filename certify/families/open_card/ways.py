"""Hands of the player against a final hand of the dealer, counted as ways: unordered, as the source counts them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from certify.families.open_card.chances import OpenDeal, hand_of
from certify.families.open_card.text import POINTS, total_of
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, MATTA, SEVEN_AND_A_HALF, rank_of


@dataclass(frozen=True, slots=True)
class HandWays:
    """Unordered hands of the player against a final hand of the dealer, whose cards are gone from the deck.

    Args:
        below: Hands of one or two cards with a lower total, lone face cards left out; none where the dealer
            is bust.
        equal: The same with the same total; the King of diamonds alone is 7½.
        above: The same with a higher total, not above 7½; all of them where the dealer is bust.
        lone_faces: Face cards alone, which the source counts in the denominator only.
        bust: Two-card hands above 7½.
    """

    below: int
    equal: int
    above: int
    lone_faces: int
    bust: int

    @property
    def total(self) -> int:
        """All hands of one or two cards that are left."""
        return self.below + self.equal + self.above + self.lone_faces + self.bust


def player_ways(deal: OpenDeal, dealer: tuple[int, ...]) -> HandWays:
    """Counts the player's hands against a final hand of the dealer as the source counts them, card by card.

    Args:
        deal: Deck and rules.
        dealer: Classes of the dealer's cards, all of them in the deck. A face is taken to be another card than
            the King of diamonds, which has a class of its own.
    """
    deck = list(deal.deck.cards)
    kinds = [min(rank_of(card), CLASS_FACE) for card in deck]
    for card_class in dealer:
        king, kind = card_class == CLASS_MATTA, min(card_class, CLASS_FACE)
        place = next(n for n, card in enumerate(deck) if kinds[n] == kind and _is_king(card) == king)
        del deck[place], kinds[place]
    points = POINTS
    total = total_of(hand_of(dealer))
    hands = [points[a] + points[b] for a, b in combinations(kinds, 2)]
    hands += [
        SEVEN_AND_A_HALF if _is_king(card) else points[kind]
        for card, kind in zip(deck, kinds, strict=True)
        if kind != CLASS_FACE or _is_king(card)
    ]
    fitting = [made for made in hands if made <= SEVEN_AND_A_HALF]
    below = 0 if total > SEVEN_AND_A_HALF else sum(made < total for made in fitting)
    equal = fitting.count(total)
    return HandWays(
        below=below,
        equal=equal,
        above=len(fitting) - below - equal,
        lone_faces=sum(
            kind == CLASS_FACE and not _is_king(card) for card, kind in zip(deck, kinds, strict=True)
        ),
        bust=len(hands) - len(fitting),
    )


def _is_king(card: int) -> bool:
    return card == MATTA


def busts_of_all(deal: OpenDeal) -> Fraction:
    """Returns the share of two-card hands above 7½ among all two-card hands of the full deck."""
    points = POINTS
    kinds = [min(rank_of(card), CLASS_FACE) for card in deal.deck.cards]
    hands = [points[a] + points[b] > SEVEN_AND_A_HALF for a, b in combinations(kinds, 2)]
    return Fraction(sum(hands), len(hands))

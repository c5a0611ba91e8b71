"""Hands of the player against a final hand of the dealer, counted as ways: unordered, as the source counts them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from certify.families.open_card.chances import OpenDeal, hand_of
from certify.families.open_card.text import POINTS, total_of
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, MATTA, SEVEN_AND_A_HALF, rank_of


@dataclass(frozen=True, slots=True)
class Ways:
    """Hands that the terms of a row count, by what they lead to.

    Args:
        below: Below the dealer's total.
        equal: Equal to it.
        above: Above it.
        lone_faces: Faces without a further card.
        bust: Above seven and a half.
        total: All of them.
    """

    below: int
    equal: int
    above: int
    lone_faces: int
    bust: int
    total: int


def player_ways(deal: OpenDeal, dealer: tuple[int, ...]) -> Ways:
    """Counts the player's hands against a final hand of the dealer as the source counts them, card by card.

    Hands below are those of one or two cards with a lower total, lone face cards left out, none where the dealer is
    bust; those above are not above 7½, all of them where the dealer is bust. The King of diamonds alone is 7½. Lone
    face cards are what the source counts in the denominator only.

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
    lone = sum(kind == CLASS_FACE and not _is_king(card) for card, kind in zip(deck, kinds, strict=True))
    return Ways(
        below=below,
        equal=equal,
        above=len(fitting) - below - equal,
        lone_faces=lone,
        bust=len(hands) - len(fitting),
        total=len(hands) + lone,
    )


def _is_king(card: int) -> bool:
    return card == MATTA


def busts_of_all(deal: OpenDeal) -> Fraction:
    """Returns the share of two-card hands above 7½ among all two-card hands of the full deck."""
    points = POINTS
    kinds = [min(rank_of(card), CLASS_FACE) for card in deal.deck.cards]
    hands = [points[a] + points[b] > SEVEN_AND_A_HALF for a, b in combinations(kinds, 2)]
    return Fraction(sum(hands), len(hands))

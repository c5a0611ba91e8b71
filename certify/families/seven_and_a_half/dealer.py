"""The dealer's hand: all ways in which it can be drawn, counted once and then weighed for each deck left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import ORDERS, ClassDeck, Hand, falling_factorials, single
from certify.families.seven_and_a_half.values import CardValues


class DrawRule(Hashable, Protocol):
    """When a dealer draws; hashable, since final hands are counted once for each rule."""

    def draws(self, hand: Hand, total: int, player: int) -> bool:
        """Tells whether the dealer draws on a hand against a player's total, both in half points."""
        ...


Terminal = tuple[int, int, tuple[tuple[int, int], ...]]
"""Ways to order the classes of a final hand, its number of cards, and its (class, count) pairs."""


@dataclass(frozen=True, slots=True)
class DealerHands:
    """The final hands of the dealer not above 7½, by first card and total.

    Args:
        finals: For each class of the first card, for each total, the final hands.
    """

    finals: tuple[dict[int, tuple[Terminal, ...]], ...]


@lru_cache(maxsize=32)
def dealer_hands(deck: ClassDeck, values: CardValues, rule: DrawRule, player: int) -> DealerHands:
    """Returns all final hands of the dealer against a player's total (7½ or below)."""
    return DealerHands(tuple(_finals(deck, values, rule, player, first) for first in range(len(CLASSES))))


def _finals(
    deck: ClassDeck, values: CardValues, rule: DrawRule, player: int, first: int
) -> dict[int, tuple[Terminal, ...]]:
    level: dict[Hand, int] = {single(first): 1} if deck.class_counts[first] else {}
    finals: dict[int, list[Terminal]] = defaultdict(list)
    while level:
        longer: dict[Hand, int] = defaultdict(int)
        for hand, ways in level.items():
            total = values.total(hand)
            if rule.draws(hand, total, player):
                for _, _, drawn in deck.draws(hand):
                    longer[drawn] += ways
            elif total <= SEVEN_AND_A_HALF:
                pairs = tuple((card_class, held) for card_class, held in enumerate(hand) if held)
                finals[total].append((ways, sum(hand), pairs))
        level = longer
    return {total: tuple(terminals) for total, terminals in finals.items()}


@dataclass(frozen=True, slots=True)
class DealerShowdown:
    """Orders of the remaining deck by what the dealer makes against a standing player's hand.

    Args:
        below: The dealer ends on a lower total.
        equal: The dealer ends on the same total.
        above: The dealer ends on a higher total, not above 7½.
        bust: The dealer ends above 7½.
    """

    below: int
    equal: int
    above: int
    bust: int


class Dealer:
    """Counts the orders of the remaining deck in which the dealer ends below, on or above a player's hand."""

    def __init__(self, deck: ClassDeck, values: CardValues, rule: DrawRule) -> None:
        self.deck = deck
        self.values = values
        self.rule = rule
        self._by_first: dict[Hand, tuple[DealerShowdown, ...]] = {}

    def showdowns(self, hand: Hand) -> tuple[DealerShowdown, ...]:
        """Returns the orders of the remaining deck for each class of the dealer's first card."""
        known = self._by_first.get(hand)
        if known is None:
            known = self._by_first[hand] = self._count(hand)
        return known

    def showdown(self, hand: Hand) -> DealerShowdown:
        """Returns the orders of the remaining deck over all first cards of the dealer."""
        parts = self.showdowns(hand)
        return DealerShowdown(
            sum(part.below for part in parts),
            sum(part.equal for part in parts),
            sum(part.above for part in parts),
            sum(part.bust for part in parts),
        )

    def _count(self, hand: Hand) -> tuple[DealerShowdown, ...]:
        total = self.values.total(hand)
        finals = dealer_hands(self.deck, self.values, self.rule, total).finals
        remaining = self.deck.left(hand)
        cards = self.deck.size - sum(hand)
        ways = tuple(
            falling_factorials(count, most)
            for count, most in zip(remaining, self.deck.class_counts, strict=True)
        )
        return tuple(
            self._compare(finals[first], total, ways, cards, remaining[first])
            for first in range(len(CLASSES))
        )

    def _compare(
        self,
        finals: dict[int, tuple[Terminal, ...]],
        player: int,
        ways: tuple[tuple[int, ...], ...],
        cards: int,
        first_left: int,
    ) -> DealerShowdown:
        below = equal = above = 0
        for total, terminals in finals.items():
            orders = _weigh(terminals, ways, cards)
            if total < player:
                below += orders
            elif total == player:
                equal += orders
            else:
                above += orders
        bust = first_left * ORDERS[cards - 1] - below - equal - above
        return DealerShowdown(below, equal, above, bust)


def _weigh(terminals: tuple[Terminal, ...], ways: tuple[tuple[int, ...], ...], cards: int) -> int:
    """Returns the orders of ``cards`` cards that begin with one of the final hands."""
    orders = 0
    for arrangements, length, pairs in terminals:
        product = arrangements
        for card_class, held in pairs:
            product *= ways[card_class][held]
        if product:
            orders += product * ORDERS[cards - length]
    return orders


@lru_cache(maxsize=8)
def dealer_for(deck: ClassDeck, values: CardValues, rule: DrawRule) -> Dealer:
    """Returns the one counter of dealer hands for these values and this rule, so that counts are shared."""
    return Dealer(deck, values, rule)

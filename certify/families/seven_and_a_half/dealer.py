"""The dealer's hand: all ways in which it can be drawn, counted once and then weighed for each deck left."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import ORDERS, ClassDeck, Hand, falling_factorials, single
from certify.families.seven_and_a_half.values import is_first_face, total


@dataclass(frozen=True, slots=True)
class DealerRule:
    """When the dealer draws; totals are in half points. Final hands are counted once for each rule."""

    stands_on: int
    draws_on_first_face: bool
    chases_seven_and_a_half: bool

    def draws(self, hand: Hand, made: int, player: int) -> bool:
        """Tells whether the dealer draws on a hand with a total against a player's total."""
        if self.draws_on_first_face and is_first_face(hand):
            return True
        chasing = self.chases_seven_and_a_half and player == SEVEN_AND_A_HALF
        return made < (SEVEN_AND_A_HALF if chasing else self.stands_on)


Terminal = tuple[int, int, tuple[tuple[int, int], ...]]
"""Ways to order the classes of a final hand, its number of cards, and its (class, count) pairs."""


Finals = dict[int, tuple[Terminal, ...]]
"""Final hands of the dealer not above 7½, by total."""


@lru_cache(maxsize=32)
def dealer_hands(deck: ClassDeck, rule: DealerRule, player: int) -> tuple[Finals, ...]:
    """Returns all final hands of the dealer against a player's total (7½ or below), by class of the first card."""
    return tuple(_finals(deck, rule, player, first) for first in range(len(CLASSES)))


def _finals(deck: ClassDeck, rule: DealerRule, player: int, first: int) -> Finals:
    level: dict[Hand, int] = {single(first): 1} if deck.class_counts[first] else {}
    finals: dict[int, list[Terminal]] = defaultdict(list)
    while level:
        longer: dict[Hand, int] = defaultdict(int)
        for hand, ways in level.items():
            made = total(hand)
            if rule.draws(hand, made, player):
                for _, _, drawn in deck.draws(hand):
                    longer[drawn] += ways
            elif made <= SEVEN_AND_A_HALF:
                pairs = tuple((card_class, held) for card_class, held in enumerate(hand) if held)
                finals[made].append((ways, sum(hand), pairs))
        level = longer
    return {made: tuple(terminals) for made, terminals in finals.items()}


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

    def __init__(self, deck: ClassDeck, rule: DealerRule) -> None:
        self.deck = deck
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
        player = total(hand)
        finals = dealer_hands(self.deck, self.rule, player)
        remaining = self.deck.left(hand)
        cards = self.deck.size - sum(hand)
        ways = tuple(
            falling_factorials(count, most)
            for count, most in zip(remaining, self.deck.class_counts, strict=True)
        )
        return tuple(
            self._compare(finals[first], player, ways, cards, remaining[first])
            for first in range(len(CLASSES))
        )

    def _compare(
        self,
        finals: Finals,
        player: int,
        ways: tuple[tuple[int, ...], ...],
        cards: int,
        first_left: int,
    ) -> DealerShowdown:
        below = equal = above = 0
        for made, terminals in finals.items():
            orders = _weigh(terminals, ways, cards)
            if made < player:
                below += orders
            elif made == player:
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
def dealer_for(deck: ClassDeck, rule: DealerRule) -> Dealer:
    """Returns the one counter of dealer hands for this rule, so that counts are shared."""
    return Dealer(deck, rule)

"""What decides how a round with an open dealer's card goes: the deck, the hands and the dealer's rule."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property, lru_cache

from certify.errors import InputError
from certify.families.open_card.rules import OpenCardRules, rules_of
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import FULL_DECK, NO_CARDS, ORDERS, Deck, Hand, plus
from certify.families.seven_and_a_half.dealer import Dealer, Showdown
from certify.families.seven_and_a_half.values import CardValues, card_values
from certify.model.game import Game

ANTE = "ante"
OPEN_CLASSES = range(CLASS_FACE + 1)
"""Classes that a first card can be of when it is not the King of diamonds."""


class DrawnSeven(StrEnum):
    """What a hand of two or more cards with a total of exactly 7½ is worth."""

    BEST = "the best hand"
    BEATS_NOTHING = "beats no total"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class ReadRules(OpenCardRules):
    """Rules with a passage read as no submission can state it: for enumeration alone, never for play.

    Args:
        drawn_seven: What the player's drawn 7½ is worth.
    """

    drawn_seven: DrawnSeven = DrawnSeven.BEST


def read_rules(rules: OpenCardRules, drawn_seven: DrawnSeven) -> ReadRules:
    """Returns the same rules with a drawn 7½ read otherwise."""
    stated = {field.name: getattr(rules, field.name) for field in fields(OpenCardRules)}
    return ReadRules(**stated, drawn_seven=drawn_seven)


@dataclass(frozen=True)
class PlainDeck(Deck):
    """A deck whose King of diamonds is one of the faces: so it counts wherever it is not a first card."""

    @cached_property
    def class_counts(self) -> Hand:
        """Cards of each class; the class of the matta is empty."""
        counts = Deck(self.cards).class_counts
        return (*counts[:CLASS_FACE], counts[CLASS_FACE] + counts[CLASS_MATTA], 0)

    @property
    def kings_of_diamonds(self) -> int:
        """Number of Kings of diamonds: one, or none in a small deck."""
        return Deck(self.cards).class_counts[CLASS_MATTA]


@dataclass(frozen=True, slots=True)
class OpenDealerRule:
    """When the dealer draws, whatever the player holds."""

    stands_on: int
    maximum_cards: int
    always_draws: bool

    def draws(self, hand: Hand, total: int, player: int) -> bool:
        """Tells whether the dealer draws on a hand; the player's total does not matter."""
        cards = sum(hand)
        if cards >= self.maximum_cards or total > SEVEN_AND_A_HALF:
            return False
        return total < self.stands_on or (self.always_draws and cards == 1)


@dataclass(frozen=True)
class OpenTree:
    """A deck and the rules of play.

    Args:
        deck: The cards dealt from.
        values: Value of each class in half points.
        rules: Rules of play.
    """

    deck: PlainDeck
    values: CardValues
    rules: OpenCardRules

    @cached_property
    def dealer(self) -> Dealer:
        """The dealer's final hands."""
        rules = self.rules
        rule = OpenDealerRule(rules.dealer_stands_on, rules.dealer_maximum_cards, rules.dealer_always_draws)
        return Dealer(self.deck, self.values, rule)

    def orders(self, hand: Hand) -> int:
        """Returns the orders of the cards left when a player's hand and the open card are out of the deck."""
        return ORDERS[self.deck.size - sum(hand) - 1]

    def showdown(self, hand: Hand, open_card: int) -> Showdown:
        """Returns the orders of the cards left by what the dealer makes from the open card."""
        # The dealer counts all cards of the open card's class as first cards; one of them is on the table.
        found = self.dealer.showdowns(hand)[open_card]
        cards = self.deck.left(hand)[open_card]
        made = Showdown(*(count // cards for count in (found.below, found.equal, found.above, found.bust)))
        return self._as_read(made) if self.total(hand) == SEVEN_AND_A_HALF else made

    def _as_read(self, made: Showdown) -> Showdown:
        """Returns the showdown of a drawn 7½ as the rules are read."""
        drawn = self.rules.drawn_seven if isinstance(self.rules, ReadRules) else DrawnSeven.BEST
        if drawn is DrawnSeven.BEATS_NOTHING:
            return Showdown(0, made.equal, made.above + made.below, made.bust)
        if drawn is DrawnSeven.LOST:
            return Showdown(0, 0, made.below + made.equal + made.above + made.bust, 0)
        return made

    def draws(self, hand: Hand, open_card: int) -> Iterator[tuple[int, Hand]]:
        """Yields the cards left of each class that may come next, with the hand after it."""
        for card_class, cards, longer in self.deck.draws(hand):
            left = cards - (card_class == open_card)
            if left:
                yield left, longer

    def may_draw(self, hand: Hand) -> bool:
        """Tells whether the player may take another card."""
        return sum(hand) < self.rules.player_maximum_cards and self.total(hand) < SEVEN_AND_A_HALF

    def may_stand(self, hand: Hand) -> bool:
        """Tells whether the player may do without another card."""
        return sum(hand) > 1 or self.rules.player_may_stand_on_first_card

    def total(self, hand: Hand) -> int:
        """Returns the total of a hand in half points."""
        return self.values.total(hand)

    def first_deals(self) -> Iterator[tuple[int, int, int]]:
        """Yields, for each first card and open card that is not the King of diamonds: both, and their deals."""
        counts = list(self.deck.class_counts[: CLASS_FACE + 1])
        counts[CLASS_FACE] -= self.deck.kings_of_diamonds
        for first in OPEN_CLASSES:
            for open_card in OPEN_CLASSES:
                ways = counts[first] * (counts[open_card] - (first == open_card))
                if ways > 0:
                    yield first, open_card, ways


@lru_cache(maxsize=64)
def open_tree(rules: OpenCardRules, values: CardValues, deck: PlainDeck | None = None) -> OpenTree:
    """Returns what decides how a round goes.

    Raises:
        InputError: A final bet is asked for in a game whose player may hold more than two cards.
    """
    if rules.final_bets and rules.player_maximum_cards != 2:
        raise InputError("a final bet is only analysed where the player may hold two cards")
    return OpenTree(deck or PlainDeck(FULL_DECK.cards), values, rules)


def tree_of_open_card(game: Game) -> OpenTree:
    """Returns what decides how a round of a game goes."""
    return open_tree(rules_of(game), card_values(game))


def hand_of(classes: tuple[int, ...]) -> Hand:
    """Returns the hand of some cards given by class, the King of diamonds among the faces."""
    hand = NO_CARDS
    for card_class in classes:
        hand = plus(hand, min(card_class, CLASS_FACE))
    return hand

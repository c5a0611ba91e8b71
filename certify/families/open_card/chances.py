"""How rounds really end against a final hand of the dealer: every ordered deal counted, any number of cards."""

from collections import defaultdict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations
from math import perm, prod
from typing import Final, NamedTuple

from certify.by_key import summed
from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card.text import ANY_NUMBER, FOLD, HIT, POINTS, OpenCardRules, rules_of, total_of
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    CLASSES,
    FULL_DECK,
    MATTA,
    NO_CARDS,
    SEVEN_AND_A_HALF,
    ClassDeck,
    Hand,
    plus,
    rank_of,
    single,
)
from certify.model import ChoiceTable, Game


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


def player_ways(deal: "OpenDeal", dealer: tuple[int, ...]) -> Ways:
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
        place = next(n for n, card in enumerate(deck) if kinds[n] == kind and (card == MATTA) == king)
        del deck[place], kinds[place]
    points = POINTS
    total = total_of(hand_of(dealer))
    hands = [points[a] + points[b] for a, b in combinations(kinds, 2)]
    hands += [
        SEVEN_AND_A_HALF if card == MATTA else points[kind]
        for card, kind in zip(deck, kinds, strict=True)
        if kind != CLASS_FACE or card == MATTA
    ]
    fitting = [made for made in hands if made <= SEVEN_AND_A_HALF]
    below = 0 if total > SEVEN_AND_A_HALF else sum(made < total for made in fitting)
    equal = fitting.count(total)
    lone = sum(kind == CLASS_FACE and card != MATTA for card, kind in zip(deck, kinds, strict=True))
    return Ways(
        below=below,
        equal=equal,
        above=len(fitting) - below - equal,
        lone_faces=lone,
        bust=len(hands) - len(fitting),
        total=len(hands) + lone,
    )


def busts_of_all(deal: "OpenDeal") -> Fraction:
    """Returns the share of two-card hands above 7½ among all two-card hands of the full deck."""
    points = POINTS
    kinds = [min(rank_of(card), CLASS_FACE) for card in deal.deck.cards]
    hands = [points[a] + points[b] > SEVEN_AND_A_HALF for a, b in combinations(kinds, 2)]
    return Fraction(sum(hands), len(hands))


DEALER, TIE, PLAYER = "dealer", "tie", "player"
ENDS: Final = (DEALER, TIE, PLAYER, FOLD)
"""Who wins, or that nobody does, or that the player has folded."""


class TrueChances(NamedTuple):
    """True probabilities of how rounds end against one hand of the dealer."""

    dealer_wins: Fraction
    tie: Fraction
    player_wins: Fraction
    player_folds: Fraction


OPEN_CLASSES: Final = range(CLASS_FACE + 1)
"""Classes that a first card can be of when it is not the King of diamonds."""


@dataclass(frozen=True)
class PlainDeck(ClassDeck):
    """A deck whose King of diamonds is one of the faces: so it counts wherever it is not a first card."""

    @cached_property
    def class_counts(self) -> Hand:
        """Cards of each class; the class of the matta is empty."""
        counts = ClassDeck(self.cards).class_counts
        return (*counts[:CLASS_FACE], counts[CLASS_FACE] + counts[CLASS_MATTA], 0)

    @property
    def kings_of_diamonds(self) -> int:
        """Number of Kings of diamonds: one, or none in a small deck."""
        return ClassDeck(self.cards).class_counts[CLASS_MATTA]


@dataclass(frozen=True)
class OpenDeal:
    """A deck and the rules by which hands grow from it.

    Args:
        deck: The cards dealt from.
        rules: Rules of play.
    """

    deck: PlainDeck
    rules: OpenCardRules

    def may_draw(self, hand: Hand) -> bool:
        """Returns whether the player may take another card."""
        return sum(hand) < self.rules.player_maximum_cards and total_of(hand) < SEVEN_AND_A_HALF

    def dealer_draws(self, hand: Hand) -> bool:
        """Returns whether the dealer takes another card."""
        return self.rules.dealer_draws(total_of(hand), sum(hand))

    def draws(self, hand: Hand, open_card: int) -> Iterator[tuple[int, Hand]]:
        """Yields the cards left of each class that may come next, with the hand after it."""
        for card_class, cards, longer in self.deck.draws(hand):
            left = cards - (card_class == open_card)
            if left:
                yield left, longer

    def first_deals(self) -> Iterator[tuple[int, int, int]]:
        """Yields, for each first card and open card that is not the King of diamonds: both, and their deals."""
        counts = list(self.deck.class_counts[: CLASS_FACE + 1])
        counts[CLASS_FACE] -= self.deck.kings_of_diamonds
        for first in OPEN_CLASSES:
            for open_card in OPEN_CLASSES:
                ways = counts[first] * (counts[open_card] - (first == open_card))
                if ways > 0:
                    yield first, open_card, ways


def deal_of(game: Game) -> OpenDeal:
    """Returns the deck and the rules of a game."""
    return OpenDeal(PlainDeck(FULL_DECK.cards), rules_of(game))


def hand_of(classes: tuple[int, ...]) -> Hand:
    """Returns the hand of some cards given by class, the King of diamonds among the faces."""
    hand = NO_CARDS
    for card_class in classes:
        hand = plus(hand, min(card_class, CLASS_FACE))
    return hand


def dealer_orders(deal: OpenDeal, dealer: tuple[int, ...]) -> dict[int, int]:
    """Returns in how many orders of its classes the dealer's rule makes a hand, by the card dealt first.

    Args:
        deal: Deck and rules.
        dealer: Classes of the cards. The King of diamonds, where it is named, is a card drawn later: dealt
            first it ends the round.

    Returns:
        Orders of the cards that follow the first one; without the first cards from which no order leads there.
    """
    made = hand_of(dealer)
    if deal.dealer_draws(made) or not in_deck(deal, dealer):
        return {}
    found = {}
    for first in sorted({*dealer} - {CLASS_MATTA}):
        level = {single(first): 1}
        for _ in dealer[1:]:
            level = summed(
                (plus(hand, kind), orders)
                for hand, orders in level.items()
                if deal.dealer_draws(hand)
                for kind in OPEN_CLASSES
                if hand[kind] < made[kind]
            )
        if made in level:
            found[first] = level[made]
    return found


def in_deck(deal: OpenDeal, dealer: tuple[int, ...]) -> bool:
    """Returns whether the deck holds the cards of a dealer's hand."""
    named = dealer.count(CLASS_MATTA)
    held = zip(hand_of(dealer), deal.deck.class_counts, strict=True)
    return named <= deal.deck.kings_of_diamonds and all(cards <= there for cards, there in held)


def why_never(deal: OpenDeal, dealer: tuple[int, ...]) -> str:
    """Returns why no deal ends with a hand of the dealer, with the numbers; nothing where some deal does."""
    if dealer_orders(deal, dealer):
        return ""
    rules, made = deal.rules, hand_of(dealer)
    total = format_half_points(total_of(made))
    if not in_deck(deal, dealer):
        return f"the deck does not hold {_name(dealer)}"
    if {*dealer} == {CLASS_MATTA}:
        return "the King of diamonds dealt first ends the round"
    rule = f"stands on {format_half_points(rules.dealer_stands_on)}"
    if rules.dealer_maximum_cards < ANY_NUMBER:
        cards = rules.dealer_maximum_cards
        rule += f", holds at most {cards} card{'s' if cards > 1 else ''}"
    if rules.dealer_always_draws:
        rule += ", always draws a second card"
    if deal.dealer_draws(made):
        return f"on {_name(dealer)}, {total}, the dealer draws another card ({rule})"
    return f"in no order of {_name(dealer)}, {total}, does the dealer draw up to the last card ({rule})"


def _name(dealer: tuple[int, ...]) -> str:
    names = (*CLASSES[:CLASS_MATTA], "K of diamonds")
    return "+".join(names[kind] for kind in sorted(dealer))


@lru_cache(maxsize=256)
def true_chances(deal: OpenDeal, table: ChoiceTable, dealer: tuple[int, ...]) -> TrueChances:
    """Returns how rounds end given the dealer's final hand, when the player plays by a strategy.

    The dealer's cards come in every order in which the dealer's rule takes them; neither first card is the King
    of diamonds. Either may take any number of cards. The dealer's hand is what the rule makes of the cards that
    come after the player's, also where the player has folded or is bust. Probabilities are those of ordered
    deals without replacement.

    Args:
        deal: Deck and rules.
        table: The player's strategy.
        dealer: Classes of exactly the cards on which the dealer ends, in any order; a face is any face, the
            King of diamonds among them, which may also be named by its own class.

    Raises:
        InputError: The dealer never ends on this hand.
    """
    ends = joint_chances(deal, table, dealer)
    whole = sum(ends.values(), Fraction(0))
    if not whole:
        raise InputError("the dealer never ends on this hand under these rules")
    return TrueChances(*(ends[end] / whole for end in ENDS))


def joint_chances(deal: OpenDeal, table: ChoiceTable, dealer: tuple[int, ...]) -> dict[str, Fraction]:
    """Returns the probability of each end of a round together with a final hand of the dealer, see ENDS."""
    total = total_of(hand_of(dealer))
    ended = (
        (
            FOLD if final.folded else _end(total_of(final.hand), total),
            final.chance * orders * _chance_of(deal, final, open_card, dealer),
        )
        for open_card, orders in dealer_orders(deal, dealer).items()
        for final in _finals(deal, table, open_card)
    )
    return summed([*((end, Fraction(0)) for end in ENDS), *ended])


@dataclass(frozen=True, slots=True)
class _Final:
    """A hand on which the player ends, with the probability of its deals in every order."""

    first: int
    hand: Hand
    folded: bool
    chance: Fraction


@lru_cache(maxsize=64)
def _finals(deal: OpenDeal, table: ChoiceTable, open_card: int) -> tuple[_Final, ...]:
    """Returns all hands on which the player ends against an open card."""
    deals = deal.deck.size * (deal.deck.size - 1)
    chosen = dict(table.choices)
    return tuple(
        final
        for first, shown, ways in deal.first_deals()
        if shown == open_card
        for final in _played(deal, chosen, open_card, first, Fraction(ways, deals))
    )


def _played(
    deal: OpenDeal, chosen: Mapping[Hashable, str], open_card: int, first: int, chance: Fraction
) -> Iterator[_Final]:
    """Yields the hands on which the player ends from a first card on, hands of equal cards together."""
    level = {single(first): chance}
    while level:
        longer: dict[Hand, Fraction] = defaultdict(Fraction)
        for hand, dealt in level.items():
            decides = deal.may_draw(hand)
            move = chosen[open_card, hand[: CLASS_FACE + 1]].partition("-")[0] if decides else ""
            if move == HIT:
                left = deal.deck.size - sum(hand) - 1
                for cards, grown in deal.draws(hand, open_card):
                    longer[grown] += dealt * Fraction(cards, left)
            else:
                yield _Final(first, hand, move == FOLD, dealt)
        level = longer


def _chance_of(deal: OpenDeal, player: _Final, open_card: int, dealer: tuple[int, ...]) -> Fraction:
    """Returns the probability that the cards after the player's are the dealer's in one order of classes."""
    gone = plus(player.hand, open_card)
    drawn = [held - (kind == open_card) for kind, held in enumerate(hand_of(dealer))]
    ways = prod(map(perm, deal.deck.left(gone), drawn))
    if not ways:
        return Fraction(0)
    chance = Fraction(ways, perm(deal.deck.size - sum(gone), sum(drawn)))
    if CLASS_MATTA not in dealer:
        return chance
    # The King of diamonds is as likely as any other face to lie at any place but the two first cards.
    places = deal.deck.class_counts[CLASS_FACE] - (player.first == CLASS_FACE) - (open_card == CLASS_FACE)
    return chance * Fraction(drawn[CLASS_FACE], places)


def _end(player: int, dealer: int) -> str:
    if player > SEVEN_AND_A_HALF:
        return DEALER
    if dealer > SEVEN_AND_A_HALF or player > dealer:
        return PLAYER
    return TIE if player == dealer else DEALER

"""Every hand that a player can come to, in the order of its cards, and what each looks like to the bank.

The order matters: the bank sees the open cards in the order in which they came, and what it may believe of the hidden
one depends on where the player could have stood before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import perm
from typing import Final

from certify.by_key import gathered
from certify.families.free_bank.exact.bank_hands import NOTHING_GIVEN, PLAIN, BankTerms, Cards, End
from certify.families.free_bank.rules import SWAPPED
from certify.families.free_bank.strategy import HandEnd as Ended, OpenHand, OpenSeat, Own
from certify.families.seven_and_a_half.cards import NO_CARDS, Hand

FIRST: Final = -1
"""Where a hand comes from that is dealt: from no other hand."""

View = OpenSeat
"""What the bank sees of a seat."""


@dataclass(frozen=True, slots=True)
class Follow:
    """One card that may come to a hand.

    Args:
        card: Its class.
        left: Cards of the class that are left.
        end: How the hand with it ends, if nothing more is drawn.
        to: Place of the hand with it where the player goes on deciding, else -1.
    """

    card: int
    left: int
    end: End
    to: int


@dataclass(frozen=True, slots=True)
class PlayersHand:
    """A hand of the player below 7½.

    Args:
        cards: Cards in the order dealt, the hidden one first.
        given_up: Class of the card that was swapped away; -1 for none.
        before: Place of the hand without its last card, or of the one that was swapped; FIRST where it was dealt.
        ways: Ordered deals of its cards, the one given up included.
        end: Its total.
        follows: What may come next; nothing where the deck has no card left to draw.
        swap: Places of the hands that follow a swap; empty where it may not be swapped.
    """

    cards: Cards
    given_up: int
    before: int
    ways: int
    end: End
    follows: tuple[Follow, ...]
    swap: tuple[int, ...] = ()

    @property
    def removed(self) -> Hand:
        """Cards out of the deck by class."""
        return removed(self.cards, self.given_up)

    @property
    def own(self) -> Own:
        """What the player sees of the own cards."""
        return Own((self.cards,), 0, self.given_up)

    @property
    def by_swap(self) -> bool:
        """Whether the hand is right after a swap."""
        return self.given_up >= 0 and len(self.cards) == 1


def removed(cards: Cards, given_up: int) -> Hand:
    """Returns cards in the order dealt, and one given up, counted by class."""
    gone = cards if given_up < 0 else (*cards, given_up)
    return tuple(map(gone.count, range(len(NO_CARDS))))


@dataclass(frozen=True, eq=False)
class OwnHands:
    """The hands below 7½ of a player under some terms, each after the one from which it is reached.

    Args:
        terms: Deck and rules.
        nodes: The hands.
    """

    terms: BankTerms
    nodes: tuple[PlayersHand, ...]

    @cached_property
    def index(self) -> Mapping[Own, int]:
        """The place of each hand by what its player sees."""
        return {node.own: place for place, node in enumerate(self.nodes)}

    @cached_property
    def views(self) -> Mapping[View, tuple[int, ...]]:
        """For everything that the bank can see of a hand that stood: the places of the hands that look so."""
        found = gathered((stood(node), place) for place, node in enumerate(self.nodes))
        return {view: tuple(places) for view, places in found.items()}

    def deals(self, node: PlayersHand, more: int = 0) -> int:
        """Returns the number of ordered deals over which the ways of a hand, with further cards, are counted."""
        return perm(self.terms.size, len(node.cards) + (node.given_up >= 0) + more)

    def dealt(self, node: PlayersHand) -> Fraction:
        """Returns the chance that the cards of a hand come, whatever the player decides."""
        return Fraction(node.ways, self.deals(node))


def stood(node: PlayersHand) -> View:
    """Returns what the bank sees of a hand that stood."""
    return OpenSeat((OpenHand(node.cards[1:], Ended.STOOD),), node.given_up >= 0)


def shown(cards: Cards, given_up: int) -> View:
    """Returns what the bank sees of a hand of 7½."""
    return OpenSeat((OpenHand(cards, Ended.SEVEN_AND_A_HALF, first_shown=True),), given_up >= 0)


_Next = tuple[Cards, int, int, int]
"""A hand that is still to be looked at: its cards, the one given up, the hand before it, and its ordered deals."""


def own_hands(terms: BankTerms) -> OwnHands:
    """Returns every hand below 7½ that a player can come to, without splitting: the same object whatever is paid."""
    return _own_hands(terms.of_hands)


@lru_cache(maxsize=16)
def _own_hands(terms: BankTerms) -> OwnHands:
    nodes: list[PlayersHand] = []
    queue: list[_Next] = [
        ((card,), NOTHING_GIVEN, FIRST, held) for card, held in enumerate(terms.deck) if held
    ]
    # The queue grows while it is walked: places are given in its order, so a hand knows those that follow it.
    for place, (cards, given_up, before, ways) in enumerate(queue):
        left = [there - gone for there, gone in zip(terms.deck, removed(cards, given_up), strict=True)]
        # The bank's first card is dealt before anybody draws, so one card of the deck is never to be had.
        may_draw = sum(left) > 1
        follows, swap = [], []
        for card, there in enumerate(left if may_draw else ()):
            if there:
                end, to = terms.end((*cards, card)), -1
                if end < PLAIN:
                    to = len(queue)
                    queue.append(((*cards, card), given_up, place, ways * there))
                follows.append(Follow(card, there, end, to))
        swaps = terms.rules.swap and given_up == NOTHING_GIVEN and len(cards) == 1 and cards[0] in SWAPPED
        for card, there in enumerate(left if may_draw and swaps else ()):
            if there:
                swap.append(len(queue))
                queue.append(((card,), cards[0], place, ways * there))
        nodes.append(
            PlayersHand(cards, given_up, before, ways, terms.end(cards), tuple(follows), tuple(swap))
        )
    return OwnHands(terms, tuple(nodes))

"""All deals of a deck by number, and the classes of deals that differ in the names of suits alone.

A hand is numbered by its cards in rising order: the sum of the binomial coefficients of card and place. Whole
numbers and nothing else; neither how hands rank nor what they pay is known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.video_poker.cards import HAND, Deck

Whole = NDArray[np.int64]

MOST_CARDS: Final = 64
"""Most cards of a deck: far above any, and its hands still fit in memory."""

BINOMIAL: Final = np.array(
    [[comb(card, place) for place in range(HAND + 1)] for card in range(MOST_CARDS + 1)], dtype=np.int64
)


@dataclass(frozen=True, slots=True)
class Deals:
    """The deals of a deck by classes.

    Args:
        hands: int64[classes, 5], the hand that stands for each class, arranged.
        numbers: int64[classes], the number of that hand, rising.
        weights: int64[classes], how many deals are of each class.
        place: int32[deals], the class of every deal by its number.
    """

    hands: Whole
    numbers: Whole
    weights: Whole
    place: NDArray[np.int32]


@lru_cache(maxsize=4)
def deals_of(deck: Deck) -> Deals:
    """Returns every deal of a deck by classes."""
    ranks, suits = arrays_of(deck)
    total = comb(deck.size, HAND)
    stands = np.empty(total, dtype=np.int64)
    _represent(ranks, suits, _face_table(deck), deck.suit_count, BINOMIAL, stands)
    numbers, place = _classes(stands)
    weights = np.bincount(place, minlength=len(numbers)).astype(np.int64)
    hands = np.empty((len(numbers), HAND), dtype=np.int64)
    _arranged_hands(numbers, ranks, suits, deck.suit_count, BINOMIAL, hands)
    return Deals(hands, numbers, weights, place)


def arrays_of(deck: Deck) -> tuple[Whole, Whole]:
    """Returns rank and suit of every face, int64[cards] each."""
    return np.array(deck.ranks, dtype=np.int64), np.array(deck.suits, dtype=np.int64)


def _classes(stands: Whole) -> tuple[Whole, NDArray[np.int32]]:
    """Returns the numbers of the hands that stand for classes, and the class of each deal."""
    first = np.zeros(len(stands), dtype=np.int32)
    first[stands] = 1
    order = np.cumsum(first, dtype=np.int32) - 1
    return np.flatnonzero(first).astype(np.int64), order[stands].astype(np.int32)


def _face_table(deck: Deck) -> Whole:
    """Returns the face of every rank and suit, int64[13, suits]; in the last row the wild faces, in order."""
    table = np.full((14, max(deck.suit_count, deck.wilds, 1)), -1, dtype=np.int64)
    wild = 0
    for face, (rank, suit) in enumerate(zip(deck.ranks, deck.suits, strict=True)):
        if rank < 0:
            table[13, wild] = face
            wild += 1
        else:
            table[rank, suit] = face
    return table


@njit(cache=True, nogil=True)
def number_of(hand: Whole, binomial: Whole) -> int:
    """Returns the number of a hand whose cards are in rising order."""
    number = 0
    for place in range(hand.size):
        number += binomial[hand[place], place + 1]
    return number


@njit(cache=True, nogil=True)
def sort_cards(hand: Whole) -> None:
    """Brings a hand into rising order."""
    for place in range(1, hand.size):
        card = hand[place]
        before = place - 1
        while before >= 0 and hand[before] > card:
            hand[before + 1] = hand[before]
            before -= 1
        hand[before + 1] = card


@njit(cache=True, nogil=True)
def next_hand(hand: Whole) -> None:
    """Goes on to the hand with the next number."""
    place = 0
    while place < hand.size - 1 and hand[place] + 1 == hand[place + 1]:
        hand[place] = place
        place += 1
    hand[place] += 1


@njit(cache=True, nogil=True)
def label_suits(hand: Whole, ranks: Whole, suits: Whole, masks: Whole, labels: Whole) -> int:
    """Numbers the suits of a hand anew, the highest set of ranks first; returns the number of wild cards."""
    wild = 0
    masks[:] = 0
    for card in hand:
        if ranks[card] < 0:
            wild += 1
        else:
            masks[suits[card]] |= 1 << ranks[card]
    for suit in range(masks.size):
        above = 0
        for other in range(masks.size):
            if masks[other] > masks[suit] or (masks[other] == masks[suit] and other < suit):
                above += 1
        labels[suit] = above
    return wild


@njit(cache=True, nogil=True)
def arrange(hand: Whole, ranks: Whole, suits: Whole, masks: Whole, labels: Whole, keys: Whole) -> None:
    """Brings a hand into the order in which its places are numbered."""
    label_suits(hand, ranks, suits, masks, labels)
    for place in range(hand.size):
        card = hand[place]
        if ranks[card] < 0:
            keys[place] = card
        else:
            keys[place] = (((13 - ranks[card]) << 8) | labels[suits[card]]) << 16 | card
    sort_cards(keys)
    for place in range(hand.size):
        hand[place] = keys[place] & 0xFFFF


@njit(cache=True, nogil=True)
def _represent(
    ranks: Whole, suits: Whole, faces: Whole, suit_count: int, binomial: Whole, stands: Whole
) -> None:
    hand = np.arange(5)
    named = np.empty(5, dtype=np.int64)
    masks, labels = np.zeros(suit_count, dtype=np.int64), np.zeros(suit_count, dtype=np.int64)
    for deal in range(stands.size):
        label_suits(hand, ranks, suits, masks, labels)
        wild = 0
        for place in range(5):
            card = hand[place]
            if ranks[card] < 0:
                named[place] = faces[13, wild]
                wild += 1
            else:
                named[place] = faces[ranks[card], labels[suits[card]]]
        sort_cards(named)
        stands[deal] = number_of(named, binomial)
        if deal + 1 < stands.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def _arranged_hands(
    numbers: Whole, ranks: Whole, suits: Whole, suit_count: int, binomial: Whole, hands: Whole
) -> None:
    masks, labels = np.zeros(suit_count, dtype=np.int64), np.zeros(suit_count, dtype=np.int64)
    keys = np.empty(5, dtype=np.int64)
    for index in range(numbers.size):
        rest = numbers[index]
        card = binomial.shape[0] - 1
        for place in range(5, 0, -1):
            while binomial[card, place] > rest:
                card -= 1
            hands[index, place - 1] = card
            rest -= binomial[card, place]
        arrange(hands[index], ranks, suits, masks, labels, keys)

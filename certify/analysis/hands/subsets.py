"""How many hands hold given cards, and by inclusion and exclusion how many of them hold none of others.

Let N(T) be the number of hands of some kind that hold all cards of T. Of the hands that hold K and none of the cards
X there are, over all subsets T of X, the sum of (-1)^|T| N(K and T). Sets of so many cards are numbered as hands are
(:mod:`certify.analysis.hands.deals`); of a hand, a set of its places is written as bits.
"""

from math import comb
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, next_hand

SIZES: Final = np.array([bin(places).count("1") for places in range(64)], dtype=np.int64)
"""int64[64]: how many places a set of places holds."""


def offsets_of(size: int, cards: int) -> Whole:
    """Returns where the sets of so many cards of a deck begin in one row of all sets, int64[cards + 1].

    Args:
        size: Cards of the deck.
        cards: Cards of a hand; sets of fewer are in the row.
    """
    return np.cumsum([0, *(comb(size, held) for held in range(cards))]).astype(np.int64)


def within(size: int, cards: int, kinds: NDArray[np.uint8], number: int) -> NDArray[np.int64]:
    """Returns for every set of fewer cards than a hand how many hands that hold it are of each kind.

    Args:
        size: Cards of the deck.
        cards: Cards of a hand.
        kinds: uint8[hands], the kind of every hand by its number.
        number: Number of kinds.

    Returns:
        int64[sets, number], the sets of each size from :func:`offsets_of` on.
    """
    offsets = offsets_of(size, cards)
    found = np.zeros((int(offsets[cards]), number), dtype=np.int64)
    _within_last(cards, kinds, BINOMIAL, found[offsets[cards - 1] :])
    for held in range(cards - 1, 0, -1):
        larger = found[offsets[held] : offsets[held] + comb(size, held)]
        smaller = found[offsets[held - 1] : offsets[held]]
        sums_over_larger(larger, held, BINOMIAL, smaller)
        # Every hand came by each of its cards beyond the set.
        smaller //= cards - held + 1
    return found


@njit(cache=True, nogil=True)
def _within_last(cards: int, kinds: NDArray[np.uint8], binomial: Whole, found: Whole) -> None:
    hand = np.arange(cards)
    for index in range(kinds.size):
        kind = kinds[index]
        # The number of the hand without one card: those above it stand a place lower.
        number = np.int64(0)
        for place in range(1, cards):
            number += binomial[hand[place], place]
        for place in range(cards):
            found[number, kind] += 1
            if place + 1 < cards:
                number += binomial[hand[place], place + 1] - binomial[hand[place + 1], place + 1]
        if index + 1 < kinds.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def sums_over_larger(larger: Whole, held: int, binomial: Whole, smaller: Whole) -> None:
    """Adds to each set of cards what all sets of one card more come to.

    Args:
        larger: int64[sets, columns], the values of the sets of so many cards by number.
        held: Their cards.
        binomial: Binomial coefficients of cards and places.
        smaller: int64[sets, columns] of one card less, added to.
    """
    hand = np.arange(held)
    columns = larger.shape[1]
    for index in range(larger.shape[0]):
        number = np.int64(0)
        for place in range(1, held):
            number += binomial[hand[place], place]
        for place in range(held):
            for column in range(columns):
                smaller[number, column] += larger[index, column]
            if place + 1 < held:
                number += binomial[hand[place], place + 1] - binomial[hand[place + 1], place + 1]
        if index + 1 < larger.shape[0]:
            next_hand(hand)


@njit(cache=True, nogil=True)
def set_numbers(hand: NDArray[Any], binomial: Whole, numbers: Whole, shifted: Whole) -> None:
    """Sets the number of every set of places of a hand in rising order, alone and next to one lower card.

    Args:
        hand: The cards, rising.
        binomial: Binomial coefficients of cards and places.
        numbers: int64[2^cards], overwritten.
        shifted: int64[2^cards], overwritten: what the same cards add to a number where one lower card is next to them.
    """
    numbers[0] = shifted[0] = 0
    for place in range(hand.size):
        bit = 1 << place
        card = hand[place]
        for lower in range(bit):
            held = SIZES[lower]
            numbers[bit | lower] = numbers[lower] + binomial[card, held + 1]
            shifted[bit | lower] = shifted[lower] + binomial[card, held + 2]


@njit(cache=True, nogil=True)
def excluded(found: Whole) -> None:
    """Turns sums over hands that hold each set of places into sums over hands that hold it and no other place.

    Args:
        found: int64[2^cards] by set of places, overwritten.
    """
    bit = 1
    while bit < found.size:
        for places in range(found.size):
            if not places & bit:
                found[places] -= found[places | bit]
        bit <<= 1

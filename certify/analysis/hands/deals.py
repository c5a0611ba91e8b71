"""All hands of a deck by number, classes of hands that differ in the names of suits alone, and hands that hold cards.

A hand is numbered by its cards in rising order: the sum of the binomial coefficients of card and place. That hands of
a class are worth the same is nowhere taken for granted: :func:`require_equal_cards` looks at every hand.

How many hands hold K and none of the cards X follows by inclusion and exclusion: with N(T) the number of hands of some
kind that hold all cards of T, it is the sum of (-1)^|T| N(K and T) over all subsets T of X. Sets of so many cards are
numbered as hands are; of a hand, a set of its places is written as bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.strength import WILD, CountedDeck, bits_of
from certify.analysis.hands.strength_bits import best_five_bits, three_bits
from certify.errors import InputError
from certify.kernels import njit

Whole = NDArray[np.int64]

MOST_CARDS: Final = 64
"""Most cards of a deck: far above any, and its hands still fit in memory."""

MOST_HELD: Final = 6
"""Most cards of a hand that is numbered."""


BINOMIAL: Final = np.array(
    [[comb(card, place) for place in range(MOST_HELD + 1)] for card in range(MOST_CARDS + 1)], dtype=np.int64
)


@dataclass(frozen=True, slots=True)
class Deals:
    """The hands of a deck by classes.

    Args:
        hands: int64[classes, cards], the hand that represents each class, arranged.
        numbers: int64[classes], the number of that hand, rising.
        weights: int64[classes], how many hands are of each class.
        place: int32[hands], the class of every hand by its number.
        bits: int64[hands], every hand as bits.
        strengths: int64[hands], the strength of every hand.
    """

    hands: Whole
    numbers: Whole
    weights: Whole
    place: NDArray[np.int32]
    bits: Whole
    strengths: Whole


@lru_cache(maxsize=4)
def deals_of(deck: CountedDeck, cards: int) -> Deals:
    """Returns every hand of three or five cards of a deck by classes.

    Raises:
        InputError: Hands of a class are not of the same strength.
    """
    ranks, suits = arrays_of(deck)
    total = comb(deck.size, cards)
    stands = np.empty(total, dtype=np.int64)
    bits, strengths = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    _represent(ranks, suits, _face_table(deck), deck.suits, BINOMIAL, cards, stands)
    _strengths(bits_of(deck), cards, bits, strengths)
    numbers, place = _classes(stands)
    require_equal_cards(strengths, numbers, place)
    weights = np.bincount(place, minlength=len(numbers)).astype(np.int64)
    hands = np.empty((len(numbers), cards), dtype=np.int64)
    _arranged_hands(numbers, ranks, suits, deck.suits, BINOMIAL, hands)
    return Deals(hands, numbers, weights, place, bits, strengths)


def require_equal_cards(values: NDArray[Any], numbers: Whole, place: NDArray[np.int32]) -> None:
    """Checks that what is stated of every hand is the same for all hands of its class.

    Args:
        values: What is stated of each hand, by number.
        numbers: The number of the hand that represents each class.
        place: The class of each hand.

    Raises:
        InputError: It is not.
    """
    wrong = np.flatnonzero(values != values[numbers][place])
    if len(wrong):
        hand, other = int(wrong[0]), int(numbers[place[wrong[0]]])
        raise InputError(
            f"hands {hand} and {other} differ in the names of suits alone and are valued {values[hand]} and "
            f"{values[other]}: expected one value for {len(numbers)} classes, {len(wrong)} hands have another"
        )


def number(faces: Sequence[int]) -> int:
    """Returns the number of a hand in any order.

    >>> number([4, 0, 2])
    5
    """
    return sum(comb(face, place) for place, face in enumerate(sorted(faces), start=1))


def hand_of(number: int, cards: int, size: int) -> tuple[int, ...]:
    """Returns the hand of a number, its cards in rising order.

    >>> hand_of(5, 3, 52)
    (0, 2, 4)
    """
    faces, card = [], size
    for place in range(cards, 0, -1):
        card = next(one for one in range(card - 1, -1, -1) if comb(one, place) <= number)
        number -= comb(card, place)
        faces.append(card)
    return tuple(reversed(faces))


def arrays_of(deck: CountedDeck) -> tuple[Whole, Whole]:
    """Returns rank and suit of every face, int64[cards] each; the rank of a wild card is negative."""
    ranks, suits = zip(*deck.cards, strict=True)
    return np.array(ranks, dtype=np.int64), np.array(suits, dtype=np.int64)


def _classes(stands: Whole) -> tuple[Whole, NDArray[np.int32]]:
    """Returns the numbers of the hands that represent classes, and the class of each hand."""
    first = np.zeros(len(stands), dtype=np.int32)
    first[stands] = 1
    order = np.cumsum(first, dtype=np.int32) - 1
    return np.flatnonzero(first).astype(np.int64), order[stands].astype(np.int32)


def _face_table(deck: CountedDeck) -> Whole:
    """Returns the face of every rank and suit, int64[13, suits]; in the last row the wild faces, in order."""
    table = np.full((14, max(deck.suits, deck.wilds, 1)), -1, dtype=np.int64)
    wild = 0
    for face, (rank, suit) in enumerate(deck.cards):
        if rank == WILD:
            table[13, wild] = face
            wild += 1
        else:
            table[rank, suit] = face
    return table


@njit(cache=True, nogil=True)
def _strengths(face_bits: Whole, cards: int, bits: Whole, strengths: Whole) -> None:
    hand = np.arange(cards)
    for deal in range(bits.size):
        held = np.int64(0)
        for face in hand:
            held |= face_bits[face]
        bits[deal] = held
        strengths[deal] = three_bits(held) if cards == 3 else best_five_bits(held)
        if deal + 1 < bits.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def number_of(hand: Whole, binomial: Whole) -> int:
    """Returns the number of a hand whose cards are in rising order."""
    number = 0
    for place in range(hand.size):
        number += binomial[hand[place], place + 1]
    return number


@njit(cache=True, nogil=True, inline="always")
def number_at(rows: NDArray[Any], row: int, begin: int, end: int, binomial: Whole) -> Any:
    """Returns the number of the hand that some places of a row hold, in any order and without a branch."""
    number = np.int64(0)
    for place in range(begin, end):
        card, below = rows[row, place], 1
        for other in range(begin, end):
            below += rows[row, other] < card
        number += binomial[card, below]
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
    ranks: Whole, suits: Whole, faces: Whole, suit_count: int, binomial: Whole, cards: int, stands: Whole
) -> None:
    hand = np.arange(cards)
    named = np.empty(cards, dtype=np.int64)
    masks, labels = np.zeros(suit_count, dtype=np.int64), np.zeros(suit_count, dtype=np.int64)
    for deal in range(stands.size):
        label_suits(hand, ranks, suits, masks, labels)
        wild = 0
        for place in range(cards):
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
    keys = np.empty(hands.shape[1], dtype=np.int64)
    for index in range(numbers.size):
        rest = numbers[index]
        card = binomial.shape[0] - 1
        for place in range(hands.shape[1], 0, -1):
            while binomial[card, place] > rest:
                card -= 1
            hands[index, place - 1] = card
            rest -= binomial[card, place]
        arrange(hands[index], ranks, suits, masks, labels, keys)


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

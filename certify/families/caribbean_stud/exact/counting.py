"""Every hand of the player against every open card: how many of the dealer's hands lose, tie, win or do not qualify.

Hands that differ in the names of suits alone are worth the same: 134,459 of 2,598,960 are left, and about five and a
half million pairs of one of them with an open card. Each meets C(46,4) = 163,185 hands of the dealer; they are not
looked at one by one. Let N(X) be the number of all hands below some strength that hold the cards X. Of the hands below
it that hold the open card u and none of the player's five cards H there are, by inclusion and exclusion,

    sum over subsets T of H of (-1)^|T| N(T and u).

The tables N are filled while all hands are gone through once from the weakest up, so that at the turn of a strength
they hold what is below it; sets of five cards are one hand each, whose strength is looked up. Hands of equal strength
are few and are compared one by one. Everything counted is a whole number; figures divide once, at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.cards import HAND, key_of, patterns
from certify.families.french_deck.deck import RANKS, Card, Deck

UNQUALIFIED, WIN, TIE, LOSE, FOLDED = range(5)
ENDS: Final = 5
"""How a hand ends; the last one is that it was not played."""

HIGH, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH, ROYAL = range(10)
KINDS: Final = 10
"""Kinds of hands, from the lowest; a royal flush is the highest straight flush."""

_SHIFT: Final = 26
"""Bits below the kind of a hand in its strength."""
_LEAST: Final = {ids.ANY: 0, ids.ACE: 1 << 12, ids.ACE_KING: 3 << 11, ids.PAIR: PAIR << _SHIFT}
"""Strength from which a dealer qualifies."""


@dataclass(frozen=True)
class Counted:
    """Every pair of a hand, up to the names of suits, and an open card.

    Args:
        faces: int64[classes, 5]: a hand of each class.
        kinds: int64[classes]: kind of each.
        hand: int32[pairs]: class of the player's hand.
        up: uint8[pairs]: face of the open card.
        cell: int32[pairs]: cell of the pair in a chart: place of the hand's pattern times thirteen, and the open rank.
        six: uint8[pairs]: kind of the best five of these six cards.
        weight: uint8[pairs]: deals of six cards that the pair stands for.
        met: int32[pairs, 3]: hands of the dealer that do not qualify, that lose, that tie; the others win.
        dealt: Hands of the dealer that each pair meets.
    """

    faces: NDArray[np.int64]
    kinds: NDArray[np.int64]
    hand: NDArray[np.int32]
    up: NDArray[np.uint8]
    cell: NDArray[np.int32]
    six: NDArray[np.uint8]
    weight: NDArray[np.uint8]
    met: NDArray[np.int32]
    dealt: int

    @property
    def total(self) -> int:
        """Number of deals of both hands and the open card among the dealer's."""
        return int(self.weight.sum(dtype=np.int64)) * self.dealt


@lru_cache(maxsize=2)
def counted(deck: Deck, lowest: str) -> Counted:
    """Returns every pair of a hand and an open card of a deck, counted.

    Args:
        deck: The cards; every rank is there in every suit.
        lowest: Lowest hand with which the dealer qualifies.
    """
    cards = np.array(deck.cards, dtype=np.int64)
    size = deck.size
    choose = np.array([[comb(n, k) for k in range(HAND + 1)] for n in range(size + 1)], dtype=np.int64)
    hands, strengths, alike = _hands(cards, choose, int(choose[size, HAND]))
    _, first, weights = np.unique(alike, return_index=True, return_counts=True)
    # The strongest last: classes of one strength lie together, in the order in which strengths are come to.
    order = np.argsort(strengths[first], kind="stable")
    first, weights = first[order], weights[order]
    hand, up, weight = _pairs(cards, deck.suits, hands[first], weights)
    starts = np.searchsorted(hand, np.arange(len(first) + 1))
    order = np.argsort(strengths, kind="stable")
    six, met = _count(cards, choose, hands, strengths, order, first, up, starts, _LEAST[lowest])
    faces = hands[first].astype(np.int64)
    cell = _pattern_places(deck, faces).astype(np.int32)[hand] * len(RANKS) + cards[up, 0].astype(np.int32)
    kinds = strengths[first].astype(np.int64) >> _SHIFT
    return Counted(faces, kinds, hand, up, cell, six, weight, met, comb(size - HAND - 1, HAND - 1))


def _pattern_places(deck: Deck, faces: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the place of the pattern of each hand among the patterns of its deck."""
    cards = np.array(deck.cards, dtype=np.int64)
    ranks = -np.sort(-cards[faces, 0], axis=1)
    suits = cards[faces, 1]
    suited = (suits == suits[:, :1]).all(axis=1)
    keys = np.zeros(len(faces), dtype=np.int64)
    for place in range(HAND):
        keys = keys * 16 + ranks[:, place]
    known = np.array([key_of(pattern) for pattern in patterns(deck)], dtype=np.int64)
    return np.asarray(np.searchsorted(known, keys * 2 + suited), dtype=np.int64)


def strength_of(cards: Sequence[Card]) -> int:
    """Returns a number that orders hands of five cards."""
    return int(_strength(np.array(cards, dtype=np.int64), np.arange(HAND)))


def end_of(deck: Deck, lowest: str, player: Sequence[int], dealer: Sequence[int]) -> int:
    """Returns how two hands end."""
    own, other = (strength_of([deck.cards[face] for face in hand]) for hand in (player, dealer))
    if other < _LEAST[lowest]:
        return UNQUALIFIED
    return WIN if own > other else TIE if own == other else LOSE


@njit(cache=True, nogil=True)
def _strength(cards: NDArray[np.int64], hand: NDArray[Any]) -> np.int64:
    """Returns kind and ranks that decide as one number: the ranks held most often, then the others, as bits."""
    once = twice = three = four = np.int64(0)
    suit, flush = cards[hand[0], 1], True
    for face in hand:
        bit = np.int64(1) << cards[face, 0]
        four |= three & bit
        three |= twice & bit
        twice |= once & bit
        once |= bit
        flush = flush and cards[face, 1] == suit
    if four:
        return FOUR << _SHIFT | four << 13 | once ^ four
    if three:
        kind = FULL if twice ^ three else THREE
        return kind << _SHIFT | three << 13 | once ^ three
    if twice:
        kind = TWO_PAIR if twice & (twice - 1) else PAIR
        return kind << _SHIFT | twice << 13 | once ^ twice
    low = once & -once
    top = once // low
    if top == 31 or once == 0b1000000001111:
        # The run from the ace up is the lowest one, though the ace is the highest card.
        value = np.int64(0) if top != 31 else low
        if flush:
            return (ROYAL if value == 256 else STRAIGHT_FLUSH) << _SHIFT | value
        return STRAIGHT << _SHIFT | value
    return np.int64(FLUSH if flush else HIGH) << _SHIFT | once


@njit(cache=True, nogil=True)
def _alike(masks: NDArray[np.int64]) -> Any:
    """Returns the ranks held of each suit as one number, the suits put in falling order."""
    for place in range(1, 4):
        for before in range(place, 0, -1):
            if masks[before] > masks[before - 1]:
                masks[before], masks[before - 1] = masks[before - 1], masks[before]
    return masks[0] << 39 | masks[1] << 26 | masks[2] << 13 | masks[3]


@njit(cache=True, nogil=True)
def _below(strengths: NDArray[np.int64], limit: int) -> int:
    """Returns how many strengths are below a limit."""
    found = 0
    for one in strengths:
        found += one < limit
    return found


@njit(cache=True, nogil=True)
def _hands(
    cards: NDArray[np.int64], choose: NDArray[np.int64], number: int
) -> tuple[NDArray[np.uint8], NDArray[np.int32], NDArray[np.int64]]:
    """Returns every hand by its number with its strength, and a number that hands share up to the names of suits."""
    size = len(cards)
    hands = np.zeros((number, 5), np.uint8)
    strengths = np.zeros(number, np.int32)
    alike = np.zeros(number, np.int64)
    masks = np.zeros(4, np.int64)
    place = 0
    # The last card in the outermost loop: hands come in the order of their numbers.
    for e in range(4, size):
        for d in range(3, e):
            for c in range(2, d):
                for b in range(1, c):
                    for a in range(b):
                        hand = hands[place]
                        hand[0], hand[1], hand[2], hand[3], hand[4] = a, b, c, d, e
                        strengths[place] = _strength(cards, hand)
                        masks[:] = 0
                        for face in hand:
                            masks[cards[face, 1]] |= np.int64(1) << cards[face, 0]
                        alike[place] = _alike(masks)
                        place += 1
    return hands, strengths, alike


@njit(cache=True, nogil=True)
def _sets(hand: NDArray[Any], held: int, choose: NDArray[np.int64], pairs: Any, triples: Any) -> None:
    """Writes the numbers of all sets of two and of three of the first cards of a hand, which are in order."""
    pair = triple = 0
    for i in range(held):
        for j in range(i + 1, held):
            pairs[pair] = choose[hand[i], 1] + choose[hand[j], 2]
            for k in range(j + 1, held):
                triples[triple] = pairs[pair] + choose[hand[k], 3]
                triple += 1
            pair += 1


@njit(cache=True, nogil=True)
def _add(
    hand: NDArray[np.uint8],
    choose: NDArray[np.int64],
    rest: NDArray[np.int64],
    pairs: NDArray[np.int64],
    triples: NDArray[np.int64],
    ones: NDArray[np.int32],
    twos: NDArray[np.int32],
    threes: NDArray[np.int16],
    fours: NDArray[np.uint8],
) -> None:
    """Counts a hand among those below all that follow, with each of its cards as the open one."""
    for opened in range(5):
        up, held = hand[opened], 0
        for place in range(5):
            if place != opened:
                rest[held] = hand[place]
                held += 1
        _sets(rest, 4, choose, pairs, triples)
        ones[up] += 1
        for i in range(4):
            twos[up, rest[i]] += 1
            fours[up, triples[i]] += 1
        for i in range(6):
            threes[up, pairs[i]] += 1


@njit(cache=True, nogil=True)
def _without(
    hand: NDArray[np.uint8],
    up: int,
    pairs: NDArray[np.int64],
    triples: NDArray[np.int64],
    ones: NDArray[np.int32],
    twos: NDArray[np.int32],
    threes: NDArray[np.int16],
    fours: NDArray[np.uint8],
) -> int:
    """Returns the hands counted that hold the open card and none of the player's, but for those that hold four."""
    found = int(ones[up])
    for i in range(5):
        found -= twos[up, hand[i]]
    for i in range(10):
        found += threes[up, pairs[i]]
        found -= fours[up, triples[i]]
    return found


@njit(cache=True, nogil=True)
def _sixth(
    hand: NDArray[np.uint8],
    up: int,
    choose: NDArray[np.int64],
    strengths: NDArray[np.int32],
    found: NDArray[np.int64],
) -> None:
    """Writes the strengths of the five hands that the open card makes with four of the player's."""
    for left in range(5):
        number, place, before = np.int64(0), 1, True
        for i in range(5):
            if i == left:
                continue
            if before and hand[i] > up:
                number += choose[up, place]
                place += 1
                before = False
            number += choose[hand[i], place]
            place += 1
        if before:
            number += choose[up, place]
        found[left] = strengths[number]


@njit(cache=True, nogil=True)
def _count(
    cards: NDArray[np.int64],
    choose: NDArray[np.int64],
    hands: NDArray[np.uint8],
    strengths: NDArray[np.int32],
    order: NDArray[np.int64],
    first: NDArray[np.int64],
    ups: NDArray[np.uint8],
    starts: NDArray[np.int64],
    least: int,
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Returns kind of six cards and hands met of every pair, as `Counted` has them."""
    size, number = len(cards), len(hands)
    six = np.zeros(len(ups), np.uint8)
    met = np.zeros((len(ups), 3), np.int32)
    ones = np.zeros(size, np.int32)
    twos = np.zeros((size, size), np.int32)
    # At most C(49, 2) hands hold three cards that are given, at most 48 hold four.
    threes = np.zeros((size, choose[size, 2]), np.int16)
    fours = np.zeros((size, choose[size, 3]), np.uint8)
    rest, pairs, triples = np.zeros(4, np.int64), np.zeros(10, np.int64), np.zeros(10, np.int64)
    sixth, ties = np.zeros(5, np.int64), np.zeros(size, np.int32)
    bits = np.zeros(number, np.int64)
    for place in range(number):
        for face in hands[place]:
            bits[place] |= np.int64(1) << face
    settled, place, group = False, 0, 0
    while place < number or not settled:
        if not settled and (place == number or strengths[order[place]] >= least):
            # All hands that do not qualify are counted, and no other.
            settled = True
            for one in range(len(first)):
                hand, own = hands[first[one]], np.int64(strengths[first[one]])
                _sets(hand, 5, choose, pairs, triples)
                for pair in range(starts[one], starts[one + 1]):
                    _sixth(hand, ups[pair], choose, strengths, sixth)
                    met[pair, 0] = _without(hand, ups[pair], pairs, triples, ones, twos, threes, fours)
                    met[pair, 0] += _below(sixth, least)
                    best = own
                    for one_more in sixth:
                        best = max(best, one_more)
                    six[pair] = best >> _SHIFT
            continue
        now, end = strengths[order[place]], place
        while end < number and strengths[order[end]] == now:
            end += 1
        while group < len(first) and strengths[first[group]] == now:
            hand, held = hands[first[group]], bits[first[group]]
            if now >= least:
                _sets(hand, 5, choose, pairs, triples)
                ties[:] = 0
                for other in range(place, end):
                    if bits[order[other]] & held == 0:
                        for face in hands[order[other]]:
                            ties[face] += 1
                for pair in range(starts[group], starts[group + 1]):
                    _sixth(hand, ups[pair], choose, strengths, sixth)
                    lost = _without(hand, ups[pair], pairs, triples, ones, twos, threes, fours)
                    met[pair, 1] = lost + _below(sixth, now) - met[pair, 0]
                    met[pair, 2] = ties[ups[pair]]
            group += 1
        for other in range(place, end):
            _add(hands[order[other]], choose, rest, pairs, triples, ones, twos, threes, fours)
        place = end
    return six, met


@njit(cache=True, nogil=True)
def _pairs(
    cards: NDArray[np.int64], suits: int, hands: NDArray[np.uint8], weights: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """Returns class, open card and weight of every pair; of suits that hold the same, the first stands for all."""
    most = len(hands) * (len(cards) - 5)
    of, ups, weight = np.zeros(most, np.int32), np.zeros(most, np.uint8), np.zeros(most, np.uint8)
    found = 0
    masks = np.zeros(4, np.int64)
    for group in range(len(hands)):
        masks[:] = 0
        for face in hands[group]:
            masks[cards[face, 1]] |= np.int64(1) << cards[face, 0]
        for up in range(len(cards)):
            rank, suit = cards[up, 0], cards[up, 1]
            if masks[suit] >> rank & 1:
                continue
            alike, stands = 0, True
            for other in range(suits):
                if masks[other] == masks[suit]:
                    alike += 1
                    stands = stands and other >= suit
            if stands:
                of[found], ups[found], weight[found] = group, up, weights[group] * alike
                found += 1
    return of[:found], ups[:found], weight[:found]

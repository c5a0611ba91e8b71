"""Hand against hand: everything a player may see before one decision, and how many hands of the dealer end it how.

Players' hands that differ in the names of suits alone are counted once, with their number. Hands of five are too many
to meet one by one (134,459 classes, five and a half million pairs with an open card, 163,185 hands each): the hands
that hold the open card u, none of the player's cards H and are below some strength are, by inclusion and exclusion,

    sum over subsets T of H of (-1)^|T| N(T and u),

N being counted while all hands are gone through once from the weakest up; hands of equal strength are few and are
compared one by one. Everything is a whole number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import (
    BINOMIAL,
    SIZES,
    Whole,
    arrays_of,
    deals_of,
    label_suits,
    next_hand,
    offsets_of,
    set_numbers,
)
from certify.analysis.hands.strength import SHIFT, CountedDeck, bits_of
from certify.errors import InputError
from certify.families.one_decision.text import FOLDED
from certify.kernels import njit

_LARGEST: Final = 2**62
"""What sums of whole numbers of this size stay below."""


@dataclass(frozen=True)
class Situations:
    """Everything a player may see before the decision, up to the names of suits.

    Args:
        hands: int64[classes, cards]: a hand of each class, rising in strength where a card of the dealer is open.
        classes: int64[classes]: which class of :func:`certify.analysis.hands.deals.deals_of` each is.
        strengths: int64[classes]: how strong each is.
        hand: int32[situations]: class of the player's hand, rising.
        up: uint8[situations]: face of the dealer's open card; 0 where none is open.
        kinds: uint8[situations]: kind of the player's hand.
        together: uint8[situations]: kind of the best five of the player's hand and the open card; 0 where the kind of
            a hand with the dealer's cards is a column of ``met`` instead.
        weights: int64[situations]: deals that each represents.
        met: int32[situations, columns]: hands of the dealer by how they end; ends below FOLDED, and within each where
            there are more columns, kinds of the best five of both hands together.
        dealt: Hands of the dealer that each situation meets.
        folds: For each way in which a hand that is played may end, how it ends where it is given up instead.
    """

    hands: Whole
    classes: Whole
    strengths: Whole
    hand: NDArray[np.int32]
    up: NDArray[np.uint8]
    kinds: NDArray[np.uint8]
    together: NDArray[np.uint8]
    weights: NDArray[Any]
    met: NDArray[np.int32]
    dealt: int
    folds: tuple[int, ...] = (FOLDED,) * FOLDED

    @property
    def total(self) -> int:
        """Number of deals of both hands."""
        return int(self.weights.sum(dtype=np.int64)) * self.dealt

    def cell(self, situation: int, column: int) -> tuple[int, int, int]:
        """Returns kind of the player's hand, end and kind of both together that a column counts."""
        every = self.met.shape[1] // len(self.folds)
        together = column % every if every > 1 else int(self.together[situation])
        return int(self.kinds[situation]), column // every, together


@lru_cache(maxsize=4)
def situations(deck: CountedDeck, least: int) -> Situations:
    """Returns every situation of a game of five cards against five of which one is open, counted.

    Args:
        deck: The cards; every rank is there in every suit.
        least: Strength from which the dealer's hand qualifies.
    """
    deals = deals_of(deck, 5)
    # The strongest last: classes of one strength lie together, in the order in which strengths are come to.
    rising = np.argsort(deals.strengths[deals.numbers], kind="stable")
    first, weights = deals.numbers[rising], deals.weights[rising]
    hands = np.sort(deals.hands[rising], axis=1)
    ranks, suits = arrays_of(deck)
    hand, up, times = _pairs(ranks, suits, deck.suits, hands, weights)
    starts = np.searchsorted(hand, np.arange(len(first) + 1))
    order = np.argsort(deals.strengths, kind="stable")
    strengths = deals.strengths[first]
    together, met = np.zeros(len(up), np.uint8), np.zeros((len(up), 4), np.int32)
    dealt = comb(deck.size - 6, 4)
    within = np.zeros(int(offsets_of(deck.size, 5)[5]), np.int32)
    _sweep(
        bits_of(deck),
        deals.bits,
        deals.strengths,
        order,
        hands,
        strengths,
        up,
        starts,
        least,
        BINOMIAL,
        offsets_of(deck.size, 5),
        within,
        together,
        met,
        dealt,
    )
    kinds = (strengths >> SHIFT).astype(np.uint8)[hand]
    return Situations(hands, rising, strengths, hand, up, kinds, together, times, met, dealt)


@njit(cache=True, nogil=True)
def _pairs(
    ranks: Whole, suits: Whole, suit_count: int, hands: Whole, weights: Whole
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.uint8]]:
    """Returns class, open card and weight of every pair; of suits that hold the same, the first represents all."""
    most = len(hands) * (len(ranks) - 5)
    of, ups, times = np.zeros(most, np.int32), np.zeros(most, np.uint8), np.zeros(most, np.uint8)
    found = 0
    masks, labels = np.zeros(suit_count, np.int64), np.zeros(suit_count, np.int64)
    for group in range(len(hands)):
        label_suits(hands[group], ranks, suits, masks, labels)
        for up in range(len(ranks)):
            if masks[suits[up]] >> ranks[up] & 1:
                continue
            alike, stands = 0, True
            for other in range(suit_count):
                if masks[other] == masks[suits[up]]:
                    alike += 1
                    stands = stands and other >= suits[up]
            if stands:
                of[found], ups[found], times[found] = group, up, weights[group] * alike
                found += 1
    return of[:found], ups[:found], times[:found]


_PLUS: Final = np.array([places for places in range(31) if SIZES[places] in (0, 2)], dtype=np.int64)
_MINUS: Final = np.array([places for places in range(31) if SIZES[places] in (1, 3)], dtype=np.int64)
_FOURS: Final = np.array([places for places in range(31) if SIZES[places] == 4], dtype=np.int64)
"""Sets of places of a player's hand: those that count, those that are taken off, and those whose fifth card is open."""


@njit(cache=True, nogil=True)
def _beside(gap: int, numbers: Whole, shifted: Whole, offsets: Whole, base: Whole, place: Whole) -> None:
    """Sets where each set of a hand's places is with one more card that has so many of the hand's below it."""
    for places in range(31):
        lower = places & ((1 << gap) - 1)
        place[places] = SIZES[lower] + 1
        base[places] = numbers[lower] - shifted[lower] + shifted[places]
        if SIZES[places] < 4:
            base[places] += offsets[SIZES[places] + 1]


@njit(cache=True, nogil=True)
def _below(
    limit: Any,
    up: Any,
    base: Whole,
    place: Whole,
    binomial: Whole,
    within: NDArray[np.int32],
    strengths: Whole,
    best: Any,
) -> tuple[Any, Any]:
    """Returns the hands below a limit next to the open card, and the best of the player's cards with it.

    Args:
        limit: Strength up to which hands are in the tables; sets of five cards are one hand each and looked up.
        up: Face of the open card.
        base: Where each set of the player's places is next to it, but for the open card itself.
        place: Which place the open card has in each set.
        binomial: Binomial coefficients of cards and places.
        within: How many hands hold each set of cards.
        strengths: Strength of every hand by its number.
        best: Strength of the player's hand.
    """
    row = binomial[up]
    found: Any = np.int64(0)
    for places in _PLUS:
        found += within[base[places] + row[place[places]]]
    for places in _MINUS:
        found -= within[base[places] + row[place[places]]]
    for places in _FOURS:
        strength = strengths[base[places] + row[place[places]]]
        found += strength < limit
        best = max(best, strength)
    return found, best


@njit(cache=True, nogil=True)
def _sweep(
    face_bits: Whole,
    bits: Whole,
    strengths: Whole,
    order: Whole,
    hands: Whole,
    own: Whole,
    ups: NDArray[np.uint8],
    starts: Whole,
    least: int,
    binomial: Whole,
    offsets: Whole,
    within: NDArray[np.int32],
    together: NDArray[np.uint8],
    met: NDArray[np.int32],
    dealt: int,
) -> None:
    """Goes through all hands from the weakest up; at the turn of a strength the tables hold what is below it."""
    number, cards = len(order), np.arange(5)
    faces = np.empty((number, 5), np.uint8)
    for hand in range(number):
        for card in range(5):
            faces[hand, card] = cards[card]
        if hand + 1 < number:
            next_hand(cards)
    ties = np.zeros(face_bits.size, np.int32)
    numbers, shifted = np.zeros(32, np.int64), np.zeros(32, np.int64)
    base, place_of = np.zeros(32, np.int64), np.zeros(32, np.int64)
    place, group, settled = 0, 0, False
    while place < number or not settled:
        # When all hands that do not qualify are counted, and no other, their number is taken at every pair.
        now = strengths[order[place]] if place < number else np.int64(_LARGEST)
        settling = not settled and now >= least
        end, begin, stop = place, group, group
        if settling:
            settled, begin, stop, now = True, 0, len(own), np.int64(least)
        else:
            while end < number and strengths[order[end]] == now:
                end += 1
            while stop < len(own) and own[stop] == now:
                stop += 1
            group = stop
        if now >= least:
            for one in range(begin, stop):
                hand, held = hands[one], np.int64(0)
                for face in hand:
                    held |= face_bits[face]
                set_numbers(hand, binomial, numbers, shifted)
                if not settling:
                    ties[:] = 0
                    for other in range(place, end):
                        if bits[order[other]] & held == 0:
                            for face in faces[order[other]]:
                                ties[face] += 1
                gap = -1
                for pair in range(starts[one], starts[one + 1]):
                    up, lower = np.int64(ups[pair]), 0
                    for face in hand:
                        lower += face < up
                    if lower != gap:
                        gap = lower
                        _beside(gap, numbers, shifted, offsets, base, place_of)
                    found, best = _below(now, up, base, place_of, binomial, within, strengths, own[one])
                    if settling:
                        met[pair, 0] = found
                        together[pair] = best >> 26
                    else:
                        met[pair, 1] = found - met[pair, 0]
                        met[pair, 2] = ties[up]
        if not settling:
            for other in range(place, end):
                for card in range(5):
                    cards[card] = faces[order[other], card]
                set_numbers(cards, binomial, numbers, shifted)
                for places in range(1, 31):
                    within[offsets[SIZES[places]] + numbers[places]] += 1
            place = end
    for pair in range(len(ups)):
        met[pair, 3] = dealt - met[pair, 0] - met[pair, 1] - met[pair, 2]


def worth(found: Situations, nets: Sequence[Sequence[int]], what: str) -> Whole:
    """Returns the net result of playing each situation against all hands of the dealer together, int64[situations].

    Args:
        found: The situations.
        nets: Net result by kind of the player's hand and end, or column of ``met``, in whole parts of the stake.
        what: What is paid, for a complaint.

    Raises:
        InputError: Pays are too large or too fine to be counted in whole numbers of 63 bits.
    """
    if max(abs(net) for by_end in nets for net in by_end) * found.total >= _LARGEST:
        raise InputError(
            f"the pays of {what} are too large, or fractions too fine: expected sums of less than {_LARGEST}"
        )
    values = np.zeros(len(found.hand), dtype=np.int64)
    _worth(np.array(nets, dtype=np.int64), found.kinds, found.met, values)
    return values


@njit(cache=True, nogil=True)
def _worth(nets: Whole, kinds: NDArray[np.uint8], met: NDArray[np.int32], values: Whole) -> None:
    every = met.shape[1] // nets.shape[1]
    for place in range(len(values)):
        for end in range(nets.shape[1]):
            net = nets[kinds[place], end]
            for column in range(end * every, (end + 1) * every):
                values[place] += net * met[place, column]


def ways(found: Situations, played: NDArray[np.uint8], shape: tuple[int, int, int]) -> Whole:
    """Returns how many deals end how, int64[kind of hand, end, kind together].

    Args:
        found: The situations.
        played: uint8[situations], whether each is played.
        shape: How many kinds, ends and kinds together there are.
    """
    ended = np.zeros(shape, dtype=np.int64)
    folds = np.array(found.folds, dtype=np.int64)
    _ways(played, found.kinds, found.together, found.weights, found.met, folds, ended)
    return ended


@njit(cache=True, nogil=True)
def _ways(
    played: NDArray[np.uint8],
    kinds: NDArray[np.uint8],
    together: NDArray[np.uint8],
    weights: NDArray[Any],
    met: NDArray[np.int32],
    folds: Whole,
    ended: Whole,
) -> None:
    every = met.shape[1] // folds.size
    for place in range(len(played)):
        cells, times = ended[kinds[place]], np.int64(weights[place])
        for end in range(folds.size):
            into = cells[end if played[place] else folds[end]]
            if every == 1:
                into[together[place]] += times * met[place, end]
            else:
                for column in range(every):
                    into[column] += times * met[place, end * every + column]


@njit(cache=True, nogil=True)
def sums(
    groups: NDArray[np.int32], weights: NDArray[Any], values: Whole, weight: Whole, value: Whole
) -> None:
    """Adds up weights and weighted values of situations by group.

    Args:
        groups: int32[situations], the group of each.
        weights: Deals that each represents.
        values: int64[situations], what each is worth.
        weight: int64[groups], added to.
        value: int64[groups], added to.
    """
    for place in range(len(groups)):
        times = np.int64(weights[place])
        weight[groups[place]] += times
        value[groups[place]] += times * values[place]

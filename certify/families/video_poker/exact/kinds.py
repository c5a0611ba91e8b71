"""What every five-card hand is, by the account of the exact figures: sets of ranks as bits, one pass over all hands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import comb
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.video_poker import rules as ids
from certify.families.video_poker.cards import HAND, Deck
from certify.families.video_poker.deals import Whole, arrays_of, next_hand

(
    NOTHING,
    LOW_PAIR,
    HIGH_PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    LOW_FOUR,
    LOW_FOUR_KICKER,
    ACES,
    ACES_KICKER,
    STRAIGHT_FLUSH,
    FIVE,
    WILD_ROYAL,
    DEUCES,
    ROYAL,
) = range(18)
KINDS: Final = 18
"""Kinds of hands, finer than the rows of any one paytable."""

ROWS_OF_KIND: Final[Mapping[int, tuple[str, ...]]] = {
    NOTHING: (),
    LOW_PAIR: (),
    HIGH_PAIR: (ids.HIGH_PAIR,),
    TWO_PAIR: (ids.TWO_PAIR,),
    THREE: (ids.THREE,),
    STRAIGHT: (ids.STRAIGHT,),
    FLUSH: (ids.FLUSH,),
    FULL_HOUSE: (ids.FULL_HOUSE,),
    FOUR: (ids.FOUR,),
    LOW_FOUR: (ids.FOUR_LOW, ids.FOUR),
    LOW_FOUR_KICKER: (ids.LOW_WITH_KICKER, ids.FOUR_LOW, ids.FOUR),
    ACES: (ids.FOUR_ACES, ids.FOUR),
    ACES_KICKER: (ids.ACES_WITH_KICKER, ids.FOUR_ACES, ids.FOUR),
    STRAIGHT_FLUSH: (ids.STRAIGHT_FLUSH,),
    FIVE: (ids.FIVE,),
    WILD_ROYAL: (ids.WILD_ROYAL,),
    DEUCES: (ids.FOUR_DEUCES,),
    ROYAL: (ids.ROYAL,),
}
"""Rows that a kind is paid by, the first that the paytable names."""

_WHEEL: Final = 0b1_0000_0000_1111
_BROADWAY: Final = 0b1_1111_0000_0000
RUNS: Final = np.array([_WHEEL, *(0b11111 << low for low in range(9))], dtype=np.int64)
"""Sets of ranks of every straight."""


@lru_cache(maxsize=8)
def kinds_of(deck: Deck, lowest_pair: int, deuces: bool) -> NDArray[np.uint8]:
    """Returns the kind of every hand of a deck by its number, uint8[hands].

    Args:
        deck: The deck.
        lowest_pair: Place in RANKS of the lowest pair that is paid.
        deuces: Whether four wild cards are four deuces.
    """
    kinds = np.empty(comb(deck.size, HAND), dtype=np.uint8)
    ranks, suits = arrays_of(deck)
    _fill(ranks, suits, lowest_pair, deuces, RUNS, kinds)
    return kinds


@njit(cache=True, nogil=True)
def _fill(
    ranks: Whole, suits: Whole, lowest_pair: int, deuces: bool, runs: Whole, kinds: NDArray[np.uint8]
) -> None:
    hand = np.arange(5)
    for index in range(kinds.size):
        kinds[index] = kind_of(hand, ranks, suits, lowest_pair, deuces, runs)
        if index + 1 < kinds.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def kind_of(hand: Whole, ranks: Whole, suits: Whole, lowest_pair: int, deuces: bool, runs: Whole) -> int:
    """Returns the kind of a hand of five faces."""
    wild, one, two, three, four = 0, 0, 0, 0, 0
    suit, flush = -1, True
    for card in hand:
        rank = ranks[card]
        if rank < 0:
            wild += 1
            continue
        # Sets of ranks that are held once, twice, three and four times at least.
        bit = 1 << rank
        four |= three & bit
        three |= two & bit
        two |= one & bit
        one |= bit
        if suit < 0:
            suit = suits[card]
        elif suit != suits[card]:
            flush = False
    if wild == 4 and deuces:
        return DEUCES
    distinct = two == 0
    if flush and distinct:
        if one & ~_BROADWAY == 0:
            if wild == 0:
                return ROYAL
            # Wild cards alone with one card may also be five of a kind, which ranks below a wild royal flush.
            return WILD_ROYAL
        for run in runs:
            if one & ~run == 0 and one & (one - 1) != 0:
                return STRAIGHT_FLUSH
    return _of_a_kind(wild, one, two, three, four, flush, distinct, lowest_pair, runs)


@njit(cache=True, nogil=True)
def _of_a_kind(
    wild: int,
    one: int,
    two: int,
    three: int,
    four: int,
    flush: bool,
    distinct: bool,
    lowest_pair: int,
    runs: Whole,
) -> int:
    most = wild + (4 if four else 3 if three else 2 if two else 1 if one else 0)
    if most == 5:
        return FIVE
    if most == 4:
        if wild == 0:
            return _four(four, one & ~four)
        return FOUR
    pairs = 0
    rest = two
    while rest:
        rest &= rest - 1
        pairs += 1
    if (pairs == 2 and (three != 0 or wild == 1)) or (wild == 0 and three != 0 and pairs == 2):
        return FULL_HOUSE
    if flush:
        return FLUSH
    if distinct:
        for run in runs:
            if one & ~run == 0:
                return STRAIGHT
    if most == 3:
        return THREE
    if pairs == 2:
        return TWO_PAIR
    paired = one if wild else two
    if paired >> lowest_pair:
        return HIGH_PAIR
    return LOW_PAIR if paired else NOTHING


@njit(cache=True, nogil=True)
def _four(four: int, kicker: int) -> int:
    low, ace = 0b111, 1 << 12
    if four == ace:
        return ACES_KICKER if kicker & low else ACES
    if four & low:
        return LOW_FOUR_KICKER if kicker & (low | ace) else LOW_FOUR
    return FOUR

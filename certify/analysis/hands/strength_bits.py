"""The compiled twin of :mod:`certify.analysis.hands.strength`: the same strengths of hands given as bits."""

from itertools import combinations
from typing import Any, Final

import numpy as np

from certify.analysis.hands.strength import (
    FIVE,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH,
    MINI_ROYAL,
    PAIR,
    ROYAL,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    THREE_FLUSH,
    THREE_OF_THREE,
    THREE_PAIR,
    THREE_STRAIGHT,
    THREE_STRAIGHT_FLUSH,
    TWO_PAIR,
    run_of,
)
from certify.kernels import njit

_SETS: Final = np.arange(8192)
_RUNS: Final = [sum(1 << rank for rank in (12, 0, 1, 2, 3)), *(0b11111 << low for low in range(9))]

HELD: Final = np.sum([_SETS >> rank & 1 for rank in range(13)], axis=0).astype(np.int8)
"""int8[8192]: how many ranks a set of ranks holds."""


TOP_RUN: Final = np.max(
    [np.where(_SETS & run == run, top, -1) for top, run in enumerate(_RUNS, 3)], axis=0
).astype(np.int8)
"""int8[8192]: the highest rank of the highest five in a row within a set of ranks, -1 where there are none."""
FITS_RUN: Final = np.max(
    [np.where(_SETS & ~run == 0, top, -1) for top, run in enumerate(_RUNS, 3)], axis=0
).astype(np.int8)
"""int8[8192]: the highest rank of the highest five in a row that a set of ranks is within, -1 where it is in none."""
_THREES: Final = {sum(1 << rank for rank in held): run_of(held, 3) for held in combinations(range(13), 3)}
THREE_RUN: Final = np.array([_THREES.get(held, -1) for held in range(8192)], dtype=np.int8)
"""int8[8192]: the highest of three ranks in a row, -1 where a set is no such three."""


@njit(cache=True, nogil=True)
def three_bits(hand: Any) -> Any:
    """Returns the strength of three cards given as bits."""
    a, b, c, d = hand & 8191, (hand >> 13) & 8191, (hand >> 26) & 8191, (hand >> 39) & 8191
    every = a | b | c | d
    if HELD[every] == 3:
        suited = every in (a, b, c, d)
        top = np.int64(THREE_RUN[every])
        if top >= 0:
            kind = THREE_STRAIGHT if not suited else MINI_ROYAL if top == 12 else THREE_STRAIGHT_FLUSH
            return kind << 26 | top
        return (THREE_FLUSH if suited else HIGH) << 26 | every
    # A rank held twice cancels itself out of those held an odd number of times.
    once = a ^ b ^ c ^ d
    if once == every:
        return THREE_OF_THREE << 26 | every << 13
    return THREE_PAIR << 26 | (every ^ once) << 13 | once


@njit(cache=True, nogil=True)
def _highest(ranks: Any, number: int) -> Any:
    """Returns the highest few of a set of ranks."""
    while HELD[ranks] > number:
        ranks &= ranks - 1
    return ranks


@njit(cache=True, nogil=True)
def best_five_bits(hand: Any) -> Any:
    """Returns the strength of the best five of five to seven cards given as bits; five exactly where some are wild."""
    one: Any = np.int64(0)
    two: Any = np.int64(0)
    three: Any = np.int64(0)
    four: Any = np.int64(0)
    flush: Any = np.int64(0)
    for shift in (0, 13, 26, 39):
        held = (hand >> shift) & 8191
        four |= three & held
        three |= two & held
        two |= one & held
        one |= held
        if HELD[held] >= 5:
            flush = held
    if hand >> 52:
        return _wild_bits(hand, one, two, three, four)
    if flush:
        top = np.int64(TOP_RUN[flush])
        if top >= 0:
            return (ROYAL if top == 12 else STRAIGHT_FLUSH) << 26 | top
    if four:
        return FOUR << 26 | four << 13 | _highest(one ^ four, 1)
    if three and HELD[two] > 1:
        most = _highest(three, 1)
        return FULL_HOUSE << 26 | most << 13 | _highest(two ^ most, 1)
    if flush:
        return FLUSH << 26 | _highest(flush, 5)
    top = np.int64(TOP_RUN[one])
    if top >= 0:
        return STRAIGHT << 26 | top
    if three:
        return THREE << 26 | three << 13 | _highest(one ^ three, 2)
    if HELD[two] > 1:
        most = _highest(two, 2)
        return TWO_PAIR << 26 | most << 13 | _highest(one ^ most, 1)
    if two:
        return PAIR << 26 | two << 13 | _highest(one ^ two, 3)
    return HIGH << 26 | _highest(one, 5)


@njit(cache=True, nogil=True)
def _wild_bits(hand: Any, one: Any, two: Any, three: Any, four: Any) -> Any:
    """Returns the strength of five cards of which some are wild, from the ranks held so many times at least."""
    wild, rest = 0, hand >> 52
    while rest:
        rest &= rest - 1
        wild += 1
    suited = one in (hand & 8191, (hand >> 13) & 8191, (hand >> 26) & 8191, (hand >> 39) & 8191)
    top = np.int64(FITS_RUN[one]) if two == 0 else np.int64(-1)
    if suited and top == 12:
        return ROYAL << 26 | top
    most = _highest(four if four else three if three else two if two else one, 1)
    equal = wild + (4 if four else 3 if three else 2 if two else 1)
    if equal == 5:
        return FIVE << 26 | most << 13
    if suited and top >= 0:
        return STRAIGHT_FLUSH << 26 | top
    if equal == 4:
        return FOUR << 26 | most << 13 | (one ^ most)
    if HELD[two] == 2:
        return FULL_HOUSE << 26 | most << 13 | (one ^ most)
    if suited and two == 0:
        # The wild cards are the highest ranks that the flush lacks.
        filled, rank = one, 12
        while HELD[filled] < 5:
            filled |= 1 << rank
            rank -= 1
        return FLUSH << 26 | filled
    if top >= 0:
        return STRAIGHT << 26 | top
    return (THREE if equal == 3 else PAIR) << 26 | most << 13 | (one ^ most)

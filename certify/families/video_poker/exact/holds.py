"""The value of every hold of every deal, in whole numbers.

For every set of up to four cards it is counted once how many five-card hands that hold it are of each kind. A hold
draws from the cards that were neither held nor thrown away, so that its final hands follow by inclusion and
exclusion over what was thrown away; values of holds are compared over their least common denominator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb, lcm
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.video_poker.cards import HAND, Deck
from certify.families.video_poker.deals import BINOMIAL, Deals, Whole, deals_of, next_hand, sort_cards
from certify.families.video_poker.exact.kinds import KINDS, kinds_of

HOLD_COUNT: Final = 32
_ROOM: Final = 1 << 62
"""Values of holds stay below this, so that no sum overflows."""


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All deals of a deck with what their holds can lead to, before anything is paid.

    Args:
        deck: The deck.
        deals: The deals by classes.
        kinds: uint8[hands], the kind of every hand.
        within: int32[sets, kinds], for every set of up to four cards how many hands that hold it are of each kind.
        offsets: int64[6], where the sets of so many cards begin.
        shares: int64[6], what one draw of so many cards counts over the common denominator.
        denominator: The common denominator of the draws.
    """

    deck: Deck
    deals: Deals
    kinds: NDArray[np.uint8]
    within: NDArray[np.int32]
    offsets: Whole
    shares: Whole
    denominator: int

    @property
    def total(self) -> int:
        """Orders, if they may be called so, of deal and draw: the denominator of every probability."""
        return comb(self.deck.size, HAND) * self.denominator


@lru_cache(maxsize=4)
def enumeration(deck: Deck, lowest_pair: int, deuces: bool) -> Enumeration:
    """Returns all deals of a deck, counted once for every paytable over the same hands."""
    kinds = kinds_of(deck, lowest_pair, deuces)
    offsets = np.cumsum([0, *(comb(deck.size, size) for size in range(HAND))]).astype(np.int64)
    within = np.zeros((int(offsets[HAND]), KINDS), dtype=np.int32)
    _count_within(deck.size, kinds, BINOMIAL, offsets, within)
    draws = [comb(deck.size - HAND, drawn) for drawn in range(HAND + 1)]
    denominator = lcm(*draws)
    shares = np.array([denominator // draw for draw in draws], dtype=np.int64)
    return Enumeration(deck, deals_of(deck), kinds, within, offsets, shares, denominator)


def pays_of_kinds(counted: Enumeration, returns: Sequence[Fraction]) -> Whole:
    """Returns what each kind returns, as whole numbers over one denominator, int64[kinds].

    Args:
        counted: The deals.
        returns: What each kind returns, stake included.

    Raises:
        InputError: Pays so high or so fine that sums would not fit into 64 bits.
    """
    unit = lcm(*(value.denominator for value in returns))
    whole = [int(value * unit) for value in returns]
    # Inclusion and exclusion adds 32 terms at most, each a sum over all hands.
    if (
        max(whole) * len(counted.kinds) * HOLD_COUNT * int(counted.shares.max())
        >= _ROOM * int(counted.shares.max())
        or max(whole) * counted.denominator * 2 >= _ROOM
    ):
        raise InputError(
            f"pays of {max(returns)} with a denominator of {unit}: too high or too fine to be enumerated"
        )
    return np.array(whole, dtype=np.int64)


def best_holds(counted: Enumeration, pays: Whole, *, calm: bool = True) -> NDArray[np.uint8]:
    """Returns the best hold of every class of deals, uint8[classes].

    Of holds that are worth the same it is the one whose return varies least, and of these the one that holds more
    cards; where squares of pays would not fit into 64 bits, the one that holds more cards.

    Args:
        counted: The deals.
        pays: What each kind returns, in whole numbers.
        calm: Whether equal holds are told by the lesser spread; by the greater one where not.
    """
    holds = np.empty(len(counted.deals.numbers), dtype=np.uint8)
    within = counted.within.astype(np.int64)
    squares = pays * pays if int(pays.max()) ** 2 * counted.denominator * 2 < _ROOM else pays
    _best(
        counted.deals.hands,
        within @ pays,
        within @ squares if calm else -(within @ squares),
        pays,
        squares if calm else -squares,
        counted.kinds,
        BINOMIAL,
        counted.offsets,
        counted.shares,
        holds,
    )
    return holds


def values_of(counted: Enumeration, pays: Whole) -> Whole:
    """Returns the value of every hold of every class over the common denominator, int64[classes, 32]."""
    found = np.empty((len(counted.deals.numbers), HOLD_COUNT), dtype=np.int64)
    values = counted.within.astype(np.int64) @ pays
    _all_values(
        counted.deals.hands, values, pays, counted.kinds, BINOMIAL, counted.offsets, counted.shares, found
    )
    return found


def kinds_reached(counted: Enumeration, holds: NDArray[np.uint8]) -> tuple[int, ...]:
    """Returns how often each kind ends a round under a strategy, over :attr:`Enumeration.total`.

    Args:
        counted: The deals.
        holds: uint8[classes], the hold of every class.
    """
    ends = np.zeros(KINDS, dtype=np.int64)
    deals = counted.deals
    _reached(
        deals.hands,
        deals.weights,
        holds,
        counted.within,
        counted.kinds,
        BINOMIAL,
        counted.offsets,
        counted.shares,
        ends,
    )
    return tuple(ends.tolist())


@njit(cache=True, nogil=True)
def _count_within(
    size: int, kinds: NDArray[np.uint8], binomial: Whole, offsets: Whole, within: NDArray[np.int32]
) -> None:
    hand = np.arange(5)
    for index in range(kinds.size):
        kind = kinds[index]
        for mask in range(31):
            place, number = 0, 0
            for bit in range(5):
                if mask >> bit & 1:
                    number += binomial[hand[bit], place + 1]
                    place += 1
            within[offsets[place] + number, kind] += 1
        if index + 1 < kinds.size:
            next_hand(hand)


@njit(cache=True, nogil=True)
def _numbers(hand: Whole, order: Whole, cards: Whole, binomial: Whole, numbers: Whole, sizes: Whole) -> None:
    """Sets the number and size of every subset of an arranged hand; bits are places of the arranged hand."""
    for place in range(5):
        order[place] = hand[place] * 8 + place
    sort_cards(order)
    for mask in range(32):
        size, number = 0, 0
        for rank in range(5):
            if mask >> (order[rank] & 7) & 1:
                number += binomial[order[rank] >> 3, size + 1]
                size += 1
        numbers[mask], sizes[mask] = number, size


@njit(cache=True, nogil=True)
def _values(
    hand: Whole,
    values: Whole,
    pays: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    order: Whole,
    numbers: Whole,
    sizes: Whole,
    found: Whole,
) -> None:
    """Sets the value of every hold of one hand over the common denominator."""
    _numbers(hand, order, order, binomial, numbers, sizes)
    for mask in range(31):
        found[mask] = values[offsets[sizes[mask]] + numbers[mask]]
    found[31] = pays[kinds[numbers[31]]]
    # What is thrown away is not drawn again: from every hold the hands that hold it too are taken off.
    for bit in range(5):
        for mask in range(32):
            if not mask >> bit & 1:
                found[mask] -= found[mask | 1 << bit]
    for mask in range(32):
        found[mask] *= shares[5 - sizes[mask]]


@njit(cache=True, nogil=True)
def _scratch() -> tuple[Whole, Whole, Whole]:
    """Returns room for the order of a hand, and for the numbers and sizes of its parts."""
    return np.empty(5, dtype=np.int64), np.empty(32, dtype=np.int64), np.empty(32, dtype=np.int64)


@njit(cache=True, nogil=True)
def _best(
    hands: Whole,
    values: Whole,
    spreads: Whole,
    pays: Whole,
    squares: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    holds: NDArray[np.uint8],
) -> None:
    order, numbers, sizes = _scratch()
    found, spread = np.empty(32, dtype=np.int64), np.empty(32, dtype=np.int64)
    for index in range(hands.shape[0]):
        hand = hands[index]
        _values(hand, values, pays, kinds, binomial, offsets, shares, order, numbers, sizes, found)
        highest = found.max()
        equal = 0
        for mask in range(32):
            if found[mask] == highest:
                equal += 1
                holds[index] = mask
        if equal == 1:
            continue
        _values(hand, spreads, squares, kinds, binomial, offsets, shares, order, numbers, sizes, spread)
        best = int(holds[index])
        for mask in range(31, -1, -1):
            if found[mask] == highest and (
                spread[mask] < spread[best] or (spread[mask] == spread[best] and sizes[mask] > sizes[best])
            ):
                best = mask
        holds[index] = best


@njit(cache=True, nogil=True)
def _all_values(
    hands: Whole,
    values: Whole,
    pays: Whole,
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    found: Whole,
) -> None:
    order, numbers, sizes = _scratch()
    for index in range(hands.shape[0]):
        _values(
            hands[index], values, pays, kinds, binomial, offsets, shares, order, numbers, sizes, found[index]
        )


@njit(cache=True, nogil=True)
def _reached(
    hands: Whole,
    weights: Whole,
    holds: NDArray[np.uint8],
    within: NDArray[np.int32],
    kinds: NDArray[np.uint8],
    binomial: Whole,
    offsets: Whole,
    shares: Whole,
    ends: Whole,
) -> None:
    order, numbers, sizes = _scratch()
    for index in range(hands.shape[0]):
        _numbers(hands[index], order, order, binomial, numbers, sizes)
        held = np.int64(holds[index])
        thrown = 31 & ~held
        factor = weights[index] * shares[5 - sizes[held]]
        part = thrown
        while True:
            whole = held | part
            sign = factor if (sizes[whole] - sizes[held]) % 2 == 0 else -factor
            if whole == 31:
                ends[kinds[numbers[31]]] += sign
            else:
                row = within[offsets[sizes[whole]] + numbers[whole]]
                for kind in range(ends.size):
                    ends[kind] += sign * row[kind]
            if part == 0:
                break
            part = (part - 1) & thrown

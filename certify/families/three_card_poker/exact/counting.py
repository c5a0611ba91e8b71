"""Every hand of the player, one of each class under renamed suits, against every hand of the dealer.

Hands are sets of bits: a rank of 13 and a suit of up to four. Of 22,100 hands of the player 1,755 differ in more than
the names of suits; each meets 18,424 hands of the dealer. What is counted are whole numbers, divided once at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.french_deck.deck import Deck
from certify.families.three_card_poker.cards import HAND, label

UNQUALIFIED, WIN, TIE, LOSE = range(4)
ENDS: Final = 4

HIGH, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH, MINI_ROYAL = range(7)
"""Kinds of hands of three cards, from the lowest; a mini royal is the highest straight flush."""

NOTHING, SIX_THREE, SIX_STRAIGHT, SIX_FLUSH, SIX_FULL, SIX_FOUR, SIX_STRAIGHT_FLUSH, SIX_ROYAL = range(8)
SIX_KINDS: Final = 8
"""Kinds of the best five of six cards, from the lowest that is paid."""

_MASKS: Final = 1 << 13
_ACE: Final = 12


@dataclass(frozen=True)
class Classes:
    """The hands of a deck that differ in more than the names of suits.

    Args:
        labels: How each class is called.
        weights: Number of hands of each.
        kinds: Kind of each, as above.
        counts: int64[class, end, kind of six cards]: hands of the dealer.
        dealt: Hands of the dealer that each class meets.
    """

    labels: tuple[str, ...]
    weights: tuple[int, ...]
    kinds: tuple[int, ...]
    counts: NDArray[np.int64]
    dealt: int

    @property
    def total(self) -> int:
        """Number of pairs of hands."""
        return sum(self.weights) * self.dealt


@lru_cache(maxsize=8)
def classes_of(deck: Deck, lowest: int) -> Classes:
    """Returns the classes of a deck, counted.

    Args:
        deck: The cards; every rank is there in every suit.
        lowest: Place of the rank with which a dealer without a pair or better qualifies.
    """
    first: dict[str, tuple[int, ...]] = {}
    weights: dict[str, int] = {}
    for faces in combinations(range(deck.size), HAND):
        called = label(deck.of(faces))
        first.setdefault(called, faces)
        weights[called] = weights.get(called, 0) + 1
    cards = np.array(deck.cards, dtype=np.int64)
    hands = np.array(list(first.values()), dtype=np.int64)
    runs3, runs5 = _runs(3), _runs(5)
    counts = np.zeros((len(hands), ENDS, SIX_KINDS), dtype=np.int64)
    kinds = np.zeros(len(hands), dtype=np.int64)
    _count(cards, hands, runs3, runs5, lowest, kinds, counts)
    dealt = int(counts[0].sum())
    return Classes(tuple(first), tuple(weights.values()), tuple(kinds.tolist()), counts, dealt)


@lru_cache(maxsize=2)
def _runs(length: int) -> NDArray[np.int64]:
    """Returns for every set of ranks the place, from 1, of the top of its highest run; 0 where it has none."""
    found = np.zeros(_MASKS, dtype=np.int64)
    lowest = (1 << length - 1) - 1 | 1 << _ACE
    runs = [(length - 1, lowest)]
    runs += [(low + length, ((1 << length) - 1) << low) for low in range(13 - length + 1)]
    for top, run in runs:
        found[[mask for mask in range(_MASKS) if mask & run == run]] = top
    return found


@njit(cache=True, nogil=True)
def _strength(masks: NDArray[np.int64], runs: NDArray[np.int64]) -> tuple[int, int]:
    """Returns kind of three cards and a number that orders hands of one kind, from the ranks held of each suit."""
    once = masks[0] ^ masks[1] ^ masks[2] ^ masks[3]
    every = masks[0] | masks[1] | masks[2] | masks[3]
    flush = every == masks[0] or every == masks[1] or every == masks[2] or every == masks[3]
    if once == every:
        distinct, rest = 0, every
        while rest:
            distinct += 1
            rest &= rest - 1
        if distinct == 1:
            return THREE, every
        top = runs[every]
        if top:
            if flush:
                return (MINI_ROYAL if top == 13 else STRAIGHT_FLUSH), top
            return STRAIGHT, top
        return (FLUSH if flush else HIGH), every
    # A rank held twice cancels itself out of those held an odd number of times.
    return PAIR, (every ^ once) << 13 | once


@njit(cache=True, nogil=True)
def _best_five(masks: NDArray[np.int64], runs: NDArray[np.int64]) -> int:
    """Returns the kind of the best five of six cards."""
    twice = three = four = every = np.int64(0)
    flush = False
    for suit in range(4):
        mask = masks[suit]
        four |= three & mask
        three |= twice & mask
        twice |= every & mask
        every |= mask
        held, rest = 0, mask
        while rest:
            held += 1
            rest &= rest - 1
        if held >= 5:
            flush = True
            if runs[mask]:
                return SIX_ROYAL if runs[mask] == 13 else SIX_STRAIGHT_FLUSH
    if four:
        return SIX_FOUR
    if three and twice & (twice - 1):
        return SIX_FULL
    if flush:
        return SIX_FLUSH
    if runs[every]:
        return SIX_STRAIGHT
    return SIX_THREE if three else NOTHING


@njit(cache=True, nogil=True)
def _end(kind: int, within: int, its: int, its_within: int, lowest: int) -> int:
    """Returns how a hand of a kind ends against one of the dealer's."""
    if its == HIGH and its_within >> lowest == 0:
        return UNQUALIFIED
    if kind == its and within == its_within:
        return TIE
    if kind > its or (kind == its and within > its_within):
        return WIN
    return LOSE


def end_of(deck: Deck, lowest: int, player: Sequence[int], dealer: Sequence[int]) -> tuple[int, int]:
    """Returns how two hands end, and the kind of the best five of their six cards."""
    own, other = np.zeros(4, np.int64), np.zeros(4, np.int64)
    for faces, masks in ((player, own), (dealer, other)):
        for face in faces:
            rank, suit = deck.cards[face]
            masks[suit] |= 1 << rank
    runs3, runs5 = _runs(3), _runs(5)
    end = _end(*_strength(own, runs3), *_strength(other, runs3), lowest)
    return end, _best_five(own | other, runs5)


@njit(cache=True, nogil=True)
def _count(
    cards: NDArray[np.int64],
    hands: NDArray[np.int64],
    runs3: NDArray[np.int64],
    runs5: NDArray[np.int64],
    lowest: int,
    kinds: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    size = len(cards)
    own, other, both = np.zeros(4, np.int64), np.zeros(4, np.int64), np.zeros(4, np.int64)
    for place in range(len(hands)):
        a, b, c = hands[place, 0], hands[place, 1], hands[place, 2]
        own[:] = 0
        for face in (a, b, c):
            own[cards[face, 1]] |= 1 << cards[face, 0]
        kind, within = _strength(own, runs3)
        kinds[place] = kind
        for i in range(size):
            if i in (a, b, c):
                continue
            for j in range(i + 1, size):
                if j in (a, b, c):
                    continue
                for k in range(j + 1, size):
                    if k in (a, b, c):
                        continue
                    other[:] = 0
                    other[cards[i, 1]] |= 1 << cards[i, 0]
                    other[cards[j, 1]] |= 1 << cards[j, 0]
                    other[cards[k, 1]] |= 1 << cards[k, 0]
                    for suit in range(4):
                        both[suit] = own[suit] | other[suit]
                    its, its_within = _strength(other, runs3)
                    end = _end(kind, within, its, its_within, lowest)
                    counts[place, end, _best_five(both, runs5)] += 1

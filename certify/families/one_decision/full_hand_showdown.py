"""Two whole hands of three cards that meet: what a described game tells apart of them, counted over all deals.

A hand is distinguished by its class; two hands by which numbers of theirs are higher, by the kind of the best five of
all six cards, and by numbers that add up. Hands that differ in names of suits alone, of which nothing is requested, are
counted once, with their number. Everything is a whole number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.analysis.hands.deals import BINOMIAL, Whole, deals_of, number_at
from certify.analysis.hands.strength import CountedDeck, bits_of
from certify.analysis.hands.strength_bits import best_five_bits
from certify.families.one_decision.distinguished import CARDS, Apart, every_hand
from certify.families.one_decision.hand_vs_dealer import Situations
from certify.kernels import njit


@dataclass(frozen=True)
class Meetings:
    """Every hand of the player against every hand of the dealer, counted.

    Args:
        situations: The player's hands with what they meet.
        shown: int64[classes, columns, 2], two hands that meet so, -1 where none do.
    """

    situations: Situations
    shown: Whole


def _classes(deck: CountedDeck, hands: Whole, told: Sequence[Whole]) -> tuple[Whole, Whole]:
    """Returns a hand of each class that renaming suits leads to, and how many there are, where nothing else changes."""
    faces = {card: face for face, card in enumerate(deck.cards)}
    first = np.arange(len(hands))
    for names in permutations(range(deck.suits)):
        renamed = np.array([faces[rank, names[suit]] for rank, suit in deck.cards])
        moved = np.sort(renamed[hands], axis=1)
        numbers = BINOMIAL[moved, np.arange(1, CARDS + 1)].sum(axis=1)
        if all(np.array_equal(one, one[numbers]) for one in told):
            first = np.minimum(first, numbers)
    return np.unique(first, return_counts=True)


@lru_cache(maxsize=4)
def meetings(deck: CountedDeck, told: Apart) -> Meetings:
    """Returns every meeting of two hands of a deck."""
    deals, hands = deals_of(deck, CARDS), every_hand(deck.size)
    numbers, weights = _classes(
        deck, hands, [one for array in told.arrays[:4] for one in array.reshape(-1, len(told.own))]
    )
    columns = told.ends * told.togethers
    met = np.zeros((len(numbers), columns), dtype=np.int32)
    shown = np.full((told.classes, columns, 2), -1, dtype=np.int64)
    _meet(numbers, deals.bits, told.arrays, met, shown)
    nothing = np.zeros(len(numbers), dtype=np.uint8)
    situations = Situations(
        hands[numbers],
        deals.place[numbers].astype(np.int64),
        deals.strengths[numbers],
        np.arange(len(numbers), dtype=np.int32),
        nothing,
        told.own[numbers].astype(np.uint8),
        nothing,
        weights,
        met,
        comb(deck.size - CARDS, CARDS),
        tuple(range(told.ends, 2 * told.ends)),
    )
    return Meetings(situations, shown)


def cells_of(deck: CountedDeck, told: Apart, rows: NDArray[Any], played: NDArray[np.uint8]) -> Whole:
    """Returns the cell of every row, int64[rows]: class of the player's hand, end and class together, flattened."""
    found = np.empty(len(rows), dtype=np.int64)
    _cells(rows, played, bits_of(deck), BINOMIAL, told.arrays, told.ends * told.togethers, found)
    return found


@njit(cache=True, nogil=True, inline="always")
def _column(mine: int, theirs: int, both: Any, kinds: Any, told: Any) -> Any:
    """Returns how two hands meet and the class of both together, as one number."""
    _, other, compared, added, cuts, five = told
    column = other[theirs]
    for one in range(compared.shape[0]):
        left, right = compared[one, 0, mine], compared[one, 1, theirs]
        column = column * 3 + (left >= right) + (left > right)
    if kinds > 1:
        column = column * kinds + five[best_five_bits(both) >> 26]
    for one in range(added.shape[0]):
        total, place = added[one, 0, mine] + added[one, 1, theirs], 0
        for cut in cuts[one]:
            place += cut <= total
        column = column * (cuts.shape[1] + 1) + place
    return column


@njit(cache=True, nogil=True)
def _meet(
    numbers: Whole,
    bits: Whole,
    told: Any,
    met: NDArray[np.int32],
    shown: Whole,
) -> None:
    kinds = told[5].max() + 1
    for place in range(numbers.size):
        mine = numbers[place]
        for theirs in range(bits.size):
            if bits[mine] & bits[theirs] == 0:
                column = _column(mine, theirs, bits[mine] | bits[theirs], kinds, told)
                met[place, column] += 1
                if shown[told[0][mine], column, 0] < 0:
                    shown[told[0][mine], column, 0] = mine
                    shown[told[0][mine], column, 1] = theirs


@njit(cache=True, nogil=True)
def _cells(
    rows: NDArray[Any],
    played: NDArray[np.uint8],
    bits: Whole,
    binomial: Whole,
    told: Any,
    columns: int,
    found: Whole,
) -> None:
    kinds = told[5].max() + 1
    for row in range(rows.shape[0]):
        both = np.int64(0)
        for place in range(6):
            both |= bits[rows[row, place]]
        mine, theirs = number_at(rows, row, 0, 3, binomial), number_at(rows, row, 3, 6, binomial)
        column = _column(mine, theirs, both, kinds, told)
        found[row] = (told[0][mine] * 2 + (played[row] == 0)) * columns + column

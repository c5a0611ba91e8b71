"""Compiled play-through of Caribbean stud; its twin is volume.twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.caribbean_stud.strategy import BY_SUITS
from certify.families.caribbean_stud.volume.tables import FOLD, LOSE, TIE, UNQUALIFIED, Tables, raises

_WINS = 4


def play(rows: NDArray[Any], tables: Tables) -> NDArray[np.uint8]:
    """Returns the code of every wager for every deck, uint8[decks, wagers].

    Args:
        rows: Unsigned integers[decks, cards], items in the order dealt: the player's five, the open card, four more.
        tables: Strategy, rules and paytables, compiled.
    """
    raised = np.empty(len(rows), dtype=np.uint8)
    _decide(rows, tables.ranks, tables.suits, tables.places, tables.cells, raised)
    for row in np.flatnonzero(raised == BY_SUITS).tolist():
        raised[row] = raises(tables, rows[row, :6].tolist())
    codes = np.empty((len(rows), len(tables.axes)), dtype=np.uint8)
    _play(
        rows,
        raised,
        tables.ranks,
        tables.suits,
        tables.least,
        tables.loses_all,
        tables.columns,
        *tables.codes,
        codes,
    )
    return codes


@njit(cache=True, nogil=True)
def _sorted(cards: NDArray[np.int64]) -> None:
    """Puts five ranks in falling order."""
    for place in range(1, 5):
        card, before = cards[place], place
        while before > 0 and cards[before - 1] < card:
            cards[before] = cards[before - 1]
            before -= 1
        cards[before] = card


@njit(cache=True, nogil=True)
def _decide(
    rows: NDArray[Any],
    ranks: NDArray[np.int64],
    suits: NDArray[np.int64],
    places: NDArray[np.int16],
    cells: NDArray[np.uint8],
    raised: NDArray[np.uint8],
) -> None:
    held = np.zeros(5, np.int64)
    for row in range(rows.shape[0]):
        suit, flush = suits[rows[row, 0]], True
        for card in range(5):
            held[card] = ranks[rows[row, card]]
            flush = flush and suits[rows[row, card]] == suit
        _sorted(held)
        key = np.int64(0)
        for card in range(5):
            key = key * 16 + held[card]
        raised[row] = cells[places[key * 2 + flush] * 13 + ranks[rows[row, 5]]]


@njit(cache=True, nogil=True)
def _worth(held: NDArray[np.int64], flush: bool) -> int:
    """Returns kind << 20 and five ranks of four bits, those held most often first, from ranks in falling order."""
    a, b, c, d, e = int(held[0]), int(held[1]), int(held[2]), int(held[3]), int(held[4])
    if a == d or b == e:
        return 7 << 20 | c << 16 | (e if a == d else a)
    if (a == c and d == e) or (a == b and c == e):
        return 6 << 20 | c << 16 | (d if a == c else a)
    if a == c or b == d or c == e:
        first = a if a != c else d
        second = e if c != e else b
        return 3 << 20 | c << 16 | first << 12 | second << 8
    if a == b or b == c or c == d or d == e:
        if a == b and (c == d or d == e):
            return 2 << 20 | a << 16 | d << 12 | (e if c == d else c)
        if b == c and d == e:
            return 2 << 20 | b << 16 | d << 12 | a
        if a == b:
            return 1 << 20 | a << 16 | c << 12 | d << 8 | e << 4
        if b == c:
            return 1 << 20 | b << 16 | a << 12 | d << 8 | e << 4
        if c == d:
            return 1 << 20 | c << 16 | a << 12 | b << 8 | e << 4
        return 1 << 20 | d << 16 | a << 12 | b << 8 | c << 4
    top = a if a - e == 4 else 3 if (a == 12 and b == 3) else -1
    if top >= 0:
        if not flush:
            return 4 << 20 | top << 16
        return (9 if top == 12 else 8) << 20 | top << 16
    return (5 if flush else 0) << 20 | a << 16 | b << 12 | c << 8 | d << 4 | e


@njit(cache=True, nogil=True)
def _hand(
    rows: NDArray[Any],
    row: int,
    first: int,
    left: int,
    ranks: NDArray[np.int64],
    suits: NDArray[np.int64],
    held: NDArray[np.int64],
) -> int:
    """Returns the worth of five cards of a row, the one at a place left out; none is where it lies beyond them."""
    count, flush, suit = 0, True, np.int64(-1)
    for place in range(first, first + 6):
        if place == left:
            continue
        if count == 5:
            break
        face = rows[row, place]
        held[count] = ranks[face]
        if suit < 0:
            suit = suits[face]
        flush = flush and suits[face] == suit
        count += 1
    _sorted(held)
    return _worth(held, flush)


@njit(cache=True, nogil=True)
def _play(
    rows: NDArray[Any],
    raised: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    suits: NDArray[np.int64],
    least: int,
    loses_all: bool,
    columns: NDArray[np.int64],
    ante_codes: NDArray[np.uint8],
    own_codes: NDArray[np.uint8],
    six_codes: NDArray[np.uint8],
    codes: NDArray[np.uint8],
) -> None:
    held = np.zeros(5, np.int64)
    for row in range(rows.shape[0]):
        own = _hand(rows, row, 0, 5, ranks, suits, held)
        end = FOLD
        if raised[row]:
            other = _hand(rows, row, 5, 10, ranks, suits, held)
            if other < least:
                end = UNQUALIFIED
            elif own > other:
                end = _WINS + (own >> 20)
            elif own == other:
                end = TIE
            else:
                end = LOSE
        codes[row, columns[0]] = ante_codes[end]
        lost = loses_all and not raised[row]
        if columns[1] >= 0:
            codes[row, columns[1]] = own_codes[0] if lost else own_codes[own >> 20]
        if columns[2] >= 0:
            best = 0
            if not lost:
                for left in range(6):
                    best = max(best, _hand(rows, row, 0, left, ranks, suits, held) >> 20)
            codes[row, columns[2]] = six_codes[best]

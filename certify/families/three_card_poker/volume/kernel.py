"""Compiled play-through of three card poker; its twin is volume.twin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from certify.families.three_card_poker.volume.tables import FOLDED, Tables

_FOLDED = FOLDED


def play(rows: NDArray[Any], tables: Tables) -> NDArray[np.uint8]:
    """Returns the code of every wager for every deck, uint8[decks, wagers].

    Args:
        rows: Unsigned integers[decks, cards], items in the order dealt: the player's three, then the dealer's.
        tables: Strategy, rules and paytables, compiled.
    """
    codes = np.empty((len(rows), len(tables.axes)), dtype=np.uint8)
    _play(
        rows,
        tables.ranks,
        tables.suits,
        tables.played,
        tables.lowest,
        tables.loses_all,
        tables.columns,
        *tables.codes,
        codes,
    )
    return codes


@njit(cache=True, nogil=True)
def _value(a: int, b: int, c: int, flush: bool) -> int:
    """Returns kind * 4096 and the ranks that decide, from three ranks in falling order."""
    if a == b == c:
        return 4 * 4096 + a
    if a == b:
        return 4096 + a * 16 + c
    if b == c:
        return 4096 + b * 16 + a
    top = -1
    if a - b == 1 and b - c == 1:
        top = a
    elif a == 12 and b == 1 and c == 0:
        top = 1
    if top >= 0:
        if flush:
            return (6 if top == 12 else 5) * 4096 + top
        return 3 * 4096 + top
    return (2 if flush else 0) * 4096 + a * 256 + b * 16 + c


@njit(cache=True, nogil=True)
def _hand(
    rows: NDArray[Any], row: int, first: int, ranks: NDArray[np.int64], suits: NDArray[np.int64]
) -> int:
    """Returns the value of three cards of a row."""
    a, b, c = ranks[rows[row, first]], ranks[rows[row, first + 1]], ranks[rows[row, first + 2]]
    if a < b:
        a, b = b, a
    if b < c:
        b, c = c, b
    if a < b:
        a, b = b, a
    suit = suits[rows[row, first]]
    flush = suit == suits[rows[row, first + 1]] and suit == suits[rows[row, first + 2]]
    return _value(a, b, c, flush)


@njit(cache=True, nogil=True)
def _number(rows: NDArray[Any], row: int) -> int:
    """Returns the number of the player's hand."""
    a, b, c = int(rows[row, 0]), int(rows[row, 1]), int(rows[row, 2])
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a + b * (b - 1) // 2 + c * (c - 1) * (c - 2) // 6


@njit(cache=True, nogil=True)
def _run(held: NDArray[np.uint8]) -> int:
    """Returns the top of the highest five ranks in a row that are held, -1 where there are none."""
    length, best = 1 if held[12] else 0, -1
    for rank in range(13):
        length = length + 1 if held[rank] else 0
        if length >= 5:
            best = rank
    return best


@njit(cache=True, nogil=True)
def _six(rows: NDArray[Any], row: int, ranks: NDArray[np.int64], suits: NDArray[np.int64]) -> int:
    """Returns the kind of the best five of the six cards of a row."""
    counts, by_suit, grid = np.zeros(13, np.uint8), np.zeros(4, np.uint8), np.zeros((4, 13), np.uint8)
    for place in range(6):
        rank, suit = ranks[rows[row, place]], suits[rows[row, place]]
        counts[rank] += 1
        by_suit[suit] += 1
        grid[suit, rank] = 1
    flush = False
    for suit in range(4):
        if by_suit[suit] >= 5:
            flush = True
            top = _run(grid[suit])
            if top >= 0:
                return 7 if top == 12 else 6
    threes, pairs = 0, 0
    for rank in range(13):
        if counts[rank] == 4:
            return 5
        threes += counts[rank] == 3
        pairs += counts[rank] >= 2
    if threes and pairs >= 2:
        return 4
    if flush:
        return 3
    if _run(counts) >= 0:
        return 2
    return 1 if threes else 0


@njit(cache=True, nogil=True)
def _play(
    rows: NDArray[Any],
    ranks: NDArray[np.int64],
    suits: NDArray[np.int64],
    played: NDArray[np.uint8],
    lowest: int,
    loses_all: bool,
    columns: NDArray[np.int64],
    ante_codes: NDArray[np.uint8],
    pair_codes: NDArray[np.uint8],
    six_codes: NDArray[np.uint8],
    codes: NDArray[np.uint8],
) -> None:
    for row in range(rows.shape[0]):
        own = _hand(rows, row, 0, ranks, suits)
        plays = played[_number(rows, row)] == 1
        if plays:
            other = _hand(rows, row, 3, ranks, suits)
            if other < lowest * 256:
                end = 0
            elif own > other:
                end = 1
            elif own == other:
                end = 2
            else:
                end = 3
            codes[row, columns[0]] = ante_codes[own // 4096 * 4 + end]
        else:
            codes[row, columns[0]] = ante_codes[_FOLDED]
        lost = loses_all and not plays
        if columns[1] >= 0:
            codes[row, columns[1]] = pair_codes[0] if lost else pair_codes[own // 4096]
        if columns[2] >= 0:
            codes[row, columns[2]] = six_codes[0] if lost else six_codes[_six(rows, row, ranks, suits)]

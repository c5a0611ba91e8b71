"""How often each pair of whole numbers was found, and where: a table that compiled loops fill as it grows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]

FIRST: Final = 1 << 10
"""Places of a table at first, a power of two; it doubles before more than half of them are taken."""


def tallies() -> Ints:
    """Returns an empty table: (first, second, how often, where) a place, and in its last row how many are taken."""
    return np.zeros((FIRST + 1, 4), dtype=np.int64)


@njit(cache=True, nogil=True)
def added(table: Ints, first: int, second: int, much: int, where: int) -> Ints:
    """Returns the table with a pair found so many times more, which are more than none."""
    places = len(table) - 1
    place = (first * 0x9E3779B97F4A7 + second) * 0xBF58476D1CE4F >> 24 & places - 1
    while table[place, 2] and (table[place, 0] != first or table[place, 1] != second):
        place = place + 1 & places - 1
    if table[place, 2] == 0:
        table[place, 0], table[place, 1], table[place, 3] = first, second, where
        table[places, 0] += 1
    table[place, 2] += much
    if 2 * table[places, 0] <= places:
        return table
    wider = np.zeros((2 * places + 1, 4), dtype=np.int64)
    wider[2 * places, 0] = table[places, 0]
    for old in range(places):
        if table[old, 2]:
            one, other = table[old, 0], table[old, 1]
            to = (one * 0x9E3779B97F4A7 + other) * 0xBF58476D1CE4F >> 24 & 2 * places - 1
            while wider[to, 2]:
                to = to + 1 & 2 * places - 1
            for column in range(4):
                wider[to, column] = table[old, column]
    return wider


def listed(table: Ints) -> list[list[int]]:
    """Returns what a table holds, in the order of its pairs: first, second, how often, where it was found first."""
    taken = table[:-1][table[:-1, 2] > 0]
    rows: list[list[int]] = taken[np.lexsort((taken[:, 1], taken[:, 0]))].tolist()
    return rows

"""Numbers for keys as they come, in compiled loops: a hash table with open addressing, grown between loops."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

FREE: Final = -1
"""In place of a key: nothing lies here."""

_LEAST: Final = 1 << 12


class Interned(NamedTuple):
    """Keys with their numbers, counted from 0 in the order in which they came.

    Args:
        slots: int64[power of two], number of the key that lies in each slot; FREE where none does.
        keys: int64[at least half as many], the keys by number.
        made: int64[1], how many keys there are.
    """

    slots: NDArray[np.int64]
    keys: NDArray[np.int64]
    made: NDArray[np.int64]


def empty(room: int = _LEAST) -> Interned:
    """Returns a table with room for so many keys."""
    size = _LEAST
    while size < 2 * room:
        size *= 2
    return Interned(
        np.full(size, FREE, dtype=np.int64), np.empty(size // 2, dtype=np.int64), np.zeros(1, dtype=np.int64)
    )


def with_room(table: Interned, room: int) -> Interned:
    """Returns a table with the same numbers and room for so many further keys: itself if it has it."""
    made = int(table.made[0])
    if made + room <= len(table.keys):
        return table
    grown = empty(2 * (made + room))
    _refill(table.keys[:made], grown)
    return grown


@njit(cache=True, nogil=True)
def intern(table: Interned, key: int) -> Any:
    """Returns the number of a key, a new one where it comes for the first time; there must be room."""
    mask = table.slots.size - 1
    slot = np.int64((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) & mask
    while True:
        number = table.slots[slot]
        if number < 0:
            number = table.made[0]
            table.slots[slot] = number
            table.keys[number] = key
            table.made[0] = number + 1
            return number
        if table.keys[number] == key:
            return number
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def _refill(keys: NDArray[np.int64], table: Interned) -> None:
    for key in keys:
        intern(table, key)


@njit(cache=True, nogil=True)
def count_keys(keys: NDArray[np.int64], table: Interned, counts: NDArray[np.int64]) -> None:
    """Adds to the counts, by number, how often each key came; there must be room for all of them."""
    for key in keys:
        counts[intern(table, key)] += 1

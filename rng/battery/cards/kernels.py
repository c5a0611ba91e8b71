"""Loops over many decks; each has a plain-Python twin in the tests (``card_definitions``)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.lanes import ones_in_word

# All kernels take whole decks as rows, except those of pairs, which take positions as rows.


@njit(cache=True)
def inverse(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Position of each card in each deck."""
    result = np.empty_like(decks)
    for t in range(decks.shape[0]):
        for i in range(decks.shape[1]):
            result[t, decks[t, i]] = i
    return result


@njit(cache=True)
def lehmer_code(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """How many later cards are smaller, for each position of each deck."""
    count, n = decks.shape
    digits = np.empty((count, n), dtype=np.uint16)
    # One bit for each card that was met, from the last position on.
    later = np.empty(n // 64 + 1, dtype=np.uint64)
    for t in range(count):
        later[:] = 0
        for i in range(n - 1, -1, -1):
            block, one = decks[t, i] // 64, np.uint64(1) << np.uint64(decks[t, i] % 64)
            smaller = ones_in_word(later[block] & (one - np.uint64(1)))
            for word in later[:block]:
                smaller += ones_in_word(word)
            later[block] |= one
            digits[t, i] = smaller
    return digits


@njit(cache=True)
def fisher_yates_draws(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """The draws of a Fisher-Yates shuffle, last position first, that made each deck from id order."""
    count, n = decks.shape
    draws = np.zeros((count, n), dtype=np.uint16)
    for t in range(count):
        order = np.arange(n)
        place = np.arange(n)
        for i in range(n - 1, 0, -1):
            j = place[decks[t, i]]
            draws[t, i] = j
            order[j] = order[i]
            place[order[i]] = j
    return draws


@njit(cache=True)
def lagged_place_counts(
    place: NDArray[np.unsignedinteger], later: NDArray[np.unsignedinteger], counts: NDArray[np.int32]
) -> None:
    """Adds to ``counts[i, j]`` how often the card in place i of a deck comes to place j of the later one."""
    for t in range(later.shape[0]):
        for j in range(later.shape[1]):
            counts[place[t, later[t, j]], j] += 1


@njit(cache=True)
def mixed_in(code: np.uint64, value: int | np.int64) -> np.uint64:
    """One more value mixed into a 64-bit code; the multiplier is odd, 2^64 over the golden ratio."""
    mixed = (code ^ np.uint64(value + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@njit(cache=True)
def row_codes(rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A 64-bit code of each row: equal rows have equal codes."""
    codes = np.zeros(rows.shape[0], dtype=np.uint64)
    for t in range(rows.shape[0]):
        for value in rows[t]:
            codes[t] = mixed_in(codes[t], value)
    return codes

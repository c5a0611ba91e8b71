"""Loops over many decks; each has a plain-Python twin in the tests (``card_definitions``)."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

# All kernels take whole decks as rows, except those of pairs, which take positions as rows.


def inverse(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Position of each card in each deck."""
    result = np.empty_like(decks)
    np.put_along_axis(result, decks.astype(np.intp), np.arange(decks.shape[1])[None], axis=1)
    return result


def lehmer_code(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """How many later cards are smaller, for each position of each deck."""
    places = np.ascontiguousarray(decks.T)
    return np.stack(
        [(places[i:] < card).sum(axis=0, dtype=np.uint16) for i, card in enumerate(places)], axis=1
    )


def fisher_yates_draws(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """The draws of a Fisher-Yates shuffle, last position first, that made each deck from id order."""
    draws, rows = np.zeros(decks.shape, dtype=np.uint16), np.arange(len(decks))
    order = np.tile(np.arange(decks.shape[1], dtype=np.uint16), (len(decks), 1))
    place = order.copy()
    for i in range(decks.shape[1] - 1, 0, -1):
        drawn, moved = place[rows, decks[:, i]], order[:, i].copy()
        draws[:, i] = drawn
        order[rows, drawn] = moved
        place[rows, moved] = drawn
    return draws


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

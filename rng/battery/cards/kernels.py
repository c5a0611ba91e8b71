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


@njit(cache=True)
def fisher_yates_draws(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """The draws of a Fisher-Yates shuffle, last position first, that made each deck from id order."""
    count, n = decks.shape
    draws = np.zeros((count, n), dtype=np.uint16)
    order = np.empty(n, dtype=np.uint16)
    place = np.empty(n, dtype=np.uint16)
    for t in range(count):
        for i in range(n):
            order[i] = i
            place[i] = i
        for i in range(n - 1, 0, -1):
            card = decks[t, i]
            j = place[card]
            draws[t, i] = j
            moved = order[i]
            order[j] = moved
            place[moved] = j
    return draws


@njit(cache=True)
def lagged_place_counts(
    decks: NDArray[np.unsignedinteger],
    lags: NDArray[np.int64],
    start: int,
    stop: int,
    counts: NDArray[np.int32],
) -> None:
    """Adds to ``counts[k, i, j]`` how often the card in place i of a deck lay in place j as many decks later."""
    place = np.empty(decks.shape[1], dtype=np.int64)
    for t in range(start, stop):
        for i in range(decks.shape[1]):
            place[decks[t, i]] = i
        for k in range(lags.size):
            later = t + lags[k]
            if later < decks.shape[0]:
                for j in range(decks.shape[1]):
                    counts[k, place[decks[later, j]], j] += 1


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

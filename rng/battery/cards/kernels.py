"""Compiled loops over many decks; each has a plain-Python twin in ``definitions``."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

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
def cycle_structure(decks: NDArray[np.unsignedinteger]) -> NDArray[np.uint16]:
    """Number of cycles of each deck, and length of the cycle of card 0, read as permutations of the ids."""
    result = np.empty((2, decks.shape[0]), dtype=np.uint16)
    visited = np.empty(decks.shape[1], dtype=np.bool_)
    for t in range(decks.shape[0]):
        deck = decks[t]
        visited[:] = False
        count = 0
        for start in range(deck.size):
            card = np.int64(start)
            length = 0
            while not visited[card]:
                visited[card] = True
                card = np.int64(deck[card])
                length += 1
            if length > 0:
                count += 1
            if start == 0:
                result[1, t] = length
        result[0, t] = count
    return result


@njit(cache=True)
def longest_increasing(decks: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Length of the longest increasing subsequence of each deck, by patience sorting."""
    result = np.empty(decks.shape[0], dtype=np.uint16)
    tops = np.empty(decks.shape[1], dtype=np.uint16)
    for t in range(decks.shape[0]):
        piles = 0
        for card in decks[t]:
            low = 0
            high = piles
            while low < high:
                middle = (low + high) // 2
                if tops[middle] < card:
                    low = middle + 1
                else:
                    high = middle
            tops[low] = card
            piles = max(piles, low + 1)
        result[t] = piles
    return result


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
def pair_counts(
    columns: NDArray[np.unsignedinteger],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Adds to ``counts[pair, a, b]`` how often the two positions of a pair held cards a and b."""
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        for t in range(columns.shape[1]):
            counts[pair, columns[i, t], columns[j, t]] += 1


@njit(cache=True)
def pair_products(
    columns: NDArray[np.unsignedinteger],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    sums: NDArray[np.int64],
) -> None:
    """Adds to ``sums[pair]`` the products of the ids at the two positions of each pair."""
    for pair in range(first.size):
        i, j = first[pair], second[pair]
        total = np.int64(0)
        for t in range(columns.shape[1]):
            total += np.int64(columns[i, t]) * np.int64(columns[j, t])
        sums[pair] += total


@njit(cache=True)
def successor_counts(decks: NDArray[np.unsignedinteger], counts: NDArray[np.int64]) -> None:
    """Adds to ``counts[a, b]`` how often card b directly followed card a, round the circle."""
    for t in range(decks.shape[0]):
        before = decks[t, decks.shape[1] - 1]
        for card in decks[t]:
            counts[before, card] += 1
            before = card

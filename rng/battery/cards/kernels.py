"""Compiled loops over many decks; each has a plain-Python twin in the tests (``card_definitions``)."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery.word_counts import ones_in_word

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
    later = np.empty((n + 63) // 64, dtype=np.uint64)
    for t in range(count):
        later[:] = 0
        for i in range(n - 1, -1, -1):
            card = np.int64(decks[t, i])
            block, one = card >> 6, np.uint64(1) << np.uint64(card & 63)
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
def successor_counts(decks: NDArray[np.unsignedinteger], counts: NDArray[np.int64]) -> None:
    """Adds to ``counts[a, b]`` how often card b directly followed card a, round the circle."""
    for t in range(decks.shape[0]):
        before = decks[t, decks.shape[1] - 1]
        for card in decks[t]:
            counts[before, card] += 1
            before = card


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
def first_no_permutation(decks: NDArray[np.unsignedinteger]) -> int:
    """Index of the first row that does not hold each card once, or -1."""
    n = decks.shape[1]
    seen = np.full(n, -1, dtype=np.int64)
    for t in range(decks.shape[0]):
        for card in decks[t]:
            if card >= n or seen[card] == t:
                return t
            seen[card] = t
    return -1


@njit(cache=True)
def order_extremes(
    decks: NDArray[np.unsignedinteger], line: NDArray[np.int64], step: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest of six measures of order over many decks, and the decks that have them.

    The measures are inversions, descents, descents of the inverse, fixed points, successions and neighbours: cards
    beside each other that lie on the same ``line`` one ``step`` apart.
    """
    n = decks.shape[1]
    words = (n + 63) // 64
    seen = np.empty(words, dtype=np.uint64)
    place = np.empty(n, dtype=np.int64)
    extremes = np.zeros((2, 6), dtype=np.int64)
    where = np.zeros((2, 6), dtype=np.int64)
    measure = np.empty(6, dtype=np.int64)
    for t in range(decks.shape[0]):
        measure[:] = 0
        seen[:] = 0
        before = np.int64(0)
        for i in range(n):
            card = np.int64(decks[t, i])
            place[card] = i
            block, bit = card >> 6, np.uint64(card & 63)
            # Larger cards that came before: those of the same word above the bit, and all words beyond.
            above = np.int64(ones_in_word(seen[block] >> bit))
            for w in range(block + 1, words):
                above += np.int64(ones_in_word(seen[w]))
            measure[0] += above
            seen[block] |= np.uint64(1) << bit
            measure[3] += card == i
            if i > 0:
                measure[1] += card < before
                measure[4] += card == before + 1
                measure[5] += line[card] == line[before] and abs(step[card] - step[before]) == 1
            before = card
        for later in range(1, n):
            measure[2] += place[later] < place[later - 1]
        for k in range(6):
            if t == 0 or measure[k] < extremes[0, k]:
                extremes[0, k], where[0, k] = measure[k], t
            if t == 0 or measure[k] > extremes[1, k]:
                extremes[1, k], where[1, k] = measure[k], t
    return extremes, where


@njit(cache=True)
def mixed_in(code: np.uint64, value: int | np.int64) -> np.uint64:
    """One more value mixed into a 64-bit code; the multiplier is odd, 2^64 over the golden ratio."""
    mixed = (code ^ np.uint64(value + 1)) * np.uint64(0x9E3779B97F4A7C15)
    return mixed ^ (mixed >> np.uint64(29))


@njit(cache=True)
def copy_codes(
    decks: NDArray[np.unsignedinteger],
    faces: NDArray[np.int64],
    suits: NDArray[np.int64],
    length: int,
    codes: NDArray[np.uint64],
) -> None:
    """Codes that decks share with their copies: cut or reversed, ids mirrored, suits renamed, openings, endings."""
    n = decks.shape[1]
    names = np.empty(n, dtype=np.int64)
    for t in range(decks.shape[0]):
        deck = decks[t]
        start = 0
        while deck[start] != 0:
            start += 1
        # Read from card 0 on, towards the smaller of its two neighbours: cuts and reversals do not change that.
        step = 1 if deck[(start + 1) % n] < deck[start - 1] else -1
        at = start
        code = np.uint64(0)
        for _ in range(n):
            code = mixed_in(code, deck[at])
            at += step
            if at == n:
                at = 0
            elif at < 0:
                at = n - 1
        codes[0, t] = code
        # The ids, or those counted from the other end: whichever begins with the smaller card.
        first = np.int64(deck[0]) if 2 * np.int64(deck[0]) != n - 1 else np.int64(deck[1])
        turned = 2 * first > n - 1
        code = np.uint64(0)
        for i in range(n):
            card = np.int64(deck[i])
            code = mixed_in(code, np.int64(n - 1 - card if turned else card))
        codes[1, t] = code
        # Suits are numbered as they appear.
        names[:] = -1
        known = 0
        code = np.uint64(0)
        for i in range(n):
            suit = suits[deck[i]]
            if names[suit] < 0:
                names[suit] = known
                known += 1
            code = mixed_in(code, faces[deck[i]] * n + names[suit])
        codes[2, t] = code
        code = np.uint64(0)
        for i in range(length):
            code = mixed_in(code, deck[i])
        codes[3, t] = code
        code = np.uint64(0)
        for i in range(n - length, n):
            code = mixed_in(code, deck[i])
        codes[4, t] = code

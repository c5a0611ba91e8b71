"""Decks under test: their shape, their validity, and how tests read them in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rng.battery.result import TestResult
from rng.errors import SampleError

Decks = NDArray[np.uint8]
"""Shuffled decks, one a row: ``decks[t, i]`` is the card id in position ``i`` of deck ``t``."""

SUITS = 4
# Below this many decks a test of means and totals leaves out the chi-square of its distribution, whose far tail is
# not yet right.
DISTRIBUTION_DECKS = 200
# 16,384 decks of 40 cards are 640 KiB: a chunk and its temporaries stay within the second-level cache.
CHUNK = 1 << 14


@dataclass(frozen=True, slots=True)
class CardTest:
    """One statistical test of shuffled decks.

    Args:
        name: Name within the suite ``cards``.
        minimum_decks: Fewest decks for which its null distribution holds.
        run: The test itself.
    """

    name: str
    minimum_decks: int
    run: Callable[[Decks], TestResult]


def column_chunks(decks: Decks, overlap: int = 0) -> Iterator[NDArray[np.uint8]]:
    """Yields the decks in pieces, positions as rows, so that one position lies contiguous in memory.

    Args:
        decks: The decks, one a row.
        overlap: How many decks of the following piece are repeated at the end of each piece.

    Yields:
        Arrays of shape (cards, decks in this piece); pieces no longer than the overlap are left out.
    """
    for start in range(0, len(decks), CHUNK):
        piece = decks[start : start + CHUNK + overlap]
        if len(piece) > overlap:
            yield np.ascontiguousarray(piece.T)


def first_invalid(decks: Decks) -> int | None:
    """Index of the first row that is not a permutation of its card ids, or None if all are."""
    cards = decks.shape[1]
    for number, columns in enumerate(column_chunks(decks)):
        seen = np.zeros(columns.shape[1], dtype=np.uint64)
        for column in columns:
            # A shift by 64 or more is undefined: ids out of range set no bit, so the row fails all the same.
            bits = np.left_shift(np.uint64(1), np.minimum(column, 63).astype(np.uint64))
            seen |= np.where(column < cards, bits, np.uint64(0))
        wrong = np.flatnonzero(seen != np.uint64((1 << cards) - 1))
        if wrong.size:
            return number * CHUNK + int(wrong[0])
    return None


def check_decks(decks: Decks) -> None:
    """Refuses anything that is not a table of whole decks.

    Raises:
        SampleError: If the array is not two-dimensional ``uint8`` or a row is not a permutation.
    """
    if decks.ndim != 2 or decks.dtype != np.uint8 or not 2 <= decks.shape[1] <= 64:
        raise SampleError(
            f"decks must be a uint8 array of shape (decks, 2 to 64 cards), got {decks.dtype} {decks.shape}"
        )
    wrong = first_invalid(decks)
    if wrong is not None:
        row = " ".join(str(card) for card in decks[wrong])
        raise SampleError(f"deck {wrong}: expected each card 0 to {decks.shape[1] - 1} once, got {row}")


def positions(cards: int) -> tuple[str, ...]:
    """Labels of the positions of a deck, counted from one."""
    return tuple(f"position {i + 1}" for i in range(cards))


def rank_of(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Rank index of each card id (ids are ``4 * rank + suit``)."""
    return cards // SUITS


def suit_of(cards: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Suit index of each card id (ids are ``4 * rank + suit``)."""
    return cards % SUITS

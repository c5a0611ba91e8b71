"""Counting in stretches of a packed sequence, whatever their length and position."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from rng.battery.compiled import ones_in_word

if TYPE_CHECKING:
    from numpy.typing import NDArray


@njit(cache=True, nogil=True, inline="always")
def bits_at(words: NDArray[np.uint64], start: int, width: int) -> np.uint64:
    """Return ``width`` bits (1 to 64) from bit ``start`` as a number; for use within kernels."""
    at, offset = start >> 6, np.uint64(start & 63)
    word = words[at] << offset
    if offset:
        word |= words[at + 1] >> (np.uint64(64) - offset)
    return np.uint64(word >> np.uint64(64 - width))


@njit(cache=True, nogil=True)
def _window_counts(words: NDArray[np.uint64], counts: NDArray[np.int64], stride: int, width: int) -> None:
    every = ~np.uint64(0)
    for window in range(counts.size):
        start, end = window * stride, window * stride + width
        first, last = start >> 6, end >> 6
        # Ones from the first word to the last, less those before the start; the last word only up to the end.
        total = np.int64(0)
        mask = every >> np.uint64(start & 63)
        for at in range(first, last):
            total += np.int64(ones_in_word(words[at] & mask))
            mask = every
        if end & 63:
            total += np.int64(ones_in_word(words[last] & mask & ~(every >> np.uint64(end & 63))))
        counts[window] = total


def ones_in_windows(words: NDArray[np.uint64], count: int, stride: int, width: int) -> NDArray[np.int64]:
    """Count the ones in ``count`` windows of ``width`` bits that begin ``stride`` bits apart.

    Example:
        >>> words = np.array([0b1011 << 60, 0, 0], dtype=np.uint64)
        >>> ones_in_windows(words, 2, 2, 2).tolist()
        [1, 2]
    """
    counts = np.zeros(count, dtype=np.int64)
    if count and width > 0:
        _window_counts(words, counts, stride, width)
    return counts


def shifted(words: NDArray[np.uint64], by: int) -> NDArray[np.uint64]:
    """Return the sequence moved ``by`` bits towards its beginning, zeros following (0 < by < 64)."""
    moved = words << np.uint64(by)
    moved[:-1] |= words[1:] >> np.uint64(64 - by)
    return moved

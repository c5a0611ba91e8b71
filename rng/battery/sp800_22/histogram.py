"""How often every pattern of m bits occurs in a stretch of a sequence: one pass for all patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Widest pattern: 2^24 counters of four bytes are 64 MiB.
WIDEST = 24


@njit(cache=True, nogil=True)
def _count_windows(
    octets: NDArray[np.uint8], start: int, count: int, width: int, counts: NDArray[np.uint32]
) -> None:
    mask = np.uint32((1 << width) - 1)
    spare = 32 - width
    first, last = start >> 3, (start + count + 7) >> 3
    window = np.uint64(0)
    for at in range(first, first + 4):
        window = (window << np.uint64(8)) | np.uint64(octets[at])
    for at in range(first, last):
        # Forty bits from this byte on: every pattern that begins in the byte lies within them.
        window = (window << np.uint64(8)) | np.uint64(octets[at + 4])
        low = max(start - 8 * at, 0)
        high = min(start + count - 8 * at, 8)
        if low == 0 and high == 8:
            for bit in range(8):
                counts[np.uint32(window >> np.uint64(spare + 8 - bit)) & mask] += np.uint32(1)
        else:
            for bit in range(low, high):
                counts[np.uint32(window >> np.uint64(spare + 8 - bit)) & mask] += np.uint32(1)


def count_windows(octets: NDArray[np.uint8], start: int, count: int, width: int) -> NDArray[np.int64]:
    """Count the patterns of ``width`` bits that begin at ``count`` consecutive places from bit ``start``.

    Args:
        octets: Packed bits; zeros are taken to follow them.
        start: First place.
        count: Number of places.
        width: Bits in a pattern, at most 24.

    Example:
        >>> count_windows(np.array([0b00110110], dtype=np.uint8), 0, 7, 2).tolist()
        [1, 2, 2, 2]
    """
    counts = np.zeros(1 << width, dtype=np.uint32)
    needed = (start + count + 7) // 8 + 5
    if octets.size < needed:
        octets = np.concatenate((octets, np.zeros(needed - octets.size, dtype=np.uint8)))
    _count_windows(octets, start, count, width, counts)
    return counts.astype(np.int64)


def narrowed(counts: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return the counts of the first ``width`` bits of every pattern."""
    while counts.size > 1 << width:
        # Patterns that differ in their last bit only stand beside each other.
        counts = counts[0::2] + counts[1::2]
    return counts

"""Linear complexity of every bit lane of word output: what the large batteries miss in linear generators.

A generator that is linear over the field of two elements (shift registers, Mersenne Twister, additive lagged
generators in their lowest bit) produces, in each bit lane, a sequence of a linear complexity no larger than
its state. Berlekamp-Massey finds it exactly from twice that many words.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import TestResult

# Words tested: enough for the low bits of a power-of-two generator of period 2^17 (complexity 2^16 + 1).
MOST_WORDS = 140_000
# Lanes tested on all those words; the others on the first 40,000, enough for a state of 19,937 bits.
DEEP_LANES = (0,)
LANE_WORDS = 40_000
LEAST_WORDS = 200


@njit(cache=True)
def linear_complexity(bits: NDArray[np.uint8]) -> int:
    """Length of the shortest linear feedback shift register that produces the bits.

    Sixty-four coefficients at a time: the connection polynomial and the most recent bits are held in words,
    so that one discrepancy is the parity of an AND and one update a shifted exclusive or.

    Source: Massey, IEEE Transactions on Information Theory 15 (1969), 122-127, algorithm 2.
    """
    n = bits.size
    words = n // 64 + 2
    connection = np.zeros(words, dtype=np.uint64)
    previous = np.zeros(words, dtype=np.uint64)
    saved = np.zeros(words, dtype=np.uint64)
    # ``recent`` holds the bits already read, newest first in reading order: bit i of the window is
    # s[position - i].
    backwards = np.zeros(2 * words + 2, dtype=np.uint64)
    for i in range(n):
        if bits[i]:
            place = n - 1 - i
            backwards[place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    connection[0] = 1
    previous[0] = 1
    length = 0
    gap = 1
    for i in range(n):
        start = n - 1 - i
        block = start >> 6
        shift = np.uint64(start & 63)
        used = (length >> 6) + 1
        total = np.uint64(0)
        if shift == 0:
            for w in range(used):
                total ^= connection[w] & backwards[block + w]
        else:
            rest = np.uint64(64) - shift
            for w in range(used):
                window = (backwards[block + w] >> shift) | (backwards[block + w + 1] << rest)
                total ^= connection[w] & window
        total ^= total >> np.uint64(32)
        total ^= total >> np.uint64(16)
        total ^= total >> np.uint64(8)
        total ^= total >> np.uint64(4)
        total ^= total >> np.uint64(2)
        total ^= total >> np.uint64(1)
        if total & np.uint64(1):
            longer = 2 * length <= i
            if longer:
                for w in range(used):
                    saved[w] = connection[w]
            skip = gap >> 6
            left = np.uint64(gap & 63)
            reach = ((max(length, i + 1 - length)) >> 6) + 1
            if left == 0:
                for w in range(skip, reach):
                    connection[w] ^= previous[w - skip]
            else:
                right = np.uint64(64) - left
                for w in range(reach - 1, skip, -1):
                    connection[w] ^= (previous[w - skip] << left) | (previous[w - skip - 1] >> right)
                connection[skip] ^= previous[0] << left
            if longer:
                for w in range(used):
                    previous[w] = saved[w]
                length = i + 1 - length
                gap = 0
        gap += 1
    return length


def complexity_count(n: int, length: int) -> int:
    """Number of the 2^n bit sequences of length n that have a given linear complexity.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), proposition 4.1: 2^min(2n-2L, 2L-1).

    Example:
        >>> [complexity_count(3, length) for length in range(4)]
        [1, 2, 4, 1]
    """
    return 1 if length == 0 else int(1 << min(2 * n - 2 * length, 2 * length - 1))


def two_sided_p(n: int, length: int) -> float:
    """Exact two-sided p-value of a linear complexity: twice the smaller tail, at most one.

    Example:
        >>> two_sided_p(64, 32)
        1.0
    """
    lower = sum_of_counts(n, 0, length)
    upper = (1 << n) - lower + complexity_count(n, length)
    return float(min(Fraction(1), 2 * Fraction(min(lower, upper), 1 << n)))


def sum_of_counts(n: int, first: int, last: int) -> int:
    """Number of bit sequences with a linear complexity in a range, ends included.

    Example:
        >>> sum_of_counts(10, 0, 10) == 2**10
        True
    """
    total = 1 if first == 0 else 0
    low, high = max(first, 1), min(last, n // 2)
    if low <= high:  # the sum of 2^(2L-1)
        total += (2 * (4**high - 4 ** (low - 1))) // 3
    low = max(first, n // 2 + 1)
    if low <= last:  # the sum of 4^(n-L)
        total += (4 ** (n - low + 1) - 4 ** (n - last)) // 3
    return total


def lane(words: NDArray[np.unsignedinteger], bit: int) -> NDArray[np.uint8]:
    """One bit of every word, as a sequence of its own."""
    return (words.astype(np.uint64) >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)


def minimum(below: int) -> int | None:
    """Fewest words for the test; None where numbers are not whole words (the range is no power of two)."""
    return LEAST_WORDS if below & (below - 1) == 0 else None


def run(words: NDArray[np.unsignedinteger], below: int) -> TestResult:
    """Berlekamp-Massey on each bit lane: the complexity of n random bits is n/2 give or take a few.

    Args:
        words: Output words in order.
        below: Range of the words, a power of two; it says how many lanes there are.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), section 4.1 (exact distribution).
    """
    bits = below.bit_length() - 1
    found, lengths = dict[str, float](), []
    for bit in range(bits):
        used = words[: MOST_WORDS if bit in DEEP_LANES else LANE_WORDS]
        length = int(linear_complexity(lane(used, bit)))
        found[f"bit {bit}: complexity {length} of {len(used)}"] = two_sided_p(len(used), length)
        lengths.append(length)
    tested = min(len(words), LANE_WORDS)
    return TestResult.of(
        found,
        parameters={"words": min(len(words), MOST_WORDS), "bits": bits},
        statistic=float(min(lengths)),
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact",
        detectable=f"any generator linear over GF(2) with at most {tested // 2 - 10} bits of state"
        f"{goodness.CERTAIN_WORDS}",
    )

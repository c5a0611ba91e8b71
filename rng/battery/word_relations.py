"""What ties the bits of a word to each other and to the word before, and bytes close together, pair by pair."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import evidence, goodness, scores
from rng.battery.cells import two_sided, worst
from rng.battery.result import TestResult
from rng.battery.suite import Test, at_least
from rng.battery.whole import Whole

Counts = NDArray[np.int64]

# Relations show in the first mebibytes, or not at all.
MOST_BYTES = 1 << 22
CHUNK = 1 << 15
FARTHEST = 8
WEIGHED = (32, 64)


def agreements(octets: NDArray[np.uint8]) -> tuple[Counts, Counts]:
    """How often each two bits of a word of 64 agree, and each bit with each of the word before.

    Returns:
        ``same[a, b]`` within a word, and ``before[a, b]`` of bit a of a word and bit b of the one before.

    Example:
        >>> same, before = agreements(np.array([255] * 8 + [0] * 8, dtype=np.uint8))
        >>> same[0, 1], before[0, 1]
        (np.int64(2), np.int64(0))
    """
    words = octets.size // 8
    same, before = np.zeros((2, 64, 64), dtype=np.int64)
    last = np.zeros((0, 64), dtype=np.float32)
    for start in range(0, words, CHUNK):
        bits = np.unpackbits(octets[8 * start : 8 * min(start + CHUNK, words)]).reshape(-1, 64)
        signs = np.concatenate([last, bits.astype(np.float32) * 2 - 1])
        now = signs[len(last) :]
        same += np.rint(now.T @ now).astype(np.int64)
        before += np.rint(signs[1:].T @ signs[:-1]).astype(np.int64)
        last = signs[-1:]
    return (same + words) // 2, (before + max(0, words - 1)) // 2


@njit(cache=True)
def after_bytes(octets: NDArray[np.uint8]) -> tuple[Counts, Counts]:
    """Bits of a word of 32 after each value of each byte of the word before.

    Returns:
        ``cases[byte, value]``, and ``ones[byte, value, bit]`` of the words that follow.
    """
    cases = np.zeros((4, 256), dtype=np.int64)
    ones = np.zeros((4, 256, 32), dtype=np.int64)
    for start in range(4, octets.size - 3, 4):
        for byte in range(4):
            value = octets[start - 4 + byte]
            cases[byte, value] += 1
            row = ones[byte, value]
            for bit in range(32):
                row[bit] += octets[start + (bit >> 3)] >> (7 - (bit & 7)) & 1
    return cases, ones


@njit(cache=True)
def exclusive_ors(octets: NDArray[np.uint8], farthest: int) -> Counts:
    """How often each value came of a byte, one j bytes before and one k before, added without carry.

    Returns:
        ``counts[j, k, value]`` for 0 ≤ j < k, where j = 0 leaves out the middle one.
    """
    counts = np.zeros((farthest, farthest + 1, 256), dtype=np.int64)
    for j in range(farthest):
        for k in range(j + 1, farthest + 1):
            row = counts[j, k]
            for i in range(farthest, octets.size):
                middle = octets[i - j] if j else np.uint8(0)
                row[octets[i] ^ middle ^ octets[i - k]] += 1
    return counts


def weights_p(octets: NDArray[np.uint8], width: int) -> float:
    """P-value of how far the numbers of ones in words of a width spread: Chernoff's bound on the exact moments."""
    ones = np.bitwise_count(octets[: octets.size // (width // 8) * (width // 8)].view(f"u{width // 8}"))
    law = np.zeros((width // 2) ** 2 + 1)
    count = np.zeros(law.size, dtype=np.int64)
    chances = special.comb(width, np.arange(width + 1)) / 2.0**width
    for weight, (seen, chance) in enumerate(
        zip(np.bincount(ones, minlength=width + 1), chances, strict=True)
    ):
        count[(weight - width // 2) ** 2] += seen
        law[(weight - width // 2) ** 2] += chance
    return scores.mean_p(count, law)


def _found(octets: NDArray[np.uint8]) -> Iterator[tuple[str, float]]:
    words = octets.size // 8
    same, before = agreements(octets)
    pairs = list(combinations(range(64), 2))
    within = np.array([same[pair] for pair in pairs])
    for counts, trials, names in (
        (within, words, [f"bits {a + 1} and {b + 1} of 64" for a, b in pairs]),
        (
            before.reshape(-1),
            words - 1,
            [f"bit {a + 1} of 64 and bit {b + 1} of the word before" for a in range(64) for b in range(64)],
        ),
    ):
        yield worst(two_sided(counts, trials, np.full(counts.size, 0.5)), names)
    cases, ones = after_bytes(octets)
    # How often a byte took a value depends on what followed before, so that the bits after it are bet on.
    won = evidence.log_capital(ones, np.repeat(cases[:, :, None], 32, axis=2), np.full(ones.shape, 0.5))
    byte, value, bit = (int(x) for x in np.unravel_index(int(won.argmax()), won.shape))
    yield (
        f"bit {bit + 1} of 32 after {value:#x} in byte {byte + 1}",
        evidence.p_value(evidence.mean_log(won.reshape(-1))),
    )
    xors = exclusive_ors(octets, FARTHEST)
    chosen = [(j, k) for j in range(FARTHEST) for k in range(j + 1, FARTHEST + 1)]
    table = np.stack([xors[pair] for pair in chosen])
    p_values = two_sided(table.reshape(-1), octets.size - FARTHEST, np.full(table.size, 1 / 256))
    pair, value = divmod(int(p_values.argmin()), 256)
    label = f"bytes {' and '.join(str(lag) for lag in chosen[pair] if lag)} apart: {value:#x}"
    yield label, min(1.0, p_values.size * float(p_values.min()))
    for width in WEIGHED:
        yield f"ones in words of {width} bits", weights_p(octets, width)


def run(whole: Whole) -> TestResult:
    """Bits of one word and of the word before, bits after a byte, bytes added without carry, ones in a word.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 (serial test), every pair and value by its own exact tail.
    """
    octets = np.ascontiguousarray(whole.octets[:MOST_BYTES])
    found = dict(_found(octets))
    return TestResult.of(
        found,
        parameters={"looked_at": 8 * octets.size},
        null="binomial, exact; Bonferroni over pairs and values; Chernoff's bound on the exact moments of the ones",
        detectable=goodness.describe_shift(
            octets.size // 8, "in the mean sign of one place of 64", len(found) * 64
        ),
    )


TESTS = (Test("word-relations", at_least(100 * 64), run),)

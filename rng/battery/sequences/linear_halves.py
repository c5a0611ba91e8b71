"""Linear generators behind ranges that are no power of two: the half of the range that a number lies in is a bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.lanes import LANE_WORDS, linear_complexity, two_sided_p
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Test

LEAST_DRAWS = 512
# Of odd ranges so many numbers are searched for a stretch without the middle one.
MOST_SEARCHED = 1 << 22
STATE_BITS = 128
# Equations beyond the state: each holds by chance with probability one half.
EXCESS = 64
# V8 fills a cache of so many numbers and hands them out from its end.
CACHE = 64


@cache
def v8_equations(count: int) -> tuple[int, ...]:
    """The top bit of each output of V8's generator as a sum of bits of the first state, one bit of a mask for each.

    Source: V8, src/base/utils/random-number-generator.h (XorShift128, ToDouble of the first word).
    """
    first, second = [1 << i for i in range(64)], [1 << (64 + i) for i in range(64)]
    equations = []
    for _ in range(count):
        x, y = first, second
        x = [bit ^ (x[i - 23] if i >= 23 else 0) for i, bit in enumerate(x)]
        x = [bit ^ (x[i + 17] if i + 17 < 64 else 0) for i, bit in enumerate(x)]
        moved = [bit ^ (y[i + 26] if i + 26 < 64 else 0) for i, bit in enumerate(y)]
        first, second = y, [a ^ b for a, b in zip(x, moved, strict=True)]
        equations.append(first[63])
    return tuple(equations)


def orders(count: int) -> Iterator[list[int]]:
    """Ways in which the outputs may have been handed out: as made, or block by block from the end of the cache.

    Yields, for the numbers from the first full block on, the place of each in the order in which they were made; the
    numbers before it are left out.
    """
    yield list(range(count))
    for start in range(CACHE):
        yield [(k // CACHE) * CACHE + CACHE - 1 - k % CACHE for k in range((count - start) // CACHE * CACHE)]


@njit(cache=True)
def excess(masks: NDArray[np.uint64], bits: NDArray[np.uint8]) -> tuple[int, int]:
    """The same for masks of two words each, the upper one first."""
    solved = np.zeros((128, 2), dtype=np.uint64)
    right = np.zeros(128, dtype=np.uint8)
    known = np.zeros(128, dtype=np.bool_)
    further = held = 0
    for row in range(bits.size):
        upper, lower, bit = masks[row, 0], masks[row, 1], bits[row]
        new = False
        for place in range(127, -1, -1):
            word = upper >> np.uint64(place - 64) if place >= 64 else lower >> np.uint64(place)
            if word & np.uint64(1):
                if known[place]:
                    upper ^= solved[place, 0]
                    lower ^= solved[place, 1]
                    bit ^= right[place]
                else:
                    solved[place, 0], solved[place, 1] = upper, lower
                    right[place], known[place] = bit, True
                    new = True
                    break
        if not new:
            further += 1
            held += bit == 0
    return further, held


@cache
def _masks(count: int) -> NDArray[np.uint64]:
    equations = v8_equations(count)
    return np.array([(mask >> 64, mask & (1 << 64) - 1) for mask in equations], dtype=np.uint64)


def v8_bound(halves: NDArray[np.int8]) -> float:
    """Bound on the probability that independent fair bits obey V8's generator in any of the orders.

    Args:
        halves: For each number whether it lies in the upper half; -1 for the middle one.
    """
    used, masks = halves[:LEAST_DRAWS], _masks(LEAST_DRAWS)
    best = 1.0
    for number, order in enumerate(orders(len(used) - CACHE)):
        start = max(0, number - 1)
        bits = used[start : start + len(order)]
        known = np.flatnonzero(bits >= 0)[: STATE_BITS + EXCESS]
        further, held = excess(masks[np.array(order)[known]], bits[known].astype(np.uint8))
        if further == held:
            best = min(best, 2.0**-further)
    return min(1.0, (CACHE + 1) * best)


def longest_without(values: NDArray[np.uint64], number: int) -> NDArray[np.uint64]:
    """The longest stretch in which a number does not come, the first of them.

    Example:
        >>> longest_without(np.array([3, 1, 4, 1, 5, 9, 1], dtype=np.uint64), 1)
        array([5, 9], dtype=uint64)
    """
    places = np.concatenate(([-1], np.flatnonzero(values == np.uint64(number)), [values.size]))
    widest = int(np.argmax(np.diff(places)))
    return values[places[widest] + 1 : places[widest + 1]]


def run(draws: IntegerDraws) -> TestResult:
    """Linear complexity of the halves of a range and, of even ones, of odd and even; in odd ranges V8's generator too.

    The upper half of an even range is the top bit of what was scaled to it, and odd or even the lowest bit of what a
    remainder was taken of. In an odd range the middle number tells no bit: the longest stretch without it is as good as
    an even range, as far as it goes, and V8's generator is held against what lies between them, where each equation
    beyond its state holds with probability one half.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), section 4.1 (exact distribution).
    """
    below, found = draws.below, dict[str, float]()
    values = draws.values[: LANE_WORDS if below % 2 == 0 else MOST_SEARCHED].astype(np.uint64)
    if below % 2 == 0:
        upper = (values >= np.uint64(below // 2)).astype(np.uint8)
        for name, bits in (("odd and even", (values & np.uint64(1)).astype(np.uint8)), ("halves", upper)):
            found[name] = two_sided_p(bits.size, int(linear_complexity(bits)))
    else:
        middle = below // 2
        first = values[:LEAST_DRAWS]
        found["V8 Math.random"] = v8_bound(
            np.where(first == np.uint64(middle), -1, first > np.uint64(middle)).astype(np.int8)
        )
        stretch = longest_without(values, middle)[:LANE_WORDS]
        bits = (stretch > np.uint64(middle)).astype(np.uint8)
        found[f"halves, {bits.size} in a row"] = two_sided_p(bits.size, int(linear_complexity(bits)))
    return TestResult.of(
        found,
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact; equations beyond the state fair (a bound)",
        detectable=f"any generator linear over GF(2) with at most {max(0, bits.size // 2 - 10)} bits of state"
        f"{goodness.CERTAIN_WORDS}",
    )


def minimum(below: int) -> int | None:
    """Fewest numbers; powers of two have all their bits tested as they are."""
    return LEAST_DRAWS if below & (below - 1) else None


TESTS = (Test("linear-halves", minimum, run),)

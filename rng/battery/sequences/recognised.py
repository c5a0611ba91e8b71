"""Generators recognised by relations between numbers at given distances, and by bits that are linear in a state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.lanes import LANE_WORDS, linear_complexity, two_sided_p
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, class_probabilities
from rng.battery.suite import Test

Words = NDArray[np.uint64]

# Lags of additive and subtractive generators that runtimes have: std::ranlux24_base of C++, random() of glibc, Knuth's
# of 1969, .NET's (its second lag is 34 by mistake), Knuth-TAOCP of R, and Go's.
KNOWN_LAGS = ((24, 10), (31, 3), (55, 24), (55, 34), (100, 37), (607, 273))
# A relation shows in thousands of numbers, or not at all.
MOST_RELATED = 1 << 16
CLASSES = 64
LEAST_RELATED = 100

MOST_DIFFERENCES = 8
LEAST_DIFFERENCES = 1_024


@dataclass(frozen=True, slots=True)
class Relation:
    """A sum of numbers at given distances, which is uniform modulo the range if they are uniform and independent.

    Args:
        name: What keeps it.
        lags: How many numbers before the last each of the others lies, the farthest first.
        times: What each of these is multiplied by; the last number is taken once.
    """

    name: str
    lags: tuple[int, ...]
    times: tuple[int, ...]


def known_relations() -> Iterator[Relation]:
    """The relations of additive and subtractive generators in use: for each pair of lags three signs."""
    for long, short in KNOWN_LAGS:
        for signs in ((-1, -1), (-1, 1), (1, -1)):
            words = " and ".join(
                f"{lag} ({'+' if sign > 0 else '-'})" for lag, sign in zip((long, short), signs, strict=True)
            )
            yield Relation(f"lags {words}", (long, short), signs)


def differences(size: int) -> Iterator[tuple[Relation, int]]:
    """Repeated differences at the largest power of two that the sample allows, with the bits of modulus they vanish in.

    Whatever the multiplier, 2^k steps of a generator modulo a power of two multiply its state by one more than a
    multiple of 2^(k+2): the j-th difference at that lag is the same number everywhere if j (k + 2) bits are all there
    are, and what is drawn from the state differs from it by what was rounded off.

    Example:
        >>> [(relation.name, relation.times, bits) for relation, bits in differences(4_096)][1]
        ('second difference at 1024', (1, -2), 24)
    """
    for order in range(1, MOST_DIFFERENCES + 1):
        k = ((size - max(LEAST_DIFFERENCES, min(MOST_RELATED, size // 4))) // order).bit_length() - 1
        if k >= 1:
            lags = tuple(step << k for step in range(order, 0, -1))
            times = tuple((-1) ** step * comb(order, step) for step in range(order, 0, -1))
            yield Relation(f"{ORDINALS[order]} difference at {1 << k}", lags, times), order * (k + 2)


ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


@njit(cache=True)
def sums(
    values: Words, lags: NDArray[np.int64], times: NDArray[np.int64], below: np.uint64, moved: np.uint64
) -> Words:
    """The sum of a relation, and ``moved`` more, modulo the range, for every number that has all the others.

    Each is added modulo the range so that nothing overflows. A range of 0 stands for 2^64, where words wrap.
    """
    result = np.empty(values.size - lags[0], dtype=np.uint64)
    for i in range(result.size):
        total = values[i + lags[0]]
        # The opposite of what is added is subtracted.
        total = total - (below - moved) if moved > 0 and total >= below - moved else total + moved
        for j in range(lags.size):
            term = values[i + lags[0] - lags[j]]
            if times[j] > 0 and term > 0:
                term = below - term
            for _ in range(abs(times[j])):
                total = total - term if total >= term else total + (below - term)
        result[i] = total
    return result


def sums_of(values: Words, relation: Relation, below: int, moved: int) -> Words:
    """The sums of a relation, compiled; of the last numbers only as many as are looked at."""
    used = values[: relation.lags[0] + MOST_RELATED]
    wrapped = np.uint64(below % (1 << 64))
    return sums(used, np.array(relation.lags), np.array(relation.times), wrapped, np.uint64(moved))


def counts_of(draws: IntegerDraws, values: Words, relation: Relation, classes: int) -> NDArray[np.int64]:
    """How many sums of a relation lie in each class, moved by half a class: about a multiple of the range is one."""
    found = sums_of(values, relation, draws.below, draws.below // (2 * classes))
    return np.bincount(draws.classes(found, classes), minlength=classes)


def run_known_lags(draws: IntegerDraws) -> TestResult:
    """Known lags: a generator that adds or subtracts two earlier outputs leaves a sum near a multiple of the range.

    For independent uniform numbers the sums are uniform modulo the range and independent of each other, each by the
    last number that it adds: the count of each class is compared with its exact probability, class by class.

    Source: Knuth, The Art of Computer Programming 2, 3.2.2 (7), (12) and table 1; .NET reference source, Random.cs;
    GNU C Library, stdlib/random_r.c.
    """
    values = draws.values[:MOST_RELATED].astype(np.uint64)
    classes = min(draws.below, CLASSES)
    widest = float(max(class_probabilities(draws.below, classes)))
    found: dict[str, float] = {}
    for relation in known_relations():
        if values.size - relation.lags[0] >= LEAST_RELATED:
            counts = counts_of(draws, values, relation, classes)
            found[relation.name] = goodness.fullest_cell(counts, int(counts.sum()), widest)
    return TestResult.of(
        found,
        parameters={"classes": classes},
        null="sums modulo the range are uniform; fullest class binomial (a bound)",
        detectable=goodness.describe_fullest(values.size, widest, classes, "sums in one class"),
    )


def run_differences(draws: IntegerDraws) -> TestResult:
    """Repeated differences at powers of two: any congruential generator modulo a power of two, known or not.

    Neither multiplier nor increment need be known, nor how many outputs were thrown away between two numbers, nor
    whether a number is the share or the remainder of a state or of some of its bits.

    Source: Knuth, The Art of Computer Programming 2, 3.2.1.2, theorem A (the powers of such a multiplier); De
    Matteis and Pagnutti, Numerische Mathematik 53 (1988), 595-608 (correlation at such distances).
    """
    most = (MOST_DIFFERENCES << 18) + MOST_RELATED
    values = draws.values[:most].astype(np.uint64)
    classes = min(draws.below, CLASSES)
    laws = class_probabilities(draws.below, classes)
    fits, labels = [], []
    for relation, bits in differences(values.size):
        counts = counts_of(draws, values, relation, classes)
        fits.append(goodness.chi_square_fit(counts, laws, ordered=False))
        labels.append(f"{relation.name}, moduli up to 2^{bits}")
    return goodness.fitted(
        fits,
        labels=labels,
        parameters={"classes": classes},
        null="sums modulo the range are uniform and independent; multinomial, chi-square",
    )


RELATIONS: tuple[SequenceTest, ...] = (
    Test("known-lags", lambda _below: KNOWN_LAGS[0][0] + LEAST_RELATED, run_known_lags),
    Test("power-of-two-lags", lambda _below: 2 * LEAST_DIFFERENCES, run_differences),
)


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


LINEAR_HALVES = (Test("linear-halves", minimum, run),)

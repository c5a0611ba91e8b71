"""Generators recognised by relations between numbers at given distances."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Final

import numpy as np
from numba import njit

from rng.array_types import Counts, Words
from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, class_probabilities
from rng.battery.suite import Test

# Lags of additive and subtractive generators that runtimes have; the second lag of .NET's is 34 by mistake.
KNOWN_LAGS: Final = {
    "std::ranlux24_base": (24, 10),
    "random() of glibc": (31, 3),
    "Knuth's of 1969": (55, 24),
    "System.Random of Microsoft": (55, 34),
    "Knuth-TAOCP of R": (100, 37),
    "math/rand of Go": (607, 273),
}
# A relation shows in thousands of numbers, or not at all.
MOST_RELATED = 1 << 16
CLASSES = 64
LEAST_LAG, LEAST_RELATED = 24, 100

MOST_DIFFERENCES = 8
LEAST_DIFFERENCES = 1_024


@dataclass(frozen=True, slots=True)
class Relation:
    """A sum of numbers at given distances, which is uniform modulo the range if they are uniform and independent.

    Args:
        name: What keeps it.
        lags: How many numbers before the last each of the others is, the farthest first.
        times: What each of these is multiplied by; the last number is taken once.
    """

    name: str
    lags: tuple[int, ...]
    times: tuple[int, ...]


# Of congruential generators the sums of some states that are always the same, by search: in the parity of a boolean, in
# the share of a range and in its remainder they leave a trace, where a number tells too little for a lattice.
CONGRUENTIAL: Final = (
    Relation("java.util.Random", (896, 893, 751, 155, 72), (-1, -1, -1, -1, -1)),
    Relation("MINSTD 16807", (1374, 1199, 427), (1, 1, -1)),
    Relation("MINSTD 16807, every second output", (1248, 430, 222), (1, -1, -1)),
    Relation("MINSTD 48271", (1075, 903, 328), (1, -1, 1)),
    Relation("MINSTD 48271, every second output", (1583, 1523, 449), (1, -1, -1)),
)


# Absolute values of signed words tell a state up to its sign. A cosine does not change with the sign, and the product
# of those of the states that sum up to the same keeps a trace of it.
ABSOLUTE: Final = (
    Relation("java.util.Random, Math.abs of nextInt", (896, 893, 751, 155, 72), ()),
    Relation("java.util.Random, Math.abs of nextLong", (550, 510, 292, 223, 213), ()),
)
# Turns of the wave, the largest range, shares of the capital staked, and what a bet costs at stakes up to the largest.
MOST_TURNS, LARGEST_RANGE = 32, 128
STAKES = (0.1, 0.3, 1.0)
GRID = np.linspace(0, STAKES[-1], 257)


def known_relations() -> Iterator[Relation]:
    """The relations of generators in use: of additive ones for each pair of lags three signs."""
    yield from CONGRUENTIAL
    for name, (long, short) in KNOWN_LAGS.items():
        for signs in ((-1, -1), (-1, 1), (1, -1)):
            words = " and ".join(
                f"{lag} ({'+' if sign > 0 else '-'})" for lag, sign in zip((long, short), signs, strict=True)
            )
            yield Relation(f"{name}: lags {words}", (long, short), signs)


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


def sums_of(values: Words, relation: Relation, below: int, moved: int) -> Words:
    """The sum of a relation, and ``moved`` more, modulo the range, for every number that has all the others.

    The opposite of what is added is subtracted, so that nothing overflows; where the range is 2^64, words wrap. Of the
    last numbers only as many as are looked at.
    """
    used, wrapped = values[: relation.lags[0] + MOST_RELATED], np.uint64(below % (1 << 64))
    total = used[relation.lags[0] :]
    parts = [(np.full_like(total, moved), -1)]
    parts += [
        (used[relation.lags[0] - lag : used.size - lag], -times)
        for lag, times in zip(relation.lags, relation.times, strict=True)
    ]
    for part, times in parts:
        term = np.where(part > 0, wrapped - part, part) if times < 0 else part
        for _ in range(abs(times)):
            total = np.where(total >= term, total - term, total + (wrapped - term))
    return total


def counts_of(draws: IntegerDraws, values: Words, relation: Relation, classes: int) -> Counts:
    """How many sums of a relation lie in each class, moved by half a class: about a multiple of the range is one."""
    found = sums_of(values, relation, draws.below, draws.below // (2 * classes))
    return np.bincount(draws.classes(found, classes), minlength=classes)


def absolute_p(values: Words, below: int, relation: Relation) -> float:
    """What bets on the next number win whose stakes are products of cosines of the numbers that a relation names.

    Of independent uniform numbers the cosine has mean zero, so that each bet has its fair price, found from above
    between the points of a grid, since the price is convex; the capital exceeds 1/p with probability p (Ville).
    """
    best, turns = 1.0, min(below // 2, MOST_TURNS)
    for turn in range(1, turns + 1):
        wave = np.cos(2 * np.pi * turn / below * np.arange(below))
        signs, first = wave[values], relation.lags[0]
        staked = np.prod([signs[first - lag : signs.size - lag] for lag in relation.lags], axis=0)
        won = float(staked @ signs[first:])
        prices = np.maximum(*(np.log(np.exp(np.outer(GRID, sign * wave)).mean(axis=1)) for sign in (1, -1)))
        paid = [float(np.interp(stake * np.abs(staked), GRID, prices).sum()) for stake in STAKES]
        capital = [
            sign * stake * won - cost for stake, cost in zip(STAKES, paid, strict=True) for sign in (1, -1)
        ]
        best = min(best, len(capital) * math.exp(-np.logaddexp.reduce(capital)))
    return min(1.0, turns * best)


def run_known_lags(draws: IntegerDraws) -> TestResult:
    """Known lags: a generator that adds or subtracts two earlier outputs leaves a sum near a multiple of the range.

    For independent uniform numbers the sums are uniform modulo the range and independent of each other, each by the
    last number that it adds: the count of each class is compared with its exact probability, class by class.

    Source: Knuth, The Art of Computer Programming 2, 3.2.2 (7), (12) and table 1; .NET reference source, Random.cs;
    GNU C Library, stdlib/random_r.c; Java SE API, java.util.Random.
    """
    values = draws.values[:MOST_RELATED].astype(np.uint64)
    classes = min(draws.below, CLASSES)
    widest = float(max(class_probabilities(draws.below, classes)))
    found: dict[str, float] = {}
    for relation in known_relations():
        if values.size - relation.lags[0] >= LEAST_RELATED:
            counts = counts_of(draws, values, relation, classes)
            found[relation.name] = goodness.fullest_cell(counts, int(counts.sum()), widest)
    for relation in ABSOLUTE if draws.below <= LARGEST_RANGE else ():
        if values.size - relation.lags[0] >= LEAST_RELATED:
            found[relation.name] = absolute_p(values, draws.below, relation)
    return TestResult.of(
        found,
        parameters={"classes": classes},
        null="sums modulo the range uniform: fullest class binomial (a bound); fair bets on cosines (Ville)",
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


# Two copies of a stream: numbers from which bets begin, numbers that they go on for, and when one is given up or won.
MOST_STARTS, COPIED = 1 << 15, 512
LEAST_CAPITAL, ENOUGH = 2.0**-7, 1e30


@njit(cache=True)
def copied(values: Words, below: float, starts: int) -> tuple[float, int, int]:
    """The most that bets on two copies of one stream, served at random, win from any number on where they are level.

    The copy behind repeats what the one ahead gave, in order: half the capital is bet on the first that waits. Whoever
    takes a new number for it, since it is equal, has the right order again when the copy behind gives its own.

    Args:
        values: The numbers.
        below: Their range.
        starts: Numbers from which the bets begin, one after the other.

    Returns:
        The capital; the number it was begun with; and how many numbers later it was reached.
    """
    waiting = np.empty(COPIED, dtype=np.uint64)
    best, place, length = 0.0, 0, 0
    for start in range(starts):
        capital, first, end = 1.0, 0, 0
        for step in range(min(COPIED, values.size - start)):
            value = values[start + step]
            repeats = first < end and waiting[first] == value
            if first < end:
                capital *= (below + 1) / 2 if repeats else 0.5
            if repeats:
                first += 1
            else:
                waiting[end], end = value, end + 1
            if capital > best:
                best, place, length = capital, start, step + 1
            if capital < LEAST_CAPITAL or best > ENOUGH:
                break
    return best, place, length


def run_copies(draws: IntegerDraws) -> TestResult:
    """Two copies of one generator, such as forked workers that were not seeded again, whose numbers come in turn.

    Each number is a new one of the copy ahead, or the next that the one behind has to repeat; who is served is chance.

    Source: Ville, Étude critique de la notion de collectif (1939), 84 (the capital of fair bets); the generator is any.
    """
    values = draws.values[: MOST_STARTS + COPIED].astype(np.uint64)
    starts = min(MOST_STARTS, values.size)
    capital, place, length = copied(values, float(draws.below), starts)
    p_value = min(1.0, starts / capital)
    label = "two copies of one stream"
    if p_value < 1e-9:
        label += f", served at random, as forked workers are: from number {place + 1} on for {length} numbers"
    return TestResult.of(
        {label: p_value},
        null="capital of fair bets exceeds 1/p with probability p (Ville); Bonferroni over the beginnings",
        detectable=f"two copies that are level at some number, followed for {COPIED} numbers",
    )


RELATIONS: tuple[SequenceTest, ...] = (
    Test("copies", lambda below: COPIED if below > 3 else None, run_copies),
    Test("known-lags", lambda _below: LEAST_LAG + LEAST_RELATED, run_known_lags),
    Test("power-of-two-lags", lambda _below: 2 * LEAST_DIFFERENCES, run_differences),
)

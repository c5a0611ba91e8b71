"""Generators of a runtime that a small seed started: every seed of a range is tried, and what follows it compared.

A generator that passes every test has no more outputs than seeds. Begun by a number of 32 bits, or by the clock, it has
few enough to look at all of them: what each seed gives is compared with the first numbers of the sample.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Test, at_least
from rng.kernels import called_by_kernels

NAME: Final = "seeds"
# Numbers that are compared at most.
FOLLOWED: Final = 64
# Seeds tried where no more are requested, from 0 on.
FEW: Final = 1 << 16
# Outputs of a generator that numbers are made of, for a seed that is not ruled out by the first of them.
WORDS: Final = 160
FIRST_WORDS: Final = 16
# Seeds computed side by side.
LANES: Final = 32

MERSENNE, MERSENNE_BY_ARRAY, MERSENNE_OF_PHP_5 = range(3)
GENERATORS: Final = (
    "Mersenne Twister (C++ std::mt19937, PHP 7 mt_rand, NumPy RandomState)",
    "Mersenne Twister seeded by an array (Python, Ruby)",
    "mt_rand of PHP before 7.1",
)
REMAINDER, REMAINDER_WITHOUT_LAST, SCALED, TOP_BITS, LOW_BITS, BUCKETS, TWO_WORDS = range(7)
WAYS: Final = (
    "remainder",
    "remainder without the last bit",
    "scaled",
    "top bits, too large ones thrown away",
    "low bits, too large ones thrown away",
    "quotient, too large ones thrown away",
    "scaled from 53 bits of two words",
)
SIZE, MIDDLE = 624, 397
MOST_BELOW: Final = 1 << 32


@dataclass(frozen=True, slots=True)
class Seeds:
    """A range of seeds.

    Args:
        first: The first.
        count: How many.
        words: What they are.
    """

    first: int
    count: int
    words: str

    def parts(self, size: int) -> tuple[tuple[int, int], ...]:
        """Returns the range in parts of at most so many: first seed and how many.

        >>> Seeds(10, 5, "").parts(2)
        ((10, 2), (12, 2), (14, 1))
        """
        end = self.first + self.count
        return tuple((first, min(size, end - first)) for first in range(self.first, end, size))


RANGES: Final = {
    "few": Seeds(0, FEW, f"seeds below {FEW:,}"),
    "clock": Seeds(946_684_800, 1_200_798_847, "seconds of the clock from 2000 to 19 January 2038"),
    "all": Seeds(0, 1 << 32, "all seeds of 32 bits"),
}


@njit(cache=True)
def _mersenne_states(states: NDArray[np.uint32], seeds: NDArray[np.uint32], last: int) -> None:
    """Fills the states that seeds begin with, up to the last that is needed, one row after the other."""
    states[0] = seeds
    for row in range(1, last):
        earlier, here = states[row - 1], states[row]
        for lane in range(LANES):
            before = earlier[lane]
            here[lane] = np.uint32(1_812_433_253) * (before ^ (before >> np.uint32(30))) + np.uint32(row)


@called_by_kernels
def _by_array(states: NDArray[np.uint32], start: NDArray[np.uint32], seeds: NDArray[np.uint32]) -> None:
    """Mixes an array of one number, the seed, into a state that is always the same."""
    for row in range(SIZE):
        for lane in range(LANES):
            states[row, lane] = start[row, lane]
    row = 1
    for turn in range(2 * SIZE - 1):
        earlier, here = states[row - 1], states[row]
        times = np.uint32(1_664_525 if turn < SIZE else 1_566_083_941)
        for lane in range(seeds.size):
            before = earlier[lane]
            added = seeds[lane] if turn < SIZE else np.uint32(0) - np.uint32(row)
            here[lane] = (here[lane] ^ ((before ^ (before >> np.uint32(30))) * times)) + added
        row += 1
        if row == SIZE:
            for lane in range(LANES):
                states[0, lane] = states[SIZE - 1, lane]
            row = 1
    states[0] = np.uint32(0x80000000)


@called_by_kernels
def _twisted(states: NDArray[np.uint32], words: NDArray[np.uint64], count: int, lowest: int) -> None:
    """Puts out the first words of states; fewer than 227 need no state that is itself an output.

    The lowest bit that decides is that of the later of two words; PHP before 7.1 took the earlier one, by mistake.
    """
    for row in range(count):
        for lane in range(states.shape[1]):
            both = np.uint32(
                (states[row, lane] & np.uint32(0x80000000)) | (states[row + 1, lane] & np.uint32(0x7FFFFFFF))
            )
            word = np.uint32(states[row + MIDDLE, lane] ^ (both >> np.uint32(1)))
            word ^= np.uint32(np.uint32(0x9908B0DF) * (states[row + lowest, lane] & np.uint32(1)))
            word ^= word >> np.uint32(11)
            word ^= np.uint32(word << np.uint32(7)) & np.uint32(0x9D2C5680)
            word ^= np.uint32(word << np.uint32(15)) & np.uint32(0xEFC60000)
            words[row, lane] = word ^ (word >> np.uint32(18))


@called_by_kernels
def _outputs(
    generator: int,
    seeds: NDArray[np.uint32],
    start: NDArray[np.uint32],
    states: NDArray[np.uint32],
    words: NDArray[np.uint64],
    count: int,
) -> None:
    """Puts out the first words of a generator for so many seeds side by side."""
    if generator == MERSENNE_BY_ARRAY:
        _by_array(states, start, seeds)
        _twisted(states, words, count, 1)
    else:
        _mersenne_states(states, seeds, MIDDLE + count)
        _twisted(states, words, count, 1 if generator == MERSENNE else 0)


@called_by_kernels
def _first_number(word: np.uint64, way: int, below: np.uint64, bits: int, quotient: np.uint64) -> np.uint64:
    """Returns the number that a word gives; one that is not below the range is thrown away by the caller."""
    if way == REMAINDER:
        return word % below if below >> np.uint64(32) else np.uint64(np.uint32(word) % np.uint32(below))
    if way == REMAINDER_WITHOUT_LAST:
        half = word >> np.uint64(1)
        return half % below if below >> np.uint64(32) else np.uint64(np.uint32(half) % np.uint32(below))
    if way == SCALED:
        return word * below >> np.uint64(32)
    if way == TOP_BITS:
        # Python asks for as many bits as the range itself has, one more than needed for a power of two.
        return word >> np.uint64(max(0, 32 - bits))
    if way == LOW_BITS:
        least = bits - 1 if below & (below - np.uint64(1)) == 0 else bits
        return word & ((np.uint64(1) << np.uint64(least)) - np.uint64(1))
    return np.uint64(np.uint32(word) // np.uint32(quotient))


@called_by_kernels
def _agreed(
    words: NDArray[np.uint64],
    lane: int,
    count: int,
    way: int,
    values: NDArray[np.uint64],
    below: np.uint64,
    bits: int,
    quotient: np.uint64,
) -> tuple[int, bool]:
    """How many of the first numbers the words of a lane give, and whether the words ended before they differed."""
    agreed, row = 0, 0
    while agreed < values.size:
        if row + (way == TWO_WORDS) >= count:
            return agreed, True
        word = words[row, lane]
        row += 1
        if way == TWO_WORDS:
            both = (word >> np.uint64(5)) * np.uint64(1 << 26) + (words[row, lane] >> np.uint64(6))
            row += 1
            number = np.uint64(np.float64(both) / 9_007_199_254_740_992.0 * np.float64(below))
        else:
            number = _first_number(word, way, below, bits, quotient)
            if number >= below:
                continue
        if number != values[agreed]:
            return agreed, False
        agreed += 1
    return agreed, False


@njit(cache=True, nogil=True)
def longest_agreement(
    generator: int,
    ways: NDArray[np.int64],
    first: int,
    count: int,
    values: NDArray[np.uint64],
    below: int,
    start: NDArray[np.uint32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Most numbers, from the first on, that one of the seeds foretells, in each way of making numbers from words.

    Args:
        generator: Number of the generator in ``GENERATORS``.
        ways: Integers[w], numbers of the ways in ``WAYS``.
        first: First seed.
        count: How many seeds, one after the other; modulo 2^32.
        values: The numbers.
        below: Their range.
        start: Unsigned integers[624, 32], the state that seeding by an array begins with.

    Returns:
        Integers[w], the longest agreement; and the seed that has it.
    """
    best, of_seed = np.zeros(ways.size, dtype=np.int64), np.zeros(ways.size, dtype=np.int64)
    seeds, again = np.empty(LANES, dtype=np.uint32), np.empty(LANES, dtype=np.uint32)
    states = np.empty((SIZE, LANES), dtype=np.uint32)
    words, more = np.empty((FIRST_WORDS, LANES), dtype=np.uint64), np.empty((WORDS, LANES), dtype=np.uint64)
    range_of = np.uint64(below)
    bits = 0
    while below >> bits:
        bits += 1
    quotient = np.uint64(((1 << 32) - 1) // below)
    for block in range(first, first + count, LANES):
        for lane in range(seeds.size):
            seeds[lane] = np.uint32((block + lane) & 0xFFFFFFFF)
        _outputs(generator, seeds, start, states, words, FIRST_WORDS)
        for place in range(ways.size):
            for lane in range(min(LANES, first + count - block)):
                agreed, ended = _agreed(
                    words, lane, FIRST_WORDS, ways[place], values, range_of, bits, quotient
                )
                if ended:
                    again[:] = seeds[lane]
                    _outputs(generator, again, start, states, more, WORDS)
                    agreed, ended = _agreed(more, 0, WORDS, ways[place], values, range_of, bits, quotient)
                if agreed > best[place]:
                    best[place], of_seed[place] = agreed, seeds[lane]
    return best, of_seed


@dataclass(frozen=True, slots=True)
class SeedAgreement:
    """How far the best seed of a generator foretells the numbers, in one way of making them.

    Args:
        numbers: Numbers foretold, from the first on.
        seed: The seed.
    """

    numbers: int
    seed: int


def ways_of(below: int) -> tuple[int, ...]:
    """Returns the ways in which numbers below a range are made from words of 32 bits."""
    return (REMAINDER,) if below >> 32 else tuple(range(len(WAYS)))


def _start() -> NDArray[np.uint32]:
    states = np.empty((SIZE, LANES), dtype=np.uint32)
    _mersenne_states(states, np.full(LANES, 19_650_218, dtype=np.uint32), SIZE)
    return states


def agreements(
    values: NDArray[np.unsignedinteger], below: int, first: int, count: int
) -> tuple[SeedAgreement, ...]:
    """Returns the longest agreement for each generator in each way, in the order of ``labels``.

    Args:
        values: The first numbers of the sample.
        below: Their range, up to 2^32.
        first: First seed that is tried.
        count: How many seeds.
    """
    start, wanted = _start(), values[:FOLLOWED].astype(np.uint64)
    found: list[SeedAgreement] = []
    for generator in range(len(GENERATORS)):
        ways = np.array(ways_of(below), dtype=np.int64)
        best, seeds = longest_agreement(generator, ways, first, count, wanted, below, start)
        found += (SeedAgreement(*pair) for pair in zip(best.tolist(), seeds.tolist(), strict=True))
    return tuple(found)


def longest(parts: list[tuple[SeedAgreement, ...]]) -> tuple[SeedAgreement, ...]:
    """Returns the longest agreements of several parts of a range; of equal ones the first.

    >>> longest([(SeedAgreement(2, 7),), (SeedAgreement(3, 9),), (SeedAgreement(3, 11),)])
    (SeedAgreement(numbers=3, seed=9),)
    """
    return tuple(max(column, key=lambda one: one.numbers) for column in zip(*parts, strict=True))


def result(draws: IntegerDraws, tried: Seeds, found: tuple[SeedAgreement, ...]) -> TestResult:
    """Says how probable so long an agreement is: each seed agrees so far with probability n to the minus so many.

    Args:
        draws: The numbers.
        tried: The seeds that were tried.
        found: The longest agreement for each generator in each way.
    """
    p_values = tuple(min(1.0, tried.count * float(draws.below) ** -one.numbers) for one in found)
    names = [f"{name}, {WAYS[way]}" for name in GENERATORS for way in ways_of(draws.below)]
    labels = tuple(
        f"{name}, seed {one.seed}" if p_value < 1 else name
        for name, one, p_value in zip(names, found, p_values, strict=True)
    )
    return TestResult(
        p_values=p_values,
        labels=labels,
        parameters={"seeds": tried.count, "first": tried.first},
        null="each seed foretells each number with probability 1/n; union bound over the seeds tried",
        discrete=True,
        detectable=f"one of three generators at its beginning: {tried.words}{goodness.CERTAIN_WORDS}",
    )


def run(draws: IntegerDraws) -> TestResult:
    """Generators that every runtime has, begun by a small seed: what each seed gives is compared with the sample.

    The sample must begin with the first number after seeding. More seeds are tried where they are requested.

    Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998), and their mt19937ar.c (2002); PHP, ext/standard/mt_rand.c
    (MT_RAND_PHP, and the change of 7.1).
    """
    tried = RANGES["few"]
    return result(draws, tried, agreements(draws.values, draws.below, tried.first, tried.count))


def minimum(below: int) -> int | None:
    """Fewest numbers; words of more than 32 bits are not looked for."""
    return at_least(FOLLOWED)(below) if below <= MOST_BELOW else None


TESTS = (Test(NAME, minimum, run),)

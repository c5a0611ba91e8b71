"""Generators whose bits are linear in their state: known ones by solving for it, others by their linear complexity."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.lanes import LANE_WORDS, linear_complexity, two_sided_p
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.battery.suite import Test

Words = NDArray[np.uint64]

LEAST_DRAWS = 512
# Of odd ranges so many numbers are searched for a stretch without the middle one.
MOST_SEARCHED = 1 << 22
# Equations beyond the state: each holds by chance with probability one half.
EXCESS = 64
# Numbers that are named after those looked at.
NAMED = 3


def _xorshift128plus(state: list[Words]) -> tuple[list[Words], Words]:
    first, second = state
    first = first ^ first << np.uint64(23)
    first = first ^ first >> np.uint64(17)
    return [second, first ^ second ^ second >> np.uint64(26)], second


# Bits of each word, and what they are shifted by.
TAUSWORTHE = ((63, 31, 18), (58, 19, 28), (55, 24, 7), (47, 21, 8))


def _tausworthe(state: list[Words]) -> tuple[list[Words], Words]:
    following, put_out = [], np.zeros_like(state[0])
    for word, (bits, left, over) in zip(state, TAUSWORTHE, strict=True):
        upper = word & np.uint64((1 << 64) - (1 << (64 - bits)))
        word = (word << np.uint64(left) ^ word) >> np.uint64(bits - over) ^ upper << np.uint64(over)
        following.append(word)
        put_out = put_out ^ word
    return following, put_out


@dataclass(frozen=True, slots=True)
class Linear:
    """A generator whose bits are sums of bits of its state, modulo 2, as programs scale it.

    Args:
        name: What it is.
        words: Words of its state, of 64 bits.
        following: The next state, and the word that it puts out; of many states at once.
        cache: So many numbers are made at once, and handed out from the last; 1 where each is made when it is due.
    """

    name: str
    words: int
    following: Callable[[list[Words]], tuple[list[Words], Words]]
    cache: int = 1


# Sources: V8, src/base/utils/random-number-generator.h (XorShift128, the upper 52 bits) and src/numbers/math-random.cc
# (the cache); LuaJIT, src/lj_prng.c (L'Ecuyer's TW223).
LINEAR = (
    Linear("V8 Math.random", 2, _xorshift128plus, cache=64),
    Linear("LuaJIT math.random", 4, _tausworthe),
)


@cache
def equations(generator: Linear, count: int) -> tuple[int, ...]:
    """The top bit of each output as a sum of bits of the first state, one bit of a mask for each."""
    bits = 64 * generator.words
    lone = [1 << (number % 64) for number in range(bits)]
    state = [
        np.array([bit * (number // 64 == word) for number, bit in enumerate(lone)], dtype=np.uint64)
        for word in range(generator.words)
    ]
    found = []
    for _ in range(count):
        state, put_out = generator.following(state)
        tops = np.packbits((put_out >> np.uint64(63)).astype(np.uint8), bitorder="little")
        found.append(int.from_bytes(tops.tobytes(), "little"))
    return tuple(found)


def orders(held: int, count: int) -> Iterator[tuple[int, list[int]]]:
    """Ways in which outputs are handed out: as made, or block by block from the end of a cache.

    Args:
        held: Numbers in the cache; 1 where there is none.
        count: Numbers that were handed out.

    Yields:
        Numbers before the first full block, which are left out; and the place of each of the others in the order in
        which they were made.
    """
    yield 0, list(range(count))
    for start in range(held if held > 1 else 0):
        yield start, [_handed_out(place, held) for place in range((count - start) // held * held)]


def _handed_out(place: int, held: int) -> int:
    """Which of the numbers made is handed out at a place, from the end of a cache of so many."""
    return place // held * held + held - 1 - place % held


def solved(masks: Sequence[int], bits: Sequence[int]) -> tuple[int, int, int]:
    """How many equations say nothing new about the state, how many of these hold, and a state that obeys the others.

    Args:
        masks: Bits of the state that each equation adds up.
        bits: Their sums, modulo 2.

    Example:
        >>> solved([0b01, 0b10, 0b11, 0b11], [1, 0, 1, 0])
        (2, 1, 1)
    """
    known: dict[int, int] = {}
    further = held = state = 0
    for mask, bit in zip(masks, bits, strict=True):
        # The sum is the lowest bit of its equation.
        equation = mask << 1 | bit
        while (top := equation.bit_length()) in known:
            equation ^= known[top]
        if equation > 1:
            known[top] = equation
        else:
            further, held = further + 1, held + (equation == 0)
    for top in sorted(known):
        state |= (known[top] & (state << 1 | 1)).bit_count() % 2 << (top - 2)
    return further, held, state


def _coming(generator: Linear, state: int, order: list[int], size: int, ranges: Sequence[int]) -> str:
    """The numbers handed out after so many, of given ranges, by the state that the first of all was made from."""
    words = [
        np.array([state >> 64 * word & (1 << 64) - 1], dtype=np.uint64) for word in range(generator.words)
    ]
    made = []
    for _ in range(size + 2 * generator.cache + NAMED):
        words, put_out = generator.following(words)
        made.append(int(put_out[0]) >> 12)
    places = list(range(len(made)))
    if order[0]:
        places = [_handed_out(place, generator.cache) for place in places]
    coming = zip(places[size : size + NAMED], ranges, strict=False)
    return ", ".join(str(made[place] * below >> 52) for place, below in coming)


def found_in(values: Sequence[int], ranges: Sequence[int]) -> Iterator[tuple[str, float]]:
    """Yields each known generator, and a bound on the probability that the halves of random numbers obey it.

    Args:
        values: The numbers.
        ranges: The range of each; the middle number of an odd range tells no bit.
    """
    size = min(len(values), LEAST_DRAWS)
    halves = np.array(
        [-1 if 2 * v + 1 == below else 2 * v >= below for v, below in zip(values, ranges, strict=True)][:size]
    )
    for generator in LINEAR:
        masks = np.array(equations(generator, LEAST_DRAWS), dtype=object)
        label, best, ways = generator.name, 1.0, 0
        for start, order in orders(generator.cache, size - generator.cache):
            bits = halves[start : start + len(order)]
            known = np.flatnonzero(bits >= 0)[: 64 * generator.words + EXCESS]
            further, held, state = solved(
                masks[np.array(order, dtype=int)[known]].tolist(), bits[known].tolist()
            )
            ways += 1
            if further == held and 2.0**-further < best:
                best = 2.0**-further
                coming = _coming(generator, state, order, size - start, [*ranges[size:], *ranges])
                label = f"{generator.name}: state {state} at number {start + 1}, after {size} come {coming}"
        yield label, min(1.0, ways * best)


# As C++, NumPy, Python and PHP since 7.1 have it, and as PHP had it before.
MERSENNE = "Mersenne Twister"
MERSENNE_OF_PHP_5 = "mt_rand of PHP before 7.1"
TWIST = 0x9908B0DF
# Fewer sums that are even by chance than this, and what comes next is named.
CERTAIN = 1e-9
LEAST_TWISTED, MOST_TWISTED = 20_000, 1 << 17


@cache
def twister(name: str) -> tuple[int, ...]:
    """Distances between outputs of which each bit sums to zero, modulo 2, whatever the state: the first is 0.

    A sequence of bits obeys the characteristic polynomial of its generator, and so does every second bit of it.

    Source: Matsumoto and Nishimura, ACM TOMACS 8 (1998), appendix A; PHP, ext/standard/mt_rand.c (MT_RAND_PHP: the
    earlier of two words decides).

    Example:
        >>> [len(twister(name)) for name in (MERSENNE, MERSENNE_OF_PHP_5)], twister(MERSENNE)[-1]
        ([135, 135], 19937)
    """
    power, terms = 1, []
    for _ in range(32):
        terms.append(power)
        power = power << 623 ^ power << 396
    polynomial = power << (1 if name == MERSENNE else 2)
    for place in range(31):
        if TWIST >> place & 1:
            polynomial ^= terms[31 - place] << 1
    polynomial ^= TWIST >> 31
    top = polynomial.bit_length() - 1
    return tuple(top - place for place in range(top, -1, -1) if polynomial >> place & 1)


def twisted(name: str, bits: NDArray[np.int8]) -> tuple[str, float]:
    """Sums of bits of a Mersenne Twister, which are even: what it is called and what comes, and the p-value.

    Args:
        name: Which one.
        bits: 0 or 1; -1 where a number tells no bit. A sum with such a number is left out.
    """
    distances = twister(name)
    size = bits.size - distances[-1]
    # The shortest distance but 0 is how far ahead a sum reaches with bits that are known.
    bits = np.append(bits, np.zeros(distances[1], dtype=np.int8))
    terms = [bits[distances[-1] - distance :][: size + distances[1]] for distance in distances]
    known = np.min(terms, axis=0) >= 0
    sums = np.bitwise_xor.reduce(terms, axis=0)
    even, trials = int((sums[:size][known[:size]] == 0).sum()), int(known[:size].sum())
    p_value = float(special.bdtrc(even - 1, trials, 0.5)) if even else 1.0
    coming = ", ".join(
        f"{distances[-1] + place + 1} {'upper' if sums[place] else 'lower'}"
        for place in (size + np.flatnonzero(known[size:])[:NAMED]).tolist()
    )
    told = f": {even} of {trials} sums of {len(distances)} bits are even; halves to come: {coming}"
    return name + (told if p_value < CERTAIN else ""), p_value


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
    """Known generators linear over GF(2), and the linear complexity of halves, odd and even where bits are not tested.

    The upper half of an even range is the top bit of what was scaled to it, and odd or even the lowest bit of what a
    remainder was taken of. In an odd range the middle number tells no bit: the longest stretch without it is as good as
    an even range, as far as it goes. Known generators are held against what is between them: each equation beyond
    their state, and each sum that a Mersenne Twister keeps even, holds with probability one half.

    Ranges that are powers of two have all their bits tested by `linear-complexity`.

    Source: Rueppel, Analysis and Design of Stream Ciphers (1986), section 4.1 (exact distribution); for the Mersenne
    Twister :func:`twister`.
    """
    below, middle = draws.below, draws.below // 2
    values = draws.values[: LANE_WORDS if below % 2 == 0 else MOST_SEARCHED].astype(np.uint64)
    first: list[int] = values[:LEAST_DRAWS].tolist()
    found = dict(found_in(first, [below] * len(first)))
    tells = (values[:MOST_TWISTED] >= np.uint64(middle + below % 2)).astype(np.int8)
    tells[values[:MOST_TWISTED] == np.uint64(middle)] -= below % 2
    if tells.size >= LEAST_TWISTED:
        found |= dict(twisted(name, tells) for name in (MERSENNE, MERSENNE_OF_PHP_5))
    halves = values
    if below & (below - 1) and below % 2 == 0:
        bits = (values & np.uint64(1)).astype(np.uint8)
        found["odd and even"] = two_sided_p(bits.size, int(linear_complexity(bits)))
    elif below % 2:
        halves = longest_without(values, middle)[:LANE_WORDS]
    bits = (halves >= np.uint64(middle + below % 2)).astype(np.uint8)
    if below & (below - 1):
        label = f"halves, {bits.size} in a row" if below % 2 else "halves"
        found[label] = two_sided_p(bits.size, int(linear_complexity(bits)))
    return TestResult.of(
        found,
        null="2^min(2n-2L, 2L-1) of 2^n sequences, exact; sums that a generator keeps even are fair (a bound)",
        detectable=f"any generator linear over GF(2) with at most {max(0, bits.size // 2 - 10)} bits of state"
        f"{goodness.CERTAIN_WORDS}",
    )


LINEAR_HALVES: tuple[SequenceTest, ...] = (Test("linear-halves", lambda _below: LEAST_DRAWS, run),)

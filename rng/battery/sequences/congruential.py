"""Known congruential generators: their state is found from the first numbers, and the next ones are foretold.

Each number of a congruential generator tells a part of its state; the states of consecutive numbers are tied by the
multiplier, so that few numbers leave a single state that fits, which is the vector of a lattice nearest to a point.
What that state foretells is then compared with the numbers that follow. On independent uniform numbers a prophecy
made from earlier numbers comes true with probability 1/n each time, whatever it is: the hits are binomial, exactly.

Each number has a range of its own, so that the draws that shuffled a deck are numbers too.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

import numpy as np
from numba import njit
from numpy.lib.stride_tricks import sliding_window_view
from scipy import special

from rng.array_types import Words as States
from rng.battery.result import TestResult
from rng.battery.sequences.draws import LARGEST_RANGE, IntegerDraws, SequenceTest
from rng.battery.sequences.lattices import Basis, nearest, nearest_of_each, reduced
from rng.battery.suite import Test

FORETOLD = 64
# Lattices of more dimensions are left out: their reduction takes too long, and single bits leave too many states.
MOST_DIMENSIONS = 24
LEAST_DRAWS = MOST_DIMENSIONS + FORETOLD + 1
# Numbers beyond those that leave one state: the nearest vector is found by rounding, which needs some room.
SPARE = 2
# So many times a state is sought, each from numbers of its own; of leaping generators fewer, in fewer dimensions.
ATTEMPTS, LEAPING_ATTEMPTS = 8, 2
LEAPING_DIMENSIONS = 12
# Lowest bits of a number are compared up to its remainder by so much.
LOWEST = 8
# Numbers that are named after the last.
NAMED = 3
# Fewer numbers that follow a state by chance than this, and the state is named.
CERTAIN = 1e-9

# Of generators that others take outputs of as well: the numbers looked at, the outputs that each may be any of, the
# ways followed at once, and the bits that a product has room for.
MOST_POLLED, WIDEST, LIVING, EXACT_BITS = 1 << 17, 8, 64, 60

Form = Literal["scaled", "modulo"]


@dataclass(frozen=True, slots=True)
class Congruential:
    """A congruential generator as programs use it: state ← a · state + c modulo m.

    Args:
        name: What it is.
        a: Multiplier.
        c: Increment.
        m: Modulus.
        form: ``scaled`` where the number is the output's share of the range; ``modulo`` where it is its remainder.
        window: Bits of the state that ``scaled`` looks at, counted from the lowest; all of them for 0.
        dropped: Low bits of the state that ``modulo`` drops.
        most: Largest dimension of the lattice that its state is sought in.
        powers: Whether ranges that are powers of two are scaled all the same.
        absolute: Whether the remainder is that of the absolute value of a signed number.
    """

    name: str
    a: int
    c: int
    m: int
    form: Form
    window: int = 0
    dropped: int = 0
    most: int = MOST_DIMENSIONS
    powers: bool = False
    absolute: bool = False

    def scales(self, below: int) -> bool:
        """Whether a number below a range is the share of a state, and not a remainder."""
        return self.form == "scaled" or (self.powers and below & (below - 1) == 0)

    def number(self, state: int, below: int) -> int:
        """The number that a state gives."""
        if self.scales(below):
            seen = 1 << self.window if self.window else self.m
            return state % seen * below // seen
        whole = state >> self.dropped
        return (min(whole, (self.m >> self.dropped) - whole) if self.absolute else whole) % below

    def shift(self, below: int) -> int:
        """Bits of a state, modulo a power of two, below those whose remainder is the number."""
        return self.m.bit_length() - below.bit_length() if self.scales(below) else self.dropped

    def following(self, state: int) -> int:
        """The next state."""
        return (self.a * state + self.c) % self.m

    def unknown(self, below: int) -> tuple[int, int, int]:
        """What a number leaves open of its state: half the width of an interval, and how many of them how far apart."""
        if self.scales(below):
            seen = 1 << self.window if self.window else self.m
            return max(1, seen // (2 * below)), seen, self.m // seen
        unit = below << self.dropped
        return max(1, (1 << self.dropped) // 2), unit, max(1, self.m // unit)


def leaping(generator: Congruential, step: int) -> Congruential:
    """Every so many-th output of a generator: congruential too, with a power of the multiplier.

    Example:
        >>> leaping(Congruential("small", 5, 3, 16, "scaled"), 2).following(1)  # 1, 8, 11
        11
    """
    m = generator.m
    added = sum(pow(generator.a, i, m) for i in range(step)) * generator.c
    name = f"{generator.name}, every {ORDINALS[step]} output"
    return replace(generator, name=name, a=pow(generator.a, step, m), c=added % m, most=LEAPING_DIMENSIONS)


ORDINALS = {2: "second", 3: "third", 4: "fourth", 5: "fifth", 6: "sixth", 7: "seventh", 8: "eighth"}
JAVA, JAVA_BITS = 0x5DEECE66D, 1 << 48
MINSTD = (1 << 31) - 1
NEWLIB = 6364136223846793005
# Sources: Java SE API, java.util.Random; POSIX drand48; ISO C 7.22.2.2; Park and Miller, Comm. ACM 31 (1988); V8,
# src/math.js before December 2015; Press et al., Numerical Recipes (1992), 7.1; Knuth, The Art of Computer Programming
# 2, 3.3.4, table 1; Zeisel, Appl. Statist. 35 (1986), 89 (Wichmann and Hill's generator as one).
GENERATORS = (
    Congruential("java.util.Random nextInt of a power of two, drand48", JAVA, 11, JAVA_BITS, "scaled"),
    # Two steps for each number of double precision.
    Congruential(
        "java.util.Random nextDouble",
        JAVA * JAVA % JAVA_BITS,
        11 * (JAVA + 1) % JAVA_BITS,
        JAVA_BITS,
        "scaled",
    ),
    Congruential("java.util.Random nextInt", JAVA, 11, JAVA_BITS, "modulo", dropped=17, powers=True),
    Congruential(
        "java.util.Random Math.abs of nextInt", JAVA, 11, JAVA_BITS, "modulo", dropped=16, absolute=True
    ),
    Congruential("Microsoft C rand, scaled", 214013, 2531011, 1 << 31, "scaled"),
    Congruential("Microsoft C rand, modulo", 214013, 2531011, 1 << 31, "modulo", dropped=16),
    Congruential("ISO C rand, scaled", 1103515245, 12345, 1 << 31, "scaled"),
    Congruential("ISO C rand, modulo", 1103515245, 12345, 1 << 31, "modulo", dropped=16),
    Congruential("MINSTD 16807, scaled", 16807, 0, MINSTD, "scaled"),
    Congruential("MINSTD 16807, modulo", 16807, 0, MINSTD, "modulo"),
    Congruential("MINSTD 48271, scaled", 48271, 0, MINSTD, "scaled"),
    Congruential("MINSTD 48271, modulo", 48271, 0, MINSTD, "modulo"),
    Congruential("Delphi Random", 134775813, 1, 1 << 32, "scaled"),
    Congruential("Visual Basic Rnd", 1140671485, 12820163, 1 << 24, "scaled"),
    # Multiply with carry is congruential modulo 18273 · 2^16 - 1; the upper 18 bits put out are its lowest.
    Congruential("V8 Math.random before 2016", 18273, 0, (18273 << 16) - 1, "scaled", window=18),
    Congruential("Numerical Recipes, scaled", 1664525, 1013904223, 1 << 32, "scaled"),
    Congruential("Numerical Recipes, modulo", 1664525, 1013904223, 1 << 32, "modulo"),
    Congruential("Borland C rand, scaled", 22695477, 1, 1 << 31, "scaled"),
    Congruential("Borland C rand, modulo", 22695477, 1, 1 << 31, "modulo", dropped=16),
    Congruential("VAX MTH$RANDOM, scaled", 69069, 1, 1 << 32, "scaled"),
    Congruential("VAX MTH$RANDOM, modulo", 69069, 1, 1 << 32, "modulo"),
    Congruential("RANDU, scaled", 65539, 0, 1 << 31, "scaled"),
    Congruential("RANDU, modulo", 65539, 0, 1 << 31, "modulo"),
    # Three small generators added up are one whose modulus is the product of theirs.
    Congruential("Wichmann and Hill", 16555425264690, 0, 30269 * 30307 * 30323, "scaled"),
    Congruential("newlib and musl rand, scaled", NEWLIB, 1, 1 << 63, "scaled"),
)
# Programs that throw outputs away, or take turns at one generator, see every second to eighth of them; of moduli that
# are powers of two ``power-of-two-lags`` sees every leap at once.
LEAPS = tuple(
    leaping(generator, step)
    for generator in GENERATORS
    if generator.m & (generator.m - 1)
    for step in ORDINALS
)


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The lattice of a generator at some ranges: what it takes to find a state.

    Args:
        basis: Reduced; the first coordinates are states, the others unknown multiples of a unit.
        unknown: What each number leaves open: half an interval, unit, multiples.
        multiples: Places of the numbers that leave more than one multiple open.
        weights: Of each state and of each multiple, so that all are unknown to the same extent.
        below: Range by which numbers are divided before, where they are remainders of whole states; else 1.
    """

    basis: Basis
    unknown: tuple[tuple[int, int, int], ...]
    multiples: tuple[int, ...]
    weights: tuple[tuple[int, int], ...]
    below: int


@cache
def _lattice(generator: Congruential, ranges: tuple[int, ...]) -> _Lattice | None:
    """The lattice, or None where the numbers tell too little for one that is small enough."""
    a, m = generator.a, generator.m
    remainders = [below for below in ranges if not generator.scales(below)]
    # Quotients by one range obey the same rule as the states, and are as small as what is scaled.
    whole = remainders[0] if len(set(ranges)) == len(set(remainders)) == 1 and not generator.dropped else 1
    if generator.absolute or any(math.gcd(m, below) > 1 for below in remainders):
        return None  # the lowest bits alone tell the state, with far less work
    opened = [(max(1, m // (2 * whole)), m, 1) if whole > 1 else generator.unknown(b) for b in ranges]
    both = any(multiples > 1 for _, _, multiples in opened)
    most, told, needed = generator.most // (1 + both), 0.0, 0
    for spread, _, multiples in opened:
        tells = m / max(1, 2 * spread) / multiples
        if tells < 2 or told >= 1.03 * math.log2(m):
            break
        told, needed = told + math.log2(tells), needed + 1
    needed += 1
    if told < 1.03 * math.log2(m) or needed > most:
        return None
    opened = opened[: min(needed + max(SPARE, needed // 3), most)]
    size = max(spread * max(1, multiples // 2) for spread, _, multiples in opened)
    weights = [(size // spread, size // max(1, multiples // 2)) for spread, _, multiples in opened]
    places = [place for place, (_, _, multiples) in enumerate(opened) if multiples > 1]
    numbers = range(len(opened))
    rows: Basis = [[weights[i][0] * pow(a, i, m) for i in numbers] + [0] * len(places)]
    rows += [[weights[i][0] * m * (i == j) for i in numbers] + [0] * len(places) for j in numbers[1:]]
    rows += [
        [-weights[i][0] * opened[i][1] * (i == j) for i in numbers]
        + [weights[i][1] * (i == j) for i in places]
        for j in places
    ]
    return _Lattice(reduced(rows), tuple(opened), tuple(places), tuple(weights), whole)


def recovered(
    generator: Congruential, values: Sequence[Any], ranges: tuple[int, ...]
) -> tuple[Any, int] | None:
    """The state that fits the first numbers best, and how many it was found from; None if none can be sought.

    Args:
        generator: The generator in question.
        values: The numbers; of many stretches at once, the first numbers of all, the second ones, …
        ranges: The range of each, as many as are looked at.
    """
    lattice = _lattice(generator, ranges)
    if lattice is None:
        return None
    m, count, below = generator.m, len(lattice.unknown), lattice.below
    # The states all come from the first by powers of the multiplier, once what the increments added is taken off.
    added, middles = 0, []
    share = pow(below, -1, m) if below > 1 else 1
    for value, one, (spread, unit, multiples) in zip(values, ranges, lattice.unknown, strict=False):
        if below > 1:
            # The state less the number is a multiple of the range: its quotient is about the middle of all.
            middle = share * (value - added) + m // (2 * below)
        elif generator.scales(one):
            middle = ((2 * value + 1) * unit) // (2 * one) - added
        else:
            middle = (value << generator.dropped) + (spread if generator.dropped else 0) - added
        middles.append(middle if multiples > 1 else middle % m)
        added = generator.following(added)
    target = [weight * middle for (weight, _), middle in zip(lattice.weights, middles, strict=True)]
    # A multiple is about its middle: that much is known of each state too.
    each = 0 * target[0]
    target += [lattice.weights[at][1] * (lattice.unknown[at][2] // 2) + each for at in lattice.multiples]
    several = isinstance(target[0], np.ndarray)
    near = nearest_of_each(lattice.basis, np.array(target)) if several else nearest(lattice.basis, target)
    state = near[0] // lattice.weights[0][0]
    if lattice.multiples[:1] == (0,):
        state += lattice.unknown[0][1] * (near[count] // lattice.weights[0][1])
    return state * below % m, count


@dataclass(frozen=True, slots=True)
class Sought:
    """What came of seeking the state of a generator.

    Args:
        generator: The generator.
        p_value: A bound on the probability that independent numbers follow a state so far.
        state: The state that gave the first number, where one fits.
    """

    generator: Congruential
    p_value: float
    state: int | None = None

    def told(self, after: int, ranges: Sequence[int], size: int) -> str:
        """Which generator it is and, if numbers follow it, by which state and what comes next.

        Args:
            after: Numbers before the one that the state gave.
            ranges: Range of each number from the first one on, over and over.
            size: Numbers after which they come: what is foretold was compared up to there.
        """
        if self.state is None or self.p_value > CERTAIN:
            return self.generator.name
        state, coming = self.state, list[str]()
        for place in range(after, size + NAMED):
            if place >= size:
                coming.append(str(self.generator.number(state, ranges[place % len(ranges)])))
            state = self.generator.following(state)
        words = f"state {self.state} at number {after + 1}, after {size} come {', '.join(coming)}"
        return f"{self.generator.name}: {words}"


def by_lattice(
    generator: Congruential, values: Sequence[int], ranges: tuple[int, ...], fewest: int = LARGEST_RANGE
) -> Sought | None:
    """How many of the numbers after those that a state was found from are as it foretells; None if none was sought.

    Args:
        generator: The generator in question.
        values: The numbers.
        ranges: The range of each; of small ones behind larger ones too little is foretold to count.
        fewest: Values that each number may have at least, where those before it leave fewer than its range.
    """
    found = recovered(generator, values, ranges)
    if found is None:
        return None
    state, least = found[0], min(ranges[0], LOWEST)
    true = foretold = 0
    for place, (value, below) in enumerate(zip(values, ranges, strict=False)):
        if found[1] <= place < found[1] + FORETOLD and below >= least:
            foretold += 1
            true += generator.number(state, below) == value
            fewest = min(fewest, below)
        state = generator.following(state)
    # The smallest range is hit most easily.
    tail = float(special.bdtrc(true - 1, foretold, 1 / fewest)) if true else 1.0
    return Sought(generator, tail, found[0])


def fitting(generator: Congruential, low: int, values: Sequence[int], spans: Sequence[int]) -> list[int]:
    """The lowest bits of states that give the lowest bits of some numbers.

    Args:
        generator: The generator, modulo a power of two.
        low: How many bits of the state.
        values: The numbers.
        spans: Power of two modulo which each is compared.
    """
    first = states = np.arange(1 << low, dtype=np.uint64)
    for value, span in zip(values, spans, strict=True):
        kept = (states >> np.uint64(generator.dropped)) & np.uint64(span - 1) == value % span
        first = first[kept]
        states = states[kept] * np.uint64(generator.a) + np.uint64(generator.c) & np.uint64(generator.m - 1)
    found: list[int] = first.tolist()
    return found


@njit(cache=True, nogil=True)
def completed(
    state: int, low: int, bits: int, a: int, c: int, values: States, ranges: States, shifts: States
) -> np.int64:
    """The state with given lowest bits that gives some numbers, or -1.

    Args:
        state: Its lowest bits.
        low: How many these are.
        bits: Bits of the state.
        a: Multiplier.
        c: Increment.
        values: The numbers.
        ranges: The range of each.
        shifts: Bits of the state below those whose remainder each number is.
    """
    mask, known, times, added = (
        np.uint64((1 << bits) - 1),
        np.uint64((1 << low) - 1),
        np.uint64(a),
        np.uint64(c),
    )
    below_first = np.uint64(state) & ((np.uint64(1) << shifts[0]) - np.uint64(1))
    for quotient in range(((mask >> shifts[0]) - values[0]) // ranges[0] + np.uint64(1)):
        first = ((values[0] + np.uint64(quotient) * ranges[0]) << shifts[0]) | below_first
        current, agreed = first, 0
        if first & known == np.uint64(state):
            while agreed < values.size and (current >> shifts[agreed]) % ranges[agreed] == values[agreed]:
                current = (current * times + added) & mask
                agreed += 1
        if agreed == values.size:
            return np.int64(first)
    return np.int64(-1)


def by_low_bits(generator: Congruential, values: Sequence[int], ranges: tuple[int, ...]) -> Sought | None:
    """A state modulo a power of two from remainders of even ranges; None where there are none.

    Their lowest bits depend on few bits of the state: all of these are tried. Where they fit, so are the bits above.

    Args:
        generator: The generator in question.
        values: The numbers, of which the first is a remainder.
        ranges: The range of each.
    """
    m, lowest = generator.m, 2 if generator.absolute else LOWEST
    spans = [1 if generator.scales(below) else min(below & -below, lowest) for below in ranges]
    told, bits = sum(span.bit_length() - 1 for span in spans), m.bit_length() - 1
    low = min(bits, generator.dropped + max(spans).bit_length() - 1)
    if (
        generator.form == "scaled"
        or m & (m - 1)
        or told <= low
        or generator.scales(ranges[0])
        or max(ranges) >> 63
    ):
        return None
    shifts = np.array([generator.shift(below) for below in ranges], dtype=np.uint64)
    drawn, of = np.array(values, dtype=np.uint64), np.array(ranges, dtype=np.uint64)
    fit = fitting(generator, low, values, spans)
    for state in () if generator.absolute else fit:
        whole = completed(state, low, bits, generator.a, generator.c, drawn, of, shifts)
        if whole >= 0:
            chance = bits * math.log(2) - sum(map(math.log, ranges))
            return Sought(generator, min(1.0, 2 * math.exp(chance)), int(whole))
    return Sought(generator, min(1.0, 2.0 ** (low + 1 - told)) if fit else 1.0)


def sought(
    values: Sequence[int],
    ranges: tuple[int, ...],
    generators: Sequence[Congruential],
    fewest: int = LARGEST_RANGE,
) -> Iterator[Sought]:
    """Yields what came of seeking the state of each generator behind some numbers.

    Args:
        values: The numbers.
        ranges: The range of each.
        generators: The generators.
        fewest: Values that the numbers before leave to each at least, where they are not independent. Lowest bits are
            not looked at then.
    """
    for generator in generators:
        found = by_lattice(generator, values, ranges, fewest)
        if found is None and fewest == LARGEST_RANGE:
            found = by_low_bits(generator, values[:FORETOLD], ranges[:FORETOLD])
        if found is not None:
            yield found


def best_of(
    stretches: Iterable[tuple[str, int, Sequence[int]]],
    ranges: tuple[int, ...],
    generators: Sequence[Congruential],
    times: int,
    fewest: int = LARGEST_RANGE,
) -> dict[str, float]:
    """The stretch of numbers that each generator fits best: what is known of it, and a bound on its probability.

    Args:
        stretches: What each is called, the numbers before it, and its numbers.
        ranges: The range of each number of a stretch.
        generators: The generators whose state is sought.
        times: How many stretches there are: the bound is multiplied by it.
        fewest: As ``sought`` takes it.
    """
    best: dict[str, tuple[float, str]] = {}
    for where, after, values in stretches:
        for one in sought(values, ranges, generators, fewest):
            p_value = min(1.0, times * one.p_value)
            if p_value < best.get(one.generator.name, (2.0, ""))[0]:
                best[one.generator.name] = p_value, where + one.told(after, ranges, after + len(values))
    return {label: p_value for p_value, label in best.values()}


@njit(cache=True)
def followed(
    states: States, values: States, widest: int, generator: tuple[int, int, int, int], below: int
) -> tuple[int, int]:
    """How many numbers at most follow a state, each among so many outputs after the one before, and where.

    Args:
        states: A state for each number, which it may have come from.
        values: The numbers, as many as there are states and ``FORETOLD`` more.
        widest: Outputs that a number may be any of.
        generator: Multiplier, increment, modulus, and the shift of what is scaled or divided, 64 for a share of all.
        below: The range.
    """
    a, c, m, shift = np.uint64(generator[0]), np.uint64(generator[1]), np.uint64(generator[2]), generator[3]
    now, then = np.empty(LIVING, dtype=np.uint64), np.empty(LIVING, dtype=np.uint64)
    longest, place = 0, 0
    for start in range(states.size):
        now[0], living, agreed = states[start], 1, 0
        while living and agreed < FORETOLD:
            met = 0
            for one in range(living):
                state = now[one]
                for _ in range(widest):
                    state = (a * state + c) % m
                    number = (
                        state * np.uint64(below) // m
                        if shift == 64
                        else (state >> np.uint64(shift)) % np.uint64(below)
                    )
                    if number == values[start + 1 + agreed] and met < LIVING:
                        then[met], met = state, met + 1
            now, then, living = then, now, met
            agreed += living > 0
        if agreed > longest:
            longest, place = agreed, start
    return longest, place


def polled(draws: IntegerDraws) -> Iterator[tuple[str, float]]:
    """Yields each generator that others may draw from as well, at random moments, and how far it is followed.

    Wherever outputs follow each other for as long as it takes to find a state, later numbers are each among the next
    few outputs, by any way through them: of independent numbers a union bound over these ways.

    Args:
        draws: The numbers.

    Yields:
        Name, with state where numbers follow it; and a bound on the probability that independent numbers do.
    """
    below, widest = draws.below, min(WIDEST, draws.below // 2)
    values = draws.values[:MOST_POLLED].astype(np.int64)
    for generator in GENERATORS:
        ranges = (below,) * math.ceil(1.03 * math.log2(generator.m) / math.log2(below))
        lattice = _lattice(generator, ranges)
        if lattice is None or generator.window:
            continue
        if (generator.m * below * max(weight for weight, _ in lattice.weights)).bit_length() > EXACT_BITS:
            continue
        windows = sliding_window_view(values[:-FORETOLD], len(ranges)).T
        states = np.asarray((recovered(generator, [*windows], ranges) or (0, 0))[0], dtype=np.uint64)
        shift = 64 if generator.scales(below) else generator.dropped
        told = generator.a, generator.c, generator.m, shift
        longest, place = followed(states, values.astype(np.uint64), widest, told, below)
        chance = min(1.0, states.size * (widest / below) ** (longest - len(ranges) + 1))
        label = f"{generator.name}, polled"
        if chance < CERTAIN:
            label += f": state {states[place]} at number {place + 1}, "
            label += f"then {longest} each among the next {widest} outputs"
        yield label, chance


def run(draws: IntegerDraws) -> TestResult:
    """Known congruential generators, each in the ways it is used: numbers foretold, and states by their lowest bits.

    Source: Frieze, Hastad, Kannan, Lagarias and Shamir, SIAM J. Computing 17 (1988), 262-280 (truncated congruential
    generators); Boyar, J. ACM 36 (1989).
    """
    ranges = (draws.below,) * LEAST_DRAWS
    attempts = min(draws.size // LEAST_DRAWS, ATTEMPTS)
    stretches = [
        ("", after, draws.values[after : after + LEAST_DRAWS].tolist())
        for after in range(0, attempts * LEAST_DRAWS, LEAST_DRAWS)
    ]
    found = best_of(stretches, ranges, GENERATORS, attempts)
    found |= best_of(stretches[:LEAPING_ATTEMPTS], ranges, LEAPS, attempts) | dict(polled(draws))
    found = found or {"none can be sought in numbers of so small a range": 1.0}
    return TestResult.of(
        found,
        parameters={"foretold": FORETOLD},
        null="numbers foretold binomial(64, 1/n), Bonferroni over attempts; lowest bits: union bound over states",
        detectable=f"any of {len(found)} generators known by name, from its first {LEAST_DRAWS} numbers",
    )


# Ranges of two and three tell too little of a state.
TESTS: tuple[SequenceTest, ...] = (
    Test("congruential", lambda below: LEAST_DRAWS if below > 3 else None, run),
)

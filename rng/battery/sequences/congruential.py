"""Known congruential generators: their state is found from the first numbers, and the next ones are foretold.

Each number of a congruential generator tells a part of its state; the states of consecutive numbers are tied by the
multiplier, so that few numbers leave a single state that fits, which is the vector of a lattice nearest to a point.
What that state foretells is then compared with the numbers that follow. On independent uniform numbers a prophecy
made from earlier numbers comes true with probability 1/n each time, whatever it is: the hits are binomial, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Test

Basis = list[list[int]]


def _dot(first: list[int], second: list[int]) -> int:
    return sum(a * b for a, b in zip(first, second, strict=True))


def reduced(basis: Basis) -> Basis:
    """The basis reduced after Lenstra, Lenstra and Lovász, in whole numbers throughout.

    Args:
        basis: Linearly independent vectors, one a row.

    Source: Cohen, A Course in Computational Algebraic Number Theory (1993), algorithm 2.6.7 (integral LLL).

    Example:
        >>> reduced([[1, 5], [0, 26]])
        [[1, 5], [-5, 1]]
    """
    size = len(basis)
    rows = [list(row) for row in basis]
    # d[i] is the Gram determinant of the first i rows, lam[i][j] the coefficient mu times d[j + 1].
    d = [1, _dot(rows[0], rows[0])] + [0] * (size - 1)
    lam = [[0] * size for _ in range(size)]

    def shorten(k: int, j: int) -> None:
        if 2 * abs(lam[k][j]) > d[j + 1]:
            q = (2 * lam[k][j] + d[j + 1]) // (2 * d[j + 1])
            rows[k] = [x - q * y for x, y in zip(rows[k], rows[j], strict=True)]
            lam[k][j] -= q * d[j + 1]
            for i in range(j):
                lam[k][i] -= q * lam[j][i]

    def exchange(k: int, known: int) -> None:
        rows[k], rows[k - 1] = rows[k - 1], rows[k]
        lam[k][: k - 1], lam[k - 1][: k - 1] = lam[k - 1][: k - 1], lam[k][: k - 1]
        mu = lam[k][k - 1]
        new = (d[k - 1] * d[k + 1] + mu * mu) // d[k]
        for i in range(k + 1, known + 1):
            old = lam[i][k]
            lam[i][k] = (d[k + 1] * lam[i][k - 1] - mu * old) // d[k]
            lam[i][k - 1] = (new * old + mu * lam[i][k]) // d[k + 1]
        d[k] = new

    k, known = 1, 0
    while k < size:
        if k > known:
            known = k
            for j in range(k + 1):
                u = _dot(rows[k], rows[j])
                for i in range(j):
                    u = (d[i + 1] * u - lam[k][i] * lam[j][i]) // d[i]
                if j < k:
                    lam[k][j] = u
                else:
                    d[k + 1] = u
        shorten(k, k - 1)
        if 4 * (d[k + 1] * d[k - 1] + lam[k][k - 1] ** 2) < 3 * d[k] ** 2:
            exchange(k, known)
            k = max(1, k - 1)
        else:
            for j in range(k - 2, -1, -1):
                shorten(k, j)
            k += 1
    return rows


@dataclass(frozen=True, slots=True)
class Planes:
    """A reduced basis with the directions in which its planes lie, for many searches in the same lattice.

    Args:
        basis: The basis, one vector a row.
        across: One orthonormal direction a column, each across the vectors before its own.
        rows: The basis in floating point.
    """

    basis: Basis
    across: NDArray[np.float64]
    rows: NDArray[np.float64]


def planes(basis: Basis) -> Planes:
    """The planes of a reduced basis."""
    rows = np.array([[float(x) for x in row] for row in basis])
    return Planes(basis, np.linalg.qr(rows.T)[0], rows)


def nearest(lattice: Planes, target: list[int]) -> list[int]:
    """A vector of the lattice near a point: the nearest plane, dimension by dimension.

    Args:
        lattice: The planes of a reduced basis.
        target: The point.

    Source: Babai, Combinatorica 6 (1986), 1-13.

    Example:
        >>> nearest(planes([[1, 5], [5, -1]]), [7, 3])
        [6, 4]
    """
    left, found = list(target), [0] * len(target)
    for k in range(len(target) - 1, -1, -1):
        direction = lattice.across[:, k]
        step = round(float(direction @ np.array(left, dtype=np.float64)) / float(direction @ lattice.rows[k]))
        left = [x - step * y for x, y in zip(left, lattice.basis[k], strict=True)]
        found = [x + step * y for x, y in zip(found, lattice.basis[k], strict=True)]
    return found


FORETOLD = 64
# Lattices of more dimensions are left out: their reduction takes too long, and single bits leave too many states.
MOST_DIMENSIONS = 24
LEAST_DRAWS = MOST_DIMENSIONS + FORETOLD + 1
# Numbers beyond those that leave one state: the nearest vector is found by rounding, which needs some room.
SPARE = 2
# So many times a state is sought, each from numbers of its own; of leaping generators fewer, in fewer dimensions.
ATTEMPTS, LEAPING_ATTEMPTS = 8, 2
LEAPING_DIMENSIONS = 12

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
    """

    name: str
    a: int
    c: int
    m: int
    form: Form
    window: int = 0
    dropped: int = 0
    most: int = MOST_DIMENSIONS

    def number(self, state: int, below: int) -> int:
        """The number that a state gives."""
        if self.form == "modulo":
            return (state >> self.dropped) % below
        seen = 1 << self.window if self.window else self.m
        return state % seen * below // seen

    def following(self, state: int) -> int:
        """The next state."""
        return (self.a * state + self.c) % self.m


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
    Congruential("java.util.Random nextInt", JAVA, 11, JAVA_BITS, "modulo", dropped=17),
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

LOW_BITS = (
    Congruential("java.util.Random nextInt, odd and even", JAVA, 11, 1 << 18, "modulo", dropped=17),
    Congruential("Microsoft C rand, odd and even", 214013, 2531011, 1 << 17, "modulo", dropped=16),
    Congruential("ISO C rand, odd and even", 1103515245, 12345, 1 << 17, "modulo", dropped=16),
    Congruential("Borland C rand, odd and even", 22695477, 1, 1 << 17, "modulo", dropped=16),
)


@dataclass(frozen=True, slots=True)
class _Lattice:
    """The lattice of a generator at a range: what it takes to find a state.

    Args:
        planes: Of a reduced basis; the first ``numbers`` coordinates are states, the others unknown multiples.
        numbers: Numbers that a state is found from.
        unit: What one step of the unknown multiple of each number adds to its state; 0 if there is none.
        middle: Middle of the unknown multiples.
        weights: Of the states and of the multiples, so that both are unknown to the same extent.
    """

    planes: Planes
    numbers: int
    unit: int
    middle: int
    weights: tuple[int, int]


@cache
def _lattice(generator: Congruential, below: int) -> _Lattice | None:
    """The lattice, or None where the numbers tell too little for one that is small enough."""
    a, m = generator.a, generator.m
    if generator.form == "modulo" and generator.dropped and below % 2 == 0:
        return None  # the parities alone tell its low bits, with far less work
    seen = 1 << generator.window if generator.window else m
    if generator.form == "scaled":
        spread, unit, multiples = max(1, seen // (2 * below)), seen, m // seen
    elif not generator.dropped:
        # The quotients by the range obey the same rule, and are as small as what is scaled.
        if math.gcd(below, m) > 1:
            return None
        spread, unit, multiples = max(1, m // (2 * below)), m, 1
    else:
        spread, unit = max(1, (1 << generator.dropped) // 2), below << generator.dropped
        multiples = m // unit
    told = m / max(1, 2 * spread) / max(1, multiples)
    if told < 2:
        return None
    both = multiples > 1
    most = generator.most // (1 + both)
    needed = math.ceil(math.log2(m) / math.log2(told) * 1.03) + 1
    if needed > most:
        return None
    numbers = min(needed + max(SPARE, needed // 3), most)
    weights = (max(1, multiples // 2), spread) if both else (1, 1)
    powers = [pow(a, i, m) for i in range(numbers)]
    rows: Basis = [[weights[0] * power for power in powers]]
    rows += [[weights[0] * m * (i == j) for j in range(numbers)] for i in range(1, numbers)]
    if both:
        rows = [row + [0] * numbers for row in rows]
        rows += [
            [-weights[0] * unit * (i == j) for j in range(numbers)]
            + [weights[1] * (i == j) for j in range(numbers)]
            for i in range(numbers)
        ]
    return _Lattice(
        planes(reduced(rows)), numbers, unit if both else 0, multiples // 2 if both else 0, weights
    )


def recovered(generator: Congruential, below: int, values: Sequence[int]) -> tuple[int, int] | None:
    """The state that fits the first numbers best, and how many it was found from; None if none can be sought.

    Args:
        generator: The generator in question.
        below: Range of the numbers.
        values: The numbers.
    """
    lattice = _lattice(generator, below)
    if lattice is None:
        return None
    count, m = lattice.numbers, generator.m
    seen = 1 << generator.window if generator.window else m
    # The states all come from the first by powers of the multiplier, once what the increments added is taken off.
    added, middles = 0, []
    whole = generator.form == "modulo" and not generator.dropped
    share = pow(below, -1, m) if whole else 1
    for value in values[:count]:
        if generator.form == "scaled":
            middle = ((2 * value + 1) * seen) // (2 * below) - added
        elif whole:
            # The state less the number is a multiple of the range: its quotient lies about the middle of all.
            middle = share * (value - added) + m // (2 * below)
        else:
            middle = (value << generator.dropped) + ((1 << generator.dropped) >> 1) - added
        middles.append(middle if lattice.unit else middle % m)
        added = generator.following(added)
    target = [lattice.weights[0] * middle for middle in middles]
    if lattice.unit:
        # The multiple lies about its middle: that much is known of each state too.
        target += [lattice.weights[1] * lattice.middle] * count
    near = nearest(lattice.planes, target)
    state = near[0] // lattice.weights[0]
    if lattice.unit:
        state += lattice.unit * (near[count] // lattice.weights[1])
    return (state * below if whole else state) % m, count


def hits(generator: Congruential, below: int, values: Sequence[int]) -> int | None:
    """How many of the numbers after those that a state was found from are as it foretells."""
    found = recovered(generator, below, values)
    if found is None:
        return None
    state, count = found
    true = 0
    for place in range(count + FORETOLD):
        true += place >= count and generator.number(state, below) == values[place]
        state = generator.following(state)
    return true


@njit(cache=True)
def longest_agreement(odd: NDArray[np.uint8], a: int, c: int, bits: int) -> int:
    """Most numbers in a row, from the first on, whose parity the top bit of one of the states of few bits gives."""
    mask = np.int64((1 << bits) - 1)
    longest = 0
    for start in range(1 << bits):
        state = np.int64(start)
        agreed = 0
        while agreed < odd.size and state >> (bits - 1) == odd[agreed]:
            state = (state * a + c) & mask
            agreed += 1
        longest = max(longest, agreed)
    return longest


def agreement(generator: Congruential, odd: NDArray[np.uint8]) -> int:
    """The same for the low bits of a generator."""
    m = generator.m
    return int(longest_agreement(odd, generator.a % m, generator.c % m, m.bit_length() - 1))


def run(draws: IntegerDraws) -> TestResult:
    """Known congruential generators, each in the ways it is used: numbers foretold, and the parity of its low bits.

    Source: Frieze, Hastad, Kannan, Lagarias and Shamir, SIAM J. Computing 17 (1988), 262-280 (truncated congruential
    generators); Boyar, J. ACM 36 (1989).
    """
    values: list[int] = draws.values[: ATTEMPTS * LEAST_DRAWS].tolist()
    found: dict[str, float] = {}
    possible = draws.size // LEAST_DRAWS
    for generator in (*GENERATORS, *LEAPS):
        attempts = min(possible, ATTEMPTS if generator.most == MOST_DIMENSIONS else LEAPING_ATTEMPTS)
        tried = [hits(generator, draws.below, values[k * LEAST_DRAWS :]) for k in range(attempts)]
        came_true = [true for true in tried if true is not None]
        if came_true:
            tail = (
                float(special.bdtrc(max(came_true) - 1, FORETOLD, 1 / draws.below)) if max(came_true) else 1.0
            )
            found[generator.name] = min(1.0, attempts * tail)
    if draws.below % 2 == 0:
        odd = np.array([value % 2 for value in values[:FORETOLD]], dtype=np.uint8)
        for generator in LOW_BITS:
            # Each state agrees with so many independent fair parities with probability 2^-so many: union bound.
            found[generator.name] = min(1.0, generator.m * 2.0 ** -agreement(generator, odd))
    found = found or {"none can be sought in numbers of so small a range": 1.0}
    return TestResult.of(
        found,
        parameters={"foretold": FORETOLD},
        null="numbers foretold binomial(64, 1/n), exact, Bonferroni over attempts; parities: union bound over states",
        detectable=f"any of {len(found)} generators known by name, from its first {LEAST_DRAWS} numbers",
    )


def minimum(below: int) -> int | None:
    """Fewest numbers; ranges of two and three tell too little of a state."""
    return LEAST_DRAWS if below > 3 else None


TESTS = (Test("congruential", minimum, run),)

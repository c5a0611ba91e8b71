"""Three numbers tied together at any two lags: additive generators and multipliers that are in no list.

Of any generator that adds or subtracts two earlier outputs, and of any multiplicative generator of up to 32 bits, two
lags exist at which w = a + b or w = a - b holds up to a carry. All pairs of lags are too many to try: a few numbers in
a row, less those one lag before, are looked up among all stretches of the sample.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences import shift_registers
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, class_probabilities
from rng.battery.suite import Test
from rng.kernels import called_by_kernels

Digits = NDArray[np.signedinteger[Any]]
Whole = NDArray[np.int64]

LEAST_DRAWS = 2_048
# Three outputs of a modulus of 31 bits are tied at five pairs of lags or so within 2^17; small ranges, of which longer
# stretches must agree, are tried to the longest lags in use only.
MOST_LAG, MOST_LAG_OF_SMALL, SMALL = 1 << 17, 20_000, 16
SPARE = 1 << 15
CHECKS = 512
CLASSES = 64
LEAST_RANGE = 4
# Carries leave one sum in two as it is: stretches of k numbers agree in one place of 2^k; so many times 2^k are tried.
TRIES = 6
AT_FIRST = 16
HELD = 0.813385009765625
"""Of relations that one number in two keeps, the share that the first checks do not give up."""
SIGNS, SIGN_TRIES = 24, 60
TABLE_BITS, FILTER_BITS = 17, 22
MOST_PLACES = 2
SOUGHT = ("numbers", "halves of the range", "registers of words")
HASH = 0x9E3779B97F4A7C15


@njit(cache=True)
def stretches(digits: Digits, base: int, length: int) -> Whole:
    """Every so many digits in a row as one number; -1 where one of them is missing."""
    keys = np.full(digits.size - length + 1, -1, dtype=np.int64)
    for place in range(keys.size):
        key = 0
        for i in range(length):
            if digits[place + i] < 0:
                key = -1
                break
            key = key * base + digits[place + i]
        keys[place] = key
    return keys


@called_by_kernels
def _agreement(
    digits: Digits, base: int, checks: Whole, start: int, first: int, second: int, plus: bool
) -> tuple[int, int]:
    """How many of the checked numbers keep the relation, and of how many; given up where the first looked at do not."""
    kept = seen = 0
    at = start % checks.size - 1
    for _ in range(checks.size):
        at = at + 1 if at + 1 < checks.size else 0
        place = checks[at]
        w, b, a = digits[place], digits[place - second], digits[place - first]
        if w < 0 or b < 0 or a < 0:
            continue
        seen += 1
        left = w - b - a if plus else w + b - a
        kept += left == 0 or left == base or left == -base
        if (seen == AT_FIRST // 2 and kept < 3) or (seen == AT_FIRST and kept < 6):
            return 0, 1
    return kept, max(seen, 1)


@njit(cache=True)
def search(
    digits: Digits, base: int, length: int, farthest: int, places: Whole, checks: Whole
) -> tuple[int, int, int, int, bool]:
    """The pair of lags up to ``farthest`` that most of the checked numbers keep, as far as stretches lead to it.

    Returns:
        Numbers that keep it, of how many, the two lags, and whether it is a sum.
    """
    keys = stretches(digits, base, length)
    seen = np.zeros(1 << (FILTER_BITS - 3), dtype=np.uint8)
    heads = np.full(1 << TABLE_BITS, -1, dtype=np.int32)
    following = np.full(keys.size, -1, dtype=np.int32)
    added = np.empty((length, base), dtype=np.int64)
    for place in range(keys.size):
        if keys[place] >= 0:
            mixed = np.uint64(keys[place]) * np.uint64(HASH)
            bit, slot = mixed >> np.uint64(64 - FILTER_BITS), mixed >> np.uint64(64 - TABLE_BITS)
            seen[bit >> np.uint64(3)] |= np.uint8(1 << (bit & np.uint64(7)))
            following[place] = heads[slot]
            heads[slot] = place
    best, of, first, second, sum_of_two = 0, 1, 0, 0, True
    # Independent numbers lead to one place or two at each lag. Where most stretches are alike all lead to all, and
    # what was found by then stands: every pair of lags is counted in the p-value, looked at or not.
    left = MOST_PLACES * places.size * farthest
    for number, place in enumerate(places):
        # Each try looks at other numbers first: where one in two keeps a relation, sixteen give it up in one case of
        # five, and all tries together would give up what they all have found.
        start = number * (AT_FIRST + 1)
        # Modulo 2 sum and difference are the same.
        for form in range(2 if base > 2 else 1):
            # What every value of an earlier digit adds to the number of the difference, or of the sum.
            for i in range(length):
                for value in range(base):
                    digit = (digits[place + i] + (value if form else -value)) % base
                    added[i, value] = digit * base ** (length - 1 - i)
            for lag in range(1, farthest + 1):
                other = place - lag
                if keys[other] < 0 or keys[place] < 0:
                    continue
                key = 0
                for i in range(length):
                    key += added[i, digits[other + i]]
                mixed = np.uint64(key) * np.uint64(HASH)
                bit = mixed >> np.uint64(64 - FILTER_BITS)
                if not (seen[bit >> np.uint64(3)] >> np.uint8(bit & np.uint64(7))) & 1:
                    continue
                at = heads[mixed >> np.uint64(64 - TABLE_BITS)]
                while at >= place - farthest and left > 0:
                    left -= 1
                    if keys[at] == key and at < place and (form == 1 or at <= other):
                        kept, checked = _agreement(digits, base, checks, start, place - at, lag, form == 0)
                        if kept * of > best * checked:
                            best, of, first, second, sum_of_two = kept, checked, place - at, lag, form == 0
                        if best == checks.size:
                            return best, of, first, second, sum_of_two
                    at = following[at]
    return best, of, first, second, sum_of_two


def farthest_lag(size: int, below: int) -> int:
    """The farthest lag tried in a sample of so many numbers."""
    most = MOST_LAG_OF_SMALL if below < SMALL else MOST_LAG
    return min(most, size // 2)


def _sought(
    digits: Digits, base: int, widest: float, farthest: int, length: int, tries: int
) -> tuple[float, str]:
    """P-value of the best relation among digits, and its words."""
    # In small numbers all that is looked up stays in the second-level cache.
    used = digits[: farthest + SPARE].astype(np.int8)
    places = np.linspace(farthest, used.size - length, tries).astype(np.int64)
    checks = np.linspace(farthest, used.size - 1, CHECKS).astype(np.int64)
    kept, seen, first, second, plus = search(used, base, length, farthest, places, checks)
    if not kept:
        return 1.0, ""
    tail = float(special.bdtrc(kept - 1, seen, widest))
    # Sums of two lags in either order, and differences in both.
    p_value = min(1.0, 1.5 * farthest * (farthest + 1) * tail)
    kind = "sum" if plus else "difference"
    return p_value, f": lags {first} and {second}, {kind}" if p_value < 1 else ""


def run(draws: IntegerDraws) -> TestResult:
    """Three numbers tied together at two lags, whatever they are: sums, differences, and exclusive or of the halves.

    Each of independent uniform numbers makes a relation with two earlier ones come true with the probability of one
    class, whatever those are: binomial, exactly, and corrected for every pair of lags, found or not.

    Source: Knuth, The Art of Computer Programming 2, 3.2.2 and 3.3.4; Wagner, CRYPTO 2002, LNCS 2442, 288-303 (sums
    of lists found by looking up); Compagner, J. Stat. Phys. 63 (1991), 883-896 (three-point correlations).
    """
    farthest = farthest_lag(draws.size, draws.below)
    values = draws.values[: farthest + SPARE].astype(np.uint64)
    base = min(draws.below, CLASSES)
    digits = values.astype(np.int64) if draws.below <= CLASSES else draws.classes(values, base)
    length = max(1, math.ceil(math.log(farthest) / math.log(base)))
    widest = float(max(class_probabilities(draws.below, base)))
    found = [_sought(digits, base, widest, farthest, length, TRIES << length)]
    if draws.below % 2:
        middle = np.uint64(draws.below // 2)
        halves = np.where(values == middle, -1, (values > middle).astype(np.int64))
        found.append(_sought(halves, 2, 0.5, farthest, SIGNS, SIGN_TRIES))
    if shift_registers.applies(draws.below) and draws.size >= shift_registers.LEAST_DRAWS:
        found.append(shift_registers.run(draws))
    return TestResult(
        suite="sequences",
        test="three-lags",
        p_values=tuple(p for p, _ in found),
        labels=tuple(name + words for name, (_, words) in zip(SOUGHT, found, strict=False)),
        parameters={"farthest": farthest},
        sample_size=draws.size,
        null=f"{CHECKS} relations binomial, exact, each pair of lags; Bonferroni over all pairs up to the farthest; "
        "registers of words: capital of bets, Ville's inequality",
        discrete=True,
        detectable=f"three numbers tied up to a carry at any lags up to {farthest} (found in all but one case of "
        f"{round(math.exp(TRIES * HELD))}){goodness.CERTAIN_WORDS}",
    )


TESTS: tuple[SequenceTest, ...] = (
    Test("three-lags", lambda below: LEAST_DRAWS if below >= LEAST_RANGE else None, run),
)

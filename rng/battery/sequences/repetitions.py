"""What comes back: collisions, spacings between birthdays, repeated blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.minimum_counts import repeated
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, digit_base, encode
from rng.battery.suite import Test, at_least

# Urns for each ball: few enough collisions that their number is Poisson to well within its spread.
URNS_PER_BALL = 64
MOST_BALLS = 1 << 22
BIRTHDAY_MEAN = 4
MOST_DAYS_BITS = 40
# So many repetitions do not yet show what the mean leaves out, a part in some thousands.
MOST_REPETITIONS = 100_000
WINDOW_BITS = 100
MOST_WINDOWS = 1 << 24


def throw(draws: IntegerDraws, base: int, length: int, most: int) -> NDArray[np.int64]:
    """Urns that the first non-overlapping tuples fall into, no more than ``most`` of them."""
    parts: list[NDArray[np.int64]] = []
    have = 0
    for rows in draws.tuples(base, length):
        parts.append(encode(rows, base)[: most - have])
        have += len(parts[-1])
        if have >= most:
            break
    return np.concatenate(parts)


def expected_collisions(balls: int, urns: int) -> float:
    """Mean number of balls that fall into an urn already occupied: n - m (1 - (1 - 1/m)^n).

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 I.

    Example:
        >>> round(expected_collisions(2**14, 2**20), 2)
        127.33
    """
    return balls + urns * math.expm1(balls * math.log1p(-1.0 / urns))


def run_collisions(draws: IntegerDraws) -> TestResult:
    """Collisions of tuples thrown into many urns, tuples as short as the range allows and one longer.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 I; Poisson limit at 64 urns a ball.
    """
    found, mean, collisions = dict[str, float](), 1.0, 0
    for extra in (0, 1):
        balls = min(MOST_BALLS, int(0.95 * draws.size))
        shortest = math.ceil(math.log(URNS_PER_BALL * balls) / math.log(draws.below) - 1e-9) + extra
        balls = min(MOST_BALLS, int(0.95 * draws.size / shortest))
        base = digit_base(draws.below, math.ceil((URNS_PER_BALL * balls) ** (1 / shortest)))
        urns = throw(draws, base, shortest, balls)
        mean = expected_collisions(len(urns), base**shortest)
        collisions = repeated(urns)
        found[f"{len(urns)} {shortest}-tuples in base {base}"] = goodness.poisson_two_sided(collisions, mean)
    return TestResult.of(
        found,
        statistic=float(collisions),
        null="Poisson with the exact mean n - m(1 - (1 - 1/m)^n)",
        detectable=goodness.describe_count(mean, "collisions"),
    )


def _minimum_collisions(below: int) -> int:
    """Numbers for 1,300 of the longer tuples, which expect ten collisions."""
    balls = 1_300
    longest = math.ceil(math.log(URNS_PER_BALL * balls) / math.log(below) - 1e-9) + 1
    return math.ceil(balls * longest / 0.95)


@dataclass(frozen=True, slots=True)
class Birthdays:
    """Parameters of a birthday-spacings test: days in the year and birthdays in a repetition."""

    base: int
    length: int
    birthdays: int

    @property
    def days(self) -> int:
        """Days in the year."""
        return int(self.base**self.length)

    @property
    def mean(self) -> float:
        """Expected equal spacings in one repetition, near the limit m³/(4d).

        The (m-1)(m-2)/2 pairs of spacings are equal with probability m/(2d) each, spacings being nearly
        geometric; k equal ones are k-1 repetitions, not k(k-1)/2, which takes off m⁵/(18d²). At 2^24 days
        the limit alone is one percent too much, which ten thousand repetitions would show.

        Example:
            >>> round(Birthdays(2, 24, 645).mean, 4)
            3.9579
        """
        m, d = self.birthdays, self.days
        return (m - 1) * (m - 2) * m / (4 * d) - m**5 / (18 * d**2)


def birthdays_for(below: int, length: int) -> Birthdays:
    """Year of about 2^40 days at most, and birthdays for a mean of four equal spacings."""
    base = digit_base(below, int(2 ** (MOST_DAYS_BITS / length) + 1e-9))
    days = base**length
    return Birthdays(base, length, round((4 * BIRTHDAY_MEAN * days) ** (1 / 3)))


def shortest_year(below: int) -> int:
    """Fewest digits that give a year of at least 2^24 days."""
    return max(1, math.ceil(24 / math.log2(below) - 1e-9))


def _smaller_year(below: int, length: int, numbers: int) -> Birthdays:
    """The largest year, from 2^40 days down to 2^24, that still leaves ten repetitions."""
    for bits in range(MOST_DAYS_BITS, 23, -2):
        base = digit_base(below, int(2 ** (bits / length) + 1e-9))
        days = base**length
        year = Birthdays(base, length, round((4 * BIRTHDAY_MEAN * days) ** (1 / 3)))
        if days >= 1 << 23 and 10 * year.birthdays * length <= 0.95 * numbers:
            return year
    return birthdays_for(below, length)


def spacing_repetitions(draws: IntegerDraws, year: Birthdays) -> Iterator[int]:
    """Number of equal spacings in each repetition.

    Source: Marsaglia and Tsang, J. Statistical Software 7(3) (2002), section 3; Knuth 3.3.2 J.
    """
    for rows in draws.tuples(year.base, year.length):
        days = encode(rows, year.base)
        for start in range(0, len(days) - year.birthdays + 1, year.birthdays):
            spacings = np.sort(np.diff(np.sort(days[start : start + year.birthdays])))
            yield int((spacings[1:] == spacings[:-1]).sum())


def run_birthdays(draws: IntegerDraws) -> TestResult:
    """Birthday spacings: equal spacings are Poisson with mean near m³/(4d), summed over repetitions.

    Source: L'Ecuyer and Simard, Mathematics and Computers in Simulation 55 (2001), 131-137 (error of the
    limit).
    """
    shortest = shortest_year(draws.below)
    found, mean, equal = dict[str, float](), 1.0, 0
    for length in (shortest, shortest + 1):
        year = _smaller_year(draws.below, length, draws.size)
        counts = list(islice(spacing_repetitions(draws, year), MOST_REPETITIONS))
        equal, mean = sum(counts), len(counts) * year.mean
        if counts:
            found[f"{len(counts)} × {year.birthdays} in {year.days} days of {length} numbers"] = (
                goodness.poisson_two_sided(equal, mean)
            )
    return TestResult.of(
        found,
        statistic=float(equal),
        null="Poisson with mean (m-1)(m-2)m/(4d) - m⁵/(18d²) a repetition",
        detectable=goodness.describe_count(mean, "equal spacings"),
    )


def _minimum_birthdays(below: int) -> int:
    """Numbers for ten repetitions in the smallest year."""
    lengths = (shortest_year(below), shortest_year(below) + 1)
    return max(math.ceil(12 * 700 * length) for length in lengths)


def window_length(below: int) -> int:
    """Numbers in a window that hold at least a hundred bits, so that none may ever come back.

    Example:
        >>> window_length(40), window_length(2**32)
        (19, 4)
    """
    return math.ceil(WINDOW_BITS / math.log2(below) - 1e-9)


def window_codes(values: NDArray[np.uint64], length: int) -> NDArray[np.uint64]:
    """A 64-bit code of every window of consecutive numbers; equal windows have equal codes."""
    codes = np.zeros(len(values) - length + 1, dtype=np.uint64)
    multiplier = np.uint64(0x9E3779B97F4A7C15)  # odd; 2^64 over the golden ratio
    for offset in range(length):
        mixed = codes ^ (values[offset : offset + len(codes)] + np.uint64(1))
        mixed *= multiplier
        codes = mixed ^ mixed >> np.uint64(29)
    return codes


def repeated_windows(draws: IntegerDraws, length: int) -> int:
    """Windows seen before, anywhere in the sequence.

    Up to 2^24 windows all are compared; beyond that those whose code is a multiple of a power of two,
    chosen by content, so that both copies of a repeated block are looked at in the same places.
    """
    step = np.uint64((1 << max(0, (draws.size // MOST_WINDOWS).bit_length())) - 1)
    codes, ends = [], np.empty(0, dtype=np.uint64)
    for piece in draws.chunks():
        joined = np.concatenate([ends, piece])
        if len(joined) >= length:
            found = window_codes(joined, length)
            codes.append(found[found >> np.uint64(32) & step == 0])
            ends = joined[-(length - 1) :]
    every = np.concatenate(codes) if codes else np.empty(0, dtype=np.uint64)
    return repeated(every)


def run_duplicates(draws: IntegerDraws) -> TestResult:
    """Repeated blocks: windows of a hundred bits or more, at any distance, none of which may come back.

    The p-value of any repetition is bounded by the expected number of equal pairs among true windows and
    among their 64-bit codes.
    """
    length = window_length(draws.below)
    again = repeated_windows(draws, length)
    pairs = draws.size * (draws.size - 1) / 2
    bound = min(1.0, pairs * (float(draws.below) ** -length + 2.0**-64))
    # One equal pair of codes in a very long sample may be chance: Poisson counts how often that happens.
    p_value = goodness.poisson_at_least(again, bound) if again else 1.0
    return TestResult(
        p_values=(p_value,),
        parameters={"window": length},
        statistic=float(again),
        null=f"Poisson with mean at most {bound:.3g}",
        discrete=True,
        detectable=f"any block of a hundred bits or more that comes back{goodness.CERTAIN_WORDS}",
    )


TESTS = (
    Test("collisions", _minimum_collisions, run_collisions),
    Test("birthday-spacings", _minimum_birthdays, run_birthdays),
    Test("duplicates", at_least(100), run_duplicates),
)

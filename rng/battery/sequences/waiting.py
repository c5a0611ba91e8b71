"""How long one waits: gaps between hits, complete sets of coupons, hits in a window."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from math import comb

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import due, goodness
from rng.battery.result import TestResult
from rng.battery.scarcity import binomial_at_most, geometric_log_moment, renewals_at_most, slopes_below
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, digit_base
from rng.battery.suite import Test, at_least

MOST_GAP_BASE = 16
MOST_COUPONS = 10
WINDOW_HITS = 4


@njit(cache=True)
def gap_lengths(digits: NDArray[np.int64], target: int, longest: int) -> NDArray[np.int64]:
    """Counts gaps between occurrences of a digit by length, the last class being open."""
    counts = np.zeros(longest + 1, dtype=np.int64)
    gap = -1
    for digit in digits:
        if digit == target:
            if gap >= 0:
                counts[min(gap, longest)] += 1
            gap = 0
        elif gap >= 0:
            gap += 1
    return counts


@njit(cache=True)
def coupon_lengths(digits: NDArray[np.int64], coupons: int, longest: int) -> NDArray[np.int64]:
    """Counts segments that complete a set of all digits by length, the last class being open."""
    counts = np.zeros(longest + 1, dtype=np.int64)
    full = (1 << coupons) - 1
    seen = 0
    length = 0
    for digit in digits:
        seen |= 1 << digit
        length += 1
        if seen == full:
            counts[min(length, longest)] += 1
            seen = 0
            length = 0
    return counts


@cache
def gap_probabilities(base: int, longest: int) -> tuple[Fraction, ...]:
    """Exact probabilities of gaps 0, 1, …, the last class open: p(1-p)^r and (1-p)^t."""
    p = Fraction(1, base)
    return (*(p * (1 - p) ** r for r in range(longest)), (1 - p) ** longest)


def run_gap(draws: IntegerDraws) -> TestResult:
    """Gaps between visits to the lowest and to the highest class.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 C.
    """
    base = digit_base(draws.below, MOST_GAP_BASE)
    longest = 6 * base
    counts = np.zeros((2, longest + 1), dtype=np.int64)
    pieces = size = 0
    for digits in draws.digits(base):
        pieces, size = pieces + 1, size + len(digits)
        for row, target in enumerate((0, base - 1)):
            counts[row] += gap_lengths(digits, target, longest)

    def scarcity(row: NDArray[np.int64]) -> float:
        # Each piece has one visit more than gaps, if it has any.
        return binomial_at_most(int(row.sum()) + pieces, size, 1 / base)

    null = gap_probabilities(base, longest)
    fits = [
        goodness.chi_square_fit(row, null, ordered=True, scarcity=partial(scarcity, row)) for row in counts
    ]
    return goodness.fitted(
        fits,
        labels=("lowest class", "highest class"),
        parameters={"base": base},
        null="geometric gap lengths p(1-p)^r, exact; chi-square",
    )


@cache
def coupon_probabilities(coupons: int, longest: int) -> tuple[Fraction, ...]:
    """Exact probabilities that a set is complete after 0, 1, …, the last class being open.

    P(T <= t) is the probability that t digits contain every coupon, by inclusion and exclusion; its
    differences are d!/d^t S(t-1, d-1).

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 D, equation (9).

    Example:
        >>> coupon_probabilities(2, 3)
        (Fraction(0, 1), Fraction(0, 1), Fraction(1, 2), Fraction(1, 2))
    """
    complete = [
        sum((-1) ** k * comb(coupons, k) * Fraction(coupons - k, coupons) ** t for k in range(coupons + 1))
        for t in range(longest)
    ]
    exact = [Fraction(complete[0])]
    exact += [Fraction(now - before) for before, now in pairwise(complete)]
    return (*exact, Fraction(1 - complete[-1]))


def run_coupons(draws: IntegerDraws) -> TestResult:
    """Coupon collector: how many digits until every one has been seen.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 D.
    """
    base = digit_base(draws.below, MOST_COUPONS)
    longest = 10 * base
    counts = np.zeros(longest + 1, dtype=np.int64)
    first = 0
    for digits in draws.digits(base):
        first = first or len(digits)
        counts += coupon_lengths(digits, base, longest)

    def scarcity() -> float:
        # The first piece alone already has no more sets than all have: its length bounds the probability.
        waits = geometric_log_moment((base - k) / base for k in range(base))
        return renewals_at_most(int(counts.sum()), first, waits, slopes_below(-math.log1p(-1 / base)))

    null = coupon_probabilities(base, longest)
    fit = goodness.chi_square_fit(counts, null, ordered=True, scarcity=scarcity)
    return goodness.fitted([fit], parameters={"coupons": base}, null="d!/d^t S(t-1, d-1), exact; chi-square")


@cache
def window_probabilities(base: int, window: int) -> tuple[Fraction, ...]:
    """Exact probabilities of 0, 1, … hits of one class in a window: binomial."""
    ways = [comb(window, k) * (base - 1) ** (window - k) for k in range(window + 1)]
    return tuple(Fraction(way, base**window) for way in ways)


def run_poisson(draws: IntegerDraws) -> TestResult:
    """Hits of the lowest class in windows of equal length: binomial, nearly Poisson with mean 4.

    Source: 58 Pa. Code 810a.5(c) (Poisson).
    """
    base = digit_base(draws.below, 64)
    window = WINDOW_HITS * base
    counts = np.zeros(window + 1, dtype=np.int64)
    for rows in draws.tuples(base, window):
        counts += np.bincount((rows == 0).sum(axis=1), minlength=window + 1)
    fit = goodness.chi_square_fit(counts, window_probabilities(base, window), ordered=True)
    return goodness.fitted(
        [fit],
        parameters={"base": base, "window": window},
        null="binomial number of hits in a window, exact; chi-square",
    )


def run_due(draws: IntegerDraws) -> TestResult:
    """Due numbers: bets on numbers that have been missing for one to eight times their mean waiting time.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021),
    407-431.
    """
    values = np.asarray(draws.values[: due.MOST_DRAWN]).astype(np.int64)
    found = dict(due.by_waiting(values[:, None], draws.below))
    return TestResult.of(
        found,
        null=due.NULL,
        detectable=due.detectable(values.size * due.due_share(draws.below, 1), len(found)),
    )


def _minimum_due(below: int) -> int | None:
    return due.LEAST_DRAWN if below <= due.MOST_NUMBERS else None


TESTS: tuple[SequenceTest, ...] = (
    Test("gap", at_least(2_000), run_gap),
    Test("coupon-collector", at_least(3_000), run_coupons),
    Test("poisson", lambda below: 60 * WINDOW_HITS * min(below, 64), run_poisson),
    Test("due-numbers", _minimum_due, run_due),
)

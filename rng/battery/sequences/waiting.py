"""How long numbers wait: gaps, collectors of coupons, and streaks.

What follows a streak: bets that a run of high or low, odd or even, inner or outer numbers goes on, or breaks.

A player waits for five reds in a row and bets on black. From fair draws nothing is won by that, whatever the streak.
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, factorial, perm

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import e_values, goodness
from rng.battery.cell_sums import tally
from rng.battery.lanes import Signs
from rng.battery.minimum_counts import (
    IMPOSSIBLE,
    ScarcityError,
    binomial_at_most,
    rising_probabilities,
    rising_run_lengths,
)
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, digit_base, encode
from rng.battery.sequences.lagged import parity, upper_half
from rng.battery.suite import Test, at_least

HAND = 5
LONGEST_RUN = 8


def stirling_second(n: int, k: int) -> int:
    """Ways to part n things into k groups.

    Example:
        >>> [stirling_second(5, k) for k in range(1, 6)]
        [1, 15, 25, 10, 1]
    """
    signed = [comb(k, j) * int((k - j) ** n) * (-1 if j % 2 else 1) for j in range(k + 1)]
    return sum(signed) // factorial(k)


def poker_probabilities(base: int) -> list[Fraction]:
    """Exact probabilities of 1, 2, …, 5 different digits in a hand of five: d(d-1)…(d-r+1)/d^5 S(5, r).

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 D, equation (5).
    """
    return [Fraction(perm(base, r) * stirling_second(HAND, r), base**HAND) for r in range(1, HAND + 1)]


def run_poker(draws: IntegerDraws) -> TestResult:
    """Poker: number of different digits in hands of five."""
    base = digit_base(draws.below, 16)
    hands = (np.diff(np.sort(rows, axis=1), axis=1) for rows in draws.tuples(base, HAND))
    counts = tally(((steps != 0).sum(axis=1) for steps in hands), HAND)
    fit = goodness.chi_square_fit(counts, poker_probabilities(base), ordered=True)
    return goodness.fitted(
        [fit], parameters={"base": base, "hand": HAND}, null="d(d-1)…(d-r+1)/d^5 S(5, r), exact; chi-square"
    )


def _permutation_length(draws: IntegerDraws) -> int:
    """Longest group whose orders are expected ten times each, groups with ties left out."""
    for length in (6, 5, 4, 3):
        groups = draws.size // length * perm(draws.below, length) / draws.below**length
        if 0.9 * groups >= goodness.LEAST_EXPECTED * factorial(length):
            return length
    return 2


def run_permutation(draws: IntegerDraws) -> TestResult:
    """Order of groups of consecutive numbers: t! equally likely orders once groups with ties are left out.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 F; 58 Pa. Code 810a.5(c) (order statistic).
    """
    length = _permutation_length(draws)
    counts = np.zeros(length**length, dtype=np.int64)
    groups = 0
    for piece in draws.chunks():
        rows = piece[: len(piece) // length * length].reshape(-1, length)
        groups += len(rows)
        order = np.argsort(rows, axis=1)
        ordered = np.take_along_axis(rows, order, axis=1)
        distinct = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        counts += np.bincount(encode(order[distinct], length), minlength=counts.size)
    codes = np.arange(counts.size)
    digits = np.sort(codes[:, None] // length ** np.arange(length) % length, axis=1)
    orders = (digits == np.arange(length)).all(axis=1)
    seen = int(counts[orders].sum())
    bound = binomial_at_most(seen, groups, perm(draws.below, length) / draws.below**length)
    if bound < IMPOSSIBLE:
        raise ScarcityError(f"only {seen} of {groups} groups of {length} are free of ties")
    fit = goodness.uniform_fit(counts[orders])
    return goodness.fitted(
        [fit],
        parameters={"length": length},
        null="t! equally likely orders of groups without ties; chi-square",
    )


def run_runs(draws: IntegerDraws) -> TestResult:
    """Runs: strictly rising, strictly falling, and changes between the lower and the upper half.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 G; the halves are exactly equal once one value
    of an odd range is left out, so that the number of changes is binomial.
    """
    counts = np.zeros((2, LONGEST_RUN), dtype=np.int64)
    changes, steps = 0, 0
    for piece in draws.chunks():
        counts[0] += rising_run_lengths(piece, LONGEST_RUN)
        counts[1] += rising_run_lengths(np.uint64(draws.below - 1) - piece, LONGEST_RUN)
    for halves in draws.digits(2):
        changes += int((halves[1:] != halves[:-1]).sum())
        steps += max(0, len(halves) - 1)
    null = rising_probabilities(draws.below, LONGEST_RUN)
    up, down = (
        goodness.chi_square_fit(
            row,
            null,
            ordered=True,
            scarce=True,
        )
        for row in counts
    )
    return TestResult(
        p_values=(up.p_value, down.p_value, goodness.binomial_two_sided(changes, steps, 0.5)),
        labels=("rising", "falling", "above and below the middle"),
        statistic=up.statistic,
        degrees_of_freedom=up.degrees_of_freedom,
        discrete=up.coarse,
        null="strictly rising runs C(n, r)/n^r or longer, breaking value discarded; changes of half binomial",
        detectable=goodness.describe_deviation(up.degrees_of_freedom, up.sample_size),
    )


ORDERING = (
    Test("poker", at_least(1_000), run_poker),
    Test("permutation", at_least(200), run_permutation),
    Test("runs", at_least(1_000), run_runs),
)


MOST_GAP_BASE = 16
MOST_COUPONS = 10
WINDOW_HITS = 4


def gap_lengths(digits: NDArray[np.int64], target: int, longest: int) -> NDArray[np.int64]:
    """Counts gaps between occurrences of a digit by length, the last class being open."""
    gaps = np.diff(np.flatnonzero(digits == target)) - 1
    return np.bincount(np.minimum(gaps, longest), minlength=longest + 1)


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
    for digits in draws.digits(base):
        for row, target in enumerate((0, base - 1)):
            counts[row] += gap_lengths(digits, target, longest)

    null = gap_probabilities(base, longest)
    fits = [goodness.chi_square_fit(row, null, ordered=True, scarce=True) for row in counts]
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
    for digits in draws.digits(base):
        counts += coupon_lengths(digits, base, longest)

    null = coupon_probabilities(base, longest)
    fit = goodness.chi_square_fit(counts, null, ordered=True, scarce=True)
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
    counts = tally(((rows == 0).sum(axis=1) for rows in draws.tuples(base, window)), window + 1)
    fit = goodness.chi_square_fit(counts, window_probabilities(base, window), ordered=True)
    return goodness.fitted(
        [fit],
        parameters={"base": base, "window": window},
        null="binomial number of hits in a window, exact; chi-square",
    )


def run_due(draws: IntegerDraws) -> TestResult:
    """Due numbers: bets on numbers missing for one to eight times their mean waiting time, or that came lately.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021),
    407-431.
    """
    values = np.asarray(draws.values[: e_values.MOST_DRAWN]).astype(np.int64)
    found = dict(e_values.by_waiting(values[:, None], draws.below))
    found |= dict([e_values.by_recency(values, draws.below)])
    return TestResult.of(
        found,
        null=e_values.NULL,
        detectable=e_values.detectable(values.size * e_values.due_share(draws.below, 1), len(found)),
    )


WAITING: tuple[SequenceTest, ...] = (
    Test("gap", at_least(2_000), run_gap),
    Test("coupon-collector", at_least(3_000), run_coupons),
    Test("poisson", lambda below: 60 * WINDOW_HITS * min(below, 64), run_poisson),
    Test(
        "due-numbers",
        lambda below: e_values.LEAST_DRAWN if below <= e_values.MOST_NUMBERS else None,
        run_due,
    ),
)


LARGEST_RANGE = 128
LEAST_NUMBERS = 100
LONGEST = 8


def inner_half(piece: NDArray[np.uint64], below: int) -> Signs:
    """+1 for the half of the range about its middle, -1 for the outer half, 0 for one of an odd range.

    Example:
        >>> inner_half(np.arange(5, dtype=np.uint64), 5).tolist()
        [-1.0, 1.0, 1.0, 0.0, -1.0]
    """
    order = np.argsort(np.abs(2 * np.arange(below) - (below - 1)), kind="stable")
    signs = np.zeros(below, dtype=np.float32)
    signs[order[: below // 2]], signs[order[(below + 1) // 2 :]] = 1, -1
    return signs[piece.astype(np.int64)]


def continued(signs: Signs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How often a streak of 1, 2, … signs and more was bet on, and how often it went on.

    Example:
        >>> cases, went_on = continued(np.array([1, 1, 1, -1, 1], dtype=np.float32))
        >>> cases[:4].tolist(), went_on[:4].tolist()
        ([4, 2, 1, 0], [2, 1, 0, 0])
    """
    ends = np.flatnonzero(np.append(signs[1:] != signs[:-1], True))
    lengths = np.diff(ends, prepend=-1)
    # Of a streak of n signs the bets on k and more signs are placed n - k + 1 times, and all but the last are won; that
    # of the last streak is not settled.
    least = np.arange(1, LONGEST + 1)
    placed = np.array([int(np.maximum(lengths - k + 1, 0).sum()) for k in least])
    broken = np.array([int((lengths[:-1] >= k).sum()) for k in least])
    open_ones = (lengths[-1] >= least).astype(np.int64)
    cases = placed - open_ones
    return cases, cases - broken


WAYS = {"odd or even": parity, "inner or outer": inner_half}


def run(draws: IntegerDraws) -> TestResult:
    """Streaks of high or low, odd or even, inner or outer numbers: bets that one of so many goes on, or breaks.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    ways = {"high or low": upper_half} | (WAYS if draws.below > 2 else {})
    found, fair = {}, np.full(LONGEST, 0.5)
    for name, sign in ways.items():
        signs = np.concatenate([sign(piece, draws.below) for piece in draws.chunks()])
        # Numbers without a sign are passed over: the others are as fair without them.
        cases, went_on = continued(signs[signs != 0])
        for k, won in enumerate(e_values.log_capital(went_on, cases, fair), 1):
            found[f"{k} and more {name}"] = e_values.p_value(float(won))
    return TestResult.of(
        found,
        null=e_values.NULL,
        detectable=goodness.describe_shift(
            max(1, draws.size >> LONGEST), "in the correlation of successive halves", len(found)
        ),
    )


STREAKS: tuple[SequenceTest, ...] = (
    Test("after-streaks", lambda below: LEAST_NUMBERS if below <= LARGEST_RANGE else None, run),
)

"""Order among consecutive numbers: hands, permutations, maxima, runs; ties never taken for order."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb, factorial, perm

import numpy as np

from rng.battery import goodness
from rng.battery.minimum_counts import IMPOSSIBLE, ScarcityError, binomial_at_most
from rng.battery.result import TestResult
from rng.battery.run_lengths import rising_probabilities, rising_run_lengths, runs_at_most
from rng.battery.sequences.draws import CHUNK, IntegerDraws, digit_base, encode
from rng.battery.suite import Test, at_least

HAND = 5
LONGEST_RUN = 8
MAXIMUM_OF = 8
MAXIMUM_CLASSES = 32


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
    counts = np.zeros(HAND, dtype=np.int64)
    for rows in draws.tuples(base, HAND):
        ordered = np.sort(rows, axis=1)
        counts += np.bincount((ordered[:, 1:] != ordered[:, :-1]).sum(axis=1), minlength=HAND)
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
        raise ScarcityError(bound, f"only {seen} of {groups} groups of {length} are free of ties")
    fit = goodness.uniform_fit(counts[orders])
    return goodness.fitted(
        [fit],
        parameters={"length": length},
        null="t! equally likely orders of groups without ties; chi-square",
    )


def maximum_bounds(below: int) -> list[int]:
    """Class bounds for the maximum of t numbers: every value of a small range, else nearly equal likelihood."""
    if below <= MAXIMUM_CLASSES:
        return list(range(below + 1))
    # Multiplied out in whole numbers: the roots to twelve digits, then rounded up.
    shares = (round(1e12 * (k / MAXIMUM_CLASSES) ** (1 / MAXIMUM_OF)) for k in range(1, MAXIMUM_CLASSES))
    return sorted({0, below} | {-(-below * share // 10**12) for share in shares})


def minimum_maximum(below: int) -> int:
    """Numbers for ten expectations each of the largest value as maximum, and of any other.

    Example:
        >>> minimum_maximum(2), minimum_maximum(40)
        (20480, 1000)
    """
    smaller = Fraction(below - 1, below) ** MAXIMUM_OF
    groups = math.ceil(int(goodness.LEAST_EXPECTED) / min(smaller, 1 - smaller))
    return max(1_000, MAXIMUM_OF * groups) if below <= MAXIMUM_CLASSES else 1_000


def run_maximum(draws: IntegerDraws) -> TestResult:
    """Maximum of t consecutive numbers: below x with probability (x/n)^t, exactly.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 C (maximum of t).
    """
    bounds = maximum_bounds(draws.below)
    edges = np.array(bounds[1:-1], dtype=np.uint64)
    counts = np.zeros(len(bounds) - 1, dtype=np.int64)
    for piece in draws.chunks():
        rows = piece[: len(piece) // MAXIMUM_OF * MAXIMUM_OF].reshape(-1, MAXIMUM_OF)
        classes = np.searchsorted(edges, rows.max(axis=1), side="right")
        counts += np.bincount(classes, minlength=counts.size)
    below = [Fraction(bound, draws.below) ** MAXIMUM_OF for bound in bounds]
    fit = goodness.chi_square_fit(counts, [b - a for a, b in pairwise(below)], ordered=True)
    return goodness.fitted([fit], parameters={"t": MAXIMUM_OF}, null="(x/n)^t, exact; chi-square")


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
            scarcity=partial(runs_at_most, int(row.sum()), min(draws.size, CHUNK), draws.below),
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


TESTS = (
    Test("poker", at_least(1_000), run_poker),
    Test("permutation", at_least(200), run_permutation),
    Test("maximum-of-t", minimum_maximum, run_maximum),
    Test("runs", at_least(1_000), run_runs),
)

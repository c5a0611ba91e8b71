"""Dependence along the sequence: serial correlation, groups, subsequences and drift."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, class_probabilities
from rng.battery.suite import Test, at_least

LAGS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 128, 256)
GROUP = 5
STRIDES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 40, 64)
BLOCKS = 16
MOST_LEVELS = 1 << 16


def levels(below: int) -> int:
    """Levels that values are read at: their own up to 2^16, so that sums of products stay whole numbers."""
    return min(below, MOST_LEVELS)


def centred(draws: IntegerDraws, piece: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Twice the distance of each value's level from the middle: whole, with mean 0 and variance (m² - 1)/3."""
    m = levels(draws.below)
    return 2 * draws.classes(piece, m) - (m - 1)


def variance(below: int) -> float:
    """Variance of the centred values of uniform numbers."""
    return (levels(below) ** 2 - 1) / 3


def lagged_sums(draws: IntegerDraws) -> tuple[list[int], list[int]]:
    """Exact sums of products of numbers some lags apart, and the number of products, for each lag."""
    sums, pairs = [0] * len(LAGS), [0] * len(LAGS)
    ends = np.empty(0, dtype=np.int64)
    for piece in draws.chunks():
        joined = np.concatenate([ends, centred(draws, piece)])
        for i, lag in enumerate(LAGS):
            begin = max(len(ends), lag)
            sums[i] += int((joined[begin:] * joined[begin - lag : len(joined) - lag]).sum())
            pairs[i] += len(joined) - begin
        ends = joined[-max(LAGS) :]
    return sums, pairs


def run_serial(draws: IntegerDraws) -> TestResult:
    """Serial correlation at several lags, mean and variance known: products of independent numbers.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 K, with the known mean; GLI-19 3.2.2(f).
    """
    sums, pairs = lagged_sums(draws)
    scores = [s / (variance(draws.below) * math.sqrt(n)) for s, n in zip(sums, pairs, strict=True)]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(z) for z in scores),
        labels=tuple(f"lag {lag}" for lag in LAGS),
        statistic=max(abs(z) for z in scores),
        null="normal, mean 0 and known variance",
        detectable=goodness.describe_shift(draws.size, "in the correlation at one lag"),
    )


def run_interplay(draws: IntegerDraws) -> TestResult:
    """Interplay correlation between the numbers of one group of five.

    Source: GLI-19 3.2.2(e); 58 Pa. Code 810a.5(c).
    """
    places = list(combinations(range(GROUP), 2))
    sums, groups = [0] * len(places), 0
    for piece in draws.chunks():
        rows = centred(draws, piece[: len(piece) // GROUP * GROUP]).reshape(-1, GROUP)
        for k, (i, j) in enumerate(places):
            sums[k] += int((rows[:, i] * rows[:, j]).sum())
        groups += len(rows)
    scores = [s / (variance(draws.below) * math.sqrt(groups)) for s in sums]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(z) for z in scores),
        labels=tuple(f"numbers {i + 1} and {j + 1} of {GROUP}" for i, j in places),
        parameters={"group": GROUP},
        statistic=max(abs(z) for z in scores),
        null="normal, mean 0 and known variance (numbers of a group are drawn with replacement)",
        detectable=goodness.describe_shift(groups, "in the correlation of two numbers of a group"),
    )


def _classes(draws: IntegerDraws, rows: int) -> int:
    most = int(draws.size / rows / goodness.LEAST_EXPECTED)
    return max(2, min(draws.below, 256, most))


@njit(cache=True)
def count_residues(leading: NDArray[np.int64], start: int, table: NDArray[np.int64]) -> None:
    """Adds to ``table[residue, class]`` the classes of the numbers whose places leave each residue."""
    residue = start % table.shape[0]
    for value in leading:
        table[residue, value] += 1
        residue += 1
        if residue == table.shape[0]:
            residue = 0


def residue_tables(draws: IntegerDraws, classes: Mapping[int, int]) -> dict[int, NDArray[np.int64]]:
    """Counts of classes in each of the subsequences that take every stride-th number, by stride.

    Args:
        draws: The numbers.
        classes: Number of classes for each stride.
    """
    tables = {stride: np.zeros((stride, many), dtype=np.int64) for stride, many in classes.items()}
    start = 0
    for piece in draws.chunks():
        leading = {many: draws.classes(piece, many) for many in set(classes.values())}
        for stride, many in classes.items():
            count_residues(leading[many], start, tables[stride])
        start += len(piece)
    return tables


def run_subsequences(draws: IntegerDraws) -> TestResult:
    """Every subsequence of every k-th number must be equidistributed too.

    For each k: all k subsequences together, the worst of them (1 - (1-p)^k), and the fullest cell (a bound).

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 (subsequences); 25 CFR 547.14(b)(2).
    """
    p_values: list[float] = []
    freedom, statistic = 0, 0.0
    tables = residue_tables(draws, {stride: _classes(draws, stride) for stride in STRIDES})
    for stride, table in tables.items():
        classes = table.shape[1]
        expected = np.array([float(q) for q in class_probabilities(draws.below, classes)])
        trials = table.sum(axis=1, keepdims=True)
        squares = (np.square(table - trials * expected) / (trials * expected)).sum(axis=1)
        statistic, freedom = float(squares.sum()), stride * (classes - 1)
        worst = goodness.chi_square_tail(float(squares.max()), classes - 1)
        p_values += [
            goodness.chi_square_tail(statistic, freedom),
            -math.expm1(stride * math.log1p(-worst)) if worst < 1 else 1.0,
            goodness.fullest_cell(table, int(trials.max()), float(expected.max())),
        ]
    return TestResult(
        p_values=tuple(p_values),
        labels=tuple(
            f"every {stride} numbers, {what}"
            for stride in STRIDES
            for what in ("all", "worst subsequence", "fullest cell")
        ),
        statistic=statistic,
        degrees_of_freedom=freedom,
        discrete=True,
        null="independent multinomials, chi-square; smallest of k independent p-values; binomial bound",
        detectable=goodness.describe_deviation(freedom, draws.size),
    )


def trend_score(draws: IntegerDraws) -> float:
    """Sum of twice the centred time with the centred numbers, exact, in its standard deviations."""
    total, start = 0, 0
    for piece in draws.chunks():
        values = centred(draws, piece)
        total += 2 * int((np.arange(len(values)) * values).sum())
        total += (2 * start - (draws.size - 1)) * int(values.sum())
        start += len(piece)
    return total / math.sqrt(variance(draws.below) * draws.size * (draws.size**2 - 1) / 3)


def block_table(draws: IntegerDraws, classes: int) -> NDArray[np.int64]:
    """Counts of classes in each sixteenth of the sequence."""
    table = np.zeros(BLOCKS * classes, dtype=np.int64)
    start = 0
    for piece in draws.chunks():
        block = np.arange(start, start + len(piece)) * BLOCKS // draws.size
        leading = draws.classes(piece, classes)
        table += np.bincount(block * classes + leading, minlength=table.size)
        start += len(piece)
    return table.reshape(BLOCKS, classes)


def run_drift(draws: IntegerDraws) -> TestResult:
    """Drift: sixteenths of the sequence compared with each other, and a linear trend.

    The trend is normal with the known variance of independent numbers.
    """
    classes = _classes(draws, BLOCKS)
    blocks = block_table(draws, classes).astype(np.float64)
    share = blocks.sum(axis=1, keepdims=True) / draws.size * blocks.sum(axis=0, keepdims=True)
    statistic = float((np.square(blocks - share) / np.where(share > 0, share, 1.0)).sum())
    freedom = (BLOCKS - 1) * (classes - 1)
    return TestResult(
        p_values=(
            goodness.chi_square_tail(statistic, freedom),
            goodness.normal_two_sided(trend_score(draws)),
        ),
        labels=("sixteenths", "trend"),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="homogeneity of sixteenths, chi-square; trend normal with known variance",
        detectable=goodness.describe_deviation(freedom, draws.size),
    )


TESTS: tuple[SequenceTest, ...] = (
    Test("serial-correlation", at_least(1_000), run_serial),
    Test("interplay-correlation", at_least(5_000), run_interplay),
    Test("subsequences", lambda _below: 2 * 10 * max(STRIDES), run_subsequences),
    Test("drift", at_least(2 * 10 * BLOCKS), run_drift),
)

"""The deck as independent uniform digits: its Lehmer code, and the draws of the shuffle that made it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import Decks, a_cell, column_chunks, plain
from rng.battery.result import TestResult


def lehmer_digits(columns: Decks) -> Decks:
    """For each position (row) and deck (column), how many later cards are smaller."""
    digits = np.zeros_like(columns)
    for i, column in enumerate(columns):
        for later in columns[i + 1 :]:
            digits[i] += later < column
    return digits


def lehmer_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each digit of the Lehmer code took each value: ``counts[position, value]``."""
    n = decks.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    for columns in column_chunks(decks):
        for i, digits in enumerate(lehmer_digits(columns)):
            counts[i] += np.bincount(digits, minlength=n)
    return counts


def draw_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each recovered Fisher-Yates draw took each value: ``counts[position, draw]``."""
    n = decks.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, len(decks), 1 << 14):
        draws = kernels.fisher_yates_draws(np.ascontiguousarray(decks[start : start + (1 << 14)]))
        for i in range(n):
            counts[i] += np.bincount(draws[:, i], minlength=n)
    return counts


def _digits_result(name: str, digits: list[NDArray[np.int64]], source: str) -> TestResult:
    """Sums independent chi-squares of uniform digits; ``digits`` holds one table of counts for each digit."""
    fits = [goodness.uniform_fit(counts) for counts in digits]
    size = fits[0].sample_size
    freedom = sum(fit.degrees_of_freedom for fit in fits)
    statistic = sum(fit.statistic for fit in fits)
    return TestResult(
        suite="cards",
        test=name,
        p_values=(goodness.chi_square_tail(statistic, freedom),),
        sample_size=size,
        statistic=statistic,
        degrees_of_freedom=freedom,
        null=f"independent uniform digits below 2, 3, …, n, exactly; {source}",
        detectable=goodness.describe_deviation(freedom, size * len(digits)),
    )


def run_lehmer(decks: Decks) -> TestResult:
    """Lehmer code: digit i is exactly uniform on n-i values and all digits are independent.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2, algorithm P (factorial number system).
    """
    n = decks.shape[1]
    counts = lehmer_counts(decks)
    return _digits_result("lehmer-code", [counts[i, : n - i] for i in range(n - 1)], "Lehmer code")


def run_draws(decks: Decks) -> TestResult:
    """Recovered Fisher-Yates draws: the numbers that a correct shuffle from id order must have drawn."""
    n = decks.shape[1]
    counts = draw_counts(decks)
    return _digits_result(
        "fisher-yates-draws", [counts[i, : i + 1] for i in range(1, n)], "shuffle inverted from id order"
    )


TESTS = (plain("lehmer-code", a_cell(10), run_lehmer), plain("fisher-yates-draws", a_cell(10), run_draws))

"""The deck as independent uniform digits: its Lehmer code, and the draws of the shuffle that made it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness, scores
from rng.battery.cards import kernels
from rng.battery.cards.decks import CHUNK, Decks, a_cell, plain
from rng.battery.cell_sums import CellSum, lower_bound_tail, pearson_value
from rng.battery.far_tails import LOOKED_AT_BELOW
from rng.battery.result import TestResult


def _digit_counts(code: Callable[[NDArray[Any]], NDArray[Any]], decks: Decks) -> NDArray[np.int64]:
    """How often each digit of a code of decks took each value: ``counts[position, value]``."""
    n = decks.shape[1]
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        digits = code(np.ascontiguousarray(decks[start : start + CHUNK]))
        for i in range(n):
            counts[i] += np.bincount(digits[:, i], minlength=n)
    return counts


def lehmer_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each digit of the Lehmer code took each value: ``counts[position, value]``."""
    return _digit_counts(kernels.lehmer_code, decks)


def draw_counts(decks: Decks, upwards: bool = False) -> NDArray[np.int64]:
    """How often each recovered Fisher-Yates draw took each value: ``counts[position, draw]``.

    Args:
        decks: The decks.
        upwards: Whether the shuffle went from the first position on. Such a shuffle is one from the last position
            down of the deck read backwards, its ids counted from the other end; its draws count from the position.
    """
    if not upwards:
        return _digit_counts(kernels.fisher_yates_draws, decks)
    return _digit_counts(_upward_draws, decks)


def _upward_draws(decks: NDArray[Any]) -> NDArray[Any]:
    n = decks.shape[1]
    draws = kernels.fisher_yates_draws(np.ascontiguousarray(n - 1 - decks[:, ::-1]))
    return np.arange(n, dtype=np.uint16) - draws


def lehmer_tables(decks: Decks) -> list[NDArray[np.int64]]:
    """Counts of the digits of the Lehmer code that have more than one value."""
    n, counts = decks.shape[1], lehmer_counts(decks)
    return [counts[i, : n - i] for i in range(n - 1)]


def draw_tables(decks: Decks, upwards: bool = False) -> list[NDArray[np.int64]]:
    """Counts of the recovered draws that have more than one value."""
    counts = draw_counts(decks, upwards)
    return [counts[i, : i + 1] for i in range(1, decks.shape[1])]


def _digits_result(digits: list[NDArray[np.int64]], source: str) -> TestResult:
    """Sums independent chi-squares of uniform digits, and gives each; one table of counts for each digit.

    A fault of one digit is lost among the degrees of freedom of all, and one that is spread over all in each.
    """
    fits = [goodness.uniform_fit(counts) for counts in digits]
    size = fits[0].sample_size
    freedom = sum(fit.degrees_of_freedom for fit in fits)
    statistic = sum(fit.statistic for fit in fits)
    together = goodness.chi_square_tail(statistic, freedom)
    even = _together_even(digits, statistic, freedom) if together > 1 - LOOKED_AT_BELOW else 1.0
    return TestResult(
        p_values=(together, *(fit.p_value for fit in fits)),
        deciding=(min(1.0, 2 * min(together, even)), *(fit.two_sided for fit in fits)),
        labels=("all digits", *(f"digit of {counts.size} values" for counts in digits)),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null=f"independent uniform digits below 2, 3, …, n, exactly; {source}",
        detectable=goodness.describe_deviation(freedom, size * len(digits), 1 + len(fits)),
    )


def _together_even(digits: list[NDArray[np.int64]], statistic: float, freedom: int) -> float:
    """Bound on the probability of digits that are all together as even as these."""
    sums = [CellSum(int(c.sum()), {1 / c.size: c.size}, pearson_value) for c in digits]

    def log_moment(slope: float) -> float:
        return sum(one.log_moment(slope) for one in sums)

    return lower_bound_tail(log_moment, statistic, math.sqrt(2 * freedom))


def run_lehmer(decks: Decks) -> TestResult:
    """Lehmer code: digit i is exactly uniform on n-i values and all digits are independent.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2, algorithm P (factorial number system).
    """
    return _digits_result(lehmer_tables(decks), "Lehmer code")


def run_draws(decks: Decks) -> TestResult:
    """Recovered Fisher-Yates draws: the numbers that a correct shuffle from id order must have drawn."""
    return _digits_result(draw_tables(decks), "shuffle inverted from id order")


def run_scaling(decks: Decks) -> TestResult:
    """Draws made of words of few bits, by remainder or by scaling: the likelihood ratio over all digits of a deck.

    The digits are those of the Lehmer code and of the shuffles that run down and up the deck, each read from either
    end of its range; under a correct shuffle all are independent and uniform.

    Source: Neyman and Pearson, Phil. Trans. A 231 (1933), 289-337.
    """
    made = {"Lehmer code": lehmer_tables(decks), "draws downwards": draw_tables(decks)}
    made["draws upwards"] = draw_tables(decks, upwards=True)
    found = {
        f"{name}{end}, {form}": p_value
        for name, tables in made.items()
        for end, step in (("", 1), (" from the other end", -1))
        for form, p_value in scores.few_bits([table[::step] for table in tables])
    }
    deviation = goodness.detectable_shift(len(decks) * (decks.shape[1] - 1), len(found))
    return TestResult.of(
        found,
        null="independent uniform digits below 2, 3, …, n, exactly; Chernoff's bound on the likelihood ratio",
        detectable=f"{100 * deviation:.3g} % root-mean-square relative deviation of the draws, of these forms"
        f"{goodness.power_words(len(found))}",
    )


TESTS = (
    plain("lehmer-code", a_cell(10), run_lehmer),
    plain("fisher-yates-draws", a_cell(10), run_draws),
    plain("scaling", 32, run_scaling),
)

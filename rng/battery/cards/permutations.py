"""A deck as a permutation: fixed points, digits, rises and inversions."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import dispersion, goodness
from rng.battery.cards import kernels, nulls
from rng.battery.cards.decks import (
    DISTRIBUTION_DECKS,
    CardTest,
    Decks,
    a_cell,
    pieces,
    plain,
    values_by_place,
)
from rng.battery.cell_sums import LOOKED_AT_BELOW, CellSum, lower_bound_tail, pearson_value, tally
from rng.battery.result import TestResult


def _upward_draws(decks: NDArray[Any]) -> NDArray[Any]:
    n = decks.shape[1]
    draws = kernels.fisher_yates_draws(np.ascontiguousarray(n - 1 - decks[:, ::-1]))
    return np.arange(n, dtype=np.uint16) - draws


# Three readings of a deck as independent uniform digits. A shuffle that goes from the first position on is one from the
# last position down of the deck read backwards, its ids counted from the other end; its draws count from the position.
CODES: Mapping[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "Lehmer code": kernels.lehmer_code,
    "draws downwards": kernels.fisher_yates_draws,
    "draws upwards": _upward_draws,
}


def digit_tables(decks: Decks, code: str) -> list[NDArray[np.int64]]:
    """How often each digit of a code of decks took each value, of those digits that have more than one."""
    n = decks.shape[1]
    counts = values_by_place(map(CODES[code], pieces(decks)), n)
    sizes = range(n, 0, -1) if code == "Lehmer code" else range(1, n + 1)
    return [row[:size] for row, size in zip(counts, sizes, strict=True) if size > 1]


def _digits_result(digits: list[NDArray[np.int64]]) -> TestResult:
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
        null="independent uniform digits below 2, 3, …, n, exactly; shuffle inverted from id order",
        detectable=goodness.describe_deviation(freedom, size * len(digits), 1 + len(fits)),
    )


def _together_even(digits: list[NDArray[np.int64]], statistic: float, freedom: int) -> float:
    """Bound on the probability of digits that are all together as even as these."""
    sums = [CellSum(int(c.sum()), {1 / c.size: c.size}, pearson_value) for c in digits]

    def log_moment(slope: float) -> float:
        return sum(one.log_moment(slope) for one in sums)

    return lower_bound_tail(log_moment, statistic, math.sqrt(2 * freedom))


def run_draws(decks: Decks) -> TestResult:
    """Recovered Fisher-Yates draws: the numbers that a correct shuffle from id order must have drawn.

    They are the digits of the deck in the factorial number system: exactly uniform, and independent.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2, algorithm P.
    """
    return _digits_result(digit_tables(decks, "draws downwards"))


def run_scaling(decks: Decks) -> TestResult:
    """Draws made of words of few bits, by remainder or by scaling: the likelihood ratio over all digits of a deck.

    The digits are those of the Lehmer code and of the shuffles that run down and up the deck, each read from either
    end of its range; under a correct shuffle all are independent and uniform.

    Source: Neyman and Pearson, Phil. Trans. A 231 (1933), 289-337.
    """
    made = {code: digit_tables(decks, code) for code in CODES}
    found = {
        f"{name}{end}, {form}": p_value
        for name, tables in made.items()
        for end, step in (("", 1), (" from the other end", -1))
        for form, p_value in dispersion.few_bits([table[::step] for table in tables])
    }
    deviation = goodness.detectable_shift(len(decks) * (decks.shape[1] - 1), len(found))
    return TestResult.of(
        found,
        null="independent uniform digits below 2, 3, …, n, exactly; Chernoff's bound on the likelihood ratio",
        detectable=f"{100 * deviation:.3g} % root-mean-square relative deviation of the draws, of these forms"
        f"{goodness.power_words(len(found))}",
    )


DIGITS = (
    plain("fisher-yates-draws", a_cell(10), run_draws),
    plain("scaling", 32, run_scaling),
)


LAGS = (1, 2, 3, 4)


def descents(decks: NDArray[Any]) -> NDArray[np.integer]:
    """Number of positions where the next card is smaller, deck by deck."""
    return np.asarray((decks[:, 1:] < decks[:, :-1]).sum(axis=1), dtype=np.int64)


# Measures of order, deck by deck; there is one rising sequence more than counted.
MEASURES: Mapping[str, Callable[[NDArray[Any]], NDArray[np.integer]]] = {
    "inversions": lambda decks: kernels.lehmer_code(decks).sum(axis=1, dtype=np.int64),
    "descents": descents,
    "rising sequences": lambda decks: descents(kernels.inverse(decks)),
    "fixed points": lambda decks: (decks == np.arange(decks.shape[1])).sum(axis=1),
    "successions": lambda decks: (np.diff(decks.astype(np.int32), axis=1) == 1).sum(axis=1),
}


def counts_of(decks: Decks, measure: str, classes: int) -> NDArray[np.int64]:
    """How many decks have each value of a measure, from 0 on."""
    return tally(map(MEASURES[measure], pieces(decks)), classes)


def match_counts(decks: Decks, lag: int) -> NDArray[np.int64]:
    """How many decks have 0, 1, …, n cards in the same position as ``lag`` decks later."""
    matches = ((piece[:-lag] == piece[lag:]).sum(axis=1) for piece in pieces(decks, overlap=lag))
    return tally(matches, decks.shape[1] + 1)


def compare(
    counts: NDArray[np.int64],
    law: nulls.NullLaw,
    null: str,
    of_total: Callable[[int, int], float] | None = None,
) -> TestResult:
    """Compares a statistic with its exact distribution over all permutations, in mean and in distribution.

    Args:
        counts: How many decks have 0, 1, …
        law: The distribution.
        null: What it is, in words.
        of_total: P-value of the total over so many decks; by the normal law of the mean where left out.
    """
    size = int(counts.sum())
    total = int((np.arange(counts.size) * counts).sum())
    statistic = (total - size * float(law.mean)) / (size * float(law.variance)) ** 0.5
    freedom = None
    p_values, labels = [of_total(total, size) if of_total else goodness.normal_two_sided(statistic)], ["mean"]
    deciding = list(p_values)
    if size >= DISTRIBUTION_DECKS:
        fit = goodness.chi_square_fit(counts, law.probabilities, ordered=True)
        p_values, labels = [*p_values, fit.p_value], [*labels, "distribution"]
        deciding.append(fit.two_sided)
        statistic, freedom = fit.statistic, fit.degrees_of_freedom
    return TestResult(
        p_values=tuple(p_values),
        deciding=tuple(deciding),
        labels=tuple(labels),
        statistic=statistic,
        degrees_of_freedom=freedom,
        discrete=of_total is not None and size < goodness.COARSE_BELOW,
        null=null,
        detectable=goodness.describe_shift(
            size,
            f"standard deviations of the statistic (mean {float(law.mean):g}, variance {float(law.variance):g})",
        ),
    )


def _matching(counts: NDArray[np.int64]) -> TestResult:
    law = nulls.counted_law(nulls.fixed_points(counts.size - 1))
    return compare(
        counts, law, "rencontres numbers over n!; the total is Poisson", goodness.poisson_two_sided
    )


def run_fixed_points(decks: Decks) -> TestResult:
    """Fixed points against the order of the ids: C(n, k) D(n-k)/n!, in distribution and in total.

    The number in one deck differs from a Poisson variable of mean 1 by less than 2^n/(n+1)! (1e-37 for forty
    cards), so that the total over N decks is Poisson(N).
    """
    return _matching(counts_of(decks, "fixed points", decks.shape[1] + 1))


def run_matches(decks: Decks) -> TestResult:
    """Cards in the same position of two decks: for independent shuffles distributed like fixed points.

    The quotients of consecutive independent uniform permutations are themselves independent and uniform, so
    that overlapping pairs of decks may all be counted.
    """
    first, *others = [_matching(match_counts(decks, lag)) for lag in LAGS]
    return first.with_bounds(
        {f"mean, {lag} decks apart": one.p_values[0] for lag, one in zip(LAGS[1:], others, strict=True)}
    )


FIXED_POINTS = (
    plain("fixed-points", 32, run_fixed_points),
    plain("matches-next-deck", 64, run_matches),
)


def _by_descents(name: str, measure: str, words: str) -> CardTest:
    def run(decks: Decks) -> TestResult:
        law = nulls.descent_law(decks.shape[1])
        return compare(counts_of(decks, measure, len(law.probabilities)), law, words)

    return plain(name, 32, run)


def run_inversions(decks: Decks) -> TestResult:
    """Inversions in mean and distribution, and even against odd orders: a permutation is even as its inversions are."""
    law = nulls.inversion_law(decks.shape[1])
    counts = counts_of(decks, "inversions", len(law.probabilities))
    even = goodness.binomial_two_sided(int(counts[::2].sum()), len(decks), 0.5)
    null = "Mahonian numbers over n!; even orders binomial(N, 1/2), exact"
    return compare(counts, law, null).with_bounds({"parity": even})


ORDER = (
    plain("inversions", 32, run_inversions),
    _by_descents("descents", "descents", "Eulerian numbers over n!"),
    _by_descents("rising-sequences", "rising sequences", "Eulerian numbers over n! (Bayer, Diaconis)"),
)

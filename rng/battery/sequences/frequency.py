"""Frequencies of numbers: chi-square, bits, Kolmogorov and Smirnov, dispersion, and the fullest cell."""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import dispersion, goodness
from rng.battery.cell_sums import tally
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, class_probabilities, digit_base
from rng.battery.sequences.serial import tuple_base, tuple_counts
from rng.battery.suite import Test, at_least

MOST_CLASSES = 4096
LEAST_DRAWS = 100


def leading_counts(draws: IntegerDraws, classes: int) -> NDArray[np.int64]:
    """Counts of ``value * classes // below``."""
    return tally((draws.classes(piece, classes) for piece in draws.chunks()), classes)


def trailing_counts(draws: IntegerDraws, classes: int) -> NDArray[np.int64]:
    """Counts of ``value % classes``."""
    return tally(((piece % np.uint64(classes)).astype(np.int64) for piece in draws.chunks()), classes)


@cache
def trailing_probabilities(below: int, classes: int) -> tuple[Fraction, ...]:
    """Exact probabilities of ``value % classes`` for a uniform value.

    Example:
        >>> trailing_probabilities(5, 2)
        (Fraction(3, 5), Fraction(2, 5))
    """
    return tuple(Fraction(-(-(below - k) // classes), below) for k in range(classes))


def run_frequency(draws: IntegerDraws) -> TestResult:
    """Equidistribution of leading and of trailing digits (the same when every value is its own class).

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 A; 25 CFR 547.14(b)(2) (equidistribution).
    """
    # As many classes as give ten expectations each, no more than there are values.
    classes = max(2, min(draws.below, MOST_CLASSES, int(draws.size / goodness.LEAST_EXPECTED)))
    counts, null = leading_counts(draws, classes), class_probabilities(draws.below, classes)
    leading = goodness.chi_square_fit(counts, null, ordered=False)
    fits, labels = [leading], ["leading digits"]
    if classes > goodness.MOST_ORDERED_CLASSES:
        coarse = goodness.chi_square_fit(counts, null, ordered=True)
        fits, labels = [*fits, coarse], [*labels, f"{coarse.classes} wide classes"]
    if classes < draws.below:
        trailing = goodness.chi_square_fit(
            trailing_counts(draws, classes), trailing_probabilities(draws.below, classes), ordered=False
        )
        fits, labels = [*fits, trailing], [*labels, "trailing digits"]
    return goodness.fitted(
        fits,
        labels=labels,
        parameters={"classes": classes},
        null="multinomial with exact class probabilities; chi-square",
        detectable=goodness.describe_deviation(leading.degrees_of_freedom, draws.size),
    )


def detectable_distance(size: int) -> str:
    """A distance between distribution functions that the test is sure to find, in words.

    The sample is within the 5 % distance of its own distribution with 95 % probability, so that a true
    distance of the critical value and that much more is rejected at least so often (triangle inequality).
    """
    critical = float(special.kolmogi(goodness.DETECTION_LEVEL))
    stray = float(special.kolmogi(1 - goodness.DETECTION_POWER))
    distance = (critical + stray) / math.sqrt(size)
    return f"a distance of {distance:.3g} between distribution functions{goodness.POWER_WORDS}"


def run_kolmogorov(draws: IntegerDraws) -> TestResult:
    """Kolmogorov-Smirnov distance from the uniform distribution on the integers below the range.

    On discrete values the continuous tail is an upper bound, so that the p-value is conservative for small
    ranges.

    Source: Noether, Metrika 7 (1963), 115-116; 58 Pa. Code 810a.5(c) (K-S).
    """
    cells = min(draws.below, 1 << 16)
    counts = leading_counts(draws, cells)
    # In whole numbers of any size: range times cells does not fit a word from 2^47 on.
    exact = np.array([-(-draws.below * cell // cells) / draws.below for cell in range(1, cells + 1)])
    deviation = float(np.abs(counts.cumsum() / draws.size - exact).max())
    return TestResult(
        p_values=(goodness.kolmogorov_tail(deviation, draws.size),),
        parameters={"cells": cells},
        statistic=deviation,
        null="Kolmogorov distribution, an upper bound of the tail on discrete values",
        discrete=draws.below < 1 << 16,
        detectable=detectable_distance(draws.size),
    )


def _classes(draws: IntegerDraws) -> Iterator[tuple[str, NDArray[np.integer], Sequence[float]]]:
    """Yields halves and thirds of the range, and remainders by two and by three: what wagers on a wheel pay for."""
    for count in (2, 3):
        if count < draws.below:
            parts = np.concatenate([draws.classes(piece, count) for piece in draws.chunks()])
            rests = np.concatenate([piece % np.uint64(count) for piece in draws.chunks()])
            yield f"{count} parts of the range", parts, _floats(class_probabilities(draws.below, count))
            yield f"remainders by {count}", rests, _floats(trailing_probabilities(draws.below, count))


def _floats(law: Sequence[Fraction]) -> tuple[float, ...]:
    return tuple(float(chance) for chance in law)


def run_dispersion(draws: IntegerDraws) -> TestResult:
    """Dispersion of the counts within blocks of all sizes, both tails: of numbers, of steps and sums, and of classes.

    Steps from a number to the next, and sums of two, are as uniform and independent as the numbers are.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    classes = digit_base(draws.below, dispersion.MOST_CLASSES)
    values = np.concatenate(list(draws.digits(classes)))
    found = dispersion.over_blocks({"": values}, classes, {"classes": classes})
    bounds = {
        f"{name}, blocks of every size": dispersion.worst_of_sizes(numbers % classes, classes)
        for name, numbers in (("steps", np.diff(values)), ("sums", values[1:] + values[:-1]))
    }
    bounds |= dispersion.even_classes(_classes(draws))
    return found.with_bounds(bounds)


FREQUENCY = (
    Test("frequency", at_least(LEAST_DRAWS), run_frequency),
    Test("kolmogorov-smirnov", at_least(LEAST_DRAWS), run_kolmogorov),
    Test("dispersion", at_least(dispersion.LEAST_SAMPLE), run_dispersion),
)


# Up to here every value has a counter; of larger ranges the values themselves are sorted, the first so many.
MOST_COUNTERS = 1 << 20
MOST_SORTED = 1 << 22
MOST_PAIR_BASE = 1 << 10
DIMENSIONS = (2, 3, 4, 5, 6, 8, 10)


def value_counts(draws: IntegerDraws) -> NDArray[np.int64]:
    """How often each value came; of a large range, how often each value came that came at all."""
    if draws.below <= MOST_COUNTERS:
        return tally((piece.astype(np.int64) for piece in draws.chunks()), draws.below)
    ordered = np.sort(draws.values[:MOST_SORTED])
    bounds = np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    return np.diff(np.concatenate([[0], bounds, [ordered.size]]))


def most_frequent(count: int, trials: int, cells: int) -> float:
    """Bound on the probability that any of equally likely cells is hit so often: exact tails, Bonferroni.

    Example:
        >>> round(most_frequent(3, 3, 10), 9)
        0.01
    """
    return min(1.0, cells * float(special.bdtrc(count - 1, trials, 1 / cells)))


def least_frequent(count: int, trials: int, cells: int) -> float:
    """Bound on the probability that any of equally likely cells is hit so seldom.

    Example:
        >>> least_frequent(0, 2, 2)
        0.5
    """
    return min(1.0, cells * float(special.bdtr(count, trials, 1 / cells)))


def run_fullest(draws: IntegerDraws) -> TestResult:
    """The most and the least frequent number, and the most frequent pair of neighbours.

    Source: exact binomial tail of each cell of a multinomial variable, with Bonferroni's bound.
    """
    counts = value_counts(draws)
    trials = int(counts.sum())
    found = {"most frequent number": most_frequent(int(counts.max()), trials, draws.below)}
    if draws.below <= MOST_COUNTERS:
        found["least frequent number"] = least_frequent(int(counts.min()), trials, draws.below)
    base = digit_base(draws.below, MOST_PAIR_BASE)
    pairs = tuple_counts(draws, base, 2)
    found[f"most frequent pair in base {base}"] = most_frequent(
        int(pairs.max()), int(pairs.sum()), base * base
    )
    return TestResult.of(
        found,
        statistic=float(counts.max()),
        null="exact binomial tail of each cell, Bonferroni over the cells (an upper bound)",
        detectable=goodness.describe_fullest(
            trials, 1 / draws.below, draws.below, "occurrences of one number"
        ),
    )


def least_for(length: int) -> int:
    """Fewest numbers for ten groups of each kind of two classes, when one number in twenty is left out.

    Example:
        >>> least_for(4), least_for(10)
        (704, 112640)
    """
    return length * 11 << length


def run_dimensions(draws: IntegerDraws) -> TestResult:
    """Serial tests: groups of 2, 3, 4, 5, 6, 8 and 10 numbers by their leading digits.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 B, in two dimensions and more.
    """
    fits, labels = [], []
    for length in DIMENSIONS:
        if draws.size < least_for(length):
            continue
        base = tuple_base(draws, length)
        fits.append(goodness.uniform_fit(tuple_counts(draws, base, length)))
        labels.append(f"{length}-tuples in base {base}")
    return goodness.fitted(
        fits, labels=labels, null="multinomial over equally likely non-overlapping tuples; chi-square"
    )


FULLEST: tuple[SequenceTest, ...] = (
    Test("fullest-cell", lambda _below: 100, run_fullest),
    Test("serial-dimensions", at_least(LEAST_DRAWS), run_dimensions),
)

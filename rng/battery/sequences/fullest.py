"""One number, or one pair of numbers, that comes too often or too seldom; groups of numbers; words of few bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness, scores
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, SequenceTest, digit_base
from rng.battery.sequences.serial import tuple_base, tuple_counts
from rng.battery.suite import Test

# Up to here every value has a counter; of larger ranges the values themselves are sorted, the first so many.
MOST_COUNTERS = 1 << 20
MOST_SORTED = 1 << 22
MOST_PAIR_BASE = 1 << 10
DIMENSIONS = (4, 5, 6, 8, 10)


def value_counts(draws: IntegerDraws) -> NDArray[np.int64]:
    """How often each value came; of a large range, how often each value came that came at all."""
    if draws.below <= MOST_COUNTERS:
        counts = np.zeros(draws.below, dtype=np.int64)
        for piece in draws.chunks():
            counts += np.bincount(piece.astype(np.int64), minlength=draws.below)
        return counts
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


def run(draws: IntegerDraws) -> TestResult:
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
    """Serial tests in more dimensions: groups of 4, 5, 6, 8 and 10 numbers by their leading digits.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 B, in more dimensions.
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


LARGEST_RANGE = 1 << 20


def run_scaling(draws: IntegerDraws) -> TestResult:
    """Numbers made of words of few bits: each form of such a fault has a test of its own, the most powerful there is.

    Source: Neyman and Pearson, Phil. Trans. A 231 (1933), 289-337.
    """
    counts = value_counts(draws)
    found = {
        f"{form}{end}": p_value
        for end, step in (("", 1), (" from the other end", -1))
        for form, p_value in scores.few_bits([counts[::step]])
    }
    deviation = goodness.detectable_shift(draws.size, len(found))
    return TestResult.of(
        found,
        null="multinomial, equal probabilities; Chernoff's bound on the likelihood ratio",
        detectable=f"{100 * deviation:.3g} % root-mean-square relative deviation of the probabilities, of these forms"
        f"{goodness.power_words(len(found))}",
    )


def _minimum_scaled(below: int) -> int | None:
    # Of a power of two the remainder is uniform, whatever the word.
    whole = math.log2(below).is_integer()
    return None if whole or below > LARGEST_RANGE else 100


TESTS: tuple[SequenceTest, ...] = (
    Test("fullest-cell", lambda _below: 100, run),
    Test("serial-dimensions", lambda _below: least_for(DIMENSIONS[0]), run_dimensions),
    Test("scaling", _minimum_scaled, run_scaling),
)

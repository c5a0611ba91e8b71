"""Words of few bits brought to the range by their remainder or by scaling: the likelihood ratio against each form."""

from __future__ import annotations

import math

from rng.battery import goodness, scores
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.sequences.fullest import value_counts
from rng.battery.suite import Test

LARGEST_RANGE = 1 << 20


def run(draws: IntegerDraws) -> TestResult:
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
    return TestResult(
        suite="sequences",
        test="scaling",
        p_values=tuple(found.values()),
        labels=tuple(found),
        sample_size=draws.size,
        null="multinomial, equal probabilities; Chernoff's bound on the likelihood ratio",
        discrete=True,
        detectable=f"{100 * deviation:.3g} % root-mean-square relative deviation of the probabilities, of these forms"
        f"{goodness.power_words(len(found))}",
    )


def _minimum(below: int) -> int | None:
    # Of a power of two the remainder is uniform, whatever the word.
    whole = math.log2(below).is_integer()
    return None if whole or below > LARGEST_RANGE else 100


TESTS = (Test("scaling", _minimum, run),)

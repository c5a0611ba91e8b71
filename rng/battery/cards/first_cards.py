"""Rank of the permutation of the first cards dealt: every ordered opening is equally likely."""

from __future__ import annotations

from math import perm

import numpy as np

from rng.battery import goodness
from rng.battery.cards.decks import Decks, a_cell, plain
from rng.battery.cards.duplicates import opening_codes
from rng.battery.result import TestResult

MOST_CARDS = 3


def run(decks: Decks) -> TestResult:
    """Ordered first k cards, k the longest with ten expectations a class: chi-square over n(n-1)… classes."""
    n, size = decks.shape[1], len(decks)
    fitting = [k for k in range(1, MOST_CARDS + 1) if size >= goodness.LEAST_EXPECTED * perm(n, k)]
    length = max(fitting, default=1)
    _, seen = np.unique(opening_codes(decks, length), return_counts=True)
    counts = np.concatenate([seen, np.zeros(perm(n, length) - len(seen), dtype=np.int64)])
    fit = goodness.uniform_fit(counts)
    return goodness.fitted(
        "cards",
        "first-cards",
        [fit],
        parameters={"cards": length},
        sample_size=size,
        null="multinomial over equally likely ordered openings; chi-square",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size),
    )


TESTS = (plain("first-cards", a_cell(10), run),)

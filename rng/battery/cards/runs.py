"""Runs at each position from deck to deck, in forms that ties cannot spoil."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import comb

import numpy as np

from rng.battery import goodness
from rng.battery.cards.decks import CardTest, Decks, positions
from rng.battery.result import TestResult
from rng.battery.run_lengths import rising_run_lengths

LONGEST_RUN = 8


def run_above_below(decks: Decks) -> TestResult:
    """Runs above and below the middle of the ids at each position.

    A card lies in the upper half with probability exactly 1/2, so the number of changes between consecutive
    decks is binomial (N-1, 1/2), ties or not.

    Source: South Dakota 48:02:08:02(2), GLI-19 3.2.2(d); Wald and Wolfowitz with known probability 1/2.
    """
    n, size = decks.shape[1], len(decks)
    upper = np.asarray(decks >= n // 2)
    changes = (upper[1:] != upper[:-1]).sum(axis=0)
    return TestResult(
        suite="cards",
        test="runs",
        p_values=tuple(goodness.binomial_two_sided(int(c), size - 1, 0.5) for c in changes),
        labels=positions(n),
        sample_size=size,
        null="number of changes of half is binomial(N-1, 1/2), exact",
        discrete=True,
        detectable=goodness.describe_shift(size, "in the correlation of successive halves"),
    )


def rising_probabilities(values: int) -> tuple[Fraction, ...]:
    """Exact probabilities that a strictly rising run has length 1, 2, …, the last class being open.

    Of r independent values below d, exactly C(d, r) of the d^r orders rise strictly. The value that breaks
    a run is discarded, so that runs are independent.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2, exercise 14, with ties counted exactly.
    """
    at_least = [Fraction(comb(values, r), values**r) for r in range(1, LONGEST_RUN + 1)]
    return (*(a - b for a, b in pairwise(at_least)), at_least[-1])


def run_up(decks: Decks) -> TestResult:
    """Strictly rising runs of card ids at each position, from deck to deck."""
    n = decks.shape[1]
    probabilities = rising_probabilities(n)
    counts = [
        rising_run_lengths(np.ascontiguousarray(decks[:, i]).astype(np.uint64), LONGEST_RUN) for i in range(n)
    ]
    fits = [goodness.chi_square_fit(count, probabilities, ordered=True) for count in counts]
    return TestResult(
        suite="cards",
        test="runs-up",
        p_values=tuple(fit.p_value for fit in fits),
        labels=positions(n),
        parameters={"longest": LONGEST_RUN},
        sample_size=len(decks),
        degrees_of_freedom=fits[0].degrees_of_freedom,
        null="lengths of strictly rising runs, breaking value discarded: C(d, r)/d^r or longer; chi-square",
        detectable=goodness.describe_deviation(fits[0].degrees_of_freedom, fits[0].sample_size),
    )


TESTS = (CardTest("runs", 100, run_above_below), CardTest("runs-up", 1000, run_up))

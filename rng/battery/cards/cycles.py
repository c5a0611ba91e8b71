"""Cycle structure and parity of decks read as permutations of the ids."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls
from rng.battery.cards.decks import CHUNK, Decks, a_cell, plain
from rng.battery.result import TestResult


def cycle_counts(decks: Decks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Decks by number of cycles (0 to n), and by length of the cycle of card 0 (1 to n)."""
    n = decks.shape[1]
    numbers = np.zeros(n + 1, dtype=np.int64)
    lengths = np.zeros(n + 1, dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        count, first = kernels.cycle_structure(np.ascontiguousarray(decks[start : start + CHUNK]))
        numbers += np.bincount(count, minlength=n + 1)
        lengths += np.bincount(first, minlength=n + 1)
    return numbers, lengths[1:]


def run_cycles(decks: Decks) -> TestResult:
    """Number of cycles (Stirling numbers over n!), and the cycle of the first card (uniform on 1 to n)."""
    n = decks.shape[1]
    numbers, lengths = cycle_counts(decks)
    fit = goodness.chi_square_fit(numbers, nulls.probabilities(nulls.cycles(n)), ordered=True)
    first = goodness.uniform_fit(lengths)
    return goodness.fitted(
        "cards",
        "cycles",
        [fit, first],
        labels=("number of cycles", "cycle of the first card"),
        sample_size=len(decks),
        null="unsigned Stirling numbers of the first kind over n!; uniform cycle length",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, len(decks)),
    )


def run_parity(decks: Decks) -> TestResult:
    """Parity of the permutation: even and odd with probability exactly 1/2."""
    n = decks.shape[1]
    numbers, _ = cycle_counts(decks)
    # A permutation is even exactly when n less its number of cycles is even.
    even = int(numbers[n % 2 :: 2].sum())
    return TestResult(
        suite="cards",
        test="parity",
        p_values=(goodness.binomial_two_sided(even, len(decks), 0.5),),
        sample_size=len(decks),
        statistic=float(even),
        null="binomial(N, 1/2), exact",
        discrete=True,
        detectable=goodness.describe_shift(len(decks), "in the mean sign (+1 even, -1 odd)"),
    )


TESTS = (plain("cycles", a_cell(10), run_cycles), plain("parity", 32, run_parity))

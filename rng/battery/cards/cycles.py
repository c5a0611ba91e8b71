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
    """Even and odd permutations, the number of cycles, and the length of the cycle of the first card (uniform)."""
    n, size = decks.shape[1], len(decks)
    numbers, lengths = cycle_counts(decks)
    # A permutation is even exactly when n less its number of cycles is even.
    even = goodness.binomial_two_sided(int(numbers[n % 2 :: 2].sum()), size, 0.5)
    found = {"parity": (even, even)}
    fit = goodness.chi_square_fit(numbers, nulls.probabilities(nulls.cycles(n)), ordered=True)
    for label, one in (("number of cycles", fit), ("cycle of the first card", goodness.uniform_fit(lengths))):
        found[label] = (one.p_value, one.two_sided)
    return TestResult(
        p_values=tuple(published for published, _ in found.values()),
        deciding=tuple(decided for _, decided in found.values()),
        labels=tuple(found),
        statistic=fit.statistic,
        degrees_of_freedom=fit.degrees_of_freedom,
        null="even permutations binomial(N, 1/2), exact; unsigned Stirling numbers of the first kind over n!; uniform "
        "cycle length",
        discrete=True,
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size, len(found)),
    )


TESTS = (plain("cycles", a_cell(10), run_cycles),)

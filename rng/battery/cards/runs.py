"""Runs at each position from deck to deck, in forms that ties cannot spoil."""

from __future__ import annotations

import numpy as np

from rng.battery import goodness
from rng.battery.cards.decks import Decks, DeckShoe, column_chunks, plain, positions
from rng.battery.result import TestResult
from rng.battery.run_lengths import rising_probabilities, rising_run_lengths

LONGEST_RUN = 8
# Decks followed without a break; the one run that a break cuts short is left out.
LONG_PIECE = 1 << 20


def run_above_below(decks: Decks) -> TestResult:
    """Runs above and below the middle of the ids at each position.

    A card lies in the upper half with probability exactly 1/2, so the number of changes between consecutive
    decks is binomial (N-1, 1/2), ties or not.

    Source: South Dakota 48:02:08:02(2), GLI-19 3.2.2(d); Wald and Wolfowitz with known probability 1/2.
    """
    n, size = decks.shape[1], len(decks)
    changes = np.zeros(n, dtype=np.int64)
    for columns in column_chunks(decks, overlap=1):
        upper = columns >= n // 2
        changes += (upper[:, 1:] != upper[:, :-1]).sum(axis=1)
    return TestResult(
        p_values=tuple(goodness.binomial_two_sided(int(c), size - 1, 0.5) for c in changes),
        labels=positions(n),
        null="number of changes of half is binomial(N-1, 1/2), exact",
        discrete=True,
        detectable=goodness.describe_shift(size, "in the correlation of successive halves"),
    )


def run_up(decks: Decks) -> TestResult:
    """Strictly rising runs of card ids at each position, from deck to deck."""
    n = decks.shape[1]
    probabilities = rising_probabilities(n, LONGEST_RUN)
    counts = np.zeros((n, LONGEST_RUN), dtype=np.int64)
    for start in range(0, len(decks), LONG_PIECE):
        for i, column in enumerate(decks[start : start + LONG_PIECE].T):
            counts[i] += rising_run_lengths(column.astype(np.uint64), LONGEST_RUN)
    fits = [goodness.chi_square_fit(count, probabilities, ordered=True, fixed=False) for count in counts]
    return goodness.fitted(
        fits,
        labels=positions(n),
        parameters={"longest": LONGEST_RUN},
        null="lengths of strictly rising runs, breaking value discarded: C(d, r)/d^r or longer; chi-square",
    )


def _halves(shoe: DeckShoe) -> int | str:
    return "needs an even number of cards: two equal halves" if shoe.cards % 2 else 100


TESTS = (plain("runs", _halves, run_above_below), plain("runs-up", 1000, run_up))

"""Repeated decks and repeated openings: what a seed that is too small gives away."""

from __future__ import annotations

from math import factorial, isqrt, perm

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, a_cell, plain
from rng.battery.repeats import repeated, values_repeated
from rng.battery.result import TestResult

# Expected coincidences for which openings are compared: enough that too few of them would show as well.
LEAST_COINCIDENCES = 10


def fingerprints(decks: Decks) -> NDArray[np.uint64]:
    """A 64-bit sum for each deck that equal decks share; unequal ones are told apart afterwards."""
    # Powers of an odd constant (Knuth's multiplicative hash, 2^64 over the golden ratio), modulo 2^64.
    weights = np.array([pow(0x9E3779B97F4A7C15, i + 1, 1 << 64) for i in range(decks.shape[1])], np.uint64)
    sums = np.empty(len(decks), dtype=np.uint64)
    for start in range(0, len(decks), CHUNK):
        piece = decks[start : start + CHUNK].astype(np.uint64)
        sums[start : start + CHUNK] = (np.square(piece + np.uint64(7)) * weights).sum(axis=1, dtype=np.uint64)
    return sums


def repeated_decks(decks: Decks) -> int:
    """Number of decks that had been dealt before."""
    prints = fingerprints(decks)
    suspects = decks[np.isin(prints, values_repeated(prints))]
    return len(suspects) - len(np.unique(suspects, axis=0)) if len(suspects) else 0


def run_duplicates(decks: Decks) -> TestResult:
    """Repeated whole decks: Poisson with mean N(N-1)/(2 n!), so that one repetition already fails."""
    size = len(decks)
    mean = size * (size - 1) / (2 * factorial(decks.shape[1]))
    again = repeated_decks(decks)
    return TestResult(
        p_values=(goodness.poisson_at_least(again, mean),),
        statistic=float(again),
        null=f"Poisson with mean {mean:.3g}",
        discrete=True,
        detectable="fewer than "
        f"{int(float(f'{size * (size - 1) // 6:.3g}')):,} different decks (95 % chance of a repeat)",
    )


def opening_codes(decks: Decks, length: int) -> NDArray[np.int64]:
    """The first cards of each deck, in order, as one number."""
    n = decks.shape[1]
    codes = np.zeros(len(decks), dtype=np.int64)
    for position in range(length):
        codes = codes * n + decks[:, position]
    return codes


def run_openings(decks: Decks) -> TestResult:
    """Openings dealt before: the first k cards in order, k as long as ten coincidences are still expected.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 I (collision test), in its Poisson limit.
    """
    n, size = decks.shape[1], len(decks)
    length = max(k for k in range(1, 9) if size * (size - 1) / 2 / perm(n, k) >= LEAST_COINCIDENCES or k == 1)
    openings = perm(n, length)
    # Expected number of openings already seen: N - M (1 - (1 - 1/M)^N), rounding avoided by expm1 and log1p.
    mean = size + openings * float(np.expm1(size * np.log1p(-1 / openings)))
    again = repeated(opening_codes(decks, length))
    return TestResult(
        p_values=(goodness.poisson_two_sided(again, mean),),
        parameters={"cards": length},
        statistic=float(again),
        null=f"Poisson with mean {mean:.4g} over {openings} equally likely openings",
        discrete=True,
        detectable=goodness.describe_count(mean, "repetitions"),
    )


def _fewest(shoe: DeckShoe) -> int:
    """Decks from which on repetitions stay rare among the openings compared, however long these are.

    The openings are of k cards from sqrt(20 M) decks on, M = n!/(n-k)!, and of k + 1 from sqrt(20 M (n-k)) on;
    up to there at most one deck in eight repeats an opening.
    """
    n = shoe.cards
    length = next(k for k in range(1, 9) if 20 * (n - k) <= perm(n, k) / 64)
    return max(2200, isqrt(2 * LEAST_COINCIDENCES * perm(n, length)) + 1)


MOST_FIRST = 3


def run_first(decks: Decks) -> TestResult:
    """Ordered first k cards, k the longest with ten expectations a class: chi-square over n(n-1)… classes."""
    n, size = decks.shape[1], len(decks)
    fitting = [k for k in range(1, MOST_FIRST + 1) if size >= goodness.LEAST_EXPECTED * perm(n, k)]
    length = max(fitting, default=1)
    _, seen = np.unique(opening_codes(decks, length), return_counts=True)
    counts = np.concatenate([seen, np.zeros(perm(n, length) - len(seen), dtype=np.int64)])
    fit = goodness.uniform_fit(counts)
    return goodness.fitted(
        [fit],
        parameters={"cards": length},
        null="multinomial over equally likely ordered openings; chi-square",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size),
    )


TESTS = (
    plain("duplicates", 2, run_duplicates),
    plain("repeated-openings", _fewest, run_openings),
    plain("first-cards", a_cell(10), run_first),
)

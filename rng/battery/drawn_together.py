"""Balls drawn together: neighbours, odd and low ones, every two of them, and those that are due."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from rng.battery import due, goodness, scores
from rng.battery.cells import two_sided, worst
from rng.battery.result import TestResult
from rng.draws import OrderedSample

Rows = NDArray[np.unsignedinteger]
MOST_BALLS = 512


def neighbour_law(balls: int, drawn: int) -> list[Fraction]:
    """Probabilities of 0, 1, … balls drawn together with the next higher number: by the runs of a subset.

    Source: Riordan, An Introduction to Combinatorial Analysis (1958), 8, problem 1 (k of n with r runs).

    Example:
        >>> neighbour_law(4, 2)  # 12, 23 and 34 of six pairs
        [Fraction(1, 2), Fraction(1, 2)]
    """
    return [
        Fraction(comb(drawn - 1, pairs) * comb(balls - drawn + 1, drawn - pairs), comb(balls, drawn))
        for pairs in range(drawn)
    ]


def marked_law(balls: int, drawn: int, marked: int) -> list[Fraction]:
    """Probabilities of 0, 1, … balls of a marked set: hypergeometric.

    Example:
        >>> marked_law(4, 2, 2)
        [Fraction(1, 6), Fraction(2, 3), Fraction(1, 6)]
    """
    return [
        Fraction(comb(marked, k) * comb(balls - marked, drawn - k), comb(balls, drawn))
        for k in range(drawn + 1)
    ]


def run_compositions(draw: OrderedSample, rows: Rows) -> TestResult:
    """Compositions of a draw: neighbouring numbers, odd numbers, low numbers, in distribution and in the mean.

    Source: 25 CFR 547.14(b)(1) (random in the combinations used under the rules of the game).
    """
    n, k = draw.items, draw.size
    ordered = np.sort(rows, axis=1).astype(np.int64)
    looked_at: dict[str, tuple[NDArray[np.int64], Sequence[Fraction]]] = {
        "odd numbers": ((ordered % 2).sum(axis=1), marked_law(n, k, n // 2)),
        "low numbers": ((ordered < n // 2).sum(axis=1), marked_law(n, k, n // 2)),
    }
    if k > 1:
        looked_at["neighbours"] = ((np.diff(ordered, axis=1) == 1).sum(axis=1), neighbour_law(n, k))
    fits, means = {}, {}
    for name, (values, law) in looked_at.items():
        counts = np.bincount(values, minlength=len(law)).astype(np.int64)
        if sorted(law)[-2] * len(rows) >= goodness.LEAST_EXPECTED:
            fits[name] = goodness.chi_square_fit(counts, law, ordered=True)
        means[f"mean of {name}"] = scores.mean_p(counts, np.array([float(p) for p in law]))
    result = goodness.fitted(
        list(fits.values()),
        labels=tuple(fits),
        null="exact probabilities of subsets: chi-square; Chernoff's bound on the exact moments of the mean",
    )
    return result.with_bounds(means)


def run_together(draw: OrderedSample, rows: Rows) -> TestResult:
    """Every two balls together: how often each pair is drawn, each by its exact binomial tails.

    Source: binomial, exact; Bonferroni over the pairs.
    """
    n, k, size = draw.items, draw.size, len(rows)
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, size, 1 << 14):
        piece = rows[start : start + (1 << 14)].astype(np.int64)
        held = np.zeros((len(piece), n), dtype=np.float32)
        held[np.arange(len(piece))[:, None], piece] = 1
        counts += np.rint(held.T @ held).astype(np.int64)
    pairs = np.triu_indices(n, 1)
    law = np.full(len(pairs[0]), k * (k - 1) / (n * (n - 1)))
    names = [f"balls {a} and {b}" for a, b in combinations(range(n), 2)]
    label, p_value = worst(two_sided(counts[pairs], size, law), names)
    return TestResult(
        p_values=(p_value,),
        labels=(label,),
        null="binomial tails of each pair, exact; Bonferroni over the pairs",
        discrete=True,
        detectable=goodness.describe_fullest(size, float(law[0]), law.size, "draws with one pair"),
    )


def run_due(draw: OrderedSample, rows: Rows) -> TestResult:
    """Due balls: bets on balls that have been missing for one to eight times their mean waiting time.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    found = dict(due.by_waiting(rows[: due.MOST_DRAWN // draw.size].astype(np.int64), draw.items))
    return TestResult.of(
        found,
        null=due.NULL,
        detectable=due.detectable(len(rows) * draw.size * due.due_share(draw.items, draw.size), len(found)),
    )


def for_compositions(draw: OrderedSample) -> int | str:
    """Fewest draws that leave the halves two classes expected ten times."""
    if draw.size == draw.items:
        return "every ball is drawn every time"
    law = sorted(marked_law(draw.items, draw.size, draw.items // 2))
    return -(-int(goodness.LEAST_EXPECTED) * law[-2].denominator // law[-2].numerator) + 1


def for_together(draw: OrderedSample) -> int | str:
    """Fewest draws of which pairs are worth counting."""
    if draw.size < 2 or draw.size == draw.items or draw.items > MOST_BALLS:
        return f"pairs are counted of two balls and more, not of all there are, up to {MOST_BALLS}"
    return 100


def for_due(draw: OrderedSample) -> int | str:
    """Fewest draws to bet on."""
    if draw.size == draw.items or draw.items > due.MOST_NUMBERS:
        return (
            f"no ball is ever due where all are drawn, and of more than {due.MOST_NUMBERS} none is waited for"
        )
    return due.LEAST_DRAWN

"""What a shuffle left of the deck before: neighbours that stayed together, and rising sequences, round by round."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb, factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls, order
from rng.battery.cards.decks import CHUNK, Decks, plain
from rng.battery.cards.unshuffled import neighbour_moments
from rng.battery.cell_sums import lower_bound_tail, upper_bound_tail
from rng.battery.result import TestResult

LEAST_DECKS = 33


def relative(decks: Decks) -> Iterator[NDArray[np.unsignedinteger]]:
    """Yields, piece by piece, each deck but the first with its cards named by their places in the deck before.

    Example:
        >>> next(relative(np.array([[2, 0, 1], [2, 1, 0]], dtype=np.uint8))).tolist()
        [[0, 2, 1]]
    """
    for start in range(0, len(decks) - 1, CHUNK):
        piece: NDArray[Any] = np.ascontiguousarray(decks[start : start + CHUNK + 1])
        yield np.take_along_axis(kernels.inverse(piece[:-1]), piece[1:].astype(np.intp), axis=1)


@cache
def neighbour_law(cards: int) -> nulls.NullLaw:
    """Neighbours of one deck that are neighbours of another, either way round, over all orders.

    Source: Feller, An Introduction to Probability Theory 1, IV.3 (exactly m among N events).

    Example:
        >>> neighbour_law(3).probabilities  # of six orders two keep both pairs, and the others one
        (Fraction(0, 1), Fraction(2, 3), Fraction(1, 3))
    """
    moments = neighbour_moments((cards,))
    counts = tuple(
        sum((-1) ** (j - k) * comb(j, k) * moments[j] for j in range(k, len(moments)))
        for k in range(len(moments))
    )
    return nulls.NullLaw(
        tuple(Fraction(count, factorial(cards)) for count in counts), *nulls.mean_and_variance(counts)
    )


def total_p(total: int, decks: int, law: nulls.NullLaw) -> float:
    """Two-sided p-value of a sum over decks: twice Chernoff's bound on the smaller tail, by the exact moments.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> total_p(195, 100, neighbour_law(40)), total_p(300, 100, neighbour_law(40)) < 1e-9
        (1.0, True)
    """
    # Of a large shoe the rarest have a probability that no float holds.
    parts = [Fraction(p).as_integer_ratio() for p in law.probabilities]
    logs = np.array([math.log(top) - math.log(bottom) if top else -math.inf for top, bottom in parts])
    values, mean = np.arange(logs.size), float(law.mean)

    def moment(slope: float) -> float:
        return decks * float(np.logaddexp.reduce(logs + slope * (values - mean)))

    excess = total - decks * mean
    bound = lower_bound_tail if excess < 0 else upper_bound_tail
    return min(1.0, 2 * bound(moment, excess, math.sqrt(decks * float(law.variance))))


def run(decks: Decks) -> TestResult:
    """Each deck by the places of its cards in the deck before: a uniformly random order, independent of all others.

    Cards that stick together stay neighbours; few riffles leave few rising sequences.

    Source: Bayer and Diaconis, Annals of Applied Probability 2 (1992), 294-313 (rising sequences suffice for riffles).
    """
    cards, size = decks.shape[1], len(decks) - 1
    neighbours, falls, descents = (np.zeros(cards, dtype=np.int64) for _ in range(3))
    for piece in relative(decks):
        steps = np.diff(piece.astype(np.int16), axis=1)
        neighbours += np.bincount((np.abs(steps) == 1).sum(axis=1), minlength=cards)
        descents += np.bincount((steps < 0).sum(axis=1), minlength=cards)
        back = np.diff(kernels.inverse(piece).astype(np.int16), axis=1)
        falls += np.bincount((back < 0).sum(axis=1), minlength=cards)
    kept = neighbour_law(cards)
    total = int((np.arange(cards) * neighbours).sum())
    p_values = {"neighbours": (total_p(total, size, kept),) * 2}
    for name, counts, law in (
        ("neighbours, distribution", neighbours, kept),
        ("descents", descents, nulls.descent_law(cards)),
        ("rising sequences", falls, nulls.descent_law(cards)),
    ):
        found = order.compare("since-last-deck", counts, law, "")
        for label, p_value, decided in zip(found.labels, found.p_values, found.decided, strict=True):
            if not (counts is neighbours and label == "mean"):
                p_values[f"{name}, {label}" if counts is not neighbours else name] = (p_value, decided)
    return TestResult(
        p_values=tuple(published for published, _ in p_values.values()),
        deciding=tuple(decided for _, decided in p_values.values()),
        labels=tuple(p_values),
        statistic=total / size,
        null="orders of both decks uniform: neighbours by inclusion and exclusion (Chernoff's bound on their sum), "
        "Eulerian numbers over n!",
        discrete=True,
        detectable=goodness.describe_shift(
            size, f"standard deviations of the neighbours kept (mean {float(kept.mean):.3g})", len(p_values)
        ),
    )


TESTS = (plain("since-last-deck", LEAST_DECKS, run),)

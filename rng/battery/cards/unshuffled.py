"""A single deck that was not shuffled, among any number that were."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import comb, factorial

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards import kernels, nulls
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, of_shoe
from rng.battery.result import TestResult

MEASURES = (
    "inversions",
    "descents",
    "rising sequences",
    "fixed points",
    "successions",
    "neighbours of a suit",
)
# What is rounded off in the law of the inversions of large shoes.
ROUNDED = 1e-14


def lines(shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The line each card lies on when a deck is sorted by suits, and its step on that line.

    Equal cards of several decks lie on lines of their own; without ranks the ids are one line.

    Example:
        >>> [part.tolist() for part in lines(DeckShoe(4, ranks=(0, 0, 1, 1), suits=(0, 1, 0, 1)))]
        [[0, 1, 0, 1], [0, 0, 1, 1]]
    """
    if not shoe.ranks:
        return np.zeros(shoe.cards, dtype=np.int64), np.arange(shoe.cards)
    seen: dict[tuple[int, int], int] = {}
    line, suits = [], max(shoe.suits, default=0) + 1
    for face in zip(shoe.ranks, shoe.suits or (0,) * shoe.cards, strict=True):
        copy = seen[face] = seen.get(face, -1) + 1
        line.append(copy * suits + face[1])
    return np.array(line), np.array(shoe.ranks)


def line_lengths(line: NDArray[np.int64], step: NDArray[np.int64]) -> tuple[int, ...]:
    """Cards on each line whose steps follow each other without a gap."""
    lengths: list[int] = []
    for name in sorted(set(line.tolist())):
        steps = sorted(step[line == name].tolist())
        lengths.append(1)
        for before, after in pairwise(steps):
            if after == before + 1:
                lengths[-1] += 1
            else:
                lengths.append(1)
    return tuple(lengths)


@cache
def neighbour_moments(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Sums over all orders of C(k, j), k the neighbours, for each j: choices of j adjacencies times the orders left.

    Cards that were neighbours on a line are glued together: j of them in b blocks can be chosen in C(j-1, b-1)
    C(m-j+1, b) ways on a line of m adjacencies, each block turned either way.

    Example:
        >>> neighbour_moments((3,))  # 3! orders; 2 adjacencies, each in 4 of them; both in 2
        (6, 8, 2)
    """
    chosen = [1]
    for length in lengths:
        edges = length - 1
        ways = [1] + [
            sum(2**b * comb(j - 1, b - 1) * comb(edges - j + 1, b) for b in range(1, j + 1))
            for j in range(1, edges + 1)
        ]
        chosen = np.convolve(np.array(chosen, dtype=object), np.array(ways, dtype=object)).tolist()
    cards = sum(lengths)
    return tuple(ways * factorial(cards - j) for j, ways in enumerate(chosen))


@cache
def neighbours_at_least(lengths: tuple[int, ...], count: int) -> float:
    """Probability that a random order keeps so many neighbours of the lines beside each other, exactly.

    Source: Feller, An Introduction to Probability Theory 1, IV.5 (at least m among N events).

    Example:
        >>> neighbours_at_least((3,), 1) == 1.0, neighbours_at_least((3,), 2) == 1 / 3
        (True, True)
    """
    moments = neighbour_moments(lengths)
    if count == 0:
        return 1.0
    orders = sum(
        (-1) ** (j - count) * comb(j - 1, count - 1) * moments[j] for j in range(count, len(moments))
    )
    return float(Fraction(orders, factorial(sum(lengths))))


def _tails(law: nulls.NullLaw, low: int, high: int) -> float:
    """Twice the smaller of the tails at the smallest and the largest value."""
    below, above = sum(law.probabilities[: low + 1]), sum(law.probabilities[high:])
    return 2 * min(float(below), float(above))


@cache
def _exact(counts: tuple[int, ...]) -> nulls.NullLaw:
    return nulls.NullLaw(nulls.probabilities(counts), *nulls.mean_and_variance(counts))


def tails(extremes: NDArray[np.int64], cards: int, lengths: tuple[int, ...]) -> tuple[float, ...]:
    """Probability of one deck as extreme as the most extreme one, for each measure."""
    smallest, largest = extremes.tolist()
    fixed, followed = _exact(nulls.fixed_points(cards)), _exact(nulls.successions(cards))
    return (
        _tails(nulls.inversion_law(cards), smallest[0], largest[0])
        + (ROUNDED if cards > nulls.COUNTED else 0),
        _tails(nulls.descent_law(cards), smallest[1], largest[1]),
        _tails(nulls.descent_law(cards), smallest[2], largest[2]),
        float(sum(fixed.probabilities[largest[3] :])),
        float(sum(followed.probabilities[largest[4] :])),
        neighbours_at_least(lengths, largest[5]),
    )


def extremes_of(decks: Decks, shoe: DeckShoe) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Smallest and largest value of each measure, and the decks that have them."""
    line, step = lines(shoe)
    found, where = np.zeros((2, 6), dtype=np.int64), np.zeros((2, 6), dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        piece, at = kernels.order_extremes(np.ascontiguousarray(decks[start : start + CHUNK]), line, step)
        further = (
            np.stack([piece[0] < found[0], piece[1] > found[1]]) if start else np.ones((2, 6), dtype=bool)
        )
        found, where = np.where(further, piece, found), np.where(further, at + start, where)
    return found, where


def run(decks: Decks, shoe: DeckShoe) -> TestResult:
    """The most extreme deck of all by six measures of order, each by its exact law and the number of decks.

    A deck in the order of the ids, in the order it was bought in (suit by suit, whichever way each runs), or little
    mixed, lies so far out that it shows among millions.
    """
    size, cards = len(decks), decks.shape[1]
    found, where = extremes_of(decks, shoe)
    chances = tails(found, cards, line_lengths(*lines(shoe)))
    p_values = tuple(min(1.0, size * chance) for chance in chances)
    worst = int(np.argmin(p_values))
    means = (cards * (cards - 1) / 4, (cards - 1) / 2, (cards - 1) / 2, 0, 0, 0)
    side = int(np.abs(found[:, worst] - means[worst]).argmax())
    return TestResult(
        p_values=p_values,
        labels=MEASURES,
        parameters={"deck": int(where[side, worst])},
        null="exact law of each measure over all orders; Bonferroni over the decks (a bound)",
        discrete=True,
        detectable=f"one deck that was not shuffled at all{goodness.CERTAIN_WORDS}",
    )


TESTS = (of_shoe("unshuffled-deck", lambda _shoe: 1, run),)

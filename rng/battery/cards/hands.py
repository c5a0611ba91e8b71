"""What the first cards are together: their suits and ranks added up, and how many of them are alike."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, of_shoe
from rng.battery.result import TestResult

FIRST = 6
SUMMED = (2, 3, 4, 5, 6)
PAIRED = (3, 5)
# More groups than this, and triples of them are too many cells.
MOST_GROUPS = 5
LEAST_DECKS = 1000


@cache
def sum_law(sizes: tuple[int, ...], hand: int) -> tuple[Fraction, ...]:
    """Probabilities of the sum of the groups of a hand, modulo their number.

    Args:
        sizes: Cards in each group.
        hand: Cards in the hand.

    Example:
        >>> sum_law((2, 2), 2)
        (Fraction(1, 3), Fraction(2, 3))
    """
    groups = len(sizes)
    ways = {(0, 0): 1}
    for group, size in enumerate(sizes):
        grown: dict[tuple[int, int], int] = {}
        for (taken, total), many in ways.items():
            for more in range(min(size, hand - taken) + 1):
                key = taken + more, (total + more * group) % groups
                grown[key] = grown.get(key, 0) + many * comb(size, more)
        ways = grown
    return tuple(Fraction(ways.get((hand, total), 0), comb(sum(sizes), hand)) for total in range(groups))


@cache
def alike_law(sizes: tuple[int, ...], hand: int) -> tuple[Fraction, ...]:
    """Probabilities of the number of pairs of cards of one group in a hand.

    Example:
        >>> alike_law((2, 2), 2)
        (Fraction(2, 3), Fraction(1, 3))
    """
    ways = {(0, 0): 1}
    for size in sizes:
        grown: dict[tuple[int, int], int] = {}
        for (taken, pairs), many in ways.items():
            for more in range(min(size, hand - taken) + 1):
                key = taken + more, pairs + comb(more, 2)
                grown[key] = grown.get(key, 0) + many * comb(size, more)
        ways = grown
    total = comb(sum(sizes), hand)
    return tuple(Fraction(ways.get((hand, pairs), 0), total) for pairs in range(comb(hand, 2) + 1))


@cache
def triple_law(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
    """Probabilities of the groups of three cards in order, dealt without replacement."""
    cards, law = sum(sizes), []
    for a, b, c in product(range(len(sizes)), repeat=3):
        second, third = sizes[b] - (a == b), sizes[c] - (a == c) - (b == c)
        ways = sizes[a] * max(second, 0) * max(third, 0)
        law.append(Fraction(ways, cards * (cards - 1) * (cards - 2)))
    return tuple(law)


def _first_groups(decks: Decks, groups: tuple[int, ...]) -> Iterator[NDArray[np.int64]]:
    """The groups of the first cards, one place a row, piece by piece."""
    table = np.array(groups)
    for start in range(0, len(decks), CHUNK):
        yield np.ascontiguousarray(table[decks[start : start + CHUNK, :FIRST]].T)


def hand_counts(
    decks: Decks, groups: tuple[int, ...]
) -> dict[str, tuple[NDArray[np.int64], tuple[Fraction, ...]]]:
    """Counts of everything that is looked at, each with its exact law."""
    sizes = tuple(np.bincount(groups).tolist())
    m = len(sizes)
    laws = {f"sum of {k}": sum_law(sizes, k) for k in SUMMED}
    laws |= {f"alike among {k}": alike_law(sizes, k) for k in PAIRED}
    triples = tuple(combinations(range(FIRST), 3)) if m <= MOST_GROUPS else ()
    laws |= {f"cards {a + 1}, {b + 1} and {c + 1}": triple_law(sizes) for a, b, c in triples}
    counts = {name: np.zeros(len(law), dtype=np.int64) for name, law in laws.items()}
    for rows in _first_groups(decks, groups):
        found = {f"sum of {k}": rows[:k].sum(axis=0) % m for k in SUMMED}
        found |= {
            f"alike among {k}": sum(rows[i] == rows[j] for i, j in combinations(range(k), 2)) + 0
            for k in PAIRED
        }
        found |= {
            f"cards {a + 1}, {b + 1} and {c + 1}": (rows[a] * m + rows[b]) * m + rows[c]
            for a, b, c in triples
        }
        for name, values in found.items():
            counts[name] += np.bincount(values, minlength=counts[name].size)
    return {name: (counts[name], law) for name, law in laws.items()}


def run(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Compositions of the first hand: sums of suits and of ranks, cards alike, and suits of each three of six cards.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.
    """
    fits, labels = [], []
    for what, groups in (("suits", shoe.suits), ("ranks", shoe.ranks)):
        if groups and max(groups) + 1 < shoe.cards:
            for name, (counts, law) in hand_counts(decks, groups).items():
                if sorted(law)[-2] * len(decks) < goodness.LEAST_EXPECTED:
                    continue
                fits.append(goodness.chi_square_fit(counts, law, ordered=False))
                labels.append(f"{what}, {name}")
    freedom = max(fit.degrees_of_freedom for fit in fits)
    return goodness.fitted(
        fits,
        labels=labels,
        null="exact probabilities of hands dealt without replacement; chi-square",
        detectable=goodness.describe_deviation(freedom, len(decks)),
    )


def _fewest(shoe: DeckShoe) -> int | str:
    grouped = [groups for groups in (shoe.suits, shoe.ranks) if groups and max(groups) + 1 < shoe.cards]
    return LEAST_DECKS if grouped else "the cards have neither suits nor ranks to compare"


TESTS = (of_shoe("hand-compositions", _fewest, run),)

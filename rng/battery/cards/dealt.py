"""What players meet: pairs of ranks dealt together, triples of classes, and what follows a hand, cell by cell."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, of_shoe
from rng.battery.cells import two_sided, worst
from rng.battery.result import TestResult

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# Places that hands are dealt to; more ranks than this make too many triples.
PLACES = 8
MOST_RANKS = 16
LEAST_DECKS = 100


def rank_sizes(shoe: DeckShoe) -> Counts:
    """How many cards each rank has."""
    return np.bincount(np.asarray(shoe.ranks))


def pair_law(sizes: Counts) -> Floats:
    """Probability of each two ranks of two cards in order, dealt without replacement.

    Example:
        >>> pair_law(np.array([2, 2])).round(4).tolist()
        [[0.1667, 0.3333], [0.3333, 0.1667]]
    """
    cards = int(sizes.sum())
    ways = np.outer(sizes, sizes) - np.diag(sizes)
    return np.asarray(ways / (cards * (cards - 1.0)))


def triple_law(sizes: Counts) -> Floats:
    """Probability of each three ranks of three cards in order, dealt without replacement.

    Example:
        >>> triple_law(np.array([2, 2])).sum().round(12), triple_law(np.array([2, 2]))[0, 0].round(4).tolist()
        (np.float64(1.0), [0.0, 0.1667])
    """
    cards = int(sizes.sum())
    left = sizes[None, None, :] - np.eye(sizes.size)[:, None, :] - np.eye(sizes.size)[None, :, :]
    return np.asarray(pair_law(sizes)[:, :, None] * np.maximum(left, 0) / (cards - 2))


def pair_counts(decks: Decks, shoe: DeckShoe, first: int, second: int) -> Counts:
    """How often each two ranks lay at two places, in order."""
    ranks, many = np.asarray(shoe.ranks), int(max(shoe.ranks)) + 1
    counts = np.zeros(many * many, dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        piece = ranks[decks[start : start + CHUNK][:, [first, second]]]
        counts += np.bincount(piece[:, 0] * many + piece[:, 1], minlength=many * many)
    return counts.reshape(many, many)


def triple_counts(decks: Decks, shoe: DeckShoe, places: tuple[int, int, int]) -> Counts:
    """How often each three ranks lay at three places, in order."""
    ranks, many = np.asarray(shoe.ranks), int(max(shoe.ranks)) + 1
    counts = np.zeros(many**3, dtype=np.int64)
    for start in range(0, len(decks), CHUNK):
        piece = ranks[decks[start : start + CHUNK][:, places]]
        counts += np.bincount((piece[:, 0] * many + piece[:, 1]) * many + piece[:, 2], minlength=many**3)
    return counts.reshape(many, many, many)


def unordered(table: NDArray[np.generic]) -> NDArray[np.generic]:
    """The upper triangle of a table whose two orders of a pair are added up."""
    both = table + table.T - np.diag(np.diag(table))  # type: ignore[operator]
    return np.asarray(both[np.triu_indices(len(table))])


def run_pairs(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Two ranks dealt together, for each two of the first eight places: each combination by itself, and any pair.

    Naturals that are too rare are a few combinations of ninety-one; a chi-square over all of them loses them.

    Source: 25 CFR 547.14(b)(1) (random in the combinations used under the rules of the game); hypergeometric, exact.
    """
    sizes, size = rank_sizes(shoe), len(decks)
    law = pair_law(sizes)
    upper = [f"ranks {i + 1} and {j + 1}" for i, j in zip(*np.triu_indices(sizes.size), strict=True)]
    found = {}
    for first, second in combinations(range(min(PLACES, shoe.cards)), 2):
        counts = pair_counts(decks, shoe, first, second)
        cells = two_sided(unordered(counts).astype(np.int64), size, unordered(law).astype(np.float64))
        label, p_value = worst(cells, upper)
        where = f"places {first + 1} and {second + 1}"
        found[f"{where}, {label}"] = p_value
        alike = int(np.trace(counts)), float(np.trace(law))
        found[f"{where}, a pair"] = goodness.binomial_two_sided(alike[0], size, alike[1])
    return _result(found, size, float(unordered(law).min()))


def run_triples(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Three ranks dealt one after the other: the third card after every two, and low, middle and high ones in turn.

    Source: hypergeometric, exact; binomial tails of each cell, Bonferroni over the cells.
    """
    sizes, size = rank_sizes(shoe), len(decks)
    many, law = sizes.size, triple_law(rank_sizes(shoe))
    thirds = np.arange(many) * 3 // many
    names = [
        f"ranks {a + 1}, {b + 1}, {c + 1}" for a in range(many) for b in range(many) for c in range(many)
    ]
    rough = [f"{a}, {b}, {c}" for a in WORDS for b in WORDS for c in WORDS]
    found = {}
    for first in range(min(PLACES, shoe.cards) - 2):
        places = first, first + 1, first + 2
        counts = triple_counts(decks, shoe, places)
        where = f"places {first + 1} to {first + 3}"
        for which, cells, probabilities in (
            (names, counts, law),
            (rough, _by_class(counts, thirds), _by_class(law, thirds)),
        ):
            label, p_value = worst(
                two_sided(cells.reshape(-1).astype(np.int64), size, probabilities.reshape(-1)), which
            )
            found[f"{where}, {label}"] = p_value
    return _result(found, size, float(_by_class(law, thirds).min()))


WORDS = ("low", "middle", "high")


def _by_class(table: NDArray[np.generic], classes: Counts) -> Floats:
    """Adds up a table of ranks by classes of ranks along every axis."""
    member = (classes[None, :] == np.arange(3)[:, None]).astype(np.float64)
    return np.asarray(
        np.einsum("abc,ia,jb,kc->ijk", np.asarray(table, dtype=np.float64), member, member, member)
    )


def _result(found: dict[str, float], size: int, rarest: float) -> TestResult:
    most = goodness.detectable_shift(size, len(found)) / max(rarest, 1e-12) ** 0.5
    return TestResult.of(
        found,
        null="hypergeometric, exact: binomial tails of each cell, Bonferroni over the cells of a table",
        detectable=f"a relative change of {100 * most:.3g} % of the rarest cell{goodness.power_words(len(found))}",
    )


def _fewest(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or max(shoe.ranks) + 1 > MOST_RANKS or max(shoe.ranks) + 1 == shoe.cards:
        return "the cards have no ranks to compare"
    return LEAST_DECKS


TESTS = (of_shoe("dealt-pairs", _fewest, run_pairs), of_shoe("dealt-triples", _fewest, run_triples))

"""What is dealt from the head of a shoe: cards that lie together, hands, and the outcomes of a wager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cards.decks import CHUNK, Decks, DeckShoe, of_shoe
from rng.battery.cell_sums import two_sided, worst
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

# Places that hands are dealt to; more ranks than this make too many triples.
PLACES = 8
MOST_RANKS = 16
LEAST_DEALT = 100


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


def _fewest_dealt(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or max(shoe.ranks) + 1 > MOST_RANKS or max(shoe.ranks) + 1 == shoe.cards:
        return "the cards have no ranks to compare"
    return LEAST_DEALT


DEALT = (
    of_shoe("dealt-pairs", _fewest_dealt, run_pairs),
    of_shoe("dealt-triples", _fewest_dealt, run_triples),
)


FIRST = 6
SUMMED = (2, 3, 4, 5, 6)
PAIRED = (3, 5)
# More groups than this, and triples of them are too many cells.
MOST_GROUPS = 5
LEAST_HANDS = 1000


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
def hand_triple_law(sizes: tuple[int, ...]) -> tuple[Fraction, ...]:
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
    laws |= {f"cards {a + 1}, {b + 1} and {c + 1}": hand_triple_law(sizes) for a, b, c in triples}
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


def _fewest_hands(shoe: DeckShoe) -> int | str:
    grouped = [groups for groups in (shoe.suits, shoe.ranks) if groups and max(groups) + 1 < shoe.cards]
    return LEAST_HANDS if grouped else "the cards have neither suits nor ranks to compare"


HANDS = (of_shoe("hand-compositions", _fewest_hands, run),)


def compare(
    name: str, counts: Mapping[str, int], probabilities: Mapping[str, Fraction]
) -> TestResult | NotRun:
    """Compares how often each outcome of a wager was dealt with its exact probability.

    Outcomes expected fewer than ten times are pooled, by their probabilities alone. An outcome of
    probability zero that was dealt fails the test outright.

    Args:
        name: Name of the wager or combination, in kebab case.
        counts: How often each outcome was dealt.
        probabilities: Exact probability of each outcome; they sum to one.

    Raises:
        SampleError: If counts and probabilities do not name the same outcomes or do not sum to one.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.

    Example:
        >>> half = Fraction(1, 2)
        >>> result = compare("colour", {"red": 520, "black": 480}, {"red": half, "black": half})
        >>> round(result.p_values[0], 4)
        0.2059
    """
    if set(counts) != set(probabilities):
        odd = sorted(set(counts) ^ set(probabilities))
        raise SampleError(f"{name}: outcomes without both a count and a probability: {', '.join(odd)}")
    order = sorted(probabilities)
    test, size = f"combinations-{name}", sum(counts.values())
    if min(probabilities.values()) < 0 or sum(probabilities.values()) != 1:
        raise SampleError(f"{name}: the probabilities of the outcomes do not sum to exactly 1")
    impossible = [outcome for outcome in order if counts[outcome] and not probabilities[outcome]]
    if impossible:
        what = f"probability zero for {', '.join(impossible)}, dealt nevertheless"
        return TestResult((0.0,), parameters=dict(counts), null=what).run_as("cards", test, size)
    minimum = minimum_sample([probabilities[outcome] for outcome in order])
    if size < minimum:
        return NotRun("cards", test, f"{size} outcomes, at least {minimum} are needed", minimum)
    fit = goodness.chi_square_fit(
        [counts[outcome] for outcome in order], [probabilities[outcome] for outcome in order], ordered=False
    )
    return goodness.fitted(
        [fit],
        parameters={outcome: counts[outcome] for outcome in order},
        null="multinomial with the exact probabilities of the outcomes; chi-square",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size),
    ).run_as("cards", test, size)


def minimum_sample(probabilities: list[Fraction]) -> int:
    """Fewest observations that leave two classes expected ten times each after pooling.

    Example:
        >>> minimum_sample([Fraction(99, 100), Fraction(1, 100)])
        1000
    """
    possible = [q for q in probabilities if q > 0]
    if len(possible) < 2:
        raise SampleError("a combination test needs at least two possible outcomes")
    # The classes can always be split in two: the most probable one, and all others pooled.
    smaller = min(max(possible), 1 - max(possible))
    return -(-int(goodness.LEAST_EXPECTED) * smaller.denominator // smaller.numerator)

"""Given this, that: what cards of a round come to, together and after earlier rounds, declared as data.

A row names groups of the cards, places, and how the groups at these places are read as one class. Cards dealt without
replacement give every class an exact probability, by all orders of groups. Within a round each class is counted against
it; after a round each class is bet on at that price after every class of an earlier round. One correction for all.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rng.battery import e_values, goodness
from rng.battery.cards.decks import Decks, DeckShoe, of_shoe
from rng.battery.cell_sums import two_sided, worst
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError

Groups = tuple[int, ...]
Floats = NDArray[np.float64]
# Groups of the cards at some places, a place a row.
Seen = NDArray[np.int64]

# Places that hands are dealt to; more ranks than this, or orders of groups, are too many classes.
PLACES = 8
MOST_RANKS = 16
MOST_ORDERS = 1 << 19
LEAST_DEALT, LEAST_HANDS = 100, 1000


def _in_order(seen: Seen, groups: int) -> Seen:
    return np.asarray(np.ravel_multi_index(tuple(seen), (groups,) * len(seen)), dtype=np.int64)


def _alike(seen: Seen, _groups: int) -> Seen:
    """How many pairs of places hold the same group."""
    found = np.zeros(seen.shape[1], dtype=np.int64)
    for one, other in combinations(seen, 2):
        found += one == other
    return found


def _filling(seen: Seen, _groups: int) -> Seen:
    """Whether all but one of the earlier cards are of one group, and whether the last card is of it too."""
    middle = np.sort(seen[:-1], axis=0)[len(seen) // 2 - 1]
    needed = (seen[:-1] == middle).sum(axis=0) == max(4, len(seen) - 2)
    return np.asarray(needed * (1 + (seen[-1] == middle)), dtype=np.int64)


# How the groups at some places are read as one class.
READINGS: Mapping[str, Callable[[Seen, int], Seen]] = {
    "in order": _in_order,
    "in any order": lambda seen, groups: _in_order(np.sort(seen, axis=0), groups),
    "sum": lambda seen, groups: seen.sum(axis=0) % groups,
    "alike": _alike,
    "four and the fifth": _filling,
}


def thirds(shoe: DeckShoe) -> Groups:
    """Low, middle and high ranks."""
    many = max(shoe.ranks, default=0) + 1
    return tuple(rank * 3 // many for rank in shoe.ranks)


def naturals(shoe: DeckShoe) -> Groups:
    """Aces, cards that count as much as a face, and others; nothing where ranks are neither ten nor thirteen."""
    first_face = {10: 7, 13: 9}.get(max(shoe.ranks, default=0) + 1, 0)
    return tuple(0 if rank == 0 else 1 if rank >= first_face else 2 for rank in shoe.ranks if first_face)


GROUPS: Mapping[str, Callable[[DeckShoe], Groups]] = {
    "ranks": lambda shoe: shoe.ranks,
    "suits": lambda shoe: shoe.suits,
    "thirds": thirds,
    "naturals": naturals,
}


@dataclass(frozen=True, slots=True)
class CardProjection:
    """What is looked at of a round.

    Args:
        groups: How the cards are grouped, a name of `GROUPS`.
        reading: How the groups are read as one class, a name of `READINGS`.
        places: Places that are looked at, counted from 0.
    """

    groups: str
    reading: str
    places: tuple[int, ...]

    def __str__(self) -> str:
        where = ", ".join(str(place + 1) for place in self.places)
        return f"{self.groups} {self.reading} at {'place' if len(self.places) == 1 else 'places'} {where}"


def _each(groups: str, reading: str, places: Sequence[tuple[int, ...]]) -> tuple[CardProjection, ...]:
    return tuple(CardProjection(groups, reading, chosen) for chosen in places)


_PAIRS = list(combinations(range(PLACES), 2))
_THREE_IN_A_ROW = [(first, first + 1, first + 2) for first in range(PLACES - 2)]
_THREE_OF_SIX = sorted({*combinations(range(6), 3), *_THREE_IN_A_ROW})
_FIRST = [tuple(range(k)) for k in range(2, 7)]

# Of each test what it counts in every round.
WITHIN: Mapping[str, tuple[CardProjection, ...]] = {
    "dealt-pairs": (*_each("ranks", "in any order", _PAIRS), *_each("ranks", "alike", _PAIRS)),
    "dealt-triples": (
        *_each("ranks", "in order", _THREE_IN_A_ROW),
        *_each("thirds", "in order", _THREE_OF_SIX),
    ),
    "hand-compositions": (
        *_each("suits", "sum", _FIRST),
        *_each("ranks", "sum", _FIRST),
        *_each("suits", "alike", [_FIRST[1], _FIRST[3]]),
        *_each("ranks", "alike", [_FIRST[1], _FIRST[3]]),
        *_each("suits", "in order", _THREE_OF_SIX),
        *_each("suits", "four and the fifth", [_FIRST[3], _FIRST[4]]),
    ),
}

_OPENED = [(0, 1), (0, 2)]
# What a round shows, a card of a later round that is bet on, and how many rounds later.
AFTER: tuple[tuple[CardProjection, CardProjection, int], ...] = (
    *(
        (CardProjection("ranks", "in any order", (0, 1)), CardProjection("ranks", "in order", (place,)), 1)
        for place in range(3)
    ),
    *(
        (before, CardProjection("ranks", "in order", (place,)), lag)
        for before in _each("naturals", "in any order", _OPENED)
        for place in range(4)
        for lag in (1, 2, 3)
    ),
)


@cache
def law(reading: str, sizes: Groups, places: int) -> tuple[Fraction, ...]:
    """Probability of each class of some places, dealt without replacement.

    Args:
        reading: How groups are read as a class.
        sizes: Cards in each group.
        places: How many places are looked at.

    Example:
        >>> law("sum", (2, 2), 2), law("alike", (2, 2), 2)
        ((Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 3), Fraction(1, 3)))
    """
    seen = _orders(len(sizes), places)
    ways = np.ones(seen.shape[1], dtype=np.int64)
    for place in range(places):
        taken = (seen[:place] == seen[place]).sum(axis=0)
        ways *= np.maximum(np.array(sizes)[seen[place]] - taken, 0)
    classes = READINGS[reading](seen, len(sizes))
    counts = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    np.add.at(counts, classes, ways)
    return tuple(Fraction(count, math.perm(sum(sizes), places)) for count in counts.tolist())


def _orders(groups: int, places: int) -> Seen:
    return np.indices((groups,) * places).reshape(places, -1)


@cache
def _example(reading: str, groups: int, places: int, number: int) -> str:
    """The first order of groups, counted from 1, that is read as a class."""
    seen = _orders(groups, places)
    first = int(np.flatnonzero(READINGS[reading](seen, groups) == number)[0])
    return ", ".join(str(group + 1) for group in seen[:, first].tolist())


def classes_of(
    rows: NDArray[np.unsignedinteger], groups: Groups, reading: str, places: tuple[int, ...]
) -> tuple[Seen, Floats]:
    """The class of each row at some places, and the probability of each class."""
    sizes = tuple(np.bincount(groups).tolist())
    chances = law(reading, sizes, len(places))
    seen = np.array(groups)[rows[:, list(places)].T]
    return READINGS[reading](seen, len(sizes)), np.array([float(chance) for chance in chances])


def unlikeliest(classes: Seen, chances: Floats) -> tuple[int, float]:
    """The class whose count lies farthest out, and its p-value, corrected for all that are possible."""
    counts = np.bincount(classes, minlength=chances.size).astype(np.int64)
    possible = np.flatnonzero((chances > 0) | (counts > 0))
    return worst(two_sided(counts[possible], classes.size, chances[possible]), possible.tolist())


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """The first cards of all rounds, by the shoe that they come from."""

    shoe: DeckShoe
    decks: Decks

    def fits(self, one: CardProjection) -> bool:
        """Whether the shoe has such groups, and no more orders of them than are counted."""
        groups = GROUPS[one.groups](self.shoe)
        many = max(groups, default=0) + 1
        enough = 1 < many < self.shoe.cards and max(one.places) < self.shoe.cards
        return enough and many ** len(one.places) <= MOST_ORDERS

    def classes(self, one: CardProjection) -> tuple[Seen, Floats]:
        """The class of each round, and the probability of each class."""
        return classes_of(self.decks, GROUPS[one.groups](self.shoe), one.reading, one.places)

    def example(self, one: CardProjection, number: int) -> str:
        """What a class looks like."""
        return _example(one.reading, max(GROUPS[one.groups](self.shoe)) + 1, len(one.places), number)


def run_within(decks: Decks, shoe: DeckShoe, rows: Sequence[CardProjection]) -> TestResult:
    """What cards of one round come to, each class by itself against its exact probability.

    Naturals that are too rare are a few combinations of ninety-one; a chi-square over all of them loses them.

    Source: 25 CFR 547.14(b)(1) (random in the combinations used under the rules of the game); hypergeometric, exact.
    """
    table, found, rarest = _Table(shoe, decks), {}, 1.0
    for one in filter(table.fits, rows):
        classes, chances = table.classes(one)
        number, p_value = unlikeliest(classes, chances)
        found[f"{one}, such as {table.example(one, number)}"] = p_value
        rarest = min(rarest, float(chances[chances > 0].min()))
    most = goodness.detectable_shift(len(decks), len(found)) / rarest**0.5
    return TestResult.of(
        found,
        null="hypergeometric, exact: binomial tails of each class, Bonferroni over the classes of a row",
        detectable=f"a relative change of {100 * most:.3g} % of the rarest class{goodness.power_words(len(found))}",
    )


def run_after_hands(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Ranks after a hand: the first cards of a round after each hand that an earlier round opened with.

    What is bet on a rank after each hand wins nothing from fair rounds, however the hands came about.

    Source: Ville (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021), 407-431.
    """
    table, found = _Table(shoe, decks), {}
    for before, now, lag in AFTER:
        if not table.fits(before) or not table.fits(now):
            continue
        (earlier, met), (later, chances) = table.classes(before), table.classes(now)
        codes = earlier[:-lag] * chances.size + later[lag:]
        hits = np.bincount(codes, minlength=met.size * chances.size).reshape(met.size, -1)[met > 0]
        visits = np.repeat(hits.sum(axis=1)[:, None], chances.size, axis=1)
        won = e_values.log_capital(hits, visits, np.broadcast_to(chances, hits.shape))
        hand, rank = np.unravel_index(int(won.argmax()), won.shape)
        shown = table.example(before, int(np.flatnonzero(met > 0)[hand]))
        # A unit divided among all hands and ranks; what was never bet on keeps its part.
        found[f"{now}: {rank + 1}, {lag} after {before} such as {shown}"] = e_values.p_value(
            e_values.mean_log(won.reshape(-1))
        )
    return TestResult.of(
        found,
        null=e_values.NULL,
        detectable="a rank that is left out after one hand of two ranks, once it is due some thirty times",
    )


def _with_ranks(shoe: DeckShoe) -> int | str:
    if not shoe.ranks or max(shoe.ranks) + 1 > MOST_RANKS or max(shoe.ranks) + 1 == shoe.cards:
        return "the cards have no ranks to compare"
    return LEAST_DEALT


def _with_groups(shoe: DeckShoe) -> int | str:
    grouped = [groups for groups in (shoe.suits, shoe.ranks) if groups and max(groups) + 1 < shoe.cards]
    return LEAST_HANDS if grouped else "the cards have neither suits nor ranks to compare"


def _within(decks: Decks, shoe: DeckShoe, *, name: str) -> TestResult:
    return run_within(decks, shoe, WITHIN[name])


HANDS = (of_shoe("hand-compositions", _with_groups, partial(_within, name="hand-compositions")),)
DEALT = (
    of_shoe("dealt-pairs", _with_ranks, partial(_within, name="dealt-pairs")),
    of_shoe("dealt-triples", _with_ranks, partial(_within, name="dealt-triples")),
)
AFTER_HANDS = (of_shoe("after-hands", _with_ranks, run_after_hands),)


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

"""Given this, that, of decks: what cards of a round come to, together and after earlier rounds, declared as data."""

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product

import numpy as np

from rng.battery import dispersion, goodness, projections
from rng.battery.cards.decks import SMALL, CardTest, Decks, DeckShoe, Fewest, of_shoe
from rng.battery.projections import Groups, Look, ProjectedRows, Row, each
from rng.battery.result import NotRun, TestResult
from rng.battery.suite import at_least
from rng.errors import SampleError

# Places that hands are dealt to; more ranks than this are too many classes.
PLACES = 8
# Positions of a large shoe of which all pairs are looked at.
FIRST_POSITIONS = 20
MOST_RANKS = 16
LEAST_DEALT, LEAST_HANDS = 100, 1000


def thirds(shoe: DeckShoe) -> Groups:
    """Low, middle and high ranks."""
    many = max(shoe.ranks, default=0) + 1
    return tuple(rank * 3 // many for rank in shoe.ranks)


def naturals(shoe: DeckShoe) -> Groups:
    """Aces, cards that count as much as a face, and others; nothing where ranks are neither ten nor thirteen."""
    first_face = {10: 7, 13: 9}.get(max(shoe.ranks, default=0) + 1, 0)
    return tuple(0 if rank == 0 else 1 if rank >= first_face else 2 for rank in shoe.ranks if first_face)


def _half(marked: Callable[[DeckShoe], Sequence[bool]]) -> Callable[[DeckShoe], Groups]:
    """Cards that are marked, and others; nothing where they are not as many."""

    def groups(shoe: DeckShoe) -> Groups:
        halves = tuple(map(int, marked(shoe)))
        return halves if 2 * sum(halves) == shoe.cards else ()

    return groups


def _two_suits(other: int) -> Callable[[DeckShoe], Groups]:
    return _half(lambda shoe: [suit in (0, other) for suit in shoe.suits])


HALVES: Mapping[str, Callable[[DeckShoe], Groups]] = {
    **{f"suits 1 and {other + 1}": _two_suits(other) for other in (1, 2, 3)},
    "low and high ranks": _half(lambda shoe: [2 * rank <= max(shoe.ranks) for rank in shoe.ranks]),
    "even and odd ranks": _half(lambda shoe: [rank % 2 == 0 for rank in shoe.ranks]),
}
GROUPS: Mapping[str, Callable[[DeckShoe], Groups]] = {
    "cards": lambda shoe: tuple(range(shoe.cards)),
    "upper ids": _half(lambda shoe: [2 * card >= shoe.cards for card in range(shoe.cards)]),
    "ranks": lambda shoe: shoe.ranks,
    "suits": lambda shoe: shoe.suits,
    "thirds": thirds,
    "naturals": naturals,
    **HALVES,
}


def groups_of(shoe: DeckShoe, name: str, _place: int = 0) -> Groups:
    """Returns the group of each card of a shoe; of other groups than the cards nothing where no two share one."""
    groups = GROUPS[name](shoe)
    return groups if name == "cards" or max(groups, default=0) + 1 < shoe.cards else ()


_PAIRS = list(combinations(range(PLACES), 2))
_THREE_IN_A_ROW = [(first, first + 1, first + 2) for first in range(PLACES - 2)]
_THREE_OF_SIX = sorted({*combinations(range(6), 3), *_THREE_IN_A_ROW})
_FIRST = [tuple(range(k)) for k in range(2, 7)]
_OPENED = [(0, 1), (0, 2)]
LAGS = (1, 2, 3)
# Of halves: places of the round now, and of the round before those that hands are dealt to and the last of the deck.
_NOW, _BEFORE = range(4), (*range(12), *range(-4, 0))


def _at(groups: str, place: int) -> Look:
    return Look(groups, "in order", (place,))


def _of_pairs(shoe: DeckShoe) -> tuple[Row, ...]:
    """Every two positions together, of a large shoe neighbours and the first ones; halves where hands are dealt."""
    every = list(combinations(range(shoe.cards), 2))
    near = [(i, j) for i, j in every if j - i == 1 or j < FIRST_POSITIONS]
    pairs = every if shoe.cards <= SMALL else near
    dealt = [pair for pair in near if max(pair) < PLACES]
    halves = [row for half in HALVES for row in each(half, "alike", dealt)]
    alike = [row for groups in ("ranks", "suits") for row in each(groups, "alike", pairs)]
    return (*halves, *alike, *each("ranks" if groups_of(shoe, "ranks") else "cards", "in order", pairs))


def _of_places(shoe: DeckShoe) -> tuple[Row, ...]:
    return each("cards", "in order", ((place,) for place in range(shoe.cards)))


def _of_halves(shoe: DeckShoe) -> tuple[Row, ...]:
    return tuple(
        Row(_at("upper ids", place), _at("upper ids", place), 1, "equal") for place in range(shoe.cards)
    )


# Of each test what it counts, of every shoe or of one.
LISTS: Mapping[str, tuple[Row, ...] | Callable[[DeckShoe], tuple[Row, ...]]] = {
    "fullest-cell": _of_places,
    "position-pairs": _of_pairs,
    "runs": _of_halves,
    "hand-compositions": (
        *each("suits", "sum", _FIRST),
        *each("ranks", "sum", _FIRST),
        *each("suits", "alike", [_FIRST[1], _FIRST[3]]),
        *each("ranks", "alike", [_FIRST[1], _FIRST[3]]),
        *each("suits", "in order", _THREE_OF_SIX),
        *each("suits", "four and the fifth", [_FIRST[3], _FIRST[4]]),
    ),
    "dealt-pairs": (*each("ranks", "in any order", _PAIRS), *each("ranks", "alike", _PAIRS)),
    "dealt-triples": (
        *each("ranks", "in order", _THREE_IN_A_ROW),
        *each("thirds", "in order", _THREE_OF_SIX),
    ),
    "signs-between-rounds": tuple(
        Row(_at(half, place), _at(half, before), lag, "equal")
        for half, place, before, lag in product(HALVES, _NOW, _BEFORE, LAGS)
    ),
    "after-hands": (
        *(Row(_at("ranks", place), Look("ranks", "in any order", (0, 1)), 1) for place in range(3)),
        *(
            Row(_at("ranks", place), Look("naturals", "in any order", opened), lag)
            for opened, place, lag in product(_OPENED, range(4), LAGS)
        ),
    ),
}


def _with_ranks(shoe: DeckShoe) -> int | str:
    if not groups_of(shoe, "ranks") or max(shoe.ranks) + 1 > MOST_RANKS:
        return "the cards have no ranks to compare"
    return LEAST_DEALT


def _grouped(names: Collection[str], least: int, otherwise: str) -> Fewest:
    """So many decks where the cards fall into some of these groups."""
    return lambda shoe: least if any(groups_of(shoe, name) for name in names) else otherwise


def _with_pairs(shoe: DeckShoe) -> int | str:
    few = shoe.cards <= SMALL or groups_of(shoe, "ranks")
    return LEAST_DEALT if few else "the cards have no ranks to compare, and are too many to compare each"


def _counted(decks: Decks, shoe: DeckShoe, *, name: str) -> TestResult:
    rows = LISTS[name]
    table = ProjectedRows(decks, cache(partial(groups_of, shoe)))
    return projections.run(table, rows(shoe) if callable(rows) else rows)


def _listed(name: str, minimum: Callable[[DeckShoe], int | str]) -> tuple[CardTest]:
    return (of_shoe(name, minimum, partial(_counted, name=name)),)


FULLEST = _listed("fullest-cell", at_least(16))
POSITION_PAIRS = _listed("position-pairs", _with_pairs)
RUNS = _listed(
    "runs", _grouped(["upper ids"], LEAST_DEALT, "needs an even number of cards: two equal halves")
)


HANDS = _listed(
    "hand-compositions",
    _grouped(["suits", "ranks"], LEAST_HANDS, "the cards have neither suits nor ranks to compare"),
)
DEALT = (*_listed("dealt-pairs", _with_ranks), *_listed("dealt-triples", _with_ranks))
BETWEEN_ROUNDS = _listed(
    "signs-between-rounds", _grouped(HALVES, LEAST_DEALT, "the cards have no equal halves to compare")
)
AFTER_HANDS = _listed("after-hands", _with_ranks)


# Ranks and suits on so many places, and whether the first two cards are equal in them.
_EVEN = tuple(
    look
    for groups in ("ranks", "suits")
    for look in (*(_at(groups, place) for place in range(4)), Look(groups, "alike", (0, 1)))
)


def run_dispersion(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Dispersion of what is dealt at each of the first places: decks from a bag of decks, hot and cold stretches.

    The cards at one place are independent from deck to deck and equally likely, as numbers drawn are; so is whatever
    one deck shows, with its own probability: a rank, a suit, a pair.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    places, table = min(decks.shape[1], SMALL), ProjectedRows(decks, cache(partial(groups_of, shoe)))
    columns = {f"position {place + 1}": decks[:, place].astype(np.int64) for place in range(places)}
    found = dispersion.over_blocks(columns, decks.shape[1], {"positions": places})
    known = ((str(look), read[0], read[1].tolist()) for look in _EVEN if (read := table.read(look)))
    return found.with_bounds(dispersion.even_classes(known))


OVER_TIME = (of_shoe("dispersion", at_least(dispersion.LEAST_SAMPLE), run_dispersion),)


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

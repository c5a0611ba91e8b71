"""Given this, that, of decks: what cards of a round come to, together and after earlier rounds, declared as data."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product

from rng.battery import goodness, projections
from rng.battery.cards.decks import CardTest, Decks, DeckShoe, of_shoe
from rng.battery.projections import Groups, Look, Row, Table, each
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError

# Places that hands are dealt to; more ranks than this are too many classes.
PLACES = 8
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


HALVES: Mapping[str, Callable[[DeckShoe], Groups]] = {
    **{
        f"suits 1 and {other + 1}": _half(
            lambda shoe, other=other: [suit in (0, other) for suit in shoe.suits]
        )  # type: ignore[misc]
        for other in (1, 2, 3)
    },
    "low and high ranks": _half(lambda shoe: [2 * rank <= max(shoe.ranks) for rank in shoe.ranks]),
    "even and odd ranks": _half(lambda shoe: [rank % 2 == 0 for rank in shoe.ranks]),
}
GROUPS: Mapping[str, Callable[[DeckShoe], Groups]] = {
    "ranks": lambda shoe: shoe.ranks,
    "suits": lambda shoe: shoe.suits,
    "thirds": thirds,
    "naturals": naturals,
    **HALVES,
}


def groups_of(shoe: DeckShoe, name: str, _place: int = 0) -> Groups:
    """Returns the group of each card of a shoe; nothing where no two cards share one."""
    groups = GROUPS[name](shoe)
    return groups if max(groups, default=0) + 1 < shoe.cards else ()


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


# Of each test what it counts.
LISTS: Mapping[str, tuple[Row, ...]] = {
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


def _with_groups(shoe: DeckShoe) -> int | str:
    grouped = groups_of(shoe, "suits") or groups_of(shoe, "ranks")
    return LEAST_HANDS if grouped else "the cards have neither suits nor ranks to compare"


def _with_halves(shoe: DeckShoe) -> int | str:
    halves = any(groups_of(shoe, half) for half in HALVES)
    return LEAST_DEALT if halves else "the cards have no equal halves to compare"


def _counted(decks: Decks, shoe: DeckShoe, *, name: str) -> TestResult:
    return projections.run(Table(decks, partial(groups_of, shoe)), LISTS[name])


def _listed(name: str, minimum: Callable[[DeckShoe], int | str]) -> tuple[CardTest]:
    return (of_shoe(name, minimum, partial(_counted, name=name)),)


HANDS = _listed("hand-compositions", _with_groups)
DEALT = (*_listed("dealt-pairs", _with_ranks), *_listed("dealt-triples", _with_ranks))
BETWEEN_ROUNDS = _listed("signs-between-rounds", _with_halves)
AFTER_HANDS = _listed("after-hands", _with_ranks)


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

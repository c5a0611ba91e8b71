"""Given this, that: one engine that counts what rounds come to, alone and after earlier rounds, from declared lists.

A `Look` is a projection of a round: how its items are grouped, the places that are looked at, and how the groups there
are read as one class, whose probability is counted over all orders of groups. A `Row` is such a projection alone, or
after another one of an earlier round. All rows of a list share one p-value: each cell has its exact tails, and the
number of cells and of rows is fixed before anything is counted.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.cell_sums import two_sided
from rng.battery.result import TestResult

Groups = tuple[int, ...]
Floats = NDArray[np.float64]
# Groups of the items at some places, a place a row; and the class of each round.
Seen = NDArray[np.integer]
Shape = tuple[int, ...]
Relation = Literal["each", "equal", "difference"]

# More orders of groups than these are not counted.
MOST_ORDERS: Final = 1 << 21
# Rounds that are read at once, so that what they are read into stays small.
TOGETHER: Final = 1 << 15
# So many standard deviations fewer visits are planned of a condition than are expected.
SPARED: Final = 2.0


def _in_order(seen: Seen, shape: Shape) -> Seen:
    return np.asarray(np.ravel_multi_index(tuple(seen), shape))


def _alike(seen: Seen, _shape: Shape) -> Seen:
    """How many pairs of places hold the same group."""
    found = np.zeros(seen.shape[1], dtype=np.uint8)
    for one, other in combinations(seen, 2):
        found += one == other
    return found


def _filling(seen: Seen, _shape: Shape) -> Seen:
    """Whether all but one of the earlier items are of one group, and whether the last one is of it too."""
    middle = np.sort(seen[:-1], axis=0)[len(seen) // 2 - 1]
    needed = (seen[:-1] == middle).sum(axis=0) == max(4, len(seen) - 2)
    return np.asarray(needed * (1 + (seen[-1] == middle)), dtype=np.int64)


# How the groups at some places are read as one class.
READINGS: Final[Mapping[str, Callable[[Seen, Shape], Seen]]] = {
    "in order": _in_order,
    "in any order": lambda seen, shape: _in_order(np.sort(seen, axis=0), shape),
    "sum": lambda seen, shape: seen.sum(axis=0) % shape[0],
    "difference": lambda seen, shape: (seen[0].astype(np.int64) - seen[-1]) % shape[0],
    "alike": _alike,
    "four and the fifth": _filling,
}


@dataclass(frozen=True, slots=True)
class Look:
    """What is looked at of a round.

    Args:
        groups: How the items are grouped, by name.
        reading: How the groups are read as one class, a name of `READINGS`.
        places: Places that are looked at, counted from 0, or from -1 at the end.
    """

    groups: str
    reading: str
    places: tuple[int, ...]

    def __str__(self) -> str:
        where = ", ".join(str(place + 1) if place >= 0 else f"{-place} from the end" for place in self.places)
        if len(self.places) == 1:
            return f"{self.groups} at place {where}"
        return f"{self.groups} {self.reading} at places {where}"


@dataclass(frozen=True, slots=True)
class Row:
    """What is counted: a projection alone, or after another of an earlier round.

    Args:
        now: What is looked at.
        given: What is looked at of the earlier round; None for a projection alone.
        lag: Rounds between the two.
        relation: Whether each class is counted after each class, how often both are equal, or their difference.
        widths: Of how many neighbouring classes, of the last place, the counts are added up.
    """

    now: Look
    given: Look | None = None
    lag: int = 0
    relation: Relation = "each"
    widths: tuple[int, ...] = (1,)


def each(groups: str, reading: str, places: Iterable[tuple[int, ...]]) -> tuple[Row, ...]:
    """Returns a row for each of some places."""
    return tuple(Row(Look(groups, reading, chosen)) for chosen in places)


def orders(shape: Shape) -> Seen:
    """Every order of groups at some places, an order a column."""
    return np.indices(shape).reshape(len(shape), -1)


def _first_met(places: int) -> Seen:
    """Every order of groups that are numbered as they are met, so that only which are equal counts."""
    found = np.zeros((1, 1), dtype=np.int64)
    for _ in range(places - 1):
        many = found.max(axis=0) + 2
        newest = np.concatenate([np.arange(known) for known in many])
        found = np.vstack([np.repeat(found, many, axis=1), newest])
    return found


@lru_cache(maxsize=512)
def law(reading: str, sizes: tuple[Groups, ...], *, replaced: bool) -> Floats:
    """Probability of each class of some places, counted over all orders of groups.

    Args:
        reading: How groups are read as a class.
        sizes: Items in each group, for each place.
        replaced: Whether each place is drawn from all items, and not from those that are left.

    Example:
        >>> law("sum", ((2, 2),) * 2, replaced=False).round(3), law("alike", ((1, 1),) * 2, replaced=True)
        (array([0.333, 0.667]), array([0.5, 0.5]))
    """
    ways, total = ways_of(reading, sizes, replaced=replaced)
    return np.asarray(ways / total)


def ways_of(reading: str, sizes: tuple[Groups, ...], *, replaced: bool) -> tuple[NDArray[np.int64], int]:
    """Orders of items that give each class, and all that there are: whole numbers."""
    shape = tuple(map(len, sizes))
    if reading == "alike" and replaced and set(sizes) == {(1,) * shape[0]}:
        seen = _first_met(len(shape))
        met = [math.perm(shape[0], groups) for groups in range(len(shape) + 1)]
        ways = np.array(met)[seen.max(axis=0) + 1]
    else:
        seen = orders(shape)
        ways = np.ones(seen.shape[1], dtype=np.int64)
        for place, size in enumerate(sizes):
            taken = 0 if replaced else (seen[:place] == seen[place]).sum(axis=0)
            ways *= np.maximum(np.array(size)[seen[place]] - taken, 0)
    classes = READINGS[reading](seen, shape)
    counts = np.zeros(int(classes.max()) + 1, dtype=np.int64)
    np.add.at(counts, classes, ways)
    items = [sum(size) for size in sizes]
    return counts, math.prod(items) if replaced else math.perm(items[0], len(items))


def alone(seen: Seen, chances: Floats, widths: Sequence[int] = (1,), last: int = 1) -> tuple[float, int, int]:
    """The class, or so many neighbouring ones, whose count is farthest out.

    Args:
        seen: The class of each round.
        chances: Probability of each class.
        widths: Of how many neighbouring classes the counts are added up.
        last: So many classes form a circle of neighbours.

    Returns:
        P-value, corrected for all that are possible, the first class, and how many there are.
    """
    counts = np.bincount(seen, minlength=chances.size).reshape(-1, last)
    laws = np.stack([_together(chances.reshape(-1, last), width) for width in widths])
    hits = np.stack([_together(counts, width) for width in widths]).astype(np.int64)
    p_values = two_sided(hits, seen.size, laws)
    width, at = divmod(int(p_values.argmin()), chances.size)
    return min(1.0, int(np.count_nonzero(laws > 0)) * float(p_values.min())), at, widths[width]


def _together(table: NDArray[Any], width: int) -> NDArray[Any]:
    """The sum of so many neighbours from each class on, in circles."""
    return np.asarray(sum(np.roll(table, -k, axis=1) for k in range(width)))


def after(given: Seen, met: Floats, now: Seen, chances: Floats, lag: int) -> tuple[float, int, int]:
    """The class that comes most unlike its probability after a class of so many rounds before.

    How often a condition was met may depend on what came after it. So visits are planned: of each condition so many
    first ones count, by its probability alone, and what follows them is binomial, exactly. Where fewer came, those
    that are missing may have been anything.

    Args:
        given: The class of each round, as a condition.
        met: Its law.
        now: The class of each round, as what follows.
        chances: Its law, whatever came before.
        lag: Rounds between the two.

    Returns:
        P-value, corrected for all that are possible, the condition, and the class after it.

    Source: Doob, Stochastic Processes (1953), III.5 (trials chosen by what came before are trials as good as any).
    """
    before, later = given[: given.size - lag], now[lag:]
    due = later.size * met
    planned = np.floor(np.maximum(due - SPARED * np.sqrt(due * (1 - met)), 0)).astype(np.int64)
    visits = np.bincount(before, minlength=met.size)
    order = np.argsort(before, kind="stable")
    turn = np.arange(before.size) - np.repeat(np.cumsum(visits) - visits, visits)
    kept = order[turn < planned[before[order]]]
    codes = before[kept].astype(np.int64) * chances.size + later[kept]
    hits = np.bincount(codes, minlength=met.size * chances.size).reshape(met.size, -1)
    missing = np.maximum(planned - visits, 0)[:, None]
    p_values = two_sided(hits, planned[:, None], chances[None, :], missing)
    possible = int(np.count_nonzero(planned)) * int(np.count_nonzero((chances > 0) & (chances < 1)))
    context, at = divmod(int(p_values.argmin()), chances.size)
    # Where rounds are too few to plan a visit nothing is possible, and nothing rejects.
    return min(1.0, max(1, possible) * float(p_values.min())), context, at


@dataclass(frozen=True, slots=True)
class CountedRow:
    """What a row shows.

    Args:
        p_value: Of its farthest cell, corrected for all its cells.
        rarest: Probability of the rarest cell.
        words: What the farthest cell is.
    """

    p_value: float
    rarest: float
    words: Callable[[], str]


@dataclass(frozen=True, slots=True, eq=False)
class ProjectedRows:
    """Rounds under test, a round a row.

    Args:
        rows: The items.
        groups: Group of each item that a place may hold, by the name of the groups and the place; nothing where there
            are no such groups.
        replaced: Whether places are drawn apart, each from all of its items.
    """

    rows: NDArray[np.integer]
    groups: Callable[[str, int], Groups]
    replaced: bool = False
    _read: dict[Look, tuple[Seen, Floats, Shape]] = field(default_factory=dict)
    _held: dict[tuple[str, int], Seen] = field(default_factory=dict)

    def sizes(self, one: Look) -> tuple[Groups, ...] | None:
        """Items in each group of each place; None where these are none, or too many orders are to be counted."""
        if max(abs(place) for place in one.places) >= self.rows.shape[1] + (min(one.places) < 0):
            return None
        sizes = tuple(tuple(np.bincount(self.groups(one.groups, place)).tolist()) for place in one.places)
        least, many = min(map(len, sizes)), math.prod(map(len, sizes))
        equal = one.reading == "alike" and self.replaced and set(sizes) == {(1,) * least}
        return sizes if least > 1 and (equal or many <= MOST_ORDERS) else None

    def held(self, groups: str, place: int) -> Seen:
        """The group at a place of each round; kept of few rounds, as many looks meet it."""
        kept = self._held if len(self.rows) <= TOGETHER else {}
        if (groups, place) not in kept:
            of = self.groups(groups, place)
            kept[groups, place] = np.array(of, dtype=np.min_scalar_type(max(of)))[self.rows[:, place]]
        return kept[groups, place]

    def read(self, one: Look) -> tuple[Seen, Floats, Shape] | None:
        """The class of each round, the probability of each class, and how many groups each place has.

        Of a single place they are kept, as what follows and what goes before meet it often.

        Returns:
            None where the rounds have no such.
        """
        if one in self._read:
            return self._read[one]
        sizes = self.sizes(one)
        if sizes is None:
            return None
        shape = tuple(map(len, sizes))
        held = np.stack([self.held(one.groups, place) for place in one.places])
        pieces = [
            READINGS[one.reading](held[:, start : start + TOGETHER], shape).astype(
                np.min_scalar_type(math.prod(shape))
            )
            for start in range(0, len(self.rows), TOGETHER)
        ]
        found = np.concatenate(pieces), law(one.reading, sizes, replaced=self.replaced), shape
        if len(one.places) == 1:
            self._read[one] = found
        return found

    def count(self, row: Row) -> CountedRow | None:
        """Returns what a row shows; None where it does not fit."""
        now, given = row.now, row.given
        read = self.read(now)
        before = read if given is None else self.read(given)
        if read is None or before is None:
            return None
        (seen, chances, shape), (earlier, met, known) = read, before
        rarest = float(chances[chances > 0].min())
        if given is None:
            circle = shape[-1] if now.reading == "in order" else chances.size
            p_value, at, width = alone(seen, chances, row.widths, circle)
            wide = f" and the {width - 1} next" if width > 1 else ""
            return CountedRow(
                p_value, rarest, lambda: f"{now}, such as {_example(now.reading, shape, at)}{wide}"
            )
        if row.relation == "each":
            p_value, context, at = after(earlier, met, seen, chances, row.lag)

            def words() -> str:
                shown = _example(given.reading, known, context)
                return f"{now}: {_example(now.reading, shape, at)}, {row.lag} after {given}: {shown}"

            return CountedRow(p_value, rarest * float(met[met > 0].min()), words)
        if met.size != chances.size or float(chances.max()) != rarest:
            return None
        later, earlier = seen[row.lag :], earlier[: seen.size - row.lag]
        if row.relation == "equal":
            p_value = goodness.binomial_two_sided(int(np.count_nonzero(later == earlier)), later.size, rarest)
            return CountedRow(p_value, rarest, lambda: f"{now}, equal to {given} of {row.lag} before")
        steps = (later.astype(np.int64) - earlier) % chances.size
        p_value, at, width = alone(steps, chances, row.widths, chances.size)
        return CountedRow(
            p_value, rarest, lambda: f"{now}: {width} from {at} on, after {given} of {row.lag} before"
        )


def _example(reading: str, shape: Shape, number: int) -> str:
    """The first order of groups, counted from 1, that is read as a class."""
    if reading == "in order":
        return ", ".join(str(int(group) + 1) for group in np.unravel_index(number, shape))
    seen = _first_met(len(shape)) if math.prod(shape) > MOST_ORDERS else orders(shape)
    first = int(np.flatnonzero(READINGS[reading](seen, shape) == number)[0])
    return ", ".join(str(group + 1) for group in seen[:, first].tolist())


NULL: Final = (
    "exact tails of each cell, by counted probabilities; Bonferroni over all cells and rows of the list"
)


def run(table: ProjectedRows, rows: Iterable[Row]) -> TestResult:
    """Counts the rows of a list that fit: the farthest of all, corrected for its cells and for the rows.

    Source: 25 CFR 547.14(b)(1) (random in the combinations used under the rules of the game); binomial, exact.
    """
    found = [counted for row in rows if (counted := table.count(row)) is not None]
    worst = min(found, key=lambda one: one.p_value)
    rarest = min(one.rarest for one in found)
    change = goodness.detectable_shift(len(table.rows), len(found)) / rarest**0.5
    return TestResult.of(
        {worst.words(): min(1.0, len(found) * worst.p_value)},
        parameters={"rows": len(found)},
        null=NULL,
        detectable=f"a relative change of {100 * change:.3g} % of the rarest class{goodness.power_words(len(found))}",
    )

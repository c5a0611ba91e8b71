"""Rows of several columns: each column as numbers, columns against each other, and rows that come again."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rng.battery import balls, cards, dispersion, goodness, projections, sequences
from rng.battery.projections import Groups, Look, ProjectedRows, Row, each
from rng.battery.result import NotRun, TestResult
from rng.battery.suite import Results, Running, Suite, Test, pooled
from rng.draws import Draw, Integer, OrderedSample, check_rows
from rng.errors import RangeError, SampleError

NAME: Final = "columns-alike"
# Of two columns it is the test of matches; more columns than these have too many patterns.
COLUMNS: Final = range(3, 11)
LEAST_ROWS: Final = 100


Rows = NDArray[np.unsignedinteger]
Pairs = Sequence[tuple[int, int]]
# For each column the element that it belongs to, and its range.
Columns = Sequence[tuple[int, int]]

# The tests of sequences that look for relations between outputs of one generator.
IN_ORDER = (
    "known-lags",
    "power-of-two-lags",
    "seeds",
    "lagged-sums",
    "congruential",
    "linear-halves",
)
COLUMN_TESTS = ("column-pairs", "column-matches")
# The tests of columns next to each other, and of rows read like text.
TRIPLES: Final = "column-triples"
NAMES = (*COLUMN_TESTS, TRIPLES, NAME, *IN_ORDER)

MOST_CELLS = 1 << 20
# Sums that columns may come to: of more, columns are not added up.
MOST_SUMS = 1 << 12
ROWS_BEFORE = (1, 2, 3, 4)
# Pairs of columns that are all looked at: those of sixteen columns; of more, neighbours alone.
MOST_PAIRS = 120


def run_rows(draw: Draw, rows: Rows, tests: Collection[str] | None = None) -> Results:
    """Runs the fitting tests on rows of a draw, each test once.

    Integers are tested column by column as sequences, and columns against each other; whole orders of
    twenty items and more as decks; other samples as balls. p-values of one test on several parts stand together.

    Args:
        draw: What was drawn.
        rows: One draw a row.
        tests: Names of the tests of integers to be run, in columns or next to each other; all when left out.

    Raises:
        SampleError: A row is none that the draw can yield.
    """
    try:
        check_rows(draw, rows)
    except RangeError as error:
        raise SampleError(str(error)) from None
    parts: list[tuple[str, Results]] = []
    column = 0
    for element in draw.elements:
        part = rows[:, column : column + element.width]
        where = (
            f"column {column + 1}"
            if element.width == 1
            else f"columns {column + 1} to {column + element.width}"
        )
        parts.append((where, _element(element, part, tests)))
        column += element.width
    return (*pooled(parts), *beside(draw, rows, tests=NAMES if tests is None else tests))


def _element(element: OrderedSample | Integer, part: Rows, tests: Collection[str] | None) -> Results:
    if isinstance(element, Integer):
        if element.below < 2 or element.below > 1 << 48:
            return (NotRun("sequences", "frequency", f"does not apply to numbers below {element.below}"),)
        of_columns = None if tests is None else [name for name in sequences.NAMES if name in tests]
        return sequences.run(np.ascontiguousarray(part[:, 0]), element.below, of_columns)
    if element.size == element.items and cards.FEWEST_CARDS <= element.items <= cards.MOST_CARDS:
        return cards.run(part.astype(np.uint16))
    return balls.run(element, part)


def beside(draw: Draw, rows: Rows, running: Running = map, tests: Collection[str] = NAMES) -> Results:
    """Columns next to each other, and relations across them in the order drawn."""
    of_columns = [name for name in BATTERY.names if name in tests]
    found = applied(BATTERY.run(DrawnRows(draw, rows), of_columns)) if of_columns else ()
    return (*found, *in_order(draw, rows, running, tests))


def applied(results: Results) -> Results:
    """The results of tests that apply: others are left out of rows, which are of many kinds."""
    return tuple(result for result in results if isinstance(result, TestResult) or result.undecided)


def of_one_range(draw: Draw) -> int | None:
    """The range of rows of several integers that all have the same; None of others."""
    ranges = {element.below for element in draw.elements if isinstance(element, Integer)}
    alone = len(ranges) == 1 and all(isinstance(element, Integer) for element in draw.elements)
    return ranges.pop() if alone and len(draw.elements) > 1 else None


def in_order(
    draw: Draw, rows: NDArray[np.unsignedinteger], running: Running = map, tests: Collection[str] = IN_ORDER
) -> Results:
    """Runs the tests of known generators on rows of equal integers, read like text.

    Two dice take the outputs of one generator in turn: neither column holds what ties them together.

    Args:
        draw: What was drawn; nothing is run unless it is several integers of one range.
        rows: One draw a row.
        running: What runs each of them.
        tests: Names of those to be run.
    """
    below = of_one_range(draw)
    named = [name for name in IN_ORDER if name in tests]
    if below is None or not 2 <= below <= 1 << 48 or not named:
        return ()
    results = sequences.run(np.ascontiguousarray(rows).reshape(-1), below, named, running=running)
    return tuple(replace(result, suite="rows") for result in applied(results))


def column_pairs(draw: Draw, rows: Rows) -> Results:
    """Each two columns next to each other, where there are two that are drawn apart."""
    return beside(draw, rows, tests=COLUMN_TESTS)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnRows:
    """Rows under test.

    Args:
        of: What was drawn.
        rows: One draw a row.
    """

    of: Draw
    rows: Rows

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def columns(self) -> Columns:
        """The element that each column belongs to, and its range."""
        elements = enumerate(self.of.elements)
        return [(place, element.values) for place, element in elements for _ in range(element.width)]


def pairs_of(columns: Columns) -> Pairs:
    """Each two columns that are drawn apart; of very many the neighbours."""
    pairs = [
        (first, second)
        for first, second in combinations(range(len(columns)), 2)
        if columns[first][0] != columns[second][0] and min(columns[first][1], columns[second][1]) > 1
    ]
    return pairs if len(pairs) <= MOST_PAIRS else [pair for pair in pairs if pair[1] == pair[0] + 1]


def _equal(columns: Columns) -> Pairs:
    """Those of one range."""
    return [pair for pair in pairs_of(columns) if columns[pair[0]][1] == columns[pair[1]][1]]


def _added_up(draw: Draw, rows: Rows) -> Iterator[tuple[str, NDArray[np.integer], Sequence[float]]]:
    """Yields whether the columns of a row come to more than half of what they may: what a house may hold even."""
    law, total, column = np.ones(1), np.zeros(len(rows), dtype=np.int64), 0
    for element in draw.elements:
        if isinstance(element, Integer):
            if law.size + element.below > MOST_SUMS:
                return
            law = np.convolve(law, np.full(element.below, 1 / element.below))
            total += rows[:, column].astype(np.int64)
        column += element.width
    if law.size > 2:
        middle = (law.size + 1) // 2
        more = float(law[middle:].sum())
        yield "columns added up", (total >= middle).astype(np.int64), (1 - more, more)


# Values of columns as they are, and in so many classes of neighbours: symbols that fill several stops show there.
CLASSES: Final[Mapping[str, int]] = {"values": MOST_CELLS, "thirds": 3, "sixths": 6}
# Of more columns only three that follow each other; a near miss shows in a few neighbouring stops together.
MOST_COLUMNS: Final = 5
WINDOWS: Final = (1, 2, 3)


def grouped(columns: Columns, name: str, place: int) -> Groups:
    """Returns the class of each value of a column; nothing where there are too many values, or too few for classes."""
    below, classes = columns[place][1], CLASSES[name]
    if classes == MOST_CELLS:
        return tuple(range(below)) if 1 < below <= MOST_CELLS else ()
    return (
        tuple(value * classes // below for value in range(below))
        if 2 * classes <= below <= MOST_CELLS
        else ()
    )


def matching(columns: Columns) -> tuple[Row, ...]:
    """How often two columns of one range hold the same number, now or some rows later."""
    equal = _equal(columns)
    return (
        *each("values", "alike", equal),
        *(
            Row(Look("values", "in order", (now,)), Look("values", "in order", (then,)), lag, "equal")
            for pair in equal
            for now, then in (pair, pair[::-1])
            for lag in ROWS_BEFORE
        ),
    )


def of_pairs(columns: Columns) -> tuple[Row, ...]:
    """Each two columns that are drawn apart, value by value and by classes of neighbours, and what they add up to.

    Every place of a sample is as uniform as an integer. Two places of one sample are not independent and are left
    to the tests of balls.
    """
    pairs = pairs_of(columns)
    values = [row for reading in ("in order", "sum", "difference") for row in each("values", reading, pairs)]
    return (*values, *each("thirds", "in order", pairs), *each("sixths", "in order", pairs))


def of_three(columns: Columns) -> tuple[Row, ...]:
    """Each value of a column after each two values of two others, alone, with its neighbours, and by classes.

    >>> [row.now.places for row in of_three([(0, 6), (1, 6), (2, 6)])]
    [(0, 1, 2), (0, 2, 1), (1, 2, 0), (0, 1, 2), (0, 1, 2)]
    """
    places = range(len(columns))
    chosen = [three for three in permutations(places, 3) if three[0] < three[1]]
    if len(columns) > MOST_COLUMNS:
        chosen = [(first, first + 1, first + 2) for first in places[:-2]]
    sets = sorted({(*sorted(three),) for three in chosen})
    return (
        *(Row(Look("values", "in order", three), widths=WINDOWS) for three in chosen),
        *each("thirds", "in order", sets),
        *each("sixths", "in order", sets),
    )


def alike(columns: Columns) -> tuple[Row, ...]:
    """How many pairs are equal of the first three columns and more: of those of one range.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 E (poker test), every class by itself.
    """
    return each("values", "alike", (tuple(range(many)) for many in range(COLUMNS.start, len(columns) + 1)))


def _listed(
    name: str, rows_of: Callable[[Columns], tuple[Row, ...]], least: Callable[[Draw], int | None]
) -> Test[Draw, DrawnRows]:
    """A test that counts the rows of a list of projections."""

    def run(drawn: DrawnRows) -> TestResult:
        columns = drawn.columns
        table = ProjectedRows(drawn.rows, partial(grouped, columns), replaced=True)
        return projections.run(table, rows_of(columns))

    return Test(name, least, run)


def _uneven(drawn: DrawnRows) -> Iterator[tuple[str, float]]:
    """Yields a p-value of all pairs of values of two columns together, too even or uneven, where rows are enough."""
    for first, second in pairs_of(drawn.columns):
        below, other = drawn.columns[first][1], drawn.columns[second][1]
        if goodness.LEAST_EXPECTED * below * other <= drawn.size:
            codes = drawn.rows[:, first].astype(np.int64) * other + drawn.rows[:, second]
            fit = goodness.uniform_fit(np.bincount(codes, minlength=below * other))
            yield f"columns {first + 1} and {second + 1}", fit.two_sided


def run_pairs(drawn: DrawnRows) -> TestResult:
    """Each two columns that are drawn apart, cell by cell and all cells together, and all columns added up."""
    found = _listed("column-pairs", of_pairs, lambda _draw: None).run(drawn)
    added = dispersion.even_classes(_added_up(drawn.of, drawn.rows))
    return found.with_bounds(dict(_uneven(drawn)) | added)


# Tests of cells that are expected ten times.
LEAST_MATCHES: Final = 8 * int(goodness.LEAST_EXPECTED)


def _where(columns: Callable[[Columns], Pairs]) -> Callable[[Draw], int | None]:
    """Fewest rows for tests of some columns, where there are such."""
    return lambda draw: (
        LEAST_MATCHES if columns(DrawnRows(draw, np.empty(0, dtype=np.uint8)).columns) else None
    )


def _for_alike(draw: Draw) -> int | None:
    return LEAST_ROWS if (of_one_range(draw) or 0) > 1 and len(draw.elements) in COLUMNS else None


def _for_three(draw: Draw) -> int | None:
    alone = all(isinstance(element, Integer) for element in draw.elements)
    columns = DrawnRows(draw, np.empty((0, 0), dtype=np.uint8)).columns if alone else []
    table = ProjectedRows(
        np.empty((0, len(columns)), dtype=np.uint8), partial(grouped, columns), replaced=True
    )
    return LEAST_ROWS if any(table.sizes(row.now) for row in of_three(columns)) else None


BATTERY: Suite[Draw, DrawnRows] = Suite(
    "rows",
    "rows",
    __name__,
    (
        Test("column-pairs", _where(pairs_of), run_pairs),
        _listed("column-matches", matching, _where(_equal)),
        _listed(TRIPLES, of_three, _for_three),
        _listed(NAME, alike, _for_alike),
    ),
)

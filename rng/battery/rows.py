"""Rows of several columns: each column as numbers, columns against each other, and rows that come again."""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rng.battery import balls, cards, dispersion, goodness, sequences, triples
from rng.battery.cell_sums import two_sided, worst
from rng.battery.result import NotRun, TestResult
from rng.battery.suite import Results, Running, Suite, Test, pooled
from rng.draws import Draw, Integer, OrderedSample, check_rows
from rng.errors import RangeError, SampleError

Pattern = tuple[int, ...]

NAME: Final = "columns-alike"
# Of two columns it is the test of matches; more columns than these have too many patterns.
COLUMNS: Final = range(3, 13)
LEAST_ROWS: Final = 100


@cache
def patterns(columns: int, below: int) -> dict[Pattern, float]:
    """Probability of each pattern of equal numbers, largest group first.

    Example:
        >>> patterns(3, 6)[3,], round(patterns(3, 6)[1, 1, 1], 6)
        (0.027777777777777776, 0.555556)
    """
    found = {}
    for code in range(1 << (columns - 1)):
        pattern = _pattern(code, columns)
        ways = math.factorial(columns)
        for group, times in Counter(pattern).items():
            ways //= math.factorial(group) ** times * math.factorial(times)
        found[pattern] = ways * math.perm(below, len(pattern)) / below**columns
    return found


def _pattern(code: int, columns: int) -> Pattern:
    """The groups of a sorted row of which a bit says for each two neighbours whether they are equal."""
    groups = [1]
    for place in range(columns - 1):
        if code >> place & 1:
            groups[-1] += 1
        else:
            groups.append(1)
    return tuple(sorted(groups, reverse=True))


def counts_of(rows: NDArray[np.unsignedinteger]) -> Counter[Pattern]:
    """How many rows show each pattern of equal numbers.

    Example:
        >>> counts_of(np.array([[2, 1, 2], [0, 0, 0]], dtype=np.uint8))
        Counter({(2, 1): 1, (3,): 1})
    """
    columns = rows.shape[1]
    ordered = np.sort(rows, axis=1)
    codes = (ordered[:, 1:] == ordered[:, :-1]) @ (1 << np.arange(columns - 1))
    counts = Counter[Pattern]()
    for code, times in enumerate(np.bincount(codes).tolist()):
        if times:
            counts[_pattern(code, columns)] += times
    return counts


def equal_runs(rows: NDArray[np.unsignedinteger], below: int) -> TestResult:
    """Pairs, triples and more equal numbers among the first three columns and more, each pattern by its exact tails.

    Args:
        rows: Independent numbers below one range, a draw a row.
        below: The range.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 E (poker test), every class by itself.
    """
    possible, chances, counts = [], [], []
    for columns in range(COLUMNS.start, rows.shape[1] + 1):
        law, seen = patterns(columns, below), counts_of(rows[:, :columns])
        possible += [pattern for pattern, chance in law.items() if chance]
        chances += [chance for chance in law.values() if chance]
        counts += [seen[pattern] for pattern, chance in law.items() if chance]
    p_values = two_sided(np.array(counts), len(rows), np.array(chances))
    return TestResult(
        p_values=tuple(p_values.tolist()),
        labels=tuple(" + ".join(map(str, pattern)) for pattern in possible),
        null="patterns of equal numbers; binomial, exact",
        discrete=True,
        detectable=goodness.describe_fullest(
            len(rows), min(chances), len(chances), "rows with one combination of three"
        ),
    )


Rows = NDArray[np.unsignedinteger]
Pairs = Sequence[tuple[int, int]]
# For each column the element that it belongs to, and its range.
Columns = Sequence[tuple[int, int]]

# The tests of sequences that look for relations between outputs of one generator.
IN_ORDER = (
    "known-lags",
    "power-of-two-lags",
    "seeds",
    "all-lags",
    "lagged-sums",
    "congruential",
    "linear-halves",
)
COLUMN_TESTS = ("column-pairs", "column-matches")
# The tests of columns beside each other, and of rows read like text.
NAMES = (*COLUMN_TESTS, triples.NAME, NAME, *IN_ORDER)

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
        tests: Names of the tests of integers to be run, in columns or beside each other; all when left out.

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
    """Columns beside each other, and relations across them in the order drawn."""
    of_columns = [name for name in BATTERY.names if name in tests]
    found = applied(BATTERY.run(DrawnRows(draw, rows), of_columns)) if of_columns else ()
    return (*found, *in_order(draw, rows, running, tests))


def applied(results: Results) -> Results:
    """The results of tests that apply: of others nothing is told of rows, which are of many kinds."""
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
    """Each two columns beside each other, where there are two that are drawn apart."""
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


def integer_ranges(draw: Draw) -> list[int]:
    """The ranges of integers; none where something else is drawn as well."""
    ranges = [element.below for element in draw.elements if isinstance(element, Integer)]
    return ranges if len(ranges) == len(draw.elements) else []


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


def run_pairs(drawn: DrawnRows) -> TestResult:
    """Each two columns that are drawn apart: independent, so that all pairs of values are equally likely.

    Every place of a sample is as uniform as an integer. Two places of one sample are not independent and are left
    to the tests of balls. Where there are too few rows for every pair of values, neighbouring values form classes.
    """
    columns, rows = drawn.columns, drawn.rows
    pairs = pairs_of(columns)
    fits = [
        _pair_fit(rows[:, first], columns[first][1], rows[:, second], columns[second][1])
        for first, second in pairs
    ]
    return goodness.fitted(
        fits,
        labels=[f"columns {first + 1} and {second + 1}" for first, second in pairs],
        null="multinomial with the product of the columns' probabilities; chi-square; evenness by Chernoff's bound",
    ).with_bounds(dispersion.even_classes(_added_up(drawn.of, rows)))


def run_matches(drawn: DrawnRows) -> TestResult:
    """How often two columns of one range hold the same number, now or some rows later: binomial, exact at any size."""
    columns, rows = drawn.columns, drawn.rows
    equal = _equal(columns)
    found = {
        f"columns {first + 1} and {second + 1}": _match(rows, (first, second), columns[first][1])
        for first, second in equal
    }
    later = {
        f"column {now + 1} and column {then + 1} of {lag} before": _match(
            rows, (now, then), columns[now][1], lag
        )
        for pair in equal
        for now, then in (pair, pair[::-1])
        for lag in ROWS_BEFORE
    }
    label, p_value = worst(np.array(list(later.values())), list(later))
    return TestResult.of(
        found | {label: p_value},
        null="binomial with one in the range; exact; Bonferroni over the columns of earlier rows",
    )


def _match(rows: Rows, pair: tuple[int, int], below: int, lag: int = 0) -> float:
    """P-value of how often a column holds the number of another, of this row or of an earlier one."""
    now, then = pair
    equal_items = int((rows[lag:, now] == rows[: len(rows) - lag, then]).sum())
    return goodness.binomial_two_sided(equal_items, len(rows) - lag, 1 / below)


def _pair_fit(first: Rows, below: int, second: Rows, other: int) -> goodness.Fit:
    """Compares two columns: by values where there are rows enough, else by classes of neighbours."""
    size = len(first)
    if below * other <= min(MOST_CELLS, size / goodness.LEAST_EXPECTED):
        codes = first.astype(np.int64) * other + second
        return goodness.uniform_fit(np.bincount(codes, minlength=below * other))
    # Classes of one column differ by one value at the most, so that none is expected half as often as another.
    most = math.isqrt(min(MOST_CELLS, int(size / goodness.LEAST_EXPECTED) // 2))
    bins = min(below, most)
    others = min(other, min(MOST_CELLS, int(size / goodness.LEAST_EXPECTED) // 2) // bins)
    codes = _classes(first, below, bins) * others + _classes(second, other, others)
    weights = np.outer(_sizes(below, bins), _sizes(other, others)).ravel()
    return goodness.shares_fit(np.bincount(codes, minlength=bins * others), weights)


def _classes(column: Rows, below: int, bins: int) -> NDArray[np.int64]:
    """Returns the class of each value: so many classes of neighbouring values."""
    return np.digitize(column.astype(np.int64), np.cumsum(_sizes(below, bins))[:-1])


def _sizes(below: int, bins: int) -> NDArray[np.int64]:
    """Returns how many values each class has: as equal as can be."""
    return np.diff(np.arange(bins + 1, dtype=np.int64) * below // bins)


def _where(columns: Callable[[Columns], Pairs]) -> Callable[[Draw], int | None]:
    """Fewest rows for tests of some columns, where there are such."""
    least = 8 * int(goodness.LEAST_EXPECTED)
    return lambda draw: least if columns(DrawnRows(draw, np.empty(0, dtype=np.uint8)).columns) else None


def _for_alike(draw: Draw) -> int | None:
    return LEAST_ROWS if (of_one_range(draw) or 0) > 1 and len(draw.elements) in COLUMNS else None


BATTERY: Suite[Draw, DrawnRows] = Suite(
    "rows",
    "rows",
    __name__,
    (
        Test("column-pairs", _where(pairs_of), run_pairs),
        Test("column-matches", _where(_equal), run_matches),
        Test(
            triples.NAME,
            lambda draw: triples.minimum(integer_ranges(draw)),
            lambda drawn: triples.run(drawn.rows, integer_ranges(drawn.of)),
        ),
        Test(NAME, _for_alike, lambda drawn: equal_runs(drawn.rows, drawn.of.elements[0].values)),
    ),
)

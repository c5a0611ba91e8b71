"""Whether what is drawn depends on the table that it was drawn at, or on the time."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import NotRun, TestResult
from rng.battery.suite import Results
from rng.errors import SampleError
from rng.given.rows import RecordPiece

SUITE: Final = "origin"
TABLE, HOUR, WEEKDAY, COPIES, PAUSE = "table", "hour", "weekday", "tables-beside", "after-a-pause"
MOST_TABLES: Final = 1_000
# Pairs of tables that are compared; of more tables, neighbours in the order of their names alone.
MOST_PAIRS: Final = 120
# Places of a row without replacement that are looked at, from the first on.
PLACES: Final = 4
# Rows by which one table may run behind another.
OFFSETS: Final = range(-3, 4)
LEAP_SECOND: Final = re.compile("(?<=:59):60")
# A pause is so many times the usual time between rows, and so many seconds at least: generators start anew after it.
LONGER: Final = 10
AFTER: Final = ("first row after a pause", "second row", "third row", "later rows")
DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@dataclass(frozen=True, slots=True, eq=False)
class DrawOrigin:
    """Where and when each row was drawn, as far as that is given.

    Args:
        tables: Names of the tables, in order; empty where no table is given.
        table: Number of the table of each row.
        hours: Hour of the day of each row, from 0 to 23; empty where no time is given.
        moments: Seconds since 1970 of each row; empty where no date is given.
    """

    tables: tuple[str, ...]
    table: NDArray[np.int64]
    hours: NDArray[np.int64]
    moments: NDArray[np.float64]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tests that there are."""
        of_tables = (TABLE, COPIES) if self.tables else ()
        of_hours = (HOUR, *((WEEKDAY, PAUSE) if self.moments.size else ())) if self.hours.size else ()
        return (*of_tables, *of_hours)

    def groups(self) -> dict[str, tuple[NDArray[np.int64], tuple[str, ...]]]:
        """Returns where and when each row was drawn as a number with the names of all: table, hour, day, pause."""
        found: dict[str, tuple[NDArray[np.int64], tuple[str, ...]]] = {}
        if self.tables:
            found[TABLE] = self.table, self.tables
        if self.hours.size:
            found[HOUR] = self.hours, tuple(f"{hour} h" for hour in range(24))
        if self.moments.size:
            # 1 January 1970 was a Thursday.
            found[WEEKDAY] = (self.moments // 86_400 + 3).astype(np.int64) % 7, DAYS
            gaps = np.diff(self.moments, prepend=self.moments[0] - 1)
            rows = np.arange(gaps.size)
            paused = (gaps < 0) | (gaps > LONGER * max(1.0, float(np.median(gaps))))
            since = rows - np.maximum.accumulate(np.where(paused, rows, 0))
            found[PAUSE] = np.minimum(since, len(AFTER) - 1), AFTER
        return found

    def order(self) -> NDArray[np.int64]:
        """Returns the places of the rows in the order drawn: table after table, each by time where dates are given."""
        keys = [key for key in (self.moments, self.table) if key.size]
        return np.asarray(np.lexsort(keys) if keys else np.arange(self.hours.size), dtype=np.int64)

    def at(self, order: NDArray[np.int64]) -> "DrawOrigin":
        """Returns the origin of rows that were put in an order."""
        return DrawOrigin(
            self.tables,
            self.table[order] if self.table.size else self.table,
            self.hours[order] if self.hours.size else self.hours,
            self.moments[order] if self.moments.size else self.moments,
        )


@dataclass(slots=True)
class OriginColumns:
    """Takes in what the columns of table and time say of row after row.

    Args:
        with_table: Whether the first mark names the table.
        with_time: Whether the last mark is the time.
    """

    with_table: bool
    with_time: bool
    _tables: dict[str, int] = field(default_factory=dict)
    _table: list[int] = field(default_factory=list)
    _hours: list[int] = field(default_factory=list)
    _moments: list[float] = field(default_factory=list)

    def add(self, marks: tuple[str, ...], where: str) -> None:
        """Takes in the marks of a row.

        Raises:
            SampleError: The time is none, or of another form than the first; or there are too many tables.
        """
        if self.with_table:
            name = marks[0].strip()
            self._table.append(self._tables.setdefault(name, len(self._tables)))
            if len(self._tables) > MOST_TABLES:
                raise SampleError(
                    f"{where}: more than {MOST_TABLES} tables: is that the column of the table?"
                )
        if self.with_time:
            dated, moment = moment_of(marks[-1].strip(), where)
            if self._hours and dated != bool(self._moments):
                raise SampleError(
                    f"{where}: a time {'with' if dated else 'without'} a date, unlike those before"
                )
            self._hours.append(int(moment // 3600 % 24))
            if dated:
                self._moments.append(moment)

    def origin(self) -> DrawOrigin:
        """Returns where and when every row was drawn."""
        names = sorted(self._tables)
        place = np.empty(len(names), dtype=np.int64)
        for number, name in enumerate(names):
            place[self._tables[name]] = number
        table = place[np.array(self._table, dtype=np.int64)] if names else np.empty(0, dtype=np.int64)
        return DrawOrigin(tuple(names), table, np.array(self._hours, dtype=np.int64), np.array(self._moments))


def moment_of(text: str, where: str) -> tuple[bool, float]:
    """Returns whether a time has a date, and its seconds since midnight or since 1970 by its own clock.

    Raises:
        SampleError: It is no time.

    >>> moment_of("2026-03-01T12:30:00+01:00", ""), moment_of("23:59", ""), moment_of("1700000000", "")
    ((True, 1772368200.0), (False, 86340.0), (True, 1700000000.0))
    >>> moment_of("2016-12-31T23:59:60Z", "") == moment_of("2016-12-31T23:59:59Z", "")
    True
    """
    text = LEAP_SECOND.sub(":59", text)
    if re.fullmatch("[0-9]{10}|[0-9]{13}", text):
        return True, int(text) / (1 if len(text) == 10 else 1000)
    with suppress(ValueError):
        # The hour that the clock on the wall shows: what an offset says of other places does not matter here.
        return True, datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()
    try:
        clock = time.fromisoformat(text)
    except ValueError:
        raise SampleError(
            f"{where}: {text[:40]!a} is no time, expected such as 2026-03-01T12:30:00, 12:30:00 or seconds since 1970"
        ) from None
    return False, float(clock.hour * 3600 + clock.minute * 60 + clock.second)


def run(rows: NDArray[Any], pieces: Sequence[RecordPiece], origin: DrawOrigin) -> Results:
    """Tests the draws of each table, hour and day of the week, and after a pause, by themselves against their law.

    If what is drawn depends neither on the table nor on the time, the draws of each have the same law, which is known.
    Two tables are also compared, row by row: what one shows must not be what the other showed.

    Args:
        rows: Unsigned integers[n, width], items as they were drawn, in the order of ``Origin.order``.
        pieces: What the places of a row are drawn from.
        origin: Where and when each row was drawn.

    Returns:
        A result for each of ``Origin.names``.
    """
    found: list[TestResult | NotRun] = []
    if origin.tables:
        found.append(_each(TABLE, rows, pieces, origin.table, origin.tables))
        found.append(_beside(rows, pieces, origin))
    found += (
        _each(kind, rows, pieces, *labelled) for kind, labelled in origin.groups().items() if kind != TABLE
    )
    return tuple(found)


def _each(
    test: str,
    rows: NDArray[Any],
    pieces: Sequence[RecordPiece],
    labels: NDArray[np.int64],
    names: Sequence[str],
) -> TestResult | NotRun:
    """Compares what comes under each label with the law of the draw."""
    fits: list[goodness.Fit] = []
    said: list[str] = []
    for label in np.unique(labels).tolist():
        chosen = rows[labels == label]
        for where, piece, drawn in _drawn(chosen, pieces):
            faces = np.array(piece.shows)[drawn]
            copies = np.bincount(np.array(piece.shows)).tolist()
            fit = _fit(
                np.bincount(faces, minlength=len(copies)),
                [Fraction(count, len(piece.shows)) for count in copies],
            )
            if fit is None:
                continue
            fits.append(fit)
            said.append(f"{names[label]}, {where}")
    if not fits:
        least = 2 * int(goodness.LEAST_EXPECTED)
        return NotRun(SUITE, test, f"no {test} has the {least} rows that are needed at least", least)
    return goodness.fitted(
        fits,
        labels=said,
        null="multinomial with the draw's own probabilities, the same everywhere and at any time; chi-square",
    ).run_as(SUITE, test, len(rows))


def _fit(counts: NDArray[np.int64], chances: Sequence[Fraction]) -> goodness.Fit | None:
    """Compares faces with their law: each, or with its neighbours where all are rare; None for too few rows."""
    for ordered in (False, True):
        try:
            return goodness.chi_square_fit(counts, chances, ordered=ordered)
        except SampleError:
            continue  # Faces that are all too rare to be counted alone leave one class; neighbours together, more.
    return None


def _drawn(
    rows: NDArray[Any], pieces: Sequence[RecordPiece]
) -> Iterator[tuple[str, RecordPiece, NDArray[Any]]]:
    """Yields independent draws with their name: all of what is put back, the first places one by one of what is not."""
    column = 0
    for piece in pieces:
        part = rows[:, column : column + piece.places]
        if piece.replaced:
            yield _places(column, piece.places), piece, part.reshape(-1)
        else:
            for place in range(min(PLACES, piece.places)):
                yield _places(column + place, 1), piece, part[:, place]
        column += piece.places


def _places(column: int, width: int) -> str:
    return f"place {column + 1}" if width == 1 else f"places {column + 1} to {column + width}"


def _beside(rows: NDArray[Any], pieces: Sequence[RecordPiece], origin: DrawOrigin) -> TestResult | NotRun:
    """Counts how often two tables show the same first face in the same row, or a few rows apart: binomial, exact."""
    piece = pieces[0]
    shows = np.array(piece.shows)
    probability = float(sum(Fraction(int(n), len(shows)) ** 2 for n in np.bincount(shows)))
    first = shows[rows[:, 0]]
    of_table = [first[origin.table == number] for number in range(len(origin.tables))]
    pairs = list(combinations(range(len(of_table)), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [(one, one + 1) for one in range(len(of_table) - 1)]
    found: dict[str, float] = {}
    for one, other in pairs:
        for offset in OFFSETS:
            left, right = of_table[one][max(0, offset) :], of_table[other][max(0, -offset) :]
            size = min(len(left), len(right))
            if size:
                same = int((left[:size] == right[:size]).sum())
                found[f"{origin.tables[one]} and {origin.tables[other]}, {offset:+} rows"] = (
                    goodness.binomial_two_sided(same, size, probability)
                )
    if not found:
        return NotRun(SUITE, COPIES, "one table: none to compare it with")
    return TestResult.of(
        found,
        null="binomial with the probability that two independent draws show the same face; exact",
    ).run_as(SUITE, COPIES, len(rows))

"""The state of a watch: day totals in a file or on a server, from which everything else is computed again."""

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.databases import ERRORS, Database, Place, connected, transaction
from certify.errors import InputError, Refusing
from certify.exact import units
from certify.live.process import MOST_DAYS
from certify.untrusted_input import json_of

_FORM: Final = "certify-watch/5"

KEPT_DAYS: Final = 90
"""Days before the last one of which the state knows every row that was taken: late logs may be of these."""

_TABLES: Final = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE taken (source INTEGER PRIMARY KEY, log TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE, rows INTEGER NOT NULL,
    again TEXT NOT NULL);
CREATE TABLE totals (law TEXT, currency TEXT, stake INTEGER, channel TEXT, day TEXT, source INTEGER, counts TEXT,
    PRIMARY KEY (law, currency, stake, channel, day, source));
CREATE TABLE marks (day TEXT, source INTEGER, marks BLOB NOT NULL, PRIMARY KEY (day, source));
CREATE TABLE faults (day TEXT, source INTEGER, fault TEXT, rows INTEGER, row INTEGER,
    PRIMARY KEY (day, source, fault));
"""


class KnownDays(StrEnum):
    """What becomes of a day that was taken before: late rows are further ones, corrected rows take the place of all."""

    REFUSED = "refused"
    LATE = "late"
    CORRECTED = "corrected"


@dataclass(frozen=True, slots=True, order=True)
class CellKey:
    """What is watched by itself.

    Args:
        law: The wager, after its variant where there is one.
        currency: Currency of the stakes.
        stake: Stake, in the smallest coin; 0 of what is drawn, whatever is staked.
        channel: Where it is played; empty where that is not logged. Of what is drawn, the place in the round.
    """

    law: str
    currency: str
    stake: int
    channel: str

    def __str__(self) -> str:
        """Returns the cell in words."""
        staked = f"{units(self.stake, self.currency)} {self.currency}" if self.stake else ""
        return ", ".join(filter(None, (self.law, staked, self.channel)))


def drawn_cell(law: str, place: int) -> CellKey:
    """Returns the cell of what is drawn at a place of a round, from 1."""
    return CellKey(law, "", 0, f"draw {place}")


@dataclass(frozen=True, slots=True)
class RowsAtFault:
    """Rows of one day of a log that are wrong whatever was played.

    Args:
        day: The day, in UTC.
        log: Name of the log.
        fault: What is wrong, as an audit names it.
        rows: How many.
        row: Number of the first, from 1.
    """

    day: str
    log: str
    fault: str
    rows: int
    row: int


@dataclass(frozen=True, slots=True)
class TakenLog:
    """A log that was taken.

    Args:
        name: Its name.
        sha256: Its digest.
        rows: How many rows it has.
        again: What became of its days that were read before.
    """

    name: str
    sha256: str
    rows: int
    again: KnownDays


Marks = NDArray[np.void]
"""What rows are known by again: a part of the MD5 digest of round, wager and player, and of what was staked and won."""

MARK: Final = np.dtype([("mark", "<u8"), ("paid", "<u2")])
"""Ten bytes a row: of two settlements of one round that differ, one in 65,536 is taken for the same."""

DayTotals = dict[CellKey, dict[date, dict[int, int]]]
"""How often each amount came back, by cell and day."""


def totals_of(counted: Iterable[tuple[CellKey, date, int, int]]) -> DayTotals:
    """Returns how often each amount came back on each day, by cell."""
    found: DayTotals = {}
    for cell, day, win, count in counted:
        held = found.setdefault(cell, {}).setdefault(day, {})
        held[win] = held.get(win, 0) + count
    return found


@dataclass(frozen=True, slots=True)
class WatchState:
    """An open state."""

    _database: Database

    def alone(self) -> AbstractContextManager[None]:
        """Lets no other watch take logs into the state, from the question for its days to what is added to them."""
        return transaction(self._database)

    def known(self, sha256: str) -> str:
        """Returns the name under which a log was taken; empty where it was not."""
        row = self._database.execute("SELECT log FROM taken WHERE sha256 = ?", (sha256,)).fetchone()
        return str(row[0]) if row else ""

    def taken_before(self, log: str, new: Collection[date], again: KnownDays) -> tuple[date, ...]:
        """Returns the days of a log that were read before.

        Raises:
            InputError: It is not stated what their rows are, or the rows of a day are no longer known one by one, or
                its days are too far from each other or from those of the watch.
        """
        held = self._days("totals")
        first, last = min(held | {*new}), max(held | {*new})
        if (last - first).days >= MOST_DAYS:
            raise InputError(
                f"{log}: {first} to {last} would be watched, expected at most {MOST_DAYS:,} days; nothing was read"
            )
        twice = tuple(sorted({*new} & held))
        if twice and again is KnownDays.REFUSED:
            raise InputError(
                f"{log}: {twice[0]} was read before: --late if these are further rows, --corrected if they replace "
                f"those of {len(twice)} days; nothing was read"
            )
        if held and min(new) < min(held):
            raise InputError(
                f"{log}: {min(new)} is before {min(held)}, the first day of the watch: nothing was read"
            )
        forgotten = {*twice} - self._days("marks")
        if forgotten and again is KnownDays.LATE:
            raise InputError(
                f"{log}: {min(forgotten)} is more than {KEPT_DAYS} days before the last day, and its rows are no "
                "longer known one by one: expected --corrected with all rows of that day; nothing was read"
            )
        return twice

    def _days(self, table: str) -> set[date]:
        found = self._database.execute(f"SELECT DISTINCT day FROM {table}")
        return {date.fromisoformat(row[0]) for row in found}

    def marks(self, days: Iterable[date]) -> Marks:
        """Returns the marks of all rows that were taken of some days."""
        found = [
            np.frombuffer(row[0], dtype=MARK)
            for day in days
            for row in self._database.execute("SELECT marks FROM marks WHERE day = ?", (day.isoformat(),))
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=MARK)

    def add(
        self,
        log: str,
        sha256: str,
        rows: int,
        totals: DayTotals,
        marks: Mapping[date, Marks],
        again: KnownDays,
        faults: Iterable[RowsAtFault] = (),
    ) -> None:
        """Takes the totals of a log, whole or not at all.

        Args:
            log: Its name.
            sha256: Its digest.
            rows: How many rows it has.
            totals: How often each amount came back.
            marks: The mark of each row, by day.
            again: What becomes of a day that was taken before.
            faults: Its rows that are wrong whatever was played.

        Raises:
            InputError: Another watch took the same bytes meanwhile.
        """
        with self.alone():
            if again is KnownDays.CORRECTED:
                days = [(day.isoformat(),) for day in marks]
                for table in ("totals", "marks", "faults"):
                    self._database.executemany(f"DELETE FROM {table} WHERE day = ?", days)
                # Of the same bytes, taken before, nothing is left.
                self._database.execute("DELETE FROM taken WHERE sha256 = ?", (sha256,))
            if self.known(sha256):
                raise InputError(
                    f"{log}: another watch read the same bytes meanwhile; nothing was read again"
                )
            ((source,),) = self._database.execute("SELECT coalesce(max(source), 0) + 1 FROM taken")
            self._database.execute(
                "INSERT INTO taken VALUES (?, ?, ?, ?, ?)", (source, log, sha256, rows, str(again))
            )
            self._database.executemany(
                "INSERT INTO totals VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        cell.law,
                        cell.currency,
                        cell.stake,
                        cell.channel,
                        day.isoformat(),
                        source,
                        json.dumps(counts),
                    )
                    for cell, days in totals.items()
                    for day, counts in days.items()
                ),
            )
            self._database.executemany(
                "INSERT INTO marks VALUES (?, ?, ?)",
                ((day.isoformat(), source, held.astype(MARK).tobytes()) for day, held in marks.items()),
            )
            self._database.executemany(
                "INSERT INTO faults VALUES (?, ?, ?, ?, ?)",
                ((one.day, source, one.fault, one.rows, one.row) for one in faults),
            )
            last = max(self._days("totals"), default=date.min)
            oldest = date.fromordinal(max(1, last.toordinal() - KEPT_DAYS))
            self._database.execute("DELETE FROM marks WHERE day < ?", (oldest.isoformat(),))

    def totals(self) -> DayTotals:
        """Returns all totals, those of late rows added."""
        return totals_of(self._counted())

    def _counted(self) -> Iterator[tuple[CellKey, date, int, int]]:
        for *cell, day, counts in self._database.execute(
            "SELECT law, currency, stake, channel, day, counts FROM totals ORDER BY 1, 2, 3, 4, 5, source"
        ):
            with Refusing(
                (ValueError, AttributeError, TypeError),
                InputError,
                f"the totals of {day} in the state are broken",
                words=None,
            ):
                wins = {int(win): int(count) for win, count in json_of(counts).items()}
            yield from ((CellKey(*cell), date.fromisoformat(day), *one) for one in wins.items())

    def faults(self) -> tuple[RowsAtFault, ...]:
        """Returns the rows that are wrong whatever was played, of all logs that were taken."""
        found = self._database.execute(
            "SELECT day, log, fault, f.rows, row FROM faults f JOIN taken USING (source) ORDER BY day, source, fault"
        )
        return tuple(RowsAtFault(*one) for one in found)

    def logs(self) -> tuple[TakenLog, ...]:
        """Returns the logs that were taken, the first one first."""
        found = self._database.execute("SELECT log, sha256, rows, again FROM taken ORDER BY source")
        return tuple(TakenLog(name, sha256, rows, KnownDays(again)) for name, sha256, rows, again in found)


@contextmanager
def opened_state(
    place: Place, game_sha256: str, law: str, alpha: float | None, otherwise: float
) -> Iterator[tuple[WatchState, float]]:
    """Opens a state, or begins one; gives its alpha too.

    Args:
        place: The file, or the database of a server.
        game_sha256: Digest of the submission.
        law: Digest of the laws.
        alpha: What is asked for; that of the state where left out.
        otherwise: That of a new state where none is asked for.

    Raises:
        InputError: It is no state, or one of another game, other laws or another alpha.
    """
    asked = {"form": _FORM, "game": game_sha256, "laws": law, "alpha": repr(alpha)}
    with (
        Refusing(ERRORS, InputError, f"{place}: cannot be used as the state of a watch"),
        closing(connected(place)) as database,
    ):
        if not _begun(database):
            # Of two that begin at once, one waits for the other.
            with transaction(database):
                if not _begun(database):
                    asked["alpha"] = repr(otherwise if alpha is None else alpha)
                    _begin(database)
                    database.executemany("INSERT INTO about VALUES (?, ?)", asked.items())
        held = dict(database.execute("SELECT name, value FROM about"))
        for name, words in _MEANS.items():
            if held.get(name) != asked[name] and not (name == "alpha" and alpha is None):
                raise InputError(f"{place}: {words} is {held.get(name)}, asked for is {asked[name]}")
        yield WatchState(database), float(held["alpha"])


def _begun(database: Database) -> bool:
    """Returns whether a state is there; of a file, anything else is taken for one, and then refused."""
    on_server = "pg_tables WHERE schemaname = current_schema() AND tablename = 'about'"
    tables = "sqlite_master" if isinstance(database, sqlite3.Connection) else on_server
    return [*database.execute(f"SELECT count(*) FROM {tables}")] != [(0,)]


def _begin(database: Database) -> None:
    for statement in filter(None, map(str.strip, _TABLES.split(";"))):
        database.execute(statement)


@contextmanager
def state_in_memory(place: Place | None = None) -> Iterator[WatchState]:
    """Opens a state that is gone afterwards, with what one holds that is named."""
    with (
        Refusing((*ERRORS, OverflowError), InputError, "the totals of a watch cannot be read"),
        closing(sqlite3.connect(":memory:", isolation_level=None)) as memory,
    ):
        _begin(memory)
        if place is not None:
            with closing(connected(place, reading=True)) as database:
                # All of one moment, whatever is taken meanwhile.
                database.execute("BEGIN")
                for table in _COPIED:
                    if rows := [*database.execute(f"SELECT * FROM {table}")]:
                        marks = ", ".join("?" * len(rows[0]))
                        memory.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)
        yield WatchState(memory)


def version_of(place: Place) -> object:
    """Returns what is another one once a state was written to.

    Raises:
        InputError: The server does not answer.
        OSError: The file is gone.
    """
    if isinstance(place, Path):
        found = place.stat()
        return found.st_mtime_ns, found.st_size
    # Of two transactions the one that began later may end first: the latest number does not show the other.
    with (
        Refusing(ERRORS, InputError, "the state of a watch cannot be read"),
        closing(connected(place, reading=True)) as database,
    ):
        return database.execute("SELECT count(*), sum(xmin::text::bigint) FROM taken").fetchone()


_COPIED: Final = ("about", "taken", "totals", "faults")
"""The tables that a copy holds: marks recognise rows, and nothing is taken into a copy."""

_MEANS: Final = {
    "form": "its form",
    "game": "the game that it watches",
    "laws": "the exact distribution that it compares rounds with",
    "alpha": "its alpha",
}

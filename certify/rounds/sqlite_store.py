"""Records in SQLite: strict tables, write-ahead log, synchronous to the disk, append only."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Final

from msgspec.structs import astuple

from certify.rounds.store import (
    GENESIS,
    DamagedLedgerError,
    LedgerError,
    NotALedgerError,
    StoredRecord,
    seat_of,
)

_COLUMNS: Final = (
    "number, seat, round, kind, event, sealed, request, command, previous, round_previous, digest, mark"
)


_TABLE: Final = """CREATE TABLE record (
  number INTEGER PRIMARY KEY,
  seat TEXT NOT NULL,
  round TEXT NOT NULL,
  kind TEXT NOT NULL,
  event TEXT NOT NULL,
  sealed BLOB NOT NULL,
  request TEXT NOT NULL,
  command TEXT NOT NULL,
  previous BLOB NOT NULL CHECK (length(previous) = 32),
  round_previous BLOB NOT NULL CHECK (length(round_previous) = 32),
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  mark BLOB NOT NULL CHECK (length(mark) = 32)
) STRICT"""

_SCHEMA: Final = {
    "record": _TABLE,
    "record_seat": "CREATE INDEX record_seat ON record (seat, round)",
    "request_once": "CREATE UNIQUE INDEX request_once ON record (seat, request) WHERE request <> ''",
    "dealt_once": "CREATE UNIQUE INDEX dealt_once ON record (round) WHERE kind = 'cards-dealt'",
    "stake_added_once": (
        "CREATE UNIQUE INDEX stake_added_once ON record (round, substr(event, instr(event, '\"number\":'), 12)) "
        "WHERE kind = 'stake-added'"
    ),
    "settled_once": "CREATE UNIQUE INDEX settled_once ON record (round) WHERE kind = 'round-settled'",
    "voided_once": (
        "CREATE UNIQUE INDEX voided_once ON record (round) "
        "WHERE kind IN ('malfunction-declared', 'bets-expired')"
    ),
    "record_is_never_changed": (
        "CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no record is changed'); END"
    ),
    "record_is_never_deleted": (
        "CREATE TRIGGER record_is_never_deleted BEFORE DELETE ON record "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no record is deleted'); END"
    ),
}
"""Table, indices and triggers of a ledger by name, as the file itself keeps them."""

_FORM: Final = 2
"""Number of this form of a ledger, kept in the file (``user_version``); what is digested and written is part of it."""

_UNRESOLVED: Final = """
SELECT DISTINCT dealt.seat FROM record AS dealt
WHERE dealt.kind = 'cards-dealt' AND NOT EXISTS (
  SELECT 1 FROM record AS done WHERE done.seat = dealt.seat AND done.round = dealt.round
  AND done.kind IN ('round-settled', 'malfunction-declared', 'bets-expired'))
ORDER BY dealt.seat
"""

_NO_TEXT: Final = "Could not decode to UTF-8"
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_PATIENCE: Final = 60.0
"""Seconds that a connection waits for another process to let go of the file."""

_OPENINGS: Final = 600
"""How often the write-ahead log is tried at most: SQLite does not wait where two processes ask at once."""

_LONGEST: Final = 1 << 20
"""Bytes of the longest value that is read; the longest event has some thousands."""

Mark = Callable[[str], None]
"""Receives each step of a write, so that a test can end the process there."""


def _unmarked(step: str) -> None:
    """Does nothing: nobody watches the steps."""


class SqliteStore:
    """A ledger file of SQLite.

    Args:
        path: The file; made where it does not exist.
        mark: Receives each step of a write.

    Raises:
        DamagedLedgerError: The file is no ledger, or is damaged.
        LedgerError: The disk refuses.
    """

    __slots__ = ("_connection", "_copy", "_failed", "_files", "_mark", "path")

    def __init__(self, path: Path, mark: Mark = _unmarked) -> None:
        self.path = path
        self._mark = mark
        self._failed = ""
        self._copy: TemporaryDirectory[str] | None = None
        ledger, log = (part.stat().st_size if part.exists() else 0 for part in (path, Path(f"{path}-wal")))
        if ledger == 0 < log:
            # SQLite would make an empty ledger and remove the log, with all that was acknowledged in it.
            raise LedgerError(f"cannot open ledger {path}: its log is there without it, expected both")
        with self._clearly("open"):
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)
        try:
            self._begin()
            self._files = self._named_now()
            if len(self._files) < 3:
                raise LedgerError(f"cannot open ledger {path}: it has a second name, expected one alone")
        except BaseException:
            self.close()
            raise

    @classmethod
    def reading(cls, path: Path) -> "SqliteStore":
        """Opens a ledger to read it: nothing is written to it or next to it, and its medium may be read-only.

        Raises:
            DamagedLedgerError: The file is no ledger, or is damaged.
            LedgerError: It cannot be read.
        """
        store = cls.__new__(cls)
        store.path, store._mark, store._failed, store._copy = path, _unmarked, "", None
        with store._clearly("open"):
            store._connection, store._copy = _connected_to_read(path)
        try:
            store._bound()
            store._verify_pages()
            store._verify_form()
        except BaseException:
            store.close()
            raise
        return store

    def _begin(self) -> None:
        """Makes the connection durable and the file a ledger, where it is a fresh one."""
        self._bound()
        if self._objects():
            self._verify_pages()
            self._verify_form()
        with self._clearly("open"):
            self._log_ahead()
            self._connection.execute("PRAGMA synchronous=FULL")
            # REPLACE deletes without firing triggers unless recursive triggers are on.
            self._connection.execute("PRAGMA recursive_triggers=ON")
            self._connection.execute("BEGIN IMMEDIATE")
            # Another process may have made them meanwhile, and somebody may have dropped a trigger.
            there = self._objects()
            for name, statement in _SCHEMA.items():
                if name not in there:
                    self._connection.execute(statement)
            if not there:
                self._connection.execute(f"PRAGMA user_version={_FORM}")
            self._connection.execute("COMMIT")

    def _named_now(self) -> list[tuple[int, int]]:
        """Returns the files that the path names now, the ledger, its log and index, as far as each has one name.

        Under a second name SQLite would write another log, and what one of them acknowledged would be lost.
        """
        path = self.path.resolve()
        with suppress(OSError):
            found = [os.stat(name) for name in (path, f"{path}-wal", f"{path}-shm")]
            return [(one.st_dev, one.st_ino) for one in found if one.st_nlink == 1]
        return []

    def _log_ahead(self) -> None:
        """Has the file written ahead, once no other process holds it: two that make it would wait for each other."""
        for left in reversed(range(_OPENINGS)):
            try:
                self._connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or not left:
                    raise
                sleep(_PATIENCE / _OPENINGS)
            else:
                return

    def _objects(self) -> dict[str, str]:
        """Returns the statements by which the tables, indices and triggers of the file were made."""
        with self._clearly("open"):
            found = self._connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
            return {str(name): str(sql) for name, sql in found}

    def _bound(self) -> None:
        """Bounds what a file from elsewhere can make the reader do."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        with self._clearly("open"):
            for pragma in ("cell_size_check=ON", "trusted_schema=OFF"):
                self._connection.execute(f"PRAGMA {pragma}")

    def append(self, records: Sequence[StoredRecord]) -> None:
        """Stores records all or none; returns only when they are on the disk.

        Raises:
            LedgerError: They could not be stored; none of them was.
        """
        # Nor is anything acknowledged again that was read: it may be lost.
        if self._failed:
            raise LedgerError(
                f"cannot append to ledger {self.path}: {self._failed}; what the disk kept is known only once the "
                "ledger is opened again"
            )
        if not records:
            return
        self._mark("before-begin")
        with self._clearly("append to"), self._halting():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._insert(records)
                # Before the commit too: under another index it would overwrite what others acknowledged.
                self._verify_in_place()
                self._mark("before-commit")
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self._verify_in_place()
        self._mark("after-commit")

    def _verify_in_place(self) -> None:
        """Refuses to acknowledge what went into a file that nobody finds under the name of the ledger."""
        if self._named_now() != self._files:
            self._failed = "its file, or the log next to it, was taken away, exchanged or given a second name"
            raise LedgerError(f"cannot append to ledger {self.path}: {self._failed}")

    def _insert(self, records: Sequence[StoredRecord]) -> None:
        statement = f"INSERT INTO record ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (constant)
        self._connection.executemany(statement, self._rows(records))

    def _rows(self, records: Sequence[StoredRecord]) -> Iterator[tuple[object, ...]]:
        """Yields the values of records; the one before is stored when the next is requested."""
        for record in records:
            yield astuple(record)
            self._mark("after-insert")

    def records(self, *, seat: str | None = None, round_id: str | None = None) -> Iterator[StoredRecord]:
        """Yields the records of the ledger, of a seat or of a round, in order.

        Raises:
            DamagedLedgerError: The file is damaged.
        """
        where = ""
        values: tuple[str, ...] = ()
        if seat is not None:
            # The numbers alone are sorted: a seat may have more records than memory holds.
            where, values = "WHERE number IN (SELECT number FROM record WHERE seat = ?)", (seat,)
        elif round_id is not None:
            where, values = "WHERE seat = ? AND round = ?", (seat_of(round_id), round_id)
        with self._clearly("read"):
            for row in self._connection.execute(
                f"SELECT {_COLUMNS} FROM record {where} ORDER BY number",  # noqa: S608 (constants)
                values,
            ):
                yield StoredRecord(*row)

    def head(self) -> tuple[int, bytes, bytes]:
        """Returns number, digest and mark of the latest record."""
        with self._clearly("read"):
            row = self._connection.execute(
                "SELECT number, digest, mark FROM record ORDER BY number DESC LIMIT 1"
            ).fetchone()
        return row or (0, GENESIS, b"")

    def unresolved(self) -> tuple[str, ...]:
        """Returns the seats with accepted bets that are neither settled nor void."""
        with self._clearly("read"):
            return tuple(row[0] for row in self._connection.execute(_UNRESOLVED))

    def command_under(self, seat: str, key: str) -> str | None:
        """Returns the command that was done at a seat under a key; none where none was."""
        with self._clearly("read"):
            row = self._connection.execute(
                "SELECT command FROM record WHERE seat = ? AND request = ? AND request <> ''", (seat, key)
            ).fetchone()
        return str(row[0]) if row else None

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _verify_form(self) -> None:
        """Refuses a database that is not made as this software makes ledgers."""
        there = self._objects()
        with self._clearly("open"):
            form = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if "record" in there and form != _FORM:
            raise NotALedgerError(
                f"{self.path} is no ledger of this form: expected form {_FORM}, found {form}; it was written by "
                "another version of this software, which verifies it"
            )
        foreign = sorted(name for name, sql in there.items() if _SCHEMA.get(name) != sql)
        if foreign or "record" not in there:
            named = f", found {', '.join(foreign)[:200]}" if foreign else ""
            raise NotALedgerError(
                f"{self.path} is no ledger of this form: expected a table of records with keyed marks{named}"
            )

    def _verify_pages(self) -> None:
        """Refuses a file whose pages are damaged; it is not repaired, its backup is to be used."""
        with self._clearly("check"):
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check(3)")]
        if found != ["ok"]:
            raise DamagedLedgerError(f"ledger {self.path} is damaged: {'; '.join(found)}")

    @contextmanager
    def _halting(self) -> Iterator[None]:
        """Takes no further records after the disk failed: a later write must not build on one that may be lost."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
                self._failed = f"the disk failed ({error})"
            raise

    @contextmanager
    def _clearly(self, action: str) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise LedgerError(
                f"cannot {action} ledger {self.path}: {error} (another writer, or done once already)"
            ) from error
        except sqlite3.Error as error:
            # The low byte of an extended code is its kind; errors of the binding itself have none.
            kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
            # The binding itself reports what is no text, which has no code for it.
            if str(error).startswith(_NO_TEXT):
                # Its message would print what is no text as it is.
                raise DamagedLedgerError(
                    f"ledger {self.path} is damaged: a text in it is no UTF-8"
                ) from error
            family = DamagedLedgerError if kind in _DAMAGE else LedgerError
            raise family(f"cannot {action} ledger {self.path}: {error}") from error


def _connected_to_read(path: Path) -> tuple[sqlite3.Connection, TemporaryDirectory[str] | None]:
    """Returns a connection that only reads, and the folder of the copy that it reads, where one was needed."""
    log = path.with_name(f"{path.name}-wal")
    if not (log.is_file() and log.stat().st_size):
        # Without a log the file is all there is. SQLite would put a log and its index next to it even to read.
        return _connection(path, "immutable=1"), None
    # The log needs an index: SQLite would make one next to it even to read, or the medium does not take it.
    if path.with_name(f"{path.name}-shm").is_file():
        connection = _connection(path, "mode=ro")
        try:
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            connection.close()
        else:
            return connection, None
    folder = TemporaryDirectory(prefix="certify-ledger-")
    for part in (path, log):
        shutil.copyfile(part, Path(folder.name, part.name))
    return sqlite3.connect(Path(folder.name, path.name), isolation_level=None), folder


def _connection(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True, isolation_level=None)

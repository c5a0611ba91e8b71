"""Records in SQLite: strict tables, write-ahead log, synchronous to the disk, append only."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep
from typing import Final

from certify.databases import PATIENCE
from certify.rounds.sql_store import APPENDING, FORM, SqlStore
from certify.rounds.store import DamagedLedgerError, LedgerError

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
    "form": f"PRAGMA user_version={FORM}",
}
"""Table, indices, triggers and form of a ledger by name, as the file itself keeps them."""

_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG)

_OPENINGS: Final = 600
"""How often the write-ahead log is tried at most: SQLite does not wait where two processes ask at once."""

_LONGEST: Final = 1 << 20
"""Bytes of the longest value that is read; the longest event has some thousands."""


class SqliteStore(SqlStore):
    """A ledger file of SQLite.

    Args:
        path: The file; made where it does not exist.
        reading: Whether nothing is written to it or next to it; its medium may be read-only.

    Raises:
        DamagedLedgerError: The file is no ledger, or is damaged.
        LedgerError: The disk refuses, or it cannot be read.
    """

    __slots__ = ("_copy", "_files")
    _SCHEMA = _SCHEMA
    _connection: sqlite3.Connection
    path: Path

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        super().__init__(path)
        self._copy: TemporaryDirectory[str] | None = None
        ledger, log = (part.stat().st_size if part.exists() else 0 for part in (path, Path(f"{path}-wal")))
        if ledger == 0 < log and not reading:
            # SQLite would make an empty ledger and remove the log, with all that was acknowledged in it.
            raise LedgerError(f"cannot open ledger {path}: its log is there without it, expected both")
        with self._clearly("open"):
            if reading:
                self._connection, self._copy = _connected_to_read(path)
            else:
                self._connection = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
        try:
            self._bound()
            if reading or self._objects():
                self._verify_pages()
                self._verify_form()
            if not reading:
                self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Makes the connection durable and the file a ledger, where it is a fresh one."""
        with self._clearly("open"):
            self._log_ahead()
            self._connection.execute("PRAGMA synchronous=FULL")
            # REPLACE deletes without firing triggers unless recursive triggers are on.
            self._connection.execute("PRAGMA recursive_triggers=ON")
            self._make()
        self._files = self._named_now()
        if len(self._files) < 3:
            raise LedgerError(f"cannot open ledger {self.path}: it has a second name, expected one alone")

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
                sleep(PATIENCE / _OPENINGS)
            else:
                return

    def _objects(self) -> dict[str, str]:
        """Returns the statements that made tables, indices, triggers and form of the file."""
        with self._clearly("open"):
            # A file in which nothing is has no form yet.
            found = self._connection.execute(
                "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL UNION ALL "
                "SELECT 'form', 'PRAGMA user_version=' || user_version FROM pragma_user_version "
                "WHERE EXISTS (SELECT 1 FROM sqlite_master)"
            )
            return {str(name): str(sql) for name, sql in found}

    def _bound(self) -> None:
        """Bounds what a file from elsewhere can make the reader do."""
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        with self._clearly("open"):
            for pragma in ("cell_size_check=ON", "trusted_schema=OFF"):
                self._connection.execute(f"PRAGMA {pragma}")

    def _verify_in_place(self) -> None:
        """Refuses to acknowledge what went into a file that nobody finds under the name of the ledger."""
        if self._named_now() != self._files:
            self._failed = "its file, or the log next to it, was removed, exchanged or given a second name"
            raise LedgerError(f"cannot {APPENDING} ledger {self.path}: {self._failed}")

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _verify_pages(self) -> None:
        """Refuses a file whose pages are damaged; it is not repaired, its backup is to be used."""
        with self._clearly("check"):
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check(3)")]
        if found != ["ok"]:
            raise DamagedLedgerError(f"ledger {self.path} is damaged: {'; '.join(found)}")

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
            if kind == sqlite3.SQLITE_IOERR and action == APPENDING:
                # A later write must not build on one that may be lost.
                self._failed = f"the disk failed ({error})"
            # The binding itself reports what is no text, which has no code for it.
            if str(error).startswith("Could not decode to UTF-8"):
                # Its message would print what is no text as it is.
                raise DamagedLedgerError(
                    f"ledger {self.path} is damaged: a string in it is not UTF-8"
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

"""Records in SQLite: strict tables, write-ahead log, synchronous to the disk, append only."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from certify.rounds.store import GENESIS, DamagedLedgerError, LedgerError, Record

_COLUMNS: Final = (
    "number, seat, round, kind, event, sealed, request, command, previous, round_previous, digest"
)

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS record (
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
  digest BLOB NOT NULL CHECK (length(digest) = 32)
) STRICT;
CREATE INDEX IF NOT EXISTS record_seat ON record (seat);
CREATE INDEX IF NOT EXISTS record_round ON record (round) WHERE round <> '';
CREATE UNIQUE INDEX IF NOT EXISTS request_once ON record (seat, request) WHERE request <> '';
CREATE UNIQUE INDEX IF NOT EXISTS dealt_once ON record (round) WHERE kind = 'cards-dealt';
CREATE UNIQUE INDEX IF NOT EXISTS stake_added_once
    ON record (round, substr(event, instr(event, '"number":'), 12)) WHERE kind = 'stake-added';
CREATE UNIQUE INDEX IF NOT EXISTS settled_once ON record (round) WHERE kind = 'round-settled';
CREATE UNIQUE INDEX IF NOT EXISTS voided_once ON record (round)
  WHERE kind IN ('malfunction-declared', 'bets-expired');
CREATE TRIGGER IF NOT EXISTS record_is_never_changed BEFORE UPDATE ON record
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no record is changed'); END;
CREATE TRIGGER IF NOT EXISTS record_is_never_deleted BEFORE DELETE ON record
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: no record is deleted'); END;
CREATE TRIGGER IF NOT EXISTS record_is_the_next BEFORE INSERT ON record
  WHEN NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM record)
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only: the record is not the next one'); END;
"""

_UNRESOLVED: Final = """
SELECT DISTINCT dealt.seat FROM record AS dealt
WHERE dealt.kind = 'cards-dealt' AND NOT EXISTS (
  SELECT 1 FROM record AS done WHERE done.round = dealt.round
  AND done.kind IN ('round-settled', 'malfunction-declared', 'bets-expired'))
ORDER BY dealt.seat
"""

Mark = Callable[[str], None]
"""Told of each step of a write, so that a test can end the process there."""


def _unmarked(step: str) -> None:
    """Does nothing: nobody watches the steps."""


class SqliteStore:
    """A ledger file of SQLite.

    Args:
        path: The file; made where it does not exist.
        mark: Told of each step of a write.

    Raises:
        DamagedLedgerError: The file is no ledger, or is damaged.
        LedgerError: The disk refuses.
    """

    __slots__ = ("_connection", "_mark", "path")

    def __init__(self, path: Path, mark: Mark = _unmarked) -> None:
        self.path = path
        self._mark = mark
        with self._clearly("open"):
            self._connection = sqlite3.connect(path, isolation_level=None)
            for pragma in (
                "journal_mode=WAL",
                "synchronous=FULL",
                "cell_size_check=ON",
                "trusted_schema=OFF",
            ):
                self._connection.execute(f"PRAGMA {pragma}")
            # REPLACE deletes without firing triggers unless recursive triggers are on.
            self._connection.execute("PRAGMA recursive_triggers=ON")
            self._connection.executescript(_SCHEMA)
        self._verify_pages()

    def append(self, records: Sequence[Record]) -> None:
        """Stores records all or none; returns only when they are on the disk.

        Raises:
            LedgerError: They could not be stored; none of them was.
        """
        if not records:
            return
        self._mark("before-begin")
        with self._clearly("append to"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._insert(records)
                self._mark("before-commit")
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self._mark("after-commit")

    def _insert(self, records: Sequence[Record]) -> None:
        statement = f"INSERT INTO record ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (constant)
        for record in records:
            self._connection.execute(
                statement,
                (
                    record.number,
                    record.seat,
                    record.round,
                    record.kind,
                    record.event,
                    record.sealed,
                    record.request,
                    record.command,
                    record.previous,
                    record.round_previous,
                    record.digest,
                ),
            )
            self._mark("after-insert")

    def records(self, *, seat: str | None = None, round_id: str | None = None) -> Iterator[Record]:
        """Yields the records of the ledger, of a seat or of a round, in order.

        Raises:
            DamagedLedgerError: The file is damaged.
        """
        where = ""
        values: tuple[str, ...] = ()
        if seat is not None:
            where, values = "WHERE seat = ?", (seat,)
        elif round_id is not None:
            where, values = "WHERE round = ?", (round_id,)
        with self._clearly("read"):
            for row in self._connection.execute(
                f"SELECT {_COLUMNS} FROM record {where} ORDER BY number",  # noqa: S608 (constants)
                values,
            ):
                yield Record(*row)

    def head(self) -> tuple[int, bytes]:
        """Returns number and digest of the latest record."""
        with self._clearly("read"):
            row = self._connection.execute(
                "SELECT number, digest FROM record ORDER BY number DESC LIMIT 1"
            ).fetchone()
        return (row[0], row[1]) if row else (0, GENESIS)

    def unresolved(self) -> tuple[str, ...]:
        """Returns the seats with accepted bets that are neither settled nor void."""
        with self._clearly("read"):
            return tuple(row[0] for row in self._connection.execute(_UNRESOLVED))

    def close(self) -> None:
        """Closes the file."""
        self._connection.close()

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
            damaged = kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
            family = DamagedLedgerError if damaged else LedgerError
            raise family(f"cannot {action} ledger {self.path}: {error}") from error

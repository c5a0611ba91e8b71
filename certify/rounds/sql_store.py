"""Records in a database: what a file of SQLite and a PostgreSQL server have in common."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Final

from msgspec.structs import astuple

from certify.databases import Database, Place, transaction
from certify.rounds.store import GENESIS, LedgerError, NotALedgerError, StoredRecord, seat_of

_COLUMNS: Final = (
    "number, seat, round, kind, event, sealed, request, command, previous, round_previous, digest, mark"
)
_INSERT: Final = f"INSERT INTO record ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (constant)

FORM: Final = 2
"""Number of this form of a ledger, which it keeps; what is digested and written is part of it."""

_UNRESOLVED: Final = """
SELECT DISTINCT dealt.seat FROM record AS dealt
WHERE dealt.kind = 'cards-dealt' AND NOT EXISTS (
  SELECT 1 FROM record AS done WHERE done.seat = dealt.seat AND done.round = dealt.round
  AND done.kind IN ('round-settled', 'malfunction-declared', 'bets-expired'))
ORDER BY dealt.seat
"""

APPENDING: Final = "append to"
"""What is being done while records are stored."""


class SqlStore(ABC):
    """A ledger in a database.

    Args:
        path: Where it is.
    """

    __slots__ = ("_connection", "_failed", "_seen", "path")
    _SCHEMA: ClassVar[Mapping[str, str]]
    _connection: Database

    def __init__(self, path: Place) -> None:
        self.path = path
        self._failed = ""
        self._seen = (0, GENESIS)

    def append(self, records: Sequence[StoredRecord]) -> None:
        """Stores records all or none; returns only when they are on the disk.

        Raises:
            LedgerError: They could not be stored; none of them was, or what is read next says that they were.
        """
        # Nor is anything acknowledged again that was read: it may be lost.
        if self._failed:
            raise LedgerError(
                f"cannot {APPENDING} ledger {self.path}: {self._failed}; what the disk kept is known only once the "
                "ledger is opened again"
            )
        if not records:
            return
        with self._clearly(APPENDING), transaction(self._connection):
            self._connection.executemany(_INSERT, map(astuple, records))
            # Before the commit too: under another index it would overwrite what others acknowledged.
            self._verify_in_place()
        self._verify_in_place()
        self._seen = records[-1].number, records[-1].digest

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
            query = f"SELECT {_COLUMNS} FROM record {where} ORDER BY number"  # noqa: S608 (constants)
            for row in self._found(query, values):
                yield StoredRecord(*row)

    def _found(self, query: str, values: Sequence[str]) -> Iterable[Any]:
        """Returns rows, of which no more than some are in memory at a time."""
        return self._connection.execute(query, values)

    def head(self) -> tuple[int, bytes, bytes]:
        """Returns number, digest and mark of the latest record."""
        with self._clearly("read"):
            row = self._connection.execute(
                "SELECT number, digest, mark FROM record ORDER BY number DESC LIMIT 1"
            ).fetchone()
        number, digest, mark = row or (0, GENESIS, b"")
        self._seen = number, digest
        return number, digest, mark

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
        """Ends the connection."""
        self._connection.close()

    def _make(self) -> None:
        """Makes what is not there of table, indices and triggers: others may have made it, or dropped a trigger."""
        with transaction(self._connection):
            there = self._objects()
            for name, statement in self._SCHEMA.items():
                if name not in there:
                    self._connection.execute(statement)

    def _verify_form(self) -> None:
        """Refuses a database that is not made as this software makes ledgers."""
        there = self._objects()
        form = there.get("form", "0")
        if "record" in there and form != self._SCHEMA["form"]:
            raise NotALedgerError(
                f"{self.path} is no ledger of this form: expected form {FORM}, found {re.sub('[^0-9]', '', form)}; it "
                "was written by another version of this software, which verifies it"
            )
        foreign = sorted(name for name, sql in there.items() if self._SCHEMA.get(name) != sql)
        if foreign or "record" not in there:
            named = f", found {', '.join(foreign)[:200]}" if foreign else ""
            raise NotALedgerError(
                f"{self.path} is no ledger of this form: expected a table of records with keyed marks{named}"
            )

    @abstractmethod
    def _objects(self) -> dict[str, str]:
        """Returns the statements that made table, indices, triggers and form, as the database keeps them."""

    @abstractmethod
    def _clearly(self, action: str) -> AbstractContextManager[None]:
        """Raises what the database raises as an error of the ledger."""

    @abstractmethod
    def _verify_in_place(self) -> None:
        """Refuses to acknowledge what went where nobody finds it."""

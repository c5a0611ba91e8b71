"""A connection to a PostgreSQL server on which the statements of SQLite run, each durable once it is acknowledged."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import Any, Final

import psycopg
from psycopg import errors
from psycopg.abc import PQGen
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus
from psycopg.types.string import StrDumper, TextLoader

from certify.databases import PATIENCE, DatabaseError, ServerUrl
from certify.errors import InputError, Refusing, T

_WAITS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": int(PATIENCE * 1_000),
}
"""How long a server that is gone is waited for, where the address does not state it."""


_BEGINS: Final = {
    "BEGIN": "BEGIN ISOLATION LEVEL REPEATABLE READ",
    # One writer of a schema at a time, as of a file; readers go on.
    "BEGIN IMMEDIATE": "BEGIN; SELECT pg_advisory_xact_lock(1667592820, hashtext(current_schema()))",
}
"""What begins a transaction as SQLite's does."""

_SETTINGS: Final = (
    "SELECT current_setting('fsync'), current_setting('server_encoding'), coalesce(current_schema(), ''), "
    "set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'remote_apply' "
    "THEN 'remote_apply' ELSE 'on' END, false), set_config('lock_timeout', ?, false), "
    "set_config('DateStyle', 'ISO', false), set_config('TimeZone', 'UTC', false), "
    "set_config('default_transaction_read_only', ?, false), set_config('client_min_messages', 'error', false)"
)

_TYPES: Final = {"INTEGER": "bigint", "BLOB": "bytea", "TEXT": 'text COLLATE "C"'}
"""What SQLite's types of columns are here; texts come in the order of their bytes, as there."""

_ESCAPE: Final = "\ue000"
_ESCAPES: Final = {0: f"{_ESCAPE}z", ord(_ESCAPE): f"{_ESCAPE}e"}
"""How a text that holds the character 0, which no text of PostgreSQL can, is kept."""


class _TextWritten(StrDumper):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.translate(_ESCAPES))


class _TextRead(TextLoader):
    def load(self, data: Any) -> Any:
        text = str(super().load(data))
        return re.sub(f"{_ESCAPE}(.)", lambda found: "\0" if found[1] == "z" else _ESCAPE, text)


class _Connection(psycopg.Connection[Any]):
    """A connection on which no answer is waited for without end."""

    patience: float

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except errors._WaitTimeout as error:
            # What the server does with the statement is unknown: nothing more is sent.
            self.close()
            raise psycopg.OperationalError(f"it has not answered for {self.patience:.0f} seconds") from error


def _first_line(error: Exception) -> str:
    """Returns the first line of what the library says: what follows is the statement, or a hint."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _refused(error: Exception) -> str:
    """Returns why a server did not do what it was to do."""
    twice = " (another writer, or done once already)" * isinstance(error, psycopg.IntegrityError)
    return f"{_first_line(error)}{twice}"


_PLAINLY: Final = Refusing(psycopg.Error, DatabaseError, words=_refused)
"""Raises what the library raises."""


class ServerConnection:
    """A connection to a server.

    Args:
        place: The database.
        reading: Whether nothing is to be written.

    Raises:
        DatabaseError: The server is not reached, or does not keep what it acknowledges.
        InputError: The address is not understood.
    """

    __slots__ = ("_connection", "_numbers")

    def __init__(self, place: ServerUrl, *, reading: bool = False) -> None:
        # The library would print the whole address.
        with Refusing(
            psycopg.Error, InputError, f"{place}: not an address that PostgreSQL reads", words=None
        ):
            named = conninfo_to_dict(place.url)
        with _PLAINLY:
            self._connection = _Connection.connect(
                autocommit=True, **(_WAITS | named | {"client_encoding": "utf8"})
            )
        self._connection.patience = (10 if reading else 2) * PATIENCE
        self._numbers = count()
        self._connection.adapters.register_dumper(str, _TextWritten)
        self._connection.adapters.register_loader("text", _TextRead)
        try:
            ((fsync, encoding, schema, *_),) = self.execute(
                _SETTINGS, (f"{PATIENCE:.0f}s", "on" if reading else "off")
            )
            for name, found, expected in (("fsync", fsync, "on"), ("server_encoding", encoding, "UTF8")):
                if found != expected:
                    raise DatabaseError(f"its {name} is {found}, expected {expected}")
            if not schema:
                raise DatabaseError("no schema of its search_path is there")
        except BaseException:
            self.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether the connection is ended or lost."""
        return self._connection.closed

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.info.transaction_status in (
            TransactionStatus.INTRANS,
            TransactionStatus.INERROR,
        )

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> psycopg.Cursor[Any]:
        """Runs a statement, a question mark for each value."""
        with _PLAINLY:
            return self._connection.execute(_own(statement), values or None)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> None:
        """Runs a statement for each row of values."""
        with _PLAINLY, self._connection.cursor() as cursor:
            cursor.executemany(_own(statement), rows)

    def stream(self, statement: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yields the rows of an answer as they are requested; the server keeps the others."""
        with _PLAINLY, self._connection.cursor(f"found_{next(self._numbers)}", withhold=True) as cursor:
            cursor.itersize = 1_000
            cursor.execute(_own(statement), values or None)
            yield from cursor

    def answer(self, query: str) -> Iterator[bytes]:
        """Yields the answer to a query as CSV under its headings, as the server writes it.

        Raises:
            InputError: The server does not understand the query, or it would change something.
        """
        refused = (
            psycopg.ProgrammingError,
            psycopg.DataError,
            psycopg.InternalError,
            psycopg.NotSupportedError,
        )
        with (
            _PLAINLY,
            Refusing(refused, InputError, words=_first_line),
            self._connection.cursor() as cursor,
        ):
            # One statement alone can be prepared: nothing follows the query that is copied.
            cursor.execute(f"EXPLAIN {query}".encode(), prepare=True)
            with cursor.copy(f"COPY ({query}\n) TO STDOUT (FORMAT csv, HEADER)".encode()) as copied:
                yield from map(bytes, copied)

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()


def _own(statement: str) -> bytes:
    """Returns a statement of SQLite as PostgreSQL understands it."""
    statement = _BEGINS.get(statement, statement)
    if statement.startswith("CREATE TABLE"):
        statement = re.sub("|".join(_TYPES), lambda found: _TYPES[found[0]], statement)
    return statement.replace("?", "%s").encode()

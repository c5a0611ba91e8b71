"""Where a database is, a file of SQLite or one of a PostgreSQL server, and what both have in common."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from certify.errors import CertifyError, InputError, MissingPartError, Refusing

if TYPE_CHECKING:
    from certify.postgresql import ServerConnection

PATIENCE: Final = 60.0
"""Seconds that one writer waits for another before it is refused."""

_URL: Final = re.compile(r"postgres(?:ql)?://(?:[^@/?#]*@)?([^@/?#]*(?:/[^@/?#]*)?)(?:\?[^#]*)?")


class DatabaseError(CertifyError):
    """A server refuses a statement or is not reached: what it or its library says, in one line."""


ERRORS: Final = (sqlite3.Error, DatabaseError)
"""What a database of either kind raises."""


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """A database of a PostgreSQL server.

    Args:
        url: Its whole address, with what is needed to enter; it is never shown.
        shown: Its server and name alone.
    """

    url: str = field(repr=False)
    shown: str

    def __str__(self) -> str:
        """Returns server and name, without user and password."""
        return self.shown


Place = Path | ServerUrl
"""Where a database is."""


def place_of(text: str) -> Place:
    """Returns where a database is that a caller names: a path, or an address of a server.

    Raises:
        InputError: The address has another form; it is not shown, for it may hold a password.

    >>> print(place_of("postgresql://user:secret@db.example:5432/rounds?connect_timeout=5"))
    postgresql://db.example:5432/rounds
    """
    # A slash left out makes no path of an address: paths are shown.
    if not re.search("(?i)://|^postgres(ql)?:", text):
        return Path(text)
    found = _URL.fullmatch(text)
    if found is None:
        raise InputError(
            "expected postgresql://USER:PASSWORD@HOST:PORT/NAME, with @/?# of a part as %40 %2F %3F %23"
        )
    return ServerUrl(text, f"postgresql://{found[1]}")


Database: TypeAlias = "sqlite3.Connection | ServerConnection"
"""A connection on which every statement is durable by itself, but for those of a transaction."""


@contextmanager
def transaction(database: Database) -> Iterator[None]:
    """Does what is inside whole or not at all, while no other writer writes; within another one, as a part of it."""
    within = database.in_transaction
    if within:
        yield
        return
    try:
        database.execute("BEGIN IMMEDIATE")
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise


def connected(place: Place, *, reading: bool = False) -> Database:
    """Returns a connection to a database.

    Args:
        place: Where it is.
        reading: Whether nothing is to be written.

    Raises:
        DatabaseError: The server is not reached, or does not keep what it acknowledges.
        InputError: The address is not understood.
        MissingPartError: What speaks to a server is not installed.
    """
    if isinstance(place, Path):
        named = f"{place.absolute().as_uri()}?mode={'ro' if reading else 'rwc'}"
        return sqlite3.connect(named, uri=True, isolation_level=None, timeout=PATIENCE)
    with Refusing(
        ImportError,
        MissingPartError,
        "a database of a server needs psycopg: pip install 'certify-VERSION.whl[postgresql]'",
        words=None,
    ):
        from certify.postgresql import ServerConnection
    return ServerConnection(place, reading=reading)

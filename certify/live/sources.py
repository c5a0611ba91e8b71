"""Where logs are: files, or databases, whose answer is copied into a file before anything is read of it."""

import csv
import io
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from certify.databases import DatabaseError, Place, connected
from certify.errors import InputError, Refusing
from certify.evidence.played import AuditedFile
from certify.untrusted_input import file_sha256, write_whole

DATABASES: Final = (".sqlite", ".sqlite3", ".db")
"""How the name of a file of SQLite ends."""


@dataclass(frozen=True, slots=True)
class LogSource:
    """A log as a file.

    Args:
        place: Where it is, as it was named; of a server without user and password.
        name: What rows call it.
        file: What is read: the file itself, or what the database answered, as CSV.
        stated: It with what was queried, and the digest of the file that was named, or of what the server answered.
    """

    place: str
    name: str
    file: Path
    stated: AuditedFile


@contextmanager
def copied(places: Sequence[Place], table: str = "") -> Iterator[tuple[LogSource, ...]]:
    """Gives logs as files; what databases answer is taken away afterwards.

    Args:
        places: Where they are: Parquet, CSV, TSV or JSON lines, compressed or not, SQLite, or a server.
        table: Table of a database, or a query of it; none for the only table, and for our own ledger.

    Raises:
        DatabaseError: A server is not reached, or says nothing any more.
        InputError: A file cannot be read, or a database does not answer the query.
    """
    with TemporaryDirectory(prefix="certify-log-") as scratch:
        yield tuple(
            _source(place, table, Path(scratch, f"{number}.csv")) for number, place in enumerate(places)
        )


def _source(place: Place, table: str, target: Path) -> LogSource:
    if isinstance(place, Path) and place.suffix.lower() not in DATABASES:
        return LogSource(
            str(place), place.name, place.absolute(), AuditedFile(place.name, file_sha256(place))
        )
    with (
        Refusing((sqlite3.Error, sqlite3.Warning), InputError, str(place)),
        Refusing(DatabaseError, DatabaseError, str(place)),
        closing(connected(place, reading=True)) as database,
    ):
        if isinstance(database, sqlite3.Connection):
            query = _query_of_file(place, table, database)
            database.set_authorizer(lambda action, *_: _REFUSED.get(action, sqlite3.SQLITE_OK))
            write_whole(target, _as_csv(database.execute(query)))
        else:
            query = table if _QUERY.match(table) else f"SELECT * FROM {table}"
            with Refusing(InputError, InputError, str(place)):
                write_whole(target, database.answer(query if table else _LEDGER_OF_SERVER))
    name, digested = (place.name, place) if isinstance(place, Path) else (str(place), target)
    # Whoever holds the database can query it again.
    stated = AuditedFile(f"{name}: {table}" if table else name, file_sha256(digested))
    return LogSource(str(place), name, target, stated)


def name_of(column: str) -> str:
    """Returns a column as an identifier of SQL."""
    return '"' + column.replace('"', '""') + '"'


_QUERY: Final = re.compile(r"\s*(select|with)\b", re.IGNORECASE)

_LEDGER: Final = """
WITH voided AS (SELECT round, json_extract(event, '$.body.refunded') AS refunded FROM record
  WHERE kind IN ('malfunction-declared', 'bets-expired')),
ended AS (SELECT round, event FROM record WHERE kind = 'round-settled' AND round NOT IN (SELECT round FROM voided)),
dealt AS (SELECT r.round, r.seat, json_extract(r.event, '$.body.currency') AS currency,
  json_extract(r.event, '$.at') AS time, b.value AS bet,
  (SELECT sum(json_extract(value, '$[1]')) FROM json_each(r.event, '$.body.stakes')) AS staked
  FROM record r, json_each(r.event, '$.body.stakes') b WHERE r.kind = 'cards-dealt')
SELECT d.round, coalesce(json_extract(e.event, '$.at'), d.time) AS time, json_extract(bet, '$[0]') AS wager,
  json_extract(bet, '$[1]') AS stake, d.currency, d.seat AS player,
  CASE WHEN v.round IS NOT NULL THEN 'void' WHEN e.round IS NOT NULL THEN 'settled' ELSE 'open' END AS status,
  CASE WHEN v.refunded >= d.staked THEN json_extract(bet, '$[1]')
    ELSE coalesce(json_extract(w.value, '$.returned'), 0) END AS win,
  json_extract(w.value, '$.outcome') AS outcome
FROM dealt d LEFT JOIN voided v ON v.round = d.round LEFT JOIN ended e ON e.round = d.round
LEFT JOIN json_each(e.event, '$.body.results') w ON json_extract(w.value, '$.wager') = json_extract(bet, '$[0]')
ORDER BY d.round
"""
"""A row for each wager of each round of our own ledger, amounts in the smallest coin; decks are sealed in it."""

_LEDGER_OF_SERVER: Final = """
WITH found AS (SELECT round, seat, kind, event::json AS event FROM record
  WHERE kind IN ('cards-dealt', 'round-settled', 'malfunction-declared', 'bets-expired')),
voided AS (SELECT round, (event#>>'{body,refunded}')::bigint AS refunded FROM found
  WHERE kind IN ('malfunction-declared', 'bets-expired')),
ended AS (SELECT round, event FROM found WHERE kind = 'round-settled' AND round NOT IN (SELECT round FROM voided)),
dealt AS (SELECT round, seat, event#>>'{body,currency}' AS currency, event->>'at' AS time, bet,
  (SELECT sum((one->>1)::bigint) FROM json_array_elements(event#>'{body,stakes}') AS s(one)) AS staked
  FROM found, json_array_elements(event#>'{body,stakes}') AS s(bet) WHERE kind = 'cards-dealt')
SELECT d.round, coalesce(e.event->>'at', d.time) AS time, bet->>0 AS wager, bet->>1 AS stake, d.currency,
  d.seat AS player,
  CASE WHEN v.round IS NOT NULL THEN 'void' WHEN e.round IS NOT NULL THEN 'settled' ELSE 'open' END AS status,
  CASE WHEN v.refunded >= d.staked THEN bet->>1 ELSE coalesce(w->>'returned', '0') END AS win,
  w->>'outcome' AS outcome
FROM dealt d LEFT JOIN voided v ON v.round = d.round LEFT JOIN ended e ON e.round = d.round
LEFT JOIN json_array_elements(e.event#>'{body,results}') AS r(w) ON w->>'wager' = bet->>0
ORDER BY d.round
"""
"""The same of one on a server."""

_REFUSED: Final = dict.fromkeys((sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_PRAGMA), sqlite3.SQLITE_DENY)
"""What a query may not do in a file that is open for reading alone: it opens no other."""


def _query_of_file(place: Place, table: str, database: sqlite3.Connection) -> str:
    """Returns what reads a table of a file of SQLite, or what a query of it is."""
    named = dict(database.execute("SELECT name, type FROM sqlite_master"))
    known = [name for name, kind in named.items() if kind in ("table", "view")]
    chosen = table or (known[0] if len(known) == 1 else "")
    if chosen == "record" and "record_is_never_changed" in named:
        return _LEDGER
    if chosen in known:
        return f"SELECT * FROM {name_of(chosen)}"
    if not _QUERY.match(table):
        raise InputError(f'{place}: table "{table}": expected --table, a query or one of {", ".join(known)}')
    return table


def _as_csv(found: sqlite3.Cursor) -> Iterator[bytes]:
    """Yields the rows of an answer as CSV, a thousand at a time, under their headings."""
    rows: Sequence[Sequence[object]] = [[one[0] for one in found.description]]
    while rows:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows)
        yield text.getvalue().encode()
        rows = found.fetchmany(1_000)

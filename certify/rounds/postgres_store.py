"""Records on a PostgreSQL server, synchronous to the disk and append only, and where the records of a ledger are."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from certify.databases import DatabaseError, Place, ServerUrl, connected, transaction
from certify.errors import InputError, Refusing
from certify.rounds.sql_store import FORM, SqlStore
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import DamagedLedgerError, LedgerError

if TYPE_CHECKING:
    from certify.postgresql import ServerConnection

_TEXT, _DIGEST = 'text NOT NULL COLLATE "C"', "bytea NOT NULL"
_REFUSES: Final = "record_is_append_only"
_SCHEMA: Final = {
    "record": (
        f"CREATE TABLE record (number bigint NOT NULL, seat {_TEXT}, round {_TEXT}, kind {_TEXT}, event {_TEXT}, "
        f"sealed {_DIGEST}, request {_TEXT}, command {_TEXT}, previous {_DIGEST}, round_previous {_DIGEST}, "
        f"digest {_DIGEST}, mark {_DIGEST})"
    ),
    "record_number": "CREATE UNIQUE INDEX record_number ON record USING btree (number)",
    # Texts of any length have no place in a tree: their digests do.
    "record_seat": "CREATE INDEX record_seat ON record USING hash (seat)",
    "record_round": "CREATE INDEX record_round ON record USING hash (round)",
    "record_request": "CREATE INDEX record_request ON record USING hash (request) WHERE (request <> ''::text)",
    "request_once": (
        "CREATE UNIQUE INDEX request_once ON record USING btree (md5(seat), md5(request)) WHERE (request <> ''::text)"
    ),
    "dealt_once": (
        "CREATE UNIQUE INDEX dealt_once ON record USING btree (md5(round)) WHERE (kind = 'cards-dealt'::text)"
    ),
    "stake_added_once": (
        "CREATE UNIQUE INDEX stake_added_once ON record USING btree (md5(round), "
        "substr(event, strpos(event, '\"number\":'::text), 12)) WHERE (kind = 'stake-added'::text)"
    ),
    "settled_once": (
        "CREATE UNIQUE INDEX settled_once ON record USING btree (md5(round)) WHERE (kind = 'round-settled'::text)"
    ),
    "voided_once": (
        "CREATE UNIQUE INDEX voided_once ON record USING btree (md5(round)) "
        "WHERE (kind = ANY (ARRAY['malfunction-declared'::text, 'bets-expired'::text]))"
    ),
    "digests_are_whole": (
        "ALTER TABLE record ADD CONSTRAINT digests_are_whole CHECK (((length(previous) = 32) AND "
        "(length(round_previous) = 32) AND (length(digest) = 32) AND (length(mark) = 32)))"
    ),
    _REFUSES: (
        f"CREATE OR REPLACE FUNCTION {_REFUSES}()\n RETURNS trigger\n LANGUAGE plpgsql\nAS $function$BEGIN "
        "RAISE EXCEPTION 'the ledger is append-only: no record is changed or deleted'; END$function$\n"
    ),
    "record_is_never_changed": (
        "CREATE TRIGGER record_is_never_changed BEFORE DELETE OR UPDATE ON record "
        f"FOR EACH ROW EXECUTE FUNCTION {_REFUSES}()"
    ),
    "record_is_never_emptied": (
        "CREATE TRIGGER record_is_never_emptied BEFORE TRUNCATE ON record "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {_REFUSES}()"
    ),
    "form": f"COMMENT ON TABLE record IS 'certify ledger, form {FORM}'",
}
"""Table, indices, form and triggers of a ledger by name, as the server itself writes them."""

_OBJECTS: Final = f"""
WITH ledger AS (SELECT to_regclass(quote_ident(current_schema()) || '.record')::oid AS id),
found AS (
  SELECT 'record' AS name, 'CREATE TABLE record (' || string_agg(attname || ' ' || format_type(atttypid, atttypmod)
    || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' COLLATE ' || quote_ident(collname), ''), ', '
    ORDER BY attnum) || ')' AS made
  FROM ledger JOIN pg_attribute ON attrelid = id LEFT JOIN pg_collation l ON l.oid = attcollation
  WHERE attnum > 0 AND NOT attisdropped GROUP BY id
  UNION ALL SELECT relname, pg_get_indexdef(indexrelid) FROM ledger JOIN pg_index ON indrelid = id
  JOIN pg_class ON oid = indexrelid
  UNION ALL SELECT conname, 'ALTER TABLE record ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(oid)
  FROM ledger JOIN pg_constraint ON conrelid = id WHERE contype = 'c'
  UNION ALL SELECT tgname, pg_get_triggerdef(oid) || CASE tgenabled WHEN 'O' THEN '' ELSE ' (disabled)' END
  FROM ledger JOIN pg_trigger ON tgrelid = id WHERE NOT tgisinternal
  UNION ALL SELECT 'form', 'COMMENT ON TABLE record IS ' || quote_literal(obj_description(id, 'pg_class')) FROM ledger
  WHERE obj_description(id, 'pg_class') IS NOT NULL
  UNION ALL SELECT rulename, pg_get_ruledef(r.oid) FROM ledger JOIN pg_rewrite r ON ev_class = id
  UNION ALL SELECT proname, pg_get_functiondef(oid) FROM pg_proc WHERE proname = '{_REFUSES}'
  AND pronamespace = quote_ident(current_schema())::regnamespace)
SELECT name, replace(made, quote_ident(current_schema()) || '.', '') FROM found
"""  # noqa: S608 (constant)


class PostgresStore(SqlStore):
    """A ledger on a PostgreSQL server; a connection that was lost is made again by what is done next.

    Args:
        path: The database.
        reading: Whether nothing is to be written.
        make: Whether a ledger is made where there is none.

    Raises:
        InputError: There is no ledger, and none is to be made.
        LedgerError: The server is not reached, or does not keep what it acknowledges.
        NotALedgerError: There is something else of that name.
    """

    __slots__ = ("_made", "_reading")
    _SCHEMA = _SCHEMA
    _connection: "ServerConnection"
    path: ServerUrl

    def __init__(self, path: ServerUrl, *, reading: bool = False, make: bool = True) -> None:
        super().__init__(path)
        self._reading = reading
        with Refusing(DatabaseError, LedgerError, f"cannot open ledger {path}"):
            self._connect()
        try:
            there = self._objects()
            self._made = make and not there
            if there:
                self._verify_form()
            elif not make:
                raise InputError(f"no ledger at {path}")
            if not reading:
                with self._clearly("open"):
                    self._make()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        self._connection = cast("ServerConnection", connected(self.path, reading=self._reading))

    def _connect_again(self) -> None:
        """Connects again, and only to a server that holds what was acknowledged: another may have taken its place."""
        self._connect()
        number, digest = self._seen
        try:
            self._verify_form()
            found = self._connection.execute(
                "SELECT digest FROM record WHERE number = ?", (number,)
            ).fetchone()
            if number and found != (digest,):
                raise DamagedLedgerError(
                    f"ledger {self.path}: the server that answers now lacks record {number}, which is in the ledger"
                )
        except BaseException:
            self.close()
            raise

    def discard(self) -> None:
        """Removes the ledger where this made it and it holds no record: the call turned out wrong."""
        if self._made:
            with self._clearly("remove"), transaction(self._connection):
                if not self.head()[0]:
                    self._connection.execute("DROP TABLE record")
                    self._connection.execute(f"DROP FUNCTION {_REFUSES}")

    def _found(self, query: str, values: Sequence[str]) -> Iterator[Sequence[Any]]:
        return self._connection.stream(query, values)

    def _objects(self) -> dict[str, str]:
        with self._clearly("open"):
            return dict(self._connection.execute(_OBJECTS))

    def _verify_in_place(self) -> None:
        """Finds nothing to refuse: no other file takes the place of a server's table."""

    @contextmanager
    def _clearly(self, action: str) -> Iterator[None]:
        with Refusing(DatabaseError, LedgerError, f"cannot {action} ledger {self.path}"):
            if self._connection.closed:
                self._connect_again()
            yield


def ledger_at(place: Place, *, reading: bool = False, make: bool = True) -> SqlStore:
    """Opens the records of a ledger.

    Args:
        place: A file or a database of a server.
        reading: Whether nothing is to be written.
        make: Whether a ledger is made where there is none.

    Raises:
        InputError: There is no ledger, and none is to be made.
        DamagedLedgerError: It is no ledger, or is damaged.
        LedgerError: It cannot be opened.
    """
    if isinstance(place, ServerUrl):
        return PostgresStore(place, reading=reading, make=make and not reading)
    if not place.is_file() and (place.exists() or not make):
        raise InputError(f"no ledger at {place}")
    return SqliteStore(place, reading=reading)

"""The ledger on a server is lied to: killed servers, cut connections, another server in its place."""

import os
import signal
import time
from contextlib import closing

import pytest
from cli_support import refuses
from postgres_server import Proxy
from rounds_game import Room

from certify.databases import DatabaseError, connected, place_of
from certify.errors import InputError
from certify.rounds import LedgerError, NotALedgerError, ledger_at, walk_chain
from certify.rounds.store import DamagedLedgerError

ACTIONS = (("place", "main", 300), ("deal",), ("stand",), ("settle",))
COMMANDS = 12


def backend_of(room):
    return room.ledger.journal.store._connection.execute("SELECT pg_backend_pid()").fetchone()[0]


def anew(server):
    server.kill()
    server.start()


TROUBLES = {
    "the server is killed": lambda server, proxy, room: anew(server),
    "its process for the client is killed": lambda server, proxy, room: os.kill(
        backend_of(room), signal.SIGKILL
    ),
    "cut before the commit": lambda server, proxy, room: setattr(proxy, "cuts", "before"),
    "cut behind the commit": lambda server, proxy, room: setattr(proxy, "cuts", "after"),
    "killed behind the commit": lambda server, proxy, room: setattr(proxy, "cuts", "after"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_what_was_acknowledged_is_neither_lost_nor_doubled(server, tmp_path, trouble):
    proxy, refusals = Proxy(server.port), []
    room, whole = Room(server.fresh(proxy.port)), Room(tmp_path)
    for number in range(COMMANDS):
        (action, *bet), key, reply = ACTIONS[number % len(ACTIONS)], f"key-{number}", None
        assert whole.do(action, *bet, key=key).done
        if number % 5 == 3:
            TROUBLES[trouble](server, proxy, room)
        while reply is None:
            try:
                # Sent again under its key until it is acknowledged.
                reply = room.do(action, *bet, key=key)
            except LedgerError as error:
                refusals.append(str(error))
                assert len(refusals) < 500
                time.sleep(0.05)
                if trouble == "killed behind the commit" and len(refusals) % 2:
                    anew(server)
        assert reply.done
        assert room.ledger.journal.verify(room.ledger.head) == 2 + number + 1
    assert len(refusals) >= 2
    assert "secret" not in "".join(refusals)
    head = room.ledger.head
    room.reopen()
    assert room.ledger.head == head
    # A file in which nothing ever went wrong holds the same events.
    assert list(room.ledger.journal.store.records()) == list(whole.ledger.journal.store.records())
    room.ledger.close()
    whole.ledger.close()


def test_a_server_that_lacks_what_was_acknowledged_is_refused_until_it_holds_it(server):
    room = Room(server.fresh())
    room.play("stand", "settle")
    with closing(connected(room.path)) as database:
        for statement in (
            "CREATE TABLE kept AS SELECT * FROM record WHERE number = 7",
            "ALTER TABLE record DISABLE TRIGGER USER",
            "DELETE FROM record WHERE number = 7",
            "ALTER TABLE record ENABLE TRIGGER USER",
            f"SELECT pg_terminate_backend({backend_of(room)})",
        ):
            database.execute(statement)
    with pytest.raises(LedgerError):
        room.do("place", "main", 100)
    for _ in range(2):
        with pytest.raises(DamagedLedgerError, match="lacks record 7"):
            room.do("place", "main", 100)
    with closing(connected(room.path)) as database:
        database.execute("INSERT INTO record SELECT * FROM kept")
    assert room.do("place", "main", 100).done
    assert room.ledger.journal.verify() == 8
    room.ledger.close()


@pytest.mark.parametrize(
    ("statements", "found"),
    [
        (("DROP TRIGGER record_is_never_changed ON record",), ""),
        (("DROP INDEX settled_once",), ""),
        (("ALTER TABLE record DISABLE TRIGGER USER",), "record_is_never_changed"),
        (
            (
                "ALTER TABLE record DROP CONSTRAINT digests_are_whole",
                "ALTER TABLE record ADD COLUMN more int",
            ),
            "record",
        ),
        (("CREATE RULE quiet AS ON DELETE TO record DO INSTEAD NOTHING",), "quiet"),
        (
            (
                "CREATE OR REPLACE FUNCTION record_is_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END'",
            ),
            "record_is_append_only",
        ),
        (("COMMENT ON TABLE record IS 'certify ledger, form 1'",), "expected form 2, found 1"),
        (("DROP TABLE record", "CREATE VIEW record AS SELECT 1 AS number"), "no ledger"),
    ],
)
def test_records_are_append_only_and_a_weaker_table_is_mended_or_refused(server, statements, found):
    place = server.fresh()
    Room(place).ledger.close()
    with closing(connected(place)) as database:
        for statement in ("UPDATE record SET kind = ''", "DELETE FROM record", "TRUNCATE record"):
            with pytest.raises(DatabaseError, match="append-only"):
                database.execute(statement)
        for statement in statements:
            database.execute(statement)
    if found:
        with pytest.raises(NotALedgerError, match=found):
            ledger_at(place)
    else:
        ledger_at(place).close()
        with closing(ledger_at(place, reading=True)) as store:
            assert walk_chain(store.records()).records == 2
            with pytest.raises(LedgerError, match="read-only"):
                store.append([next(store.records())])


def test_a_server_that_keeps_nothing_an_address_and_an_absence_are_refused_without_a_password(server):
    place = server.fresh()
    refuses(
        InputError,
        ("no ledger at postgresql://127.0.0.1", lambda: ledger_at(place, make=False)),
        ("no ledger at postgresql://127.0.0.1", lambda: ledger_at(place, reading=True)),
        ("expected postgresql://USER:PASSWORD@HOST", lambda: place_of("postgresql://u:sec/ret@h/d")),
        ("h/d: not an address", lambda: ledger_at(place_of("postgresql://u:secret@h/d?wrong=1"))),
    )
    nowhere = place_of("postgresql://u:secret@127.0.0.1:1/d")
    for one, words in (
        (nowhere, "127.0.0.1:1/d: .*refused"),
        (server.place("none"), "no schema of its search_path"),
    ):
        with pytest.raises(LedgerError, match=words) as refusal:
            ledger_at(one)
        assert "secret" not in str(refusal.value) + repr(one)
    server.does("ALTER SYSTEM SET fsync = off")
    anew(server)
    try:
        with pytest.raises(LedgerError, match="its fsync is off, expected on"):
            ledger_at(place)
    finally:
        (server.folder / "data/postgresql.auto.conf").write_text("")
        anew(server)

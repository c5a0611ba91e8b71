"""Ledgers written anew, cut off, weakened, foreign, or on a medium that cannot be written: found, or read whole."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from cli_support import refuses
from msgspec import structs
from rounds_room import KEY, SESSION, Room

from certify.errors import TrustError
from certify.rounds.listing import latest, summaries
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import GENESIS, LedgerError, NotALedgerError, Vault, walk_chain


@pytest.fixture
def room(tmp_path):
    made = Room(tmp_path)
    yield made
    made.ledger.close()


def forged(records, change):
    """Returns a ledger written anew as a whole: every digest of both chains fits."""
    made, previous, rounds = [], GENESIS, {}
    for number, record in enumerate(records, start=1):
        apart = rounds.get(record.round, GENESIS)
        altered = structs.replace(change(record), number=number, previous=previous, round_previous=apart)
        made.append(structs.replace(altered, digest=altered.expected_digest()))
        previous = made[-1].digest
        if record.round:
            rounds[record.round] = previous
    return made


def a_year_later(record):
    return structs.replace(record, event=record.event.replace('"at":"2026-', '"at":"2027-'))


def test_a_ledger_written_anew_fits_its_digests_and_lacks_the_marks(room):
    # The attack: every time is rewritten and every digest computed again.
    room.play("stand", "settle")
    head = room.ledger.head
    records = list(room.ledger.journal.store.records())
    anew = forged(records, a_year_later)
    assert all("2027-" in record.event for record in anew)
    assert walk_chain(anew).records == len(records)
    refuses(
        TrustError,
        ("not written under this key", lambda: walk_chain(anew, marks=Vault(KEY))),
        ("noted head", lambda: walk_chain(anew, head=head)),
    )
    assert walk_chain(records, head=head, marks=Vault(KEY)).noted == len(records)


def test_marks_of_other_records_do_not_serve(room):
    room.play("stand", "settle")
    records = list(room.ledger.journal.store.records())
    shifted = [
        structs.replace(one, mark=other.mark)
        for one, other in zip(records, [*records[1:], records[0]], strict=True)
    ]
    with pytest.raises(TrustError, match="record 1 was not written"):
        walk_chain(shifted, marks=Vault(KEY))


def test_no_event_of_a_ledger_written_anew_is_read(room):
    room.play("stand", "settle")
    anew = forged(list(room.ledger.journal.store.records()), a_year_later)
    refuses(
        TrustError,
        ("not written under this key", lambda: room.ledger.journal.event_of(anew[0])),
        (
            "is altered",
            lambda: room.ledger.journal.event_of(a_year_later(next(room.ledger.journal.store.records()))),
        ),
    )


def test_reading_leaves_nothing_and_changes_nothing(room):
    room.play("stand", "settle")
    before = {path.name: path.read_bytes() for path in room.path.parent.iterdir()}
    assert "ledger.db-wal" in before
    with closing(SqliteStore.reading(room.path)) as store:
        assert walk_chain(store.records()).records == 7
        with pytest.raises(LedgerError, match="readonly"):
            store.append([next(store.records())])
    assert {path.name for path in room.path.parent.iterdir()} == set(before)
    room.ledger.close()
    whole = {path.name: path.read_bytes() for path in room.path.parent.iterdir()}
    assert set(whole) == {"ledger.db"}
    with closing(SqliteStore.reading(room.path)) as store:
        assert walk_chain(store.records()).records == 7
    assert {path.name: path.read_bytes() for path in room.path.parent.iterdir()} == whole
    room.ledger = room.open()


@pytest.mark.parametrize("left", [(), ("-wal",), ("-wal", "-shm")], ids=["closed", "log", "log and index"])
def test_a_ledger_on_a_read_only_medium_is_read_to_its_end(room, left):
    # After a loss of power the latest records are in the log alone; a reader that skips it sees a ledger cut off.
    room.play("stand", "settle")
    medium = Path(tempfile.mkdtemp(prefix="certify-medium-"))
    try:
        if not left:
            room.reopen()
        for suffix in ("", *left):
            part = medium / f"ledger.db{suffix}"
            shutil.copyfile(room.path.with_name(part.name), part)
            part.chmod(0o444)
        medium.chmod(0o555)
        assert read_by_nobody(medium / "ledger.db") == 7
        medium.chmod(0o755)
        there = set(medium.iterdir())
        with closing(SqliteStore.reading(medium / "ledger.db")) as store:
            assert walk_chain(store.records()).records == 7
            # Where the medium would take an index, none is put there either.
            assert set(medium.iterdir()) == there
    finally:
        medium.chmod(0o755)
        shutil.rmtree(medium)


def read_by_nobody(path):
    """Returns the number of records that a process without any right to write reads."""
    pid = os.fork()
    if pid == 0:
        status = 255
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            with closing(SqliteStore.reading(path)) as store:
                status = walk_chain(store.records(), marks=Vault(KEY)).records
        finally:
            os._exit(status)
    return os.WEXITSTATUS(os.waitpid(pid, 0)[1])


def test_a_foreign_database_is_neither_taken_for_a_ledger_nor_written_into(tmp_path):
    path = tmp_path / "foreign.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE players (name TEXT)")
        connection.execute("CREATE VIEW record AS SELECT 1 AS number")
        connection.commit()
    before = path.read_bytes()
    for opened in (SqliteStore, SqliteStore.reading):
        with pytest.raises(NotALedgerError, match="no ledger of this form"):
            opened(path)
    assert path.read_bytes() == before


def test_a_ledger_of_another_form_is_refused_and_named_so(room):
    room.play("stand")
    room.ledger.close()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("PRAGMA user_version=0")
        connection.commit()
    before = room.path.read_bytes()
    for opened in (SqliteStore, SqliteStore.reading):
        with pytest.raises(
            NotALedgerError, match="expected form 2, found 0; it was written by another version"
        ):
            opened(room.path)
    assert room.path.read_bytes() == before


def test_a_trigger_that_was_weakened_is_refused(room):
    room.ledger.close()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("DROP TRIGGER record_is_never_changed")
        connection.execute(
            "CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record BEGIN SELECT 1; END"
        )
        connection.commit()
    with pytest.raises(NotALedgerError, match="record_is_never_changed"):
        room.open()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("DROP TRIGGER record_is_never_changed")
        connection.commit()
    room.ledger = room.open()
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        room.ledger.journal.store._connection.execute("UPDATE record SET event = '{}'")


def test_rounds_are_listed_without_a_key(room):
    room.play("stand", "settle")
    room.play("stand", "settle", "malfunction")
    room.play()
    room.ledger.open("b", SESSION, 5000)
    room.do("place", "main", 100, seat="b")
    listed = list(summaries(room.ledger.journal.store))
    assert sorted((one.round, one.status, one.staked) for one in listed) == [
        ("a-000001", "settled", 1100),
        ("a-000002", "void", 1100),
        ("a-000003", "open", 1100),
        ("b-000001", "betting", 0),
    ]
    assert [one.round for one in summaries(room.ledger.journal.store, seat="a", status="void")] == [
        "a-000002"
    ]
    last, total = latest(summaries(room.ledger.journal.store, seat="a"), 1)
    assert ([one.round for one in last], total) == (["a-000003"], 3)
    room.alter("UPDATE record SET event = replace(event, '2026', '2027') WHERE number = 4")
    with pytest.raises(TrustError, match="altered"):
        list(summaries(room.ledger.journal.store))


def test_a_key_is_used_once_at_the_seat_and_at_the_desk(room):
    assert room.do("place", "main", 1000, key="one").done
    assert not room.do("suspend", key="one").done
    assert room.do("suspend", key="two").done
    assert room.do("suspend", key="two").done
    room.reopen()
    assert not room.do("clear", key="two").done
    assert room.do("clear", key="three").done
    room.ledger.open("b", SESSION, 100_000)
    # Keys of another seat are its own.
    assert room.do("restore", key="two", seat="b").done

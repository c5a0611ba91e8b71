"""A disk that fails, fills, tears and forgets: what was acknowledged is there, and what is not there was refused."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from rounds_disk import FULL, Disk, FailingDisk, images, library
from rounds_game import balances, deck, game
from rounds_room import ended, forked

from certify.clock import SteppedClock
from certify.rounds import sqlite_store
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import LedgerError, Vault
from certify.rounds.table import Command, SeatAction, command_for

needs_library = pytest.mark.skipif(library() is None, reason="SQLite is no library of its own here")

STEPS = (
    Command(SeatAction.PLACE, "main", 300),
    Command(SeatAction.DEAL),
    command_for("stand"),
    Command(SeatAction.SETTLE),
)
EDITION = edition_of(game())
COMMANDS = 5
SESSION = SessionOpened("p", "s", "IT", "EU")


def open_ledger(path: Path) -> Ledger:
    clock = SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
    machine = Machine({EDITION.sha256: EDITION}, EDITION.sha256, clock)
    return Ledger(SqliteStore(path), machine, Vault(bytes(32)), lambda _: deck(0))


def play(ledger: Ledger, seat: str, first: int, last: int, disk: Disk | None = None) -> int:
    """Sends commands under keys until one cannot be recorded; returns the number of the next one to send."""
    for number in range(first, last):
        try:
            assert ledger.perform(LedgerRequest(seat, STEPS[number % len(STEPS)], f"key-{number}")).done
        except LedgerError:
            return number
        if disk is not None:
            disk.acknowledged(ledger.head)
    return last


def history(path: Path, seat: str = "a") -> list[object]:
    ledger = open_ledger(path)
    try:
        events = list(ledger.journal.events(seat))
        ledger.journal.verify()
        assert sum(balances(events).values()) == 0
        return [(event.kind, event.round, event.body, event.postings) for event in events]
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    path = tmp_path_factory.mktemp("unbroken") / "ledger.db"
    ledger = open_ledger(path)
    ledger.open("a", SESSION, 10_000)
    play(ledger, "a", 0, COMMANDS)
    ledger.close()
    return history(path)


def begun(path: Path) -> Ledger:
    """Returns a ledger with a seat, and asks for a checkpoint after every few pages."""
    ledger = open_ledger(path)
    ledger.journal.store._connection.execute("PRAGMA wal_autocheckpoint=20")
    ledger.open("a", SESSION, 10_000)
    return ledger


def steps_of(path: Path, kinds: tuple[str, ...]) -> int:
    with FailingDisk(Disk(kinds=kinds)) as disk:
        ledger = begun(path)
        disk.steps = 0
        play(ledger, "a", 0, COMMANDS)
        steps = disk.steps
        ledger.close()
    return steps


@needs_library
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_a_disk_that_fills_or_fails_at_each_step_loses_nothing(tmp_path, unbroken, kind) -> None:
    steps = steps_of(tmp_path / "counted.db", (kind,))
    assert steps >= COMMANDS
    refused = 0
    for fails in range(1, steps + 1):
        path = tmp_path / f"{kind}-{fails}.db"
        with FailingDisk(Disk(kinds=(kind,), code=FULL)) as disk:
            ledger = begun(path)
            disk.steps, disk.fails = 0, fails
            reached = play(ledger, "a", 0, COMMANDS)
            refused += reached < COMMANDS
            head = ledger.head
            if reached < COMMANDS and kind == "sync":
                # After a failed sync nobody knows what the disk kept: nothing is built on it before it is read.
                with pytest.raises(LedgerError, match="opened again"):
                    ledger.perform(LedgerRequest("a", STEPS[reached % len(STEPS)], f"key-{reached}"))
                ledger.close()
                ledger = open_ledger(path)
            ledger.journal.verify(head)
            assert play(ledger, "a", reached, COMMANDS) == COMMANDS
            ledger.close()
        assert history(path) == unbroken
    # A checkpoint that fails is tried again later and refuses nobody; every other step refuses its command.
    assert refused >= COMMANDS


@needs_library
def test_a_loss_of_power_after_each_step_keeps_what_was_acknowledged(tmp_path) -> None:
    with FailingDisk(Disk()) as disk:
        ledger = begun(tmp_path / "ledger.db")
        disk.acknowledged(ledger.head)
        play(ledger, "a", 0, 6, disk)
        ledger.close()
    assert {step.file for step in disk.done} >= {"ledger.db", "ledger.db-wal"}
    seen, torn = set(), 0
    for number, (name, files, heads) in enumerate(images(disk.done)):
        content = tuple(sorted((file, bytes(data)) for file, data in files.items()))
        if (content, len(heads)) in seen:
            continue
        seen.add((content, len(heads)))
        folder = tmp_path / str(number)
        folder.mkdir()
        for file, data in files.items():
            (folder / file).write_bytes(data)
        ledger = open_ledger(folder / "ledger.db")
        try:
            for head in heads[-1:]:
                ledger.journal.verify(head)
            assert ledger.seat("a").events >= len(heads), name
        finally:
            ledger.close()
        torn += "torn" in name
    assert len(seen) > 60
    assert torn > 20


def test_eight_processes_on_one_ledger_neither_lose_nor_double_anything(tmp_path) -> None:
    path = tmp_path / "ledger.db"
    ledger = open_ledger(path)
    seats = "abcdefgh"
    for seat in seats:
        ledger.open(seat, SESSION, 10_000)
    ledger.close()

    def played(seat: str) -> int:
        own, number = open_ledger(path), 0
        for _ in range(5_000):
            number = play(own, seat, number, 24)
        own.close()
        return number

    assert ended([forked(partial(played, seat)) for seat in seats]) == [24] * 8
    for seat in seats:
        kinds = [kind for kind, *_ in history(path, seat)]
        assert kinds.count("cards-dealt") == kinds.count("round-settled") == 6
        assert len(kinds) == 2 + 24


def test_a_process_that_slept_while_the_index_was_made_anew_overwrites_nothing(tmp_path) -> None:
    path = tmp_path / "ledger.db"
    begun(path).close()
    (asleep, wake), (opened, told) = os.pipe(), os.pipe()

    def sleeps() -> int:
        own = open_ledger(path)
        os.write(told, b".")
        os.read(asleep, 1)
        return play(own, "a", 8, 9)

    child = forked(sleeps)
    os.read(opened, 1)
    os.unlink(f"{path}-shm")
    ledger = open_ledger(path)
    assert play(ledger, "a", 0, 4) == 4
    os.write(wake, b".")
    assert ended([child]) == [8]
    assert play(ledger, "a", 4, 8) == 8
    # As a loss of power leaves it.
    for part in ("", "-wal"):
        shutil.copy(f"{path}{part}", tmp_path / f"left{part}")
    assert len(history(tmp_path / "left")) == 2 + 8


def test_eight_processes_make_a_ledger_together(tmp_path) -> None:
    made = lambda: SqliteStore(tmp_path / "ledger.db").close()  # noqa: E731
    assert ended([forked(made) for _ in range(8)]) == [0] * 8


@pytest.mark.parametrize(("refusals", "opens"), [(3, True), (sqlite_store._OPENINGS, False)])
def test_a_file_that_another_process_makes_meanwhile_is_waited_for_and_not_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusals: int, opens: bool
) -> None:
    refused, waits = itertools.count(), list[float]()

    class Held(sqlite3.Connection):
        def execute(self, statement: str, *values: object) -> sqlite3.Cursor:
            if statement.endswith("journal_mode=WAL") and next(refused) < refusals:
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error
            return super().execute(statement, *values)  # type: ignore[arg-type]

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **named: connect(*given, factory=Held, **named))
    monkeypatch.setattr(sqlite_store, "sleep", waits.append)
    if opens:
        SqliteStore(tmp_path / "ledger.db").close()
        assert len(waits) == refusals
    else:
        with pytest.raises(LedgerError, match="database is locked"):
            SqliteStore(tmp_path / "ledger.db")
        assert sum(waits) <= sqlite_store._PATIENCE

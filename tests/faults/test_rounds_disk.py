"""The ledger is lied to: disks that fail, processes killed at any moment."""

import ctypes
import hashlib
import itertools
import os
import shutil
import signal
import sqlite3
import time
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial, partialmethod
from pathlib import Path

import pytest
from representatives import firsts
from rounds_game import balances, deck, ended, forked, game

from certify.clock import SteppedClock
from certify.rounds import (
    Command,
    Ledger,
    LedgerError,
    LedgerRequest,
    Machine,
    SeatAction,
    SessionOpened,
    SqliteStore,
    Vault,
    command_for,
    edition_of,
    ledger_at,
    sqlite_store,
)
from certify.rounds.recall import recall

IOERR_WRITE, IOERR_FSYNC, FULL = 10 | 3 << 8, 10 | 4 << 8, 13

Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
Sync = CFUNCTYPE(c_int, c_void_p, c_int)
# Names as SQLite holds them: it keeps the address, so that a copy which is freed would name another file.
Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
Delete = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)


class Methods(Structure):
    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", Write),
        ("truncate", Truncate),
        ("sync", Sync),
        ("others", c_void_p * 13),
    ]


class Vfs(Structure):
    _fields_ = [
        ("version", c_int),
        ("size", c_int),
        ("path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", Open),
        ("delete", Delete),
        ("others", c_void_p * 14),
    ]


@dataclass(frozen=True)
class Done:
    """One thing that was done to a file, or that a caller was told (``acknowledged``)."""

    what: str
    file: str
    offset: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """What was done, and which step is to fail.

    Args:
        fails: The step that fails, counted from 1 over the steps of ``kinds``; never where zero.
        kinds: Which steps count: ``write``, ``sync``.
        code: With what it fails.
    """

    fails: int = 0
    kinds: tuple[str, ...] = ("write", "sync")
    code: int = FULL
    steps: int = 0
    done: list[Done] = field(default_factory=list)

    def refuses(self, what):
        if what not in self.kinds:
            return False
        self.steps += 1
        return self.steps == self.fails

    def acknowledged(self, head):
        self.done.append(Done("acknowledged", "", data=head))


def library():
    """Returns the SQLite of the interpreter; None where it is no library of its own."""
    with Path("/proc/self/maps").open() as maps:
        names = {line.split()[-1] for line in maps if "libsqlite3" in line}
    return ctypes.CDLL(names.pop()) if len(names) == 1 else None


class FailingDisk:
    """Makes a disk the one that new connections are opened on, until it is taken away."""

    def __init__(self, disk):
        found = library()
        assert found is not None
        self.lib, self.disk = found, disk
        self.lib.sqlite3_vfs_find.restype = POINTER(Vfs)
        self.original = self.lib.sqlite3_vfs_find(None)
        self.vfs = Vfs.from_buffer_copy(self.original.contents)
        self.vfs.name, self.vfs.next = b"failing", None
        self.names: dict[int, str] = {}
        self.methods: dict[int, tuple[Methods, Methods]] = {}
        self.vfs.open, self.vfs.delete = Open(self._open), Delete(self._delete)
        self.calls = (Write(self._write), Truncate(self._truncate), Sync(self._sync))

    def __enter__(self):
        self.lib.sqlite3_vfs_register(ctypes.byref(self.vfs), 1)
        return self.disk

    def __exit__(self, *error):
        self.lib.sqlite3_vfs_unregister(ctypes.byref(self.vfs))
        self.lib.sqlite3_vfs_register(self.original, 1)

    def _open(self, vfs, name, file, flags, out):
        code = self.original.contents.open(ctypes.addressof(self.original.contents), name, file, flags, out)
        slot = c_void_p.from_address(file)
        if code or not slot.value:
            return code
        own = Methods.from_address(slot.value)
        ours = Methods.from_buffer_copy(own)
        ours.write, ours.truncate, ours.sync = self.calls
        self.names[file] = _name(name) if name else "temporary"
        self.methods[file] = (own, ours)
        slot.value = ctypes.addressof(ours)
        return code

    def _write(self, file, data, size, offset):
        content, own = ctypes.string_at(data, size), self.methods[file][0]
        if self.disk.refuses("write"):
            torn = content[: size // 2]
            own.write(file, torn, len(torn), offset)
            self.disk.done.append(Done("write", self.names[file], offset, torn))
            return self.disk.code
        self.disk.done.append(Done("write", self.names[file], offset, content))
        return own.write(file, data, size, offset)

    def _truncate(self, file, size):
        self.disk.done.append(Done("truncate", self.names[file], size))
        return self.methods[file][0].truncate(file, size)

    def _sync(self, file, flags):
        if self.disk.refuses("sync"):
            return IOERR_FSYNC
        self.disk.done.append(Done("sync", self.names[file]))
        return self.methods[file][0].sync(file, flags)

    def _delete(self, vfs, name, synchronous):
        self.disk.done.append(Done("delete", _name(name)))
        return self.original.contents.delete(ctypes.addressof(self.original.contents), name, synchronous)


def _name(address):
    return Path(ctypes.string_at(address).decode()).name


def _apply(files, step, data=None):
    match step.what:
        case "write":
            content = step.data if data is None else data
            file = files.setdefault(step.file, bytearray())
            file.extend(bytes(max(0, step.offset - len(file))))
            file[step.offset : step.offset + len(content)] = content
        case "truncate":
            del files.setdefault(step.file, bytearray())[step.offset :]
        case "delete":
            files.pop(step.file, None)


def images(done):
    """Yields what a loss of power can leave after each step: its name, the files, and what was acknowledged.

    What was synced is there. Of what was written since, all is there; or nothing; or all, the last one torn in the
    middle of a sector's neighbour; or the last one alone, because a disk orders as it likes.
    """
    for end in range(1, len(done) + 1):
        if done[end - 1].what not in ("write", "acknowledged"):
            continue
        steps = done[:end]
        heads = [step.data for step in steps if step.what == "acknowledged"]
        for name, keep in WAYS.items():
            yield f"{name} after step {end}", _image(steps, keep), heads


def _image(steps, keep):
    synced = {step.file: at for at, step in enumerate(steps) if step.what == "sync"}
    loose = [at for at, step in enumerate(steps) if step.what == "write" and at > synced.get(step.file, -1)]
    files = {}
    for at, step in enumerate(steps):
        left = len(loose) - loose.index(at) if at in loose else 0
        _apply(files, step, keep(left, step.data) if left else None)
    return files


WAYS = {
    "everything written is there": lambda left, data: data,
    "nothing but what was synced is there": lambda left, data: b"",
    "the last write is torn": lambda left, data: data if left > 1 else data[: len(data) // 2],
    "the last write came first": lambda left, data: data if left == 1 else b"",
}


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


def open_ledger(path, decks=lambda _: deck(0)):
    clock = SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
    machine = Machine({EDITION.sha256: EDITION}, EDITION.sha256, clock)
    return Ledger(ledger_at(path), machine, Vault(bytes(32)), decks)


def play(ledger, seat, first, last, disk=None):
    """Sends commands under keys until one cannot be recorded; returns the number of the next one to send."""
    for number in range(first, last):
        try:
            assert ledger.perform(LedgerRequest(seat, STEPS[number % len(STEPS)], f"key-{number}")).done
        except LedgerError:
            return number
        if disk is not None:
            disk.acknowledged(ledger.head)
    return last


def history(path, seat="a", head=None):
    """What happened at a seat: the chain is whole up to what was acknowledged, and the money is conserved."""
    ledger = open_ledger(path)
    try:
        events = list(ledger.journal.events(seat))
        ledger.journal.verify(head)
        totals = balances(events)
        assert (sum(totals.values()), totals["player"]) == (0, ledger.seat(seat).balance)
        return [(event.kind, event.round, event.body, event.postings) for event in events]
    finally:
        ledger.close()


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    path = tmp_path_factory.mktemp("unbroken") / "ledger.db"
    ledger = open_ledger(path)
    ledger.open("a", SESSION, 10_000)
    play(ledger, "a", 0, COMMANDS)
    ledger.close()
    return history(path)


def begun(path):
    """Returns a ledger with a seat, and asks for a checkpoint after every few pages."""
    ledger = open_ledger(path)
    ledger.journal.store._connection.execute("PRAGMA wal_autocheckpoint=20")
    ledger.open("a", SESSION, 10_000)
    return ledger


def steps_of(path, kinds):
    with FailingDisk(Disk(kinds=kinds)) as disk:
        ledger = begun(path)
        disk.steps = 0
        play(ledger, "a", 0, COMMANDS)
        steps = disk.steps
        ledger.close()
    return steps


@needs_library
@pytest.mark.parametrize("kind", ["write", "sync"])
def test_a_disk_that_fills_or_fails_at_each_step_loses_nothing(tmp_path, unbroken, kind):
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
def test_a_loss_of_power_after_each_step_keeps_what_was_acknowledged(tmp_path):
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


def test_processes_on_one_ledger_neither_lose_nor_double_anything(place):
    path = place
    ledger = open_ledger(path)
    seats = "abcdefgh" if isinstance(path, Path) else "abc"
    for seat in seats:
        ledger.open(seat, SESSION, 10_000)
    ledger.close()

    def played(seat):
        own, number = open_ledger(path), 0
        for _ in range(5_000):
            number = play(own, seat, number, 24)
        own.close()
        return number

    assert ended([forked(partial(played, seat)) for seat in seats]) == [24] * len(seats)
    for seat in seats:
        kinds = [kind for kind, *_ in history(path, seat)]
        assert kinds.count("cards-dealt") == kinds.count("round-settled") == 6
        assert len(kinds) == 2 + 24


def test_a_process_that_slept_while_the_index_was_made_anew_overwrites_nothing(tmp_path):
    path = tmp_path / "ledger.db"
    begun(path).close()
    (asleep, wake), (opened, told) = os.pipe(), os.pipe()

    def sleeps():
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


def test_eight_processes_make_a_ledger_together(place) -> None:
    made = lambda: ledger_at(place).close()  # noqa: E731
    assert ended([forked(made) for _ in range(8)]) == [0] * 8


@pytest.mark.parametrize(("refusals", "opens"), [(3, True), (sqlite_store._OPENINGS, False)])
def test_a_file_that_another_process_makes_meanwhile_is_waited_for_and_not_for_ever(
    tmp_path, monkeypatch, refusals, opens
):
    refused, waits = itertools.count(), list[float]()

    class Held(sqlite3.Connection):
        def execute(self, statement, *values):
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
        assert sum(waits) <= sqlite_store.PATIENCE


KILLED_AT = (
    Command(SeatAction.PLACE, "main", 300),
    Command(SeatAction.PLACE, "mano-di-poker", 100),
    Command(SeatAction.DEAL),
    Command(SeatAction.DECIDE, decision="stand"),
    Command(SeatAction.SETTLE),
)
OPENING = 1_000_000


def request(index):
    return LedgerRequest("a", KILLED_AT[index % len(KILLED_AT)], key=f"key-{index}")


def play_on(ledger, current, first, last, acknowledge):
    """Sends commands one by one, each under its own key, and acknowledges each once it is answered."""
    for index in range(first, last):
        current[0] = index // len(KILLED_AT)
        ledger.perform(request(index))
        acknowledge(index, ledger.head)


def child(path, first, last, kill_at, write_end):
    """Plays in a process of its own, which kills itself at a step where it is told to."""
    seen, current = itertools.count(1), [0]
    ledger = open_ledger(path, lambda _: deck(current[0]))

    def counted(store, step, *given):
        if next(seen) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(store, *given)

    # Before it begins, when all is written and not committed, and when it is committed and not yet acknowledged.
    for name in ("append", "_verify_in_place"):
        kind = type(ledger.journal.store)
        setattr(kind, name, partialmethod(counted, getattr(kind, name)))
    play_on(
        ledger,
        current,
        first,
        last,
        lambda index, head: os.write(write_end, f"{index} {head.hex()}\n".encode()),
    )
    ledger.close()


def run_child(path, first, last, *, kill_at=0, kill_after=None):
    """Runs a child to its end or its death; returns whether it was killed and what it acknowledged."""
    read_end, write_end = os.pipe()
    pid = forked(lambda: child(path, first, last, kill_at, write_end))
    os.close(write_end)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(pid, signal.SIGKILL)
    with os.fdopen(read_end) as stream:
        lines = stream.read().splitlines()
    (status,) = ended([pid])
    killed = status < 0
    assert status <= 0
    acknowledged = [line.split() for line in lines]
    return killed, [(int(index), bytes.fromhex(head)) for index, head in acknowledged]


def never_killed(path, rounds):
    """Plays the same commands without a crash."""
    current = [0]
    ledger = open_ledger(path, lambda _: deck(current[0]))
    ledger.open("a", SESSION, OPENING)
    play_on(ledger, current, 0, rounds * len(KILLED_AT), lambda index, head: None)
    ledger.close()
    return history(path)


def survive(tmp_path, rounds, kills, plan, path):
    """Kills children by a plan, goes on after each from its last acknowledgement, and compares the end."""
    ledger = open_ledger(path)
    ledger.open("a", SESSION, OPENING)
    head = ledger.head
    ledger.close()
    first, last, killed = 0, rounds * len(KILLED_AT), 0
    while killed < kills and first < last:
        died, acknowledged = run_child(path, first, last, **plan(killed))
        killed += died
        if acknowledged:
            first, head = acknowledged[-1][0] + 1, acknowledged[-1][1]
        settled = [number for kind, number, *_ in history(path, head=head) if kind == "round-settled"]
        assert len(settled) == len(set(settled))
    run_child(path, first, last)
    assert history(path) == never_killed(tmp_path / "unbroken.db", rounds)
    ledger = open_ledger(path)
    for number in range(1, rounds + 1):
        recall(ledger, f"a-{number:06d}")
    ledger.close()
    return killed


@pytest.mark.parametrize(("rounds", "kills"), firsts([(3, 9), (10, 36), (40, 150)]))
def test_a_kill_at_every_marked_step(tmp_path, place, rounds, kills):
    # One command makes three steps, so the plan meets each step of a write again and again.
    plan = lambda number: {"kill_at": 1 + number % 9}  # noqa: E731
    assert survive(tmp_path, rounds, kills, plan, place) == kills


def delay(number):
    """A delay of up to 20 ms that depends on nothing but the number of the kill."""
    return int.from_bytes(hashlib.sha256(b"kill %d" % number).digest()[:4], "big") / 2**32 * 0.02


@pytest.mark.slow
def test_hundreds_of_kills_at_any_moment(tmp_path, place):
    killed = survive(tmp_path, 400, 400, lambda number: {"kill_after": delay(number)}, place)
    assert killed >= 100

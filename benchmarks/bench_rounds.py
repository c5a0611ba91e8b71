"""Complete rounds per second of the durable ledger, beside plain SQLite that writes the same rows.

Run: .venv/bin/python benchmarks/bench_rounds.py [--rounds N] [--seats N] [--folder DIR]

Every commit is durable (write-ahead log, synchronous=FULL) and acknowledged only then. A round is five
commands: place on two wagers, deal, stand where a decision is open, settle. The commands of all seats share
one commit. The plain writer stores what the ledger stored, in the same commits, without machine, chain,
encryption, triggers or indices.

With --long, a ledger of N rounds, --rounds-a-seat of them at each seat and the last of each left open: appended,
listed, expired and verified, with the seconds of the processor and the most memory that the process had held after
each; with --rounds-a-seat 1 every round is open.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import multiprocessing
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

from certify.clock import SteppedClock
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.listing import latest, summaries
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.table import Command, SeatAction
from certify.rounds.vault import Vault
from certify.submission import read_game

GAME = Path(__file__).parent.parent / "fixtures/games/playtech-7-e-mezzo/game.toml"
PLACE_MAIN = Command(SeatAction.PLACE, "main", 100)
PLACE_SIDE = Command(SeatAction.PLACE, "mano-di-poker", 100)


class Watch:
    """Counts seconds of the clock and of the processor; the latter holds on a busy machine too."""

    def __init__(self) -> None:
        self.started = (time.perf_counter(), time.process_time())

    def stop(self) -> tuple[float, float]:
        """Returns the seconds since the start, by the clock and of the processor."""
        return time.perf_counter() - self.started[0], time.process_time() - self.started[1]


def decks(count: int) -> Iterator[tuple[int, ...]]:
    """Yields decks in orders that depend on nothing but their number, forty times as many as are sorted, for ever."""
    sorted_once = [
        tuple(sorted(range(40), key=lambda card: hashlib.sha256(b"%d/%d" % (number, card)).digest()))
        for number in range(count)
    ]
    # A deck that comes again soon would let a round be answered from what is kept of an earlier one.
    for cut in itertools.cycle(range(40)):
        for deck in sorted_once:
            yield deck[cut:] + deck[:cut]


def open_ledger(path: Path) -> Ledger:
    """Returns an empty ledger for the published game."""
    edition = edition_of(read_game(GAME))
    machine = Machine(
        {edition.sha256: edition}, edition.sha256, SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
    )
    supply = decks(500)
    return Ledger(SqliteStore(path), machine, Vault(bytes(32)), lambda _: next(supply))


def play(ledger: Ledger, seats: list[str], rounds: int) -> int:
    """Plays rounds at all seats at once and returns how many were completed."""
    done = 0
    for _ in range(rounds // len(seats)):
        for command in (PLACE_MAIN, PLACE_SIDE, Command(SeatAction.DEAL)):
            replies = ledger.perform_all(LedgerRequest(seat, command) for seat in seats)
        waiting = [seat for seat, reply in zip(seats, replies, strict=True) if reply.view.phase == "decision"]
        ledger.perform_all(
            LedgerRequest(seat, Command(SeatAction.DECIDE, decision="stand")) for seat in waiting
        )
        replies = ledger.perform_all(LedgerRequest(seat, Command(SeatAction.SETTLE)) for seat in seats)
        if not all(reply.done for reply in replies):
            raise SystemExit("a round was not settled: the benchmark is wrong")
        done += len(seats)
    return done


def batches(path: Path, seats: int) -> Iterator[list[tuple[object, ...]]]:
    """Yields the rows of a ledger in groups as large as one commit held on average."""
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM record ORDER BY number").fetchall()
    connection.close()
    for start in range(0, len(rows), seats):
        yield rows[start : start + seats]


def write_plainly(source: Path, target: Path, seats: int) -> tuple[float, float]:
    """Writes the rows of a ledger into a bare table with the same durability; returns what it took."""
    groups = list(batches(source, seats))
    connection = sqlite3.connect(target, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"CREATE TABLE plain ({', '.join('abcdefghijkl')})")
    marks = ", ".join("?" * 12)
    watch = Watch()
    for group in groups:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(f"INSERT INTO plain VALUES ({marks})", group)
        connection.execute("COMMIT")
    spent = watch.stop()
    connection.close()
    return spent


def measure(folder: Path, seats: int, rounds: int) -> list[float]:
    """Returns rounds a second of ledger and plain writing by the clock, then a processor second of each."""
    ledger = open_ledger(folder / "ledger.db")
    names = [f"seat-{number}" for number in range(seats)]
    for name in names:
        ledger.open(name, SessionOpened("p", "s", "IT", "EU"), 10**12)
    # What a game offers is learned once, by its first rounds.
    first = play(ledger, names, seats)
    watch = Watch()
    done = play(ledger, names, rounds)
    ours = watch.stop()
    ledger.verify(ledger.head)
    ledger.close()
    plain = write_plainly(folder / "ledger.db", folder / "plain.db", seats)
    return [done / ours[0], (first + done) / plain[0], done / ours[1], (first + done) / plain[1]]


def worker(arguments: tuple[str | None, int, int]) -> list[float]:
    """Measures in a process of its own."""
    folder, seats, rounds = arguments
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return measure(Path(own), seats, rounds)


def long(folder: str | None, rounds: int, at_each: int, seats: int) -> None:
    """Prints what a long ledger takes: seconds of the processor and the most memory so far, stage by stage."""
    with tempfile.TemporaryDirectory(dir=folder) as own:
        path = Path(own) / "ledger.db"
        ledger = open_ledger(path)
        names = [f"seat-{number}" for number in range(max(1, rounds // at_each))]
        stage("begun", Watch())
        watch = Watch()
        for start in range(0, len(names), seats):
            group = names[start : start + seats]
            for name in group:
                ledger.open(name, SessionOpened("p", "s", "IT", "EU"), 10**12)
            play(ledger, group, len(group) * (at_each - 1))
            for command in (PLACE_MAIN, Command(SeatAction.DEAL)):
                ledger.perform_all(LedgerRequest(name, command) for name in group)
        stage(f"{rounds:,} rounds appended at {len(names):,} seats, the last of each left open", watch)
        watch = Watch()
        with closing(SqliteStore.reading(path)) as store:
            found, total = latest(summaries(store), 100)
        stage(f"{total:,} listed, the last {len(found)} kept", watch)
        watch = Watch()
        clock = ledger.machine.clock
        assert isinstance(clock, SteppedClock)
        clock.advance(timedelta(days=91))
        closed = ledger.close_due()
        stage(f"{len(closed.rounds):,} expired and {len(closed.settled):,} settled", watch)
        watch = Watch()
        stage(f"{ledger.verify(ledger.head):,} records verified", watch)
        ledger.close()


def stage(what: str, watch: Watch) -> None:
    """Prints a stage, the seconds of the processor it took, and the most memory so far."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what}: {watch.stop()[1]:.1f} s of the processor, at most {held:.0f} MiB held so far", flush=True)


def main() -> None:
    """Prints one line for each number of processes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--seats", type=int, default=200)
    parser.add_argument(
        "--folder", default=None, help="where the ledgers are written; a real disk, not tmpfs"
    )
    parser.add_argument("--long", type=int, metavar="N", help="a ledger of N rounds, stage by stage")
    parser.add_argument(
        "--rounds-a-seat", type=int, default=100, metavar="N", help="rounds at each seat of --long (100)"
    )
    options = parser.parse_args()
    if options.long:
        long(options.folder, options.long, options.rounds_a_seat, options.seats)
        return
    print(f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}, {os.cpu_count()} cores")
    for processes in (1, 2):
        with multiprocessing.Pool(processes) as pool:
            results = pool.map(worker, [(options.folder, options.seats, options.rounds)] * processes)
        ours, plain, ours_cpu, plain_cpu = (sum(column) for column in zip(*results, strict=True))
        print(
            f"{processes} ledger(s), {options.seats} seats a commit: {ours:,.0f} complete rounds/s; "
            f"the same rows in plain SQLite: {plain:,.0f}; ratio {ours / plain:.2f}. "
            f"For each processor second: {ours_cpu:,.0f} and {plain_cpu:,.0f}; ratio {ours_cpu / plain_cpu:.2f}"
        )


if __name__ == "__main__":
    main()

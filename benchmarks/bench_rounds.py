"""Complete rounds per second of the durable ledger in a file and on a server, beside plain inserts of the same rows.

Run: .venv/bin/python benchmarks/bench_rounds.py [--rounds N] [--seats N] [--folder DIR]

Every commit is durable (write-ahead log, synchronous=FULL) and acknowledged only then. A round is five
commands: place on two wagers, deal, stand where a decision is open, settle. The commands of all seats share
one commit. The plain writer stores what the ledger stored, in the same commits, without machine, chain,
encryption, triggers or indices. The machine alone plays the same rounds and stores nothing: what it takes no ledger
can go below. All take turns, a round of all seats each, so that what else the machine does falls on each of them;
ratios are medians over the turns. The server is one of the tests, with fsync; what it takes is measured by the clock.

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
from statistics import median

from certify.clock import SteppedClock
from certify.databases import Place, connected, place_of, transaction
from certify.rounds import (
    Command,
    Ledger,
    LedgerRequest,
    Machine,
    Seat,
    SeatAction,
    SessionOpened,
    SqliteStore,
    Vault,
    edition_of,
    latest,
    ledger_at,
    step,
    summaries,
)
from certify.submission import read_game

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from postgres_server import Server

GAME = Path(__file__).parent.parent / "fixtures/games/playtech-7-e-mezzo/game.toml"
PLACE_MAIN = Command(SeatAction.PLACE, "main", 100)
PLACE_SIDE = Command(SeatAction.PLACE, "mano-di-poker", 100)
WHAT = {
    "ledger": "the ledger",
    "plain": "the same rows in plain SQLite",
    "rules": "the rules alone",
    "server": "the ledger on PostgreSQL",
    "inserts": "the same rows in plain PostgreSQL",
}
"""What is measured, in turn, in one process."""


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


def machine_alone() -> Machine:
    """Returns the machine of the published game."""
    edition = edition_of(read_game(GAME))
    return Machine({edition.sha256: edition}, edition.sha256, SteppedClock(datetime(2026, 1, 1, tzinfo=UTC)))


def open_ledger(path: Place) -> Ledger:
    """Returns an empty ledger for the published game."""
    supply = decks(500)
    return Ledger(ledger_at(path), machine_alone(), Vault(bytes(32)), lambda _: next(supply))


def play(ledger: Ledger, seats: list[str]) -> list[int]:
    """Plays a round at every seat and returns how many records each commit stored."""
    sizes = []
    for command in (PLACE_MAIN, PLACE_SIDE, Command(SeatAction.DEAL)):
        replies = ledger.perform_all(LedgerRequest(seat, command) for seat in seats)
        sizes.append(len(replies))
    waiting = [seat for seat, reply in zip(seats, replies, strict=True) if reply.view.phase == "decision"]
    ledger.perform_all(LedgerRequest(seat, Command(SeatAction.DECIDE, decision="stand")) for seat in waiting)
    replies = ledger.perform_all(LedgerRequest(seat, Command(SeatAction.SETTLE)) for seat in seats)
    if not all(reply.done for reply in replies):
        raise SystemExit("a round was not settled: the benchmark is wrong")
    return [*sizes, len(waiting), len(replies)]


def play_rules(machine: Machine, seats: dict[str, Seat], supply: Iterator[tuple[int, ...]]) -> None:
    """Plays a round at every seat by the machine alone: nothing is recorded, marked, stored or answered."""
    for command in (PLACE_MAIN, PLACE_SIDE, Command(SeatAction.DEAL)):
        for name, seat in seats.items():
            seats[name], _ = step(machine, seat, command, lambda _: next(supply))
    for name, seat in seats.items():
        if seat.round is not None and seat.round.options:
            seats[name] = machine.decide(seat, "stand")[0]
    for name, seat in seats.items():
        seats[name] = machine.settle(seat)[0]


class PlainWriter:
    """Writes rows into a bare table with the durability of the ledger."""

    def __init__(self, place: Place) -> None:
        self.connection = connected(place)
        if isinstance(place, Path):
            self.connection.execute("PRAGMA journal_mode=WAL")
            self.connection.execute("PRAGMA synchronous=FULL")
        self.connection.execute(
            "CREATE TABLE plain (a INTEGER, b TEXT, c TEXT, d TEXT, e TEXT, f BLOB, g TEXT, h TEXT, i BLOB, j BLOB, "
            "k BLOB, l BLOB)"
        )

    def write(self, groups: list[list[tuple[object, ...]]]) -> None:
        """Writes each group of rows in a commit of its own."""
        marks = ", ".join("?" * 12)
        for group in groups:
            with transaction(self.connection):
                self.connection.executemany(f"INSERT INTO plain VALUES ({marks})", group)


def latest_rows(path: Place, sizes: list[int]) -> list[list[tuple[object, ...]]]:
    """Returns the last rows of a ledger as its commits stored them."""
    with closing(connected(path, reading=True)) as connection:
        found = connection.execute(
            "SELECT * FROM record ORDER BY number DESC LIMIT ?", (sum(sizes),)
        ).fetchall()
    rows = iter(reversed(found))
    return [list(itertools.islice(rows, size)) for size in sizes]


def measure(folder: Path, server: str, seats: int, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Returns the seconds of ledger, plain rows and rules alone, round of all seats by round, one after the other."""
    kinds = {("ledger", "plain"): folder / "ledger.db", ("server", "inserts"): place_of(server)}
    ledgers = {kind: (place, open_ledger(place)) for kind, place in kinds.items()}
    plain = {
        kind: PlainWriter(folder / "plain.db" if kind[0] == "ledger" else place)
        for kind, place in kinds.items()
    }
    names = [f"seat-{number}" for number in range(seats)]
    for _, ledger in ledgers.values():
        for name in names:
            ledger.open(name, SessionOpened("p", "s", "IT", "EU"), 10**12)
    rules, supply = machine_alone(), decks(500)
    seated = {name: Seat(name, 10**12) for name in names}
    spent: dict[str, list[tuple[float, float]]] = {name: [] for name in WHAT}
    for _ in range(1 + rounds // seats):
        for kind, (place, ledger) in ledgers.items():
            watch = Watch()
            sizes = play(ledger, names)
            spent[kind[0]].append(watch.stop())
            groups = latest_rows(place, sizes)
            watch = Watch()
            plain[kind].write(groups)
            spent[kind[1]].append(watch.stop())
        watch = Watch()
        play_rules(rules, seated, supply)
        spent["rules"].append(watch.stop())
    for kind, (_, ledger) in ledgers.items():
        ledger.journal.verify(ledger.head)
        ledger.close()
        plain[kind].connection.close()
    # What a game offers is learned once, by the first rounds.
    return {name: each[1:] for name, each in spent.items()}


def worker(arguments: tuple[str | None, str, int, int]) -> dict[str, list[tuple[float, float]]]:
    """Measures in a process of its own."""
    folder, server, seats, rounds = arguments
    with tempfile.TemporaryDirectory(dir=folder) as own:
        return measure(Path(own), server, seats, rounds)


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
            for _ in range(at_each - 1):
                play(ledger, group)
            for command in (PLACE_MAIN, Command(SeatAction.DEAL)):
                ledger.perform_all(LedgerRequest(name, command) for name in group)
        stage(f"{rounds:,} rounds appended at {len(names):,} seats, the last of each left open", watch)
        watch = Watch()
        with closing(SqliteStore(path, reading=True)) as store:
            found, total = latest(summaries(store), 100)
        stage(f"{total:,} listed, the last {len(found)} kept", watch)
        watch = Watch()
        clock = ledger.machine.clock
        assert isinstance(clock, SteppedClock)
        clock.advance(timedelta(days=91))
        closed = ledger.close_due()
        stage(f"{len(closed.rounds):,} expired and {len(closed.settled):,} settled", watch)
        watch = Watch()
        stage(f"{ledger.journal.verify(ledger.head):,} records verified", watch)
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
    server = Server()
    for processes in (1, 2):
        with multiprocessing.Pool(processes) as pool:
            given = [
                (options.folder, server.fresh().url, options.seats, options.rounds) for _ in range(processes)
            ]
            results = pool.map(worker, given)
        print(
            f"{processes} ledger(s), {options.seats} seats a commit, complete rounds by the clock and by processor:"
        )
        for name, what in WHAT.items():
            clock, cpu = (
                median(column) for column in zip(*(x for one in results for x in one[name]), strict=True)
            )
            print(f"  {what}: {options.seats / clock:,.0f} and {options.seats / cpu:,.0f} a second")
        for name in ("ledger", "rules"):
            ratios = [b[1] / a[1] for one in results for a, b in zip(one[name], one["plain"], strict=True)]
            print(f"  plain rows take {median(ratios):.2f} of the processor time of {WHAT[name]}")
        own = [
            plain[1] / (whole[1] - rules[1])
            for one in results
            for whole, plain, rules in zip(*(one[name] for name in ("ledger", "plain", "rules")), strict=True)
        ]
        print(f"  plain rows take {median(own):.2f} of what the ledger takes beyond the rules")
        for whole, rows in (("ledger", "plain"), ("server", "inserts")):
            ratios = [b[0] / a[0] for one in results for a, b in zip(one[whole], one[rows], strict=True)]
            print(f"  {WHAT[rows]} take {median(ratios):.2f} of the time of {WHAT[whole]} by the clock")
    server.stop()


if __name__ == "__main__":
    main()

"""Kill -9 at every marked step and at any moment: no acknowledged event is lost, nothing happens twice."""

import hashlib
import os
import signal
import time
from datetime import UTC, datetime

import pytest
from representatives import firsts
from rounds_game import balances, deck, game
from rounds_room import ended, forked

from certify.clock import SteppedClock
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.recall import recall
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import Vault
from certify.rounds.table import Command, SeatAction

STEPS = (
    Command(SeatAction.PLACE, "main", 300),
    Command(SeatAction.PLACE, "mano-di-poker", 100),
    Command(SeatAction.DEAL),
    Command(SeatAction.DECIDE, decision="stand"),
    Command(SeatAction.SETTLE),
)
OPENING = 1_000_000


def open_ledger(path, decks=None, mark=lambda step: None):
    edition = edition_of(game())
    clock = SteppedClock(datetime(2026, 1, 1, tzinfo=UTC))
    machine = Machine({edition.sha256: edition}, edition.sha256, clock)
    return Ledger(SqliteStore(path, mark), machine, Vault(bytes(32)), decks)


def request(index):
    return LedgerRequest("a", STEPS[index % len(STEPS)], key=f"key-{index}")


def play(ledger, current, first, last, acknowledge):
    """Sends commands one by one, each under its own key, and acknowledges each once it is answered."""
    for index in range(first, last):
        current[0] = index // len(STEPS)
        ledger.perform(request(index))
        acknowledge(index, ledger.head)


def child(path, first, last, kill_at, write_end):
    """Plays in a process of its own, which kills itself at a step where it is told to."""
    seen = 0

    def mark(step):
        nonlocal seen
        seen += 1
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    current = [0]
    ledger = open_ledger(path, lambda _: deck(current[0]), mark)
    play(
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


def unbroken(path, rounds):
    """Plays the same commands without a crash."""
    current = [0]
    ledger = open_ledger(path, lambda _: deck(current[0]))
    ledger.open("a", SessionOpened("p", "s", "IT", "EU"), OPENING)
    play(ledger, current, 0, rounds * len(STEPS), lambda index, head: None)
    events = [(event.kind, event.round, event.body, event.postings) for event in ledger.journal.events("a")]
    ledger.close()
    return events


def verify_after_crash(path, head):
    """Everything acknowledged is there, the chain is whole, and the money is conserved."""
    ledger = open_ledger(path)
    ledger.journal.verify(head)
    events = list(ledger.journal.events("a"))
    totals = balances(events)
    assert sum(totals.values()) == 0
    assert totals["player"] == ledger.seat("a").balance
    settled = [event.round for event in events if event.kind == "round-settled"]
    assert len(settled) == len(set(settled))
    ledger.close()


def survive(tmp_path, rounds, kills, plan):
    """Kills children by a plan, goes on after each from its last acknowledgement, and compares the end."""
    path = tmp_path / "ledger.db"
    ledger = open_ledger(path)
    ledger.open("a", SessionOpened("p", "s", "IT", "EU"), OPENING)
    head = ledger.head
    ledger.close()
    first, last, killed = 0, rounds * len(STEPS), 0
    while killed < kills and first < last:
        died, acknowledged = run_child(path, first, last, **plan(killed))
        killed += died
        if acknowledged:
            first, head = acknowledged[-1][0] + 1, acknowledged[-1][1]
        verify_after_crash(path, head)
    run_child(path, first, last)
    ledger = open_ledger(path)
    events = [(event.kind, event.round, event.body, event.postings) for event in ledger.journal.events("a")]
    assert events == unbroken(tmp_path / "unbroken.db", rounds)
    for number in range(1, rounds + 1):
        recall(ledger, f"a-{number:06d}")
    ledger.close()
    return killed


@pytest.mark.parametrize(("rounds", "kills"), firsts([(3, 9), (10, 36), (40, 150)]))
def test_a_kill_at_every_marked_step(tmp_path, rounds, kills):
    # One command makes four steps, so the plan meets each step of a write again and again.
    plan = lambda number: {"kill_at": 1 + number % 9}  # noqa: E731
    assert survive(tmp_path, rounds=rounds, kills=kills, plan=plan) == kills


def delay(number):
    """A delay of up to 20 ms that depends on nothing but the number of the kill."""
    return int.from_bytes(hashlib.sha256(b"kill %d" % number).digest()[:4], "big") / 2**32 * 0.02


@pytest.mark.slow
def test_kills_at_any_moment(tmp_path):
    killed = survive(tmp_path, rounds=15, kills=10, plan=lambda number: {"kill_after": delay(number)})
    assert killed >= 2


@pytest.mark.slow
def test_hundreds_of_kills_at_any_moment(tmp_path):
    killed = survive(tmp_path, rounds=400, kills=400, plan=lambda number: {"kill_after": delay(number)})
    assert killed >= 100

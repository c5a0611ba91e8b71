"""A ledger in a folder that can be opened again, with a clock and decks of its own."""

import itertools
import os
import sqlite3
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from rounds_game import deck_from, game

from certify.clock import SteppedClock
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.machine import Machine
from certify.rounds.play import edition_of
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import Vault
from certify.rounds.table import Command, SeatAction, command_for

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
KEY = bytes(range(32))
WINS = deck_from(24, 0, 4, 8)
SESSION = SessionOpened("p-7f3a", "session-1", "IT", "EU")


class Room:
    """A ledger in a folder that can be opened again, with a clock and decks of its own."""

    def __init__(self, folder, policy=None, given=(WINS,)):
        self.path = folder / "ledger.db"
        self.clock = SteppedClock(START)
        edition = edition_of(game(), policy, software="5f" * 32)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.given = itertools.cycle(given)
        self.drawn = 0
        self.ledger = self.open()
        self.ledger.open("a", SESSION, 100_000)

    def open(self, key=KEY):
        return Ledger(SqliteStore(self.path), self.machine, Vault(key), self.deck)

    def reopen(self):
        self.ledger.close()
        self.ledger = self.open()

    def deck(self, equipment):
        self.drawn += 1
        return next(self.given)

    def do(self, action, wager="", amount=0, key="", seat="a"):
        # What is no action is a decision.
        known = action in list(SeatAction)
        command = Command(SeatAction(action), wager, amount) if known else command_for(action)
        return self.ledger.perform(LedgerRequest(seat, command, key))

    def play(self, *actions):
        replies = [self.do("place", "main", 1000), self.do("place", "mano-di-poker", 100)]
        replies += [self.do(action) for action in ("deal", *actions)]
        assert all(reply.done for reply in replies), replies
        return replies[-1].view

    def alter(self, statement, *values):
        """Does to the file what somebody does who goes around the ledger."""
        self.ledger.close()
        with sqlite3.connect(self.path) as connection:
            for trigger in ("record_is_never_changed", "record_is_never_deleted"):
                connection.execute(f"DROP TRIGGER {trigger}")
            connection.execute(statement, values)
        connection.close()
        self.ledger = self.open()


def forked(work: Callable[[], int | None]) -> int:
    """Does work in a process of its own, which ends with the number it returns; returns its id."""
    if (pid := os.fork()) == 0:
        status = 99
        try:
            status = work() or 0
        finally:
            os._exit(status)
    return pid


def ended(children: Iterable[int]) -> list[int]:
    return [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]

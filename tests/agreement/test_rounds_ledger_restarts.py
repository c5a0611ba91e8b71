"""A ledger that restarts before every command keeps what a game with decisions that add stakes promises."""

import itertools
from datetime import UTC, datetime

import pytest
from rounds_game import decks
from rounds_open_card_game import CASINO, KING

from certify.clock import SteppedClock
from certify.rounds.conformance.conform import conform
from certify.rounds.events import SessionOpened
from certify.rounds.ledger import Ledger, LedgerRequest
from certify.rounds.play import edition_of
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.table import view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class LedgerSystem:
    """A ledger behind the port for systems under test, closed and opened again before every command."""

    def __init__(self, path, edition, balance, instant):
        self.path = path
        self.clock = SteppedClock(instant)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.ledger = self.open()
        self.ledger.open("a", SessionOpened("p", "s", "US", "market"), balance)

    def open(self):
        return Ledger(SqliteStore(self.path), self.machine, Vault(bytes(32)), lambda _: self.deck)

    def set_clock(self, instant):
        self.clock.instant = instant

    def set_deck(self, deck):
        self.deck = deck

    def perform(self, command, key=""):
        self.ledger.close()
        self.ledger = self.open()
        return self.ledger.perform(LedgerRequest("a", command, key))

    def view(self):
        return view_of(self.ledger.seat("a"))


@pytest.mark.slow
def test_stories_on_a_ledger_that_restarts_before_every_command(tmp_path):
    numbers, latest = itertools.count(), []

    def make(edition, balance, instant):
        for old in latest:
            old.ledger.close()
        latest[:] = [LedgerSystem(tmp_path / f"{next(numbers)}.db", edition, balance, instant)]
        return latest[0]

    report = conform(make, edition_of(CASINO), (*decks(6), KING), START, count=20, fixed=False)
    latest[0].ledger.close()
    assert report.breach is None
    assert report.steps > 150

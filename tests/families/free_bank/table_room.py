"""A ledger with a table of three people that can be closed and opened again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from free_bank_tables import game_of, row_of

from certify.clock import SteppedClock
from certify.model.equipment import Equipment, Row
from certify.rounds.events import Sitting
from certify.rounds.ledger import Ledger, LedgerRequest, id_of
from certify.rounds.play import edition_of
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.table import Command, Reply, SeatAction
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

START = datetime(2026, 11, 22, 12, tzinfo=UTC)
SITTING = Sitting("evening-1", "IT", "EU")
PEOPLE = {"Ada": 10_000, "Bea": 10_000, "Cora": 10_000}


class TableRoom:
    """A table on a ledger, with a clock and cards laid out round by round.

    Args:
        path: The ledger file.
        cards: Cards of the rounds, which repeat.
        name: The game.
        mark: Told every step of a write.
    """

    def __init__(
        self,
        path: Path,
        *cards: str,
        name: str = "sette-e-mezzo",
        mark: Callable[[str], None] = lambda step: None,
    ) -> None:
        self.path, self.mark = path, mark
        self.clock = SteppedClock(START)
        edition = edition_of(game_of(name), software="5f" * 32)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.rows = itertools.cycle(row_of(one, decks=3) for one in cards or ("7 5 6 J",))
        self.open()

    def open(self) -> None:
        """Opens the file."""
        self.ledger = Ledger(
            SqliteStore(self.path, self.mark), self.machine, Vault(bytes(range(32))), self.row
        )

    def sit_down(self) -> None:
        """Lets three people sit down, of whom Ada banks."""
        self.ledger.gather("friends", PEOPLE, "Ada", SITTING)

    def reopen(self) -> None:
        """Forgets everything in memory."""
        self.ledger.close()
        self.open()

    def row(self, equipment: Sequence[Equipment]) -> Row:
        """Gives the row of the next round."""
        return next(self.rows)

    def ask(self, action: str, person: str = "", decision: str = "", key: str = "", **stakes: int) -> Reply:
        """Asks one thing of the table."""
        command = Command(SeatAction(action), decision=decision, person=person, stakes=tuple(stakes.items()))
        return self.ledger.perform(LedgerRequest(id_of("friends"), command, key))

    def play(self, *decisions: str, **stakes: int) -> Reply:
        """Deals and takes decisions, each by whose turn it is."""
        reply = self.ask("deal", **(stakes or {"Bea": 100, "Cora": 300}))
        for decision in decisions:
            assert reply.done, reply
            reply = self.ask("decide", reply.view.people.turn, decision)
        assert reply.done, reply
        return reply

"""A system that plays tables of several people, as seen from outside, and our own behind that port."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from certify.clock import SteppedClock
from certify.rounds.events import Bets, Event, Sitting
from certify.rounds.play import Edition
from certify.rounds.recorder import EventRecorder
from certify.rounds.table import TableCommand, TableReply, TableRound, TableState, TableView, view_of
from certify.rounds.table_history import history_of
from certify.rounds.tables import TableMachine, again

SITTING = Sitting("exercise", "none", "none")


class TableSystem(Protocol):
    """A table of a system under test; draws and the clock are given to it."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock of the table."""
        ...

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the row of draws that the next deal uses."""
        ...

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        ...

    def view(self) -> TableView:
        """Returns what the table shows to everybody."""
        ...


class ReferenceTable(EventRecorder[TableMachine, TableState, TableCommand, TableReply]):
    """The table of this package behind the port."""

    @classmethod
    def of(cls, edition: Edition, people: Bets, banker: str, instant: datetime) -> ReferenceTable:
        """Returns a fresh table.

        Raises:
            InputError: These people make no table of the game.
        """
        clock = SteppedClock(instant)
        tables = TableMachine(edition, clock)
        state, events = tables.seat("table", dict(people), banker, SITTING)
        return cls(tables, clock, state, events=list(events))

    def step(self, command: TableCommand) -> tuple[TableState, tuple[Event, ...]]:
        """Returns the table after a command, and the record of it.

        Raises:
            OperationError: The command is not allowed now.
        """
        return self.machine.perform(self.seat, command, lambda _: self.deck)

    def answer(self, refusal: str = "") -> TableReply:
        """Returns what is answered: the view, and why nothing was done where that is so."""
        return TableReply(not refusal, self.view(), refusal)

    def view(self) -> TableView:
        """Returns what the table shows to everybody."""
        return view_of(self.seat)

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        return self.perform(command, key)

    def ask_together(self, asked: Sequence[tuple[TableCommand, str]]) -> tuple[TableReply, ...]:
        """Does commands that arrive at the same time, one after the other."""
        return tuple(self.ask(command, key) for command, key in asked)

    def history(self, person: str) -> tuple[TableRound, ...]:
        """Returns every round as it was to one of the people, the earliest first.

        Raises:
            InputError: Nobody of that name sits there.
        """
        return history_of(person, self.events)

    def restart(self) -> None:
        """Forgets what is in memory: the table is made again from its events."""
        self.seat = again(self.machine.edition, self.seat.id, self.events)

"""A system that plays tables of several people, as seen from outside, and our own behind that port."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.rounds.events import Bets, Event, Sitting
from certify.rounds.play import Edition
from certify.rounds.table import TableCommand, TableReply, TableRound, TableState, TableView, view_of
from certify.rounds.table_history import history_of
from certify.rounds.tables import Tables, again

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


@dataclass(slots=True)
class ReferenceTable:
    """The table of this package behind the port.

    Args:
        edition: Rules and terms in force.
        clock: Its clock.
        state: How it stands.
        events: What happened.
        deck: Row of draws of the next deal.
        keys: Commands done, by key.
    """

    edition: Edition
    clock: SteppedClock
    state: TableState
    events: list[Event]
    deck: tuple[int, ...] = ()
    keys: dict[str, TableCommand] = field(default_factory=dict)

    @classmethod
    def of(cls, edition: Edition, people: Bets, banker: str, instant: datetime) -> ReferenceTable:
        """Returns a fresh table.

        Raises:
            InputError: These people make no table of the game.
        """
        clock = SteppedClock(instant)
        state, events = Tables(edition, clock).seat("table", dict(people), banker, SITTING)
        return cls(edition, clock, state, list(events))

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock of the table."""
        self.clock.instant = instant

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the row of draws that the next deal uses."""
        self.deck = deck

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        done = self.keys.get(key) if key else None
        if done is not None:
            refusal = "" if done == command else f"key {key!r} was used for {done}"
            return TableReply(done == command, self.view(), refusal)
        try:
            self.state, events = self.step(command)
        except OperationError as error:
            return TableReply(False, self.view(), str(error))
        self.events += events
        if key:
            self.keys[key] = command
        return TableReply(True, self.view())

    def step(self, command: TableCommand) -> tuple[TableState, tuple[Event, ...]]:
        """Returns the table after a command, and the record of it.

        Raises:
            OperationError: The command is not allowed now.
        """
        return Tables(self.edition, self.clock).perform(self.state, command, lambda _: self.deck)

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
        self.state = again(self.edition, self.state.id, self.events)

    def view(self) -> TableView:
        """Returns what the table shows to everybody."""
        return view_of(self.state)

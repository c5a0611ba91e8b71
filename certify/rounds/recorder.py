"""A machine of this package behind the port of a system under test: what was done is kept, once under its key."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.model.equipment import Row
from certify.rounds.events import Event

M = TypeVar("M")
S = TypeVar("S")
C = TypeVar("C")
R = TypeVar("R")


@dataclass(slots=True)
class EventRecorder(ABC, Generic[M, S, C, R]):
    """The seat of one player or a table of several people, as a system under test would hold it.

    Args:
        machine: What can be done.
        clock: The machine's clock.
        seat: How the seat or table stands.
        deck: Row of draws of the next deal.
        events: What happened.
        keys: Commands done, by key.
    """

    machine: M
    clock: SteppedClock
    seat: S
    deck: Row = ()
    events: list[Event] = field(default_factory=list)
    keys: dict[str, C] = field(default_factory=dict)

    @abstractmethod
    def step(self, command: C) -> tuple[S, tuple[Event, ...]]:
        """Returns the state after a command, and the record of it.

        Raises:
            OperationError: The command is not allowed now.
        """

    @abstractmethod
    def answer(self, refusal: str = "") -> R:
        """Returns what is answered: the view, and why nothing was done where that is so."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the machine's clock."""
        self.clock.instant = instant

    def set_deck(self, deck: Row) -> None:
        """Gives the row of draws that the next deal uses."""
        self.deck = deck

    def perform(self, command: C, key: str = "") -> R:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        if key and key in self.keys:
            return self.done_before(command, key)
        try:
            self.seat, events = self.step(command)
        except OperationError as error:
            return self.answer(str(error))
        self.events += events
        if key:
            self.keys[key] = command
        return self.answer()

    def done_before(self, command: C, key: str) -> R:
        """Returns the answer to a command under a key under which one was done."""
        done = self.keys[key]
        if done == command:
            return self.answer()
        return self.answer(f"key {key!r} was used for {done}, expected a fresh key for {command}")

    def perform_together(self, asked: Sequence[tuple[C, str]]) -> tuple[R, ...]:
        """Does commands that arrive at the same time, one after the other."""
        return tuple(self.perform(command, key) for command, key in asked)

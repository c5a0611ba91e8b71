"""What a system under test may offer beyond commands and view: history, restarts, commands at the same time, tables."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol, cast, runtime_checkable

from certify.rounds.events import Bets
from certify.rounds.system import Command, PastRound, Reply, System
from certify.rounds.table_system import TableSystem


class Extra(StrEnum):
    """One thing that a system may offer, by what it makes testable."""

    HISTORY = "history"
    RESTART = "restart"
    TOGETHER = "concurrent commands"
    TABLE = "several people at one table"


class Offering(System, Protocol):
    """A system that offers everything."""

    def history(self) -> Sequence[PastRound]:
        """Returns the rounds of the player whose bets were accepted, the earliest first; open ones may be left out."""
        ...

    def restart(self) -> None:
        """Ends the system as a failure would and starts it again; returns when it answers."""
        ...

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> Sequence[Reply]:
        """Sends commands, each with its key, so that all are on their way before the first is answered."""
        ...

    def gather(self, people: Bets, banker: str) -> TableSystem:
        """Seats people, each with what they bring, at a fresh table of which one of them holds the bank."""
        ...


@runtime_checkable
class Declaring(Protocol):
    """A system that says itself what it offers, as one does that must be asked over a wire."""

    def offered(self) -> frozenset[Extra]:
        """Returns what the system offers."""
        ...


_METHODS = {
    Extra.HISTORY: "history",
    Extra.RESTART: "restart",
    Extra.TOGETHER: "perform_together",
    Extra.TABLE: "gather",
}


def offered_by(system: System) -> frozenset[Extra]:
    """Returns what a system offers."""
    if isinstance(system, Declaring):
        return system.offered()
    return frozenset(extra for extra, name in _METHODS.items() if callable(getattr(system, name, None)))


def offering(system: System) -> Offering:
    """Returns a system as one whose extras may be called; :func:`offered_by` says which."""
    return cast(Offering, system)

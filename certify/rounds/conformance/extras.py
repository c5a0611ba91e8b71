"""What a system under test may offer beyond commands and view: history, restarts, commands at the same time, tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Protocol, TypeVar, cast

from certify.rounds.events import Bets
from certify.rounds.system import Command, PastRound, RecalledRound, Reply, System
from certify.rounds.table import TableCommand, TableReply, TableRound, TableSystem


class Extra(StrEnum):
    """One thing that a system may offer, by what it makes testable."""

    HISTORY = "history"
    RECALL = "recall of complete rounds"
    RESTART = "restart"
    TOGETHER = "concurrent commands"
    TABLE = "several people at one table"


class TableExtra(StrEnum):
    """One thing that a table may offer, by what it makes testable."""

    HISTORY = "history of each person at a table"
    RESTART = "restart of a table"
    TOGETHER = "concurrent commands at a table"


class TableOffering(TableSystem, Protocol):
    """A table that offers everything."""

    def history(self, person: str) -> Sequence[TableRound]:
        """Returns the rounds of one of the people, the earliest first; the open one may be left out."""
        ...

    def restart(self) -> None:
        """Ends the system as a failure would and starts it again; returns when it answers."""
        ...

    def ask_together(self, asked: Sequence[tuple[TableCommand, str]]) -> Sequence[TableReply]:
        """Sends commands, each with its key, so that all are on their way before the first is answered."""
        ...


E = TypeVar("E", bound=StrEnum)


class Offering(System, Protocol):
    """A system that offers everything."""

    def history(self) -> Sequence[PastRound]:
        """Returns the rounds of the player whose bets were accepted, the earliest first; open ones may be left out."""
        ...

    def recalled(self) -> Sequence[RecalledRound]:
        """Returns the complete rounds as recall shows them, the earliest first; open ones may be left out."""
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


_METHODS: Final = {
    Extra.HISTORY: "history",
    Extra.RECALL: "recalled",
    Extra.RESTART: "restart",
    Extra.TOGETHER: "perform_together",
    Extra.TABLE: "gather",
}

_TABLE_METHODS: Final = {
    TableExtra.HISTORY: "history",
    TableExtra.RESTART: "restart",
    TableExtra.TOGETHER: "ask_together",
}


def offered_by(system: System) -> frozenset[Extra]:
    """Returns what a system offers: what it says itself, as one does that must be asked over a wire, or its methods."""
    return _offered(system, _METHODS)


def offered_at(table: TableSystem) -> frozenset[TableExtra]:
    """Returns what a table offers, found in the same way."""
    return _offered(table, _TABLE_METHODS)


def _offered(one: object, methods: Mapping[E, str]) -> frozenset[E]:
    declared = getattr(one, "offered", None)
    if callable(declared):
        return frozenset(declared())
    return frozenset(extra for extra, name in methods.items() if callable(getattr(one, name, None)))


def offering(system: System | TableSystem) -> Offering:
    """Returns a system as one whose extras may be called; :func:`offered_by` says which."""
    return cast(Offering, system)


def offering_at(table: System | TableSystem) -> TableOffering:
    """Returns a table as one whose extras may be called; :func:`offered_at` says which."""
    return cast(TableOffering, table)

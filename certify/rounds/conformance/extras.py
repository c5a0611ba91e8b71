"""What a system under test may offer beyond commands and view: history, recall, restarts, commands at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, Protocol, cast

from certify.rounds.table import Command, PastRound, RecalledRound, Reply, System


class Extra(StrEnum):
    """One thing that a system may offer, by what it makes testable."""

    HISTORY = "history"
    RECALL = "recall of complete rounds"
    RESTART = "restart"
    TOGETHER = "concurrent commands"


class Offering(System, Protocol):
    """A system that offers everything."""

    def history(self) -> Sequence[PastRound]:
        """Returns the rounds whose bets were accepted, the earliest first; open ones may be left out."""
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


_METHODS: Final = {
    Extra.HISTORY: "history",
    Extra.RECALL: "recalled",
    Extra.RESTART: "restart",
    Extra.TOGETHER: "perform_together",
}


def offered_by(system: System) -> frozenset[Extra]:
    """Returns what a system offers: what it says itself, as one does that must be asked over a wire, or its methods."""
    declared = getattr(system, "offered", None)
    if callable(declared):
        return frozenset(declared())
    return frozenset(extra for extra, name in _METHODS.items() if callable(getattr(system, name, None)))


def offering(system: System) -> Offering:
    """Returns a system as one whose extras may be called; :func:`offered_by` says which."""
    return cast(Offering, system)

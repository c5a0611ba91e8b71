"""In what the stories are told to a system under test, and what it may offer beyond commands and view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol, cast

from certify.rounds.play import Edition
from certify.rounds.probe import Deck
from certify.rounds.table import Command, PastRound, RecalledRound, Reply, SeatAction, System


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


LARGEST: Final = (1 << 63) - 1
"""The largest balance that a system is tried with; one that is reached over a wire may name a lesser one."""


@dataclass(frozen=True, slots=True)
class Setting:
    """In what the stories are told.

    Args:
        edition: Rules and terms.
        decks: Decks of the deals.
        start: When a story begins that names no other time.
        opening: Opening balance of a story that names no other.
        offers: What the system offers beyond commands and view.
        unsupported: Actions that the operator declares unsupported.
        largest: The largest amount that the system can be told and can show, minor units.
    """

    edition: Edition
    decks: tuple[Deck, ...]
    start: datetime
    opening: int
    offers: frozenset[Extra] = frozenset()
    unsupported: frozenset[SeatAction] = frozenset()
    largest: int = LARGEST

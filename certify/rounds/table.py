"""A table of several people seen from outside: what can be asked, what it shows, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from certify.rounds.events import Bets, Hands
from certify.rounds.several import people_at
from certify.rounds.state import Phase, Seat


class TableAction(StrEnum):
    """What can be asked of a table."""

    DEAL = "deal"
    DECIDE = "decide"
    AWAY = "away"
    LEAVE = "leave"
    RETURN = "return"
    MALFUNCTION = "malfunction"
    EXPIRE = "expire"


@dataclass(frozen=True, slots=True)
class TableCommand:
    """One thing asked of a table.

    Args:
        action: What is asked.
        person: Who decides, leaves or returns.
        decision: One of the options that the view shows, for ``decide``.
        stakes: Stake of each seat that plays against the banker, for ``deal``, minor units.
    """

    action: TableAction
    person: str = ""
    decision: str = ""
    stakes: Bets = ()

    def __str__(self) -> str:
        """Returns the command as a line of a script.

        >>> print(TableCommand(TableAction.DEAL, stakes=(("Bea", 5),)), "|", decides("Bea", "hit"))
        deal Bea 5 | Bea decide hit
        """
        staked = ", ".join(f"{person} {amount}" for person, amount in self.stakes)
        return " ".join(part for part in (self.person, self.action, self.decision, staked) if part)


def decides(person: str, option: str) -> TableCommand:
    """Returns the command by which a person takes an option."""
    return TableCommand(TableAction.DECIDE, person, option)


@dataclass(frozen=True, slots=True)
class TableView:
    """What a table shows to everybody; money in minor units.

    Args:
        round: Id of the latest round, empty where there was none.
        phase: ``none``, ``decision``, ``settled``, ``void`` or ``expired``.
        banker: Who banks the open round, or the next one.
        balances: Money of each person that is not held.
        held: What is held of each person.
        stakes: Stake of each seat in the latest round.
        hands: Faces that lie open, by person; a hand that was split off has its number behind the name.
        turn: Who is to decide; empty where nobody is.
        options: Decisions that person may take.
        nets: What each person won in the latest round, once it is settled.
        absent: Who left and has not returned.
    """

    round: str
    phase: str
    banker: str
    balances: Bets
    held: Bets = ()
    stakes: Bets = ()
    hands: Hands = ()
    turn: str = ""
    options: tuple[str, ...] = ()
    nets: Bets = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableReply:
    """What a table answers to a command: whether it was done, why not, and the view after it."""

    done: bool
    view: TableView
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class TableRound:
    """One round as the history of one person at a table shows it; money in minor units.

    Args:
        round: Id of the round, as the view showed it.
        phase: ``decision`` while it is open, else ``settled``, ``void`` or ``expired``.
        banker: Who banked it.
        stakes: Stake of each seat.
        hands: Faces that lay open in the end, by person.
        returned: What came back to the person of what was held and won; nothing while the round is open.
        net: What the person won, or lost where negative; nothing unless settled.
    """

    round: str
    phase: str
    banker: str
    stakes: Bets = ()
    hands: Hands = ()
    returned: int = 0
    net: int = 0


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


def view_of(seat: Seat) -> TableView:
    """Returns what a table of several people shows to everybody.

    Raises:
        OperationError: It is the seat of one player.
    """
    people, current = people_at(seat), seat.round
    waiting = people.waits_for(current)
    settled = current is not None and current.phase is Phase.SETTLED
    return TableView(
        round=current.id if current else "",
        phase=str(current.phase) if current else "none",
        banker=people.banker,
        balances=tuple(people.balances.items()),
        held=tuple((people.held or {}).items()),
        stakes=current.stakes if current else (),
        hands=current.hands if current else (),
        turn=waiting[0] if waiting else "",
        options=waiting[1].ids if waiting else (),
        nets=tuple((one.person, one.net) for one in people.history[-len(people.balances) :])
        if settled
        else (),
        absent=people.absent,
    )

"""A table of several people seen from outside: what can be asked, what it shows, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from certify.families.gathering import Gathering, RoundEnd
from certify.rounds.events import Bets, Hands, RulesInForce
from certify.rounds.play import shown
from certify.rounds.state import Phase


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


@dataclass(frozen=True, slots=True)
class TableState:
    """A table after some events.

    Args:
        id: Its id; rounds are numbered below it.
        gathering: People, money and the open round.
        rules: Rules in force for the evening.
        absent: Who left and has not returned.
        suspended: Why the game is unavailable; empty while it is available.
        events: Number of events so far.
        last_at: Time of the latest event.
    """

    id: str
    gathering: Gathering
    rules: RulesInForce
    absent: tuple[str, ...] = ()
    suspended: str = ""
    events: int = 0
    last_at: datetime | None = None

    @property
    def round(self) -> str:
        """Id of the latest round, empty where there was none."""
        return f"{self.id}-{self.gathering.number:06d}" if self.gathering.number else ""

    @property
    def phase(self) -> str:
        """How that round stands, as a view shows it."""
        if self.gathering.round is not None:
            return str(Phase.DECISION)
        history = self.gathering.history
        return str(_ENDED[RoundEnd(history[-1].ended)]) if history else "none"

    @property
    def stakes(self) -> Bets:
        """Stake of each seat in it, minor units."""
        current = self.gathering.round or self.gathering.latest
        return tuple(zip(current.seats, current.stakes, strict=True)) if current else ()


_ENDED: Final = {
    RoundEnd.SETTLED: Phase.SETTLED,
    RoundEnd.VOID_MALFUNCTION: Phase.VOID,
    RoundEnd.VOID_TERM: Phase.EXPIRED,
}
"""How a round that ended is shown."""


def view_of(state: TableState) -> TableView:
    """Returns what a table shows to everybody."""
    gathering = state.gathering
    waiting = gathering.waits_for()
    settled = state.phase == Phase.SETTLED
    people = len(gathering.balances)
    return TableView(
        round=state.round,
        phase=state.phase,
        banker=gathering.banker,
        balances=tuple(gathering.balances.items()),
        held=tuple(gathering.held.items()),
        stakes=state.stakes,
        hands=shown(gathering.hands()),
        turn=waiting[0] if waiting else "",
        options=waiting[1].ids if waiting else (),
        nets=tuple((one.person, one.net) for one in gathering.history[-people:]) if settled else (),
        absent=state.absent,
    )

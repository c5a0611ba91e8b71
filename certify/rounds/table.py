"""A table of one player or of several people, seen from outside: what can be asked of it, and what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from certify.rounds.events import Bets, Hands
from certify.rounds.play import Edition
from certify.rounds.state import Phase, Round, Seat, merged


class SeatAction(StrEnum):
    """What can be asked of a table."""

    PLACE = "place"
    UNDO = "undo"
    CLEAR = "clear"
    REBET = "rebet"
    DEAL = "deal"
    REBET_AND_DEAL = "rebet-and-deal"
    DOUBLE_AND_DEAL = "double-and-deal"
    DECIDE = "decide"
    SETTLE = "settle"
    DISCONNECT = "disconnect"
    RESUME = "resume"
    MALFUNCTION = "malfunction"
    EXPIRE = "expire"
    SUSPEND = "suspend"
    RESTORE = "restore"
    AWAY = "away"
    LEAVE = "leave"
    RETURN = "return"


DEALS: Final = frozenset({SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL})
"""Actions that accept bets and deal cards."""

_OF_SEVERAL_ALONE: Final = (SeatAction.AWAY, SeatAction.LEAVE, SeatAction.RETURN)

OF_SEVERAL: Final = (
    *(SeatAction.DEAL, SeatAction.DECIDE, *_OF_SEVERAL_ALONE),
    *(SeatAction.MALFUNCTION, SeatAction.EXPIRE),
)
"""What can be asked of a table of several people; what is decided there settles at once."""

OF_ONE: Final = tuple(action for action in SeatAction if action not in _OF_SEVERAL_ALONE)
"""What can be asked of a table of one player."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing asked of a table.

    Args:
        action: What is asked.
        wager: Wager to bet on, for ``place``.
        amount: Amount in minor units, for ``place``.
        decision: One of the options that the view shows, for ``decide``.
        person: Who of several people decides, leaves or returns.
        stakes: Stake of each seat that plays against the banker, for ``deal`` at a table of several, minor units.
    """

    action: SeatAction
    wager: str = ""
    amount: int = 0
    decision: str = ""
    person: str = ""
    stakes: Bets = ()

    def __str__(self) -> str:
        """Returns the command as a line of a script.

        >>> print(Command(SeatAction.PLACE, "ante", 300), "|", command_for("hit-2"), "|", command_for("hit", "Bea"))
        place ante 300 | decide hit-2 | Bea decide hit
        >>> print(Command(SeatAction.DEAL, stakes=(("Bea", 5), ("Cora", 7))))
        deal Bea 5, Cora 7
        """
        said = self.decision or (f"{self.wager} {self.amount}" if self.wager else "")
        staked = ", ".join(f"{person} {amount}" for person, amount in self.stakes)
        return " ".join(filter(None, (self.person, self.action.value, said, staked)))


def command_for(option: str, person: str = "") -> Command:
    """Returns the command that takes one of the options of a view, by one of several people where one is named."""
    return Command(SeatAction.DECIDE, decision=option, person=person)


@dataclass(frozen=True, slots=True)
class SeveralShown:
    """What a view shows besides where several people sit at the table; money in minor units.

    Args:
        banker: Who banks the open round, or the next one.
        balances: Money of each person that is not held.
        held: What is held of each person.
        turn: Who is to decide; empty where nobody is.
        nets: What each person won in the latest round, once it is settled.
        absent: Who left and has not returned.
    """

    banker: str
    balances: Bets
    held: Bets = ()
    turn: str = ""
    nets: Bets = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """What a table shows to everybody who sits at it; money in minor units.

    Args:
        round: Id of the latest round, empty where there was none.
        phase: ``none``, ``betting``, ``decision``, ``resolved``, ``settled``, ``void`` or ``expired``.
        balance: Funds that may be staked; of several people, those of all together.
        held: Stakes held for a round that is not complete; of several people, all that was put up.
        stakes: Chips on the layout before the deal, accepted stakes after it, what decisions added as ``WAGER-added``;
            of several people, the stake of each seat.
        hands: Faces that lie open, by holder; a hand that was split off has its number behind the name of a person.
        options: Decisions the player may take now, or who of several people is to decide.
        returned: What settlement paid back on each wager, all stakes included.
        refunded: What voiding paid back.
        connected: Whether the player is connected.
        available: Whether new rounds may start.
        several: What is shown besides where several people sit there; none where one player does.
    """

    round: str
    phase: str
    balance: int
    held: int
    stakes: Bets = ()
    hands: Hands = ()
    options: tuple[str, ...] = ()
    returned: Bets = ()
    refunded: int = 0
    connected: bool = True
    available: bool = True
    several: SeveralShown | None = None

    @property
    def people(self) -> SeveralShown:
        """What is shown of several people.

        Raises:
            TypeError: One player sits there.
        """
        if self.several is None:
            raise TypeError(f"round {self.round!r} is of one player: expected a table of several people")
        return self.several


@dataclass(frozen=True, slots=True)
class Reply:
    """What a table answers to a command: whether it was done, why not, and the view after it."""

    done: bool
    view: View
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class PersonShare:
    """What a round at a table of several was to one of the people; money in minor units.

    Args:
        banker: Who banked it.
        returned: What came back to the person of what was held and won; nothing while the round is open.
        net: What the person won, or lost where negative; nothing unless settled.
    """

    banker: str
    returned: int = 0
    net: int = 0


@dataclass(frozen=True, slots=True)
class PastRound:
    """One round as the history of a player shows it, or of one person at a table of several; money in minor units.

    Args:
        round: Id of the round, as the view showed it.
        phase: ``decision`` or ``resolved`` while it is open, else ``settled``, ``void`` or ``expired``.
        stakes: Accepted stakes, what decisions added as ``WAGER-added``; of several people, the stake of each seat.
        hands: Faces that lie open, by holder.
        returned: What settlement paid back on each wager; empty unless settled.
        refunded: What voiding paid back.
        share: What the round was to the person whose history it is; none where one player plays alone.
    """

    round: str
    phase: str
    stakes: Bets = ()
    hands: Hands = ()
    returned: Bets = ()
    refunded: int = 0
    share: PersonShare | None = None


MARK: Final = "REPLAY of a finished or interrupted round; not a game in play"
"""How a recalled round is marked, so that nobody takes it for play (GLI-19 4.14.1)."""


@dataclass(frozen=True, slots=True)
class SeatChoice:
    """One decision of a player, as recall shows it.

    Args:
        at: When it was taken, ISO 8601 with a zone.
        decision: What was decided.
        offered: What could be decided.
    """

    at: str
    decision: str
    offered: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecalledRound:
    """One round as it is recalled and reconstructed afterwards (GLI-19 4.14.1, 4.14.2); money in minor units.

    Args:
        round: Id of the round, as the view showed it.
        mark: How the recall is marked as a replay.
        player: Who played.
        game: Which game.
        version: Its version.
        paytable: Identification of its rules and pays, such as a digest.
        currency: Currency of all amounts.
        started: When the bets were accepted, ISO 8601 with a zone.
        ended: When the round was settled or voided.
        funds_before: Funds of the player before the bets were accepted.
        funds_after: Funds of the player when the round had ended.
        choices: Decisions of the player, in order.
        phase: How it ended: ``settled``, ``void`` or ``expired``.
        stakes: Accepted stakes, what decisions added as ``WAGER-added``.
        hands: Faces that lie open, by holder.
        returned: What settlement paid back on each wager; empty unless settled.
        refunded: What voiding paid back.
    """

    round: str
    mark: str
    player: str
    game: str
    version: str
    paytable: str
    currency: str
    started: str
    ended: str
    funds_before: int
    funds_after: int
    choices: tuple[SeatChoice, ...]
    phase: str
    stakes: Bets
    hands: Hands
    returned: Bets
    refunded: int


class System(Protocol):
    """A table of a system under test, of one fresh player or of several people; draws and the clock are given to it."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock of the table."""
        ...

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the row of draws that the next deal uses."""
        ...

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks, or refuses it and changes nothing.

        A command that was done under a key is not done again under that key: the reply says done. Another
        command under that key is refused.
        """
        ...

    def view(self) -> View:
        """Returns what the table shows now."""
        ...


SystemFactory = Callable[[Edition, int, datetime], System]
"""Makes a system with a fresh player: the edition it plays, the opening balance, the time."""


def view_of(seat: Seat) -> View:
    """Returns what a table shows from outside."""
    current = seat.round
    several = _several(seat)
    if current is None:
        return View(
            round="",
            phase="none",
            balance=seat.balance,
            held=seat.held,
            connected=seat.connected,
            available=not seat.suspended,
            several=several,
        )
    phase = current.phase
    return View(
        current.id,
        phase.value,
        seat.balance,
        seat.held,
        merged(current.chips) if phase is Phase.BETTING else current.wagered,
        current.hands,
        current.options,
        _returned(current) if phase is Phase.SETTLED and several is None else (),
        current.refunded,
        seat.connected,
        not seat.suspended,
        several,
    )


def _returned(current: Round) -> Bets:
    return tuple([(result.wager, result.returned) for result in current.results])


def _several(seat: Seat) -> SeveralShown | None:
    people, current = seat.people, seat.round
    if people is None:
        return None
    waiting = people.waits_for(current)
    settled = current is not None and current.phase is Phase.SETTLED
    return SeveralShown(
        people.banker,
        tuple(people.balances.items()),
        tuple((people.held or {}).items()),
        waiting[0] if waiting else "",
        tuple((one.person, one.net) for one in people.history[-len(people.balances) :]) if settled else (),
        people.absent,
    )

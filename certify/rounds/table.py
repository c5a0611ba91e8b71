"""A seat seen from outside: its commands, and its view."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from certify.rounds.events import Bets, Hands
from certify.rounds.play import Edition
from certify.rounds.state import Phase, Seat, merged


class SeatAction(StrEnum):
    """What can be requested of a table."""

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


DEALS: Final = frozenset({SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL})
"""Actions that accept bets and deal cards."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing requested of a table.

    Args:
        action: What is requested.
        wager: Wager to bet on, for ``place``.
        amount: Amount in minor units, for ``place``.
        decision: One of the options that the view shows, for ``decide``.
    """

    action: SeatAction
    wager: str = ""
    amount: int = 0
    decision: str = ""

    def __str__(self) -> str:
        """Returns the command as a line of a script.

        >>> print(Command(SeatAction.PLACE, "ante", 300), "|", command_for("hit-2"))
        place ante 300 | decide hit-2
        """
        said = self.decision or (f"{self.wager} {self.amount}" if self.wager else "")
        return " ".join(filter(None, (self.action.value, said)))


def command_for(option: str) -> Command:
    """Returns the command that takes one of the options of a view."""
    return Command(SeatAction.DECIDE, decision=option)


@dataclass(frozen=True, slots=True)
class PastRound:
    """One round as the history of a player shows it; money in minor units.

    Args:
        round: Id of the round, as the view showed it.
        phase: ``decision`` or ``resolved`` while it is open, else ``settled``, ``void`` or ``expired``.
        stakes: Accepted stakes, what decisions added as ``WAGER-added``.
        hands: Faces that lie open, by holder.
        returned: What settlement paid back on each wager; empty unless settled.
        refunded: What voiding paid back.
    """

    round: str
    phase: str
    stakes: Bets
    hands: Hands
    returned: Bets
    refunded: int


@dataclass(frozen=True, slots=True)
class View(PastRound):
    """What a seat shows its player of the latest round, and of its own; money in minor units.

    Where there was no round its id is empty and its phase ``none``; before the deal the phase is ``betting``, and the
    stakes are the chips on the layout.

    Args:
        balance: Funds that may be staked.
        held: Stakes held for a round that is not complete.
        options: Decisions the player may take now.
        connected: Whether the player is connected.
        available: Whether new rounds may start.
    """

    balance: int
    held: int
    options: tuple[str, ...]
    connected: bool
    available: bool


@dataclass(frozen=True, slots=True)
class Reply:
    """What a table answers to a command: whether it was done, why not, and the view after it."""

    done: bool
    view: View
    refusal: str = ""


MARK: Final = "REPLAY of a finished or interrupted round; not a game in play"
"""How a recalled round is marked, so that nobody takes it for play (GLI-19 4.14.1)."""


NOT_OFFERED: Final = "not offered by this game"
"""What a record states for something that a game does not offer."""


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
class RecalledRound(PastRound):
    """One round as it is recalled and reconstructed afterwards (GLI-19 4.14.1, 4.14.2); money in minor units.

    Args:
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
        session: Session of the player.
        location: Where the player was, or what replaces it.
        software: Identification of the software that dealt.
        denomination: Value of a credit.
        final_display: What the player saw at the end.
        intermediate_phases: Phases of the round, in order.
        total_wagered: All stakes together.
        total_won: All that was paid back.
        non_wager_purchases: What was bought that is no wager; of this and what follows, also that none is offered.
        rake: What the house kept of a pot.
        jackpot_contribution: What the round added to a jackpot.
        jackpot_won: Whether a jackpot was won, and how much.
        promotional_amounts: Promotional money in the round.
        advice_given: Advice that the player was shown.
    """

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
    session: str = ""
    location: str = ""
    software: str = ""
    denomination: str = ""
    final_display: str = ""
    intermediate_phases: str = ""
    total_wagered: int | None = None
    total_won: int | None = None
    non_wager_purchases: str = ""
    rake: str = ""
    jackpot_contribution: str = ""
    jackpot_won: str = ""
    promotional_amounts: str = ""
    advice_given: str = ""


class System(Protocol):
    """A seat of a system under test with one fresh player; draws and the clock are given to it."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the clock of the table."""

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the row of draws that the next deal uses."""

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks, or refuses it and changes nothing.

        A command that was done under a key is not done again under that key: the reply says done. Another
        command under that key is refused.
        """

    def view(self) -> View:
        """Returns what the table shows now."""


SystemFactory = Callable[[Edition, int, datetime], System]
"""Makes a system with a fresh player: the edition it plays, the opening balance, the time."""


def view_of(seat: Seat) -> View:
    """Returns what a table shows from outside."""
    current = seat.round
    if current is None:
        return View(
            "", "none", (), (), (), 0, seat.balance, seat.held, (), seat.connected, not seat.suspended
        )
    phase = current.phase
    return View(
        current.id,
        phase.value,
        merged(current.chips) if phase is Phase.BETTING else current.wagered,
        current.hands,
        tuple([(result.wager, result.returned) for result in current.results])
        if phase is Phase.SETTLED
        else (),
        current.refunded,
        seat.balance,
        seat.held,
        current.options,
        seat.connected,
        not seat.suspended,
    )

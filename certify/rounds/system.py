"""A system that plays rounds, as seen from outside: commands go in, a view comes back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.model.equipment import Equipment, Row
from certify.rounds.events import Bets, CardsDealt, DecisionTaken, Event, Hands, Sitting, StakeAdded
from certify.rounds.operations import Step
from certify.rounds.play import Edition
from certify.rounds.replaying import again
from certify.rounds.several import Steps, people_at, single
from certify.rounds.state import OPEN, Phase, Round, Seat, apply, merged, replay
from certify.rounds.table import TableAction, TableCommand, TableReply, TableRound, TableView
from certify.rounds.table import view_of as table_view
from certify.rounds.table_history import history_of
from certify.rounds.voiding import Machine

Draws = Callable[[Sequence[Equipment]], Row]
"""Gives the row of draws of a round of some equipment."""

SITTING: Final = Sitting("exercise", "none", "none")


class SeatAction(StrEnum):
    """What can be asked of a system."""

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


DEALS = frozenset({SeatAction.DEAL, SeatAction.REBET_AND_DEAL, SeatAction.DOUBLE_AND_DEAL})
"""Actions that accept bets and deal cards."""


@dataclass(frozen=True, slots=True)
class Command:
    """One thing asked of a system.

    Args:
        action: What is asked.
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

        >>> print(Command(SeatAction.PLACE, "ante", 300), "|", command_for("hit-2"), "|", command_for("hit"))
        place ante 300 | decide hit-2 | decide hit
        """
        if self.decision:
            return f"{self.action} {self.decision}"
        return f"{self.action} {self.wager} {self.amount}" if self.wager else str(self.action)


def command_for(option: str) -> Command:
    """Returns the command that takes one of the options of a view."""
    return Command(SeatAction.DECIDE, decision=option)


@dataclass(frozen=True, slots=True)
class View:
    """What a system shows of one player; money in minor units.

    Args:
        round: Id of the latest round, empty where there was none.
        phase: ``none``, ``betting``, ``decision``, ``resolved``, ``settled``, ``void`` or ``expired``.
        balance: Funds the player may stake.
        held: Stakes held for a round that is not complete.
        stakes: Chips on the layout before the deal, accepted stakes after it, what decisions added as ``WAGER-added``.
        hands: Faces that lie open, by holder.
        options: Decisions the player may take now.
        returned: What settlement paid back on each wager, all stakes included.
        refunded: What voiding paid back.
        connected: Whether the player is connected.
        available: Whether new rounds may start.
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

    def faces(self, holder: str) -> tuple[int, ...]:
        """Returns the open faces of a holder; none where the holder has none."""
        return dict(self.hands).get(holder, ())


@dataclass(frozen=True, slots=True)
class Reply:
    """What a system answers to a command: whether it was done, why not, and the view after it."""

    done: bool
    view: View
    refusal: str = ""


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
    stakes: Bets = ()
    hands: Hands = ()
    returned: Bets = ()
    refunded: int = 0


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


def past(view: View) -> PastRound:
    """Returns the round of a view as the history shows it."""
    return PastRound(view.round, view.phase, view.stakes, view.hands, view.returned, view.refunded)


class System(Protocol):
    """A system under test with one fresh player; decks and the clock are given to it."""

    def set_clock(self, instant: datetime) -> None:
        """Sets the system's clock."""
        ...

    def set_deck(self, deck: tuple[int, ...]) -> None:
        """Gives the deck that the next deal uses."""
        ...

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks, or refuses it and changes nothing.

        A command that was done under a key is not done again under that key: the reply says done. Another
        command under that key is refused.
        """
        ...

    def view(self) -> View:
        """Returns what the system shows now."""
        ...


SystemFactory = Callable[[Edition, int, datetime], System]
"""Makes a system with a fresh player: the edition it plays, the opening balance, the time."""


C = TypeVar("C", bound=Command | TableCommand)
R = TypeVar("R")


@dataclass(slots=True)
class EventRecorder(ABC, Generic[C, R]):
    """The seat of one player or a table of several people, as a system under test would hold it.

    Args:
        machine: What can be done.
        clock: The machine's clock.
        seat: How the seat or table stands.
        deck: Row of draws of the next deal.
        events: What happened.
        keys: Commands done, by key.
    """

    machine: Machine
    clock: SteppedClock
    seat: Seat
    deck: Row = ()
    events: list[Event] = field(default_factory=list)
    keys: dict[str, C] = field(default_factory=dict)

    def step(self, command: C) -> Steps:
        """Returns the state after a command, and the record of it.

        Raises:
            OperationError: The command is not allowed now.
        """
        return step(self.machine, self.seat, command, lambda _: self.deck)

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


class ReferenceSystem(EventRecorder[Command, Reply]):
    """The state machine of this package behind the port, with one player."""

    def answer(self, refusal: str = "") -> Reply:
        """Returns what is answered: the view, and why nothing was done where that is so."""
        return Reply(not refusal, self.view(), refusal)

    def view(self) -> View:
        """Returns what the player's seat shows."""
        return view_of(self.seat)

    def history(self) -> tuple[PastRound, ...]:
        """Returns every round whose bets were accepted, the earliest first."""
        seat, seen = Seat(self.seat.id), dict[str, PastRound]()
        for event in self.events:
            seat = apply(seat, event)
            if seat.round is not None and seat.round.accepted_at is not None:
                seen[seat.round.id] = past(view_of(seat))
        return tuple(seen.values())

    def recalled(self) -> tuple[RecalledRound, ...]:
        """Returns every complete round as recall shows it, the earliest first."""
        seat, dealt, found = Seat(self.seat.id), dict[str, Seat](), dict[str, RecalledRound]()
        for event in self.events:
            before, seat = seat, apply(seat, event)
            if isinstance(event.body, CardsDealt):
                dealt[event.round] = before
            if seat.round is not None and event.round == seat.round.id in dealt:
                found[event.round] = self._recalled(seat, dealt[event.round].balance, event)
        return tuple(one for one in found.values() if one.phase not in OPEN)

    def _recalled(self, seat: Seat, funds_before: int, last: Event) -> RecalledRound:
        view = view_of(seat)
        own = [one for one in self.events if one.round == last.round and one.sequence <= last.sequence]
        deal = next(one for one in own if isinstance(one.body, CardsDealt))
        if not isinstance(deal.body, CardsDealt):
            raise TypeError("a deal was looked for")
        return RecalledRound(
            round=view.round,
            mark=MARK,
            player=self.seat.id,
            game=deal.body.rules.game,
            version=deal.body.rules.version,
            paytable=deal.body.rules.submission_sha256,
            currency=deal.body.currency,
            started=deal.at.isoformat(),
            ended=last.at.isoformat(),
            funds_before=funds_before,
            funds_after=seat.balance,
            choices=tuple(
                SeatChoice(one.at.isoformat(), one.body.decision, one.body.offered)
                for one in own
                if isinstance(one.body, DecisionTaken | StakeAdded)
            ),
            phase=view.phase,
            stakes=view.stakes,
            hands=view.hands,
            returned=view.returned,
            refunded=view.refunded,
        )

    def restart(self) -> None:
        """Forgets what is in memory: the state is made again from the events."""
        self.seat = replay(self.seat.id, self.events)

    def gather(self, people: Bets, banker: str) -> ReferenceTable:
        """Seats several people at one table of the game."""
        return ReferenceTable.of(self.machine.edition, people, banker, self.clock.now())


class ReferenceTable(EventRecorder[TableCommand, TableReply]):
    """The table of this package behind the port."""

    @classmethod
    def of(cls, edition: Edition, people: Bets, banker: str, instant: datetime) -> ReferenceTable:
        """Returns a fresh table.

        Raises:
            InputError: These people make no table of the game.
        """
        clock = SteppedClock(instant)
        machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        seat, event = machine.seat_people("table", dict(people), banker, SITTING)
        return cls(machine, clock, seat, events=[event])

    def answer(self, refusal: str = "") -> TableReply:
        """Returns what is answered: the view, and why nothing was done where that is so."""
        return TableReply(not refusal, self.view(), refusal)

    def view(self) -> TableView:
        """Returns what the table shows to everybody."""
        return table_view(self.seat)

    def ask(self, command: TableCommand, key: str = "") -> TableReply:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        return self.perform(command, key)

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
        self.seat = again(self.machine, self.seat.id, self.events)


def step(
    machine: Machine,
    seat: Seat,
    command: Command | TableCommand,
    rows: Draws,
    reason: str = "declared by the exercise",
    decided_by: str = "exercise",
) -> Steps:
    """Performs a command on the seat of one player, or at a table of several people.

    Args:
        machine: The operations.
        seat: The seat or table.
        command: What is asked.
        rows: Gives the draws of a deal.
        reason: Why, where a person decides (malfunction, suspension).
        decided_by: Who decides.

    Raises:
        OperationError: The command is not allowed now.
    """
    action = command.action
    if action is SeatAction.MALFUNCTION or action is TableAction.MALFUNCTION:
        return single(machine.malfunction(seat, reason, decided_by))
    if action is SeatAction.EXPIRE or action is TableAction.EXPIRE:
        return single(machine.expire(seat))
    if isinstance(command, TableCommand):
        return _at_table(machine, seat, command, rows)
    if action is SeatAction.PLACE:
        return single(machine.place(seat, command.wager, command.amount))
    if action is SeatAction.DECIDE:
        return single(machine.decide(seat, command.decision))
    if command.action in DEALS:
        # The deal is verified before a row is drawn: no shuffle is thrown away by a refusal.
        stakes = machine.stakes_to_accept(seat, action)
        return single(machine.accept(seat, stakes, rows(machine.edition.game.equipment), str(action)))
    if action is SeatAction.SUSPEND:
        return single(machine.suspend(seat, reason, decided_by))
    if action is SeatAction.RESTORE:
        return single(machine.restore(seat, reason, decided_by))
    return single(_OTHERS[command.action](machine, seat))


def _at_table(machine: Machine, seat: Seat, command: TableCommand, rows: Draws) -> Steps:
    match command.action:
        case TableAction.DEAL:
            stakes = dict(command.stakes)
            machine.cover(seat, stakes)  # A refusal throws no shuffle away here either.
            return machine.deal_to_all(seat, stakes, rows(people_at(seat).seated.equipment))
        case TableAction.DECIDE:
            return machine.decide_as(seat, command.person, command.decision)
        case TableAction.AWAY:
            return machine.away(seat)
        case _:
            return single(machine.move(seat, command.person, leaves=command.action is TableAction.LEAVE))


_OTHERS: Final[Mapping[SeatAction, Callable[[Machine, Seat], Step]]] = {
    SeatAction.UNDO: Machine.undo,
    SeatAction.CLEAR: Machine.clear,
    SeatAction.REBET: Machine.rebet,
    SeatAction.DISCONNECT: Machine.disconnect,
    SeatAction.RESUME: Machine.resume,
    SeatAction.SETTLE: Machine.settle,
}
"""What is done where nothing but the seat is needed."""


def view_of(seat: Seat) -> View:
    """Returns what a seat shows from outside."""
    current = seat.round
    if current is None:
        return View(
            round="",
            phase="none",
            balance=seat.balance,
            held=seat.held,
            connected=seat.connected,
            available=not seat.suspended,
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
        _returned(current) if phase is Phase.SETTLED else (),
        current.refunded,
        seat.connected,
        not seat.suspended,
    )


def _returned(current: Round) -> Bets:
    return tuple([(result.wager, result.returned) for result in current.results])


def reference_system(edition: Edition, balance: int, instant: datetime) -> ReferenceSystem:
    """Returns the state machine of this package with a fresh player."""
    clock = SteppedClock(instant)
    machine = Machine({edition.sha256: edition}, edition.sha256, clock)
    seat, event = machine.deposit(Seat("exercise"), balance)
    return ReferenceSystem(machine, clock, seat, events=[event])

"""The machine of this package behind the port of a system under test."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError
from certify.model import Equipment, Row
from certify.rounds.events import CardsDealt, DecisionTaken, Event, StakeAdded
from certify.rounds.machine import Machine
from certify.rounds.operations import Step
from certify.rounds.play import Edition, staked_apart
from certify.rounds.state import OPEN, Seat, apply, replay
from certify.rounds.table import (
    DEALS,
    MARK,
    NOT_OFFERED,
    Command,
    PastRound,
    RecalledRound,
    Reply,
    SeatAction,
    SeatChoice,
    View,
    view_of,
)

Draws = Callable[[Sequence[Equipment]], Row]
"""Gives the row of draws of a round of some equipment."""


@dataclass(slots=True)
class ReferenceSystem:
    """The state machine of this package behind the port, with one player.

    Args:
        machine: What can be done.
        clock: The machine's clock.
        seat: The seat of the player.
        deck: Row of draws of the next deal.
        events: What happened.
        keys: Commands done, by key.
        submitted: The edition as submitted, where rounds are staked as a configuration of it.
    """

    machine: Machine
    clock: SteppedClock
    seat: Seat
    deck: Row = ()
    events: list[Event] = field(default_factory=list)
    keys: dict[str, Command] = field(default_factory=dict)
    submitted: Edition | None = None

    @classmethod
    def of(cls, edition: Edition, balance: int, instant: datetime) -> Self:
        """Returns a system with a fresh player."""
        clock = SteppedClock(instant)
        machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        seat, event = machine.deposit(Seat("exercise"), balance)
        return cls(machine, clock, seat, events=[event])

    def set_clock(self, instant: datetime) -> None:
        """Sets the machine's clock."""
        self.clock.instant = instant

    def set_deck(self, deck: Row) -> None:
        """Gives the row of draws that the next deal uses."""
        self.deck = deck

    def configure(self, configuration: str) -> None:
        """Stakes the rounds from now on as a wagering configuration; with an empty id as they are submitted.

        Raises:
            InputError: The game has no such configuration, or no table can be set to it.
        """
        edition = self.submitted or self.machine.edition
        found = staked_apart(edition, configuration) if configuration else edition
        if found is None:
            raise InputError(
                f"no configuration {configuration!r} of {edition.game.id} can be staked at a table"
            )
        self.submitted = edition
        self.machine = Machine({found.sha256: found}, found.sha256, self.clock)

    def step(self, command: Command) -> Step:
        """Returns the state after a command, and the record of it.

        Raises:
            OperationError: The command is not allowed now.
        """
        return step(self.machine, self.seat, command, lambda _: self.deck)

    def perform(self, command: Command, key: str = "") -> Reply:
        """Does what a command asks once under its key, or refuses it and changes nothing."""
        if key and key in self.keys:
            return self.done_before(command, key)
        try:
            self.seat, event = self.step(command)
        except OperationError as error:
            return self.answer(str(error))
        self.events.append(event)
        if key:
            self.keys[key] = command
        return self.answer()

    def answer(self, refusal: str = "") -> Reply:
        """Returns what is answered: the view, and why nothing was done where that is so."""
        return Reply(not refusal, self.view(), refusal)

    def done_before(self, command: Command, key: str) -> Reply:
        """Returns the answer to a command under a key under which one was done."""
        done = self.keys[key]
        return (
            self.answer()
            if done == command
            else self.answer(f"key {key!r} was used for {done}, expected a fresh key for {command}")
        )

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        """Does commands that arrive at the same time, one after the other."""
        return tuple(self.perform(command, key) for command, key in asked)

    def view(self) -> View:
        """Returns what the table shows."""
        return view_of(self.seat)

    def history(self) -> tuple[PastRound, ...]:
        """Returns every round whose bets were accepted, the earliest first."""
        return tuple({event.round: _past(after) for _, after, event in self._dealt()}.values())

    def recalled(self) -> tuple[RecalledRound, ...]:
        """Returns every complete round as recall shows it, the earliest first."""
        funds, found = dict[str, int](), dict[str, RecalledRound]()
        for before, after, event in self._dealt():
            if isinstance(event.body, CardsDealt):
                funds[event.round] = before.balance
            found[event.round] = self._recalled(after, funds[event.round], event)
        return tuple(one for one in found.values() if one.phase not in OPEN)

    def _dealt(self) -> Iterator[tuple[Seat, Seat, Event]]:
        """Yields the seat before and after each event of a round from its deal on."""
        before = Seat(self.seat.id)
        for event in self.events:
            after = apply(before, event)
            current = after.round
            if current is not None and current.accepted_at is not None and event.round == current.id:
                yield before, after, event
            before = after

    def _recalled(self, seat: Seat, funds_before: int, last: Event) -> RecalledRound:
        view = view_of(seat)
        own = [one for one in self.events if one.round == last.round and one.sequence <= last.sequence]
        deal, dealt = next((one, one.body) for one in own if isinstance(one.body, CardsDealt))
        return RecalledRound(
            round=view.round,
            mark=MARK,
            player=self.seat.id,
            game=dealt.rules.game,
            version=dealt.rules.version,
            paytable=dealt.rules.submission_sha256,
            currency=dealt.currency,
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
            session=self.seat.id,
            location="this process",
            software=dealt.rules.software_sha256 or __name__,
            denomination="1 minor unit",
            final_display=f"{view.hands}; {view.phase}",
            intermediate_phases=", ".join(one.kind for one in own),
            total_wagered=sum(amount for _, amount in view.stakes),
            total_won=sum(amount for _, amount in view.returned),
            non_wager_purchases=NOT_OFFERED,
            rake=NOT_OFFERED,
            jackpot_contribution=NOT_OFFERED,
            jackpot_won=NOT_OFFERED,
            promotional_amounts=NOT_OFFERED,
            advice_given=NOT_OFFERED,
        )

    def restart(self) -> None:
        """Forgets what is in memory: the state is made again from the events."""
        self.seat = replay(self.seat.id, self.events)


def reference_system(edition: Edition, balance: int, instant: datetime) -> ReferenceSystem:
    """Returns the state machine of this package with a fresh player."""
    return ReferenceSystem.of(edition, balance, instant)


def step(
    machine: Machine,
    seat: Seat,
    command: Command,
    rows: Draws,
    reason: str = "declared by the exercise",
    decided_by: str = "exercise",
) -> Step:
    """Performs a command at a seat.

    Args:
        machine: The operations.
        seat: The seat.
        command: What is requested.
        rows: Gives the draws of a deal.
        reason: Why, where a person decides (malfunction, suspension).
        decided_by: Who decides.

    Raises:
        OperationError: The command is not allowed now.
    """
    action = command.action
    if action in DEALS:
        # The deal is verified before a row is drawn: no shuffle is thrown away by a refusal.
        stakes = machine.stakes_to_accept(seat, action)
        return machine.deal(seat, stakes, rows(machine.edition.game.equipment), str(action))
    if action is SeatAction.DECIDE:
        return machine.decide(seat, command.decision)
    if action is SeatAction.PLACE:
        return machine.place(seat, command.wager, command.amount)
    if action in _BY_A_PERSON:
        return _BY_A_PERSON[action](machine, seat, reason, decided_by)
    return _OTHERS[action](machine, seat)


_OTHERS: Final[Mapping[SeatAction, Callable[[Machine, Seat], Step]]] = {
    SeatAction.UNDO: Machine.undo,
    SeatAction.CLEAR: Machine.clear,
    SeatAction.REBET: Machine.rebet,
    SeatAction.DISCONNECT: Machine.disconnect,
    SeatAction.RESUME: Machine.resume,
    SeatAction.SETTLE: Machine.settle,
    SeatAction.EXPIRE: Machine.expire,
}
"""What is done where nothing but the seat is needed."""


_BY_A_PERSON: Final[Mapping[SeatAction, Callable[[Machine, Seat, str, str], Step]]] = {
    SeatAction.MALFUNCTION: Machine.malfunction,
    SeatAction.SUSPEND: Machine.suspend,
    SeatAction.RESTORE: Machine.restore,
}
"""What a person decides, who says why."""


def _past(after: Seat) -> PastRound:
    """Returns the latest round of a seat as a history shows it."""
    view = view_of(after)
    return PastRound(view.round, view.phase, view.stakes, view.hands, view.returned, view.refunded)

"""The machine of this package behind the port of a system under test, for one player and for several people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Final, Self

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError
from certify.model.equipment import Equipment, Row
from certify.rounds.events import Bets, CardsDealt, DecisionTaken, Event, Sitting, StakeAdded
from certify.rounds.operations import Step, Steps, single
from certify.rounds.play import Edition
from certify.rounds.player_banked.operations import people_at
from certify.rounds.replaying import again, states
from certify.rounds.state import OPEN, Seat
from certify.rounds.table import (
    DEALS,
    MARK,
    OF_ONE,
    OF_SEVERAL,
    Command,
    PastRound,
    PersonShare,
    RecalledRound,
    Reply,
    SeatAction,
    SeatChoice,
    View,
    view_of,
)
from certify.rounds.voiding import Machine

Draws = Callable[[Sequence[Equipment]], Row]
"""Gives the row of draws of a round of some equipment."""

SITTING: Final = Sitting("exercise", "none", "none")


@dataclass(slots=True)
class ReferenceSystem:
    """The state machine of this package behind the port, at a table of one player or of several people.

    Args:
        machine: What can be done.
        clock: The machine's clock.
        seat: How the table stands.
        deck: Row of draws of the next deal.
        events: What happened.
        keys: Commands done, by key.
    """

    machine: Machine
    clock: SteppedClock
    seat: Seat
    deck: Row = ()
    events: list[Event] = field(default_factory=list)
    keys: dict[str, Command] = field(default_factory=dict)

    @classmethod
    def of(cls, edition: Edition, brought: int | Bets, instant: datetime, banker: str = "") -> Self:
        """Returns a fresh table.

        Args:
            edition: What is played there.
            brought: What the player brings, or each of several people, minor units.
            instant: What the clock shows.
            banker: Who of several people banks first; the first of them where left out.

        Raises:
            InputError: These people make no table of the game.
        """
        clock = SteppedClock(instant)
        machine = Machine({edition.sha256: edition}, edition.sha256, clock)
        if isinstance(brought, int):
            seat, event = machine.deposit(Seat("exercise"), brought)
        else:
            seat, event = machine.seat_people("table", dict(brought), banker or brought[0][0], SITTING)
        return cls(machine, clock, seat, events=[event])

    def set_clock(self, instant: datetime) -> None:
        """Sets the machine's clock."""
        self.clock.instant = instant

    def set_deck(self, deck: Row) -> None:
        """Gives the row of draws that the next deal uses."""
        self.deck = deck

    def step(self, command: Command) -> Steps:
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
            self.seat, events = self.step(command)
        except OperationError as error:
            return self.answer(str(error))
        self.events += events
        if key:
            self.keys[key] = command
        return self.answer()

    def answer(self, refusal: str = "") -> Reply:
        """Returns what is answered: the view, and why nothing was done where that is so."""
        return Reply(not refusal, self.view(), refusal)

    def done_before(self, command: Command, key: str) -> Reply:
        """Returns the answer to a command under a key under which one was done."""
        done = self.keys[key]
        if done == command:
            return self.answer()
        return self.answer(f"key {key!r} was used for {done}, expected a fresh key for {command}")

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> tuple[Reply, ...]:
        """Does commands that arrive at the same time, one after the other."""
        return tuple(self.perform(command, key) for command, key in asked)

    def view(self) -> View:
        """Returns what the table shows."""
        return view_of(self.seat)

    def history(self, person: str = "") -> tuple[PastRound, ...]:
        """Returns every round whose bets were accepted, the earliest first, as it was to one of several people.

        Raises:
            InputError: Nobody of that name sits there.
        """
        there = self.seat.people.balances if self.seat.people else {"": 0}
        if person not in there:
            raise InputError(f"{person!r} does not sit at the table: expected one of {', '.join(there)}")
        return tuple(
            {event.round: _past(before, after, person) for before, after, event in self._dealt()}.values()
        )

    def recalled(self) -> tuple[RecalledRound, ...]:
        """Returns every complete round as recall shows it, the earliest first."""
        funds, found = dict[str, int](), dict[str, RecalledRound]()
        for before, after, event in self._dealt():
            if isinstance(event.body, CardsDealt):
                funds[event.round] = before.balance
            found[event.round] = self._recalled(after, funds[event.round], event)
        return tuple(one for one in found.values() if one.phase not in OPEN)

    def _dealt(self) -> Iterator[tuple[Seat, Seat, Event]]:
        """Yields the table before and after each event of a round from its deal on."""
        before = Seat(self.seat.id)
        for event, after in zip(self.events, states(self.machine, self.seat.id, self.events), strict=True):
            current = after.round
            if current is not None and current.accepted_at is not None and event.round == current.id:
                yield before, after, event
            before = after

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
        self.seat = again(self.machine, self.seat.id, self.events)

    def gather(self, people: Bets, banker: str) -> ReferenceSystem:
        """Seats several people at one table of the game."""
        return ReferenceSystem.of(self.machine.edition, people, self.clock.now(), banker)


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
) -> Steps:
    """Performs a command at a table of one player or of several people.

    Args:
        machine: The operations.
        seat: The table.
        command: What is asked.
        rows: Gives the draws of a deal.
        reason: Why, where a person decides (malfunction, suspension).
        decided_by: Who decides.

    Raises:
        OperationError: The command is not allowed now.
    """
    action, people = command.action, seat.people
    if action not in (OF_ONE if people is None else OF_SEVERAL):
        raise not_asked_so(seat, action)
    if action in DEALS:
        # The deal is verified before a row is drawn: no shuffle is thrown away by a refusal.
        stakes = machine.stakes_to_accept(seat, action, command.stakes)
        equipment = machine.edition.game.equipment if people is None else people.seated.equipment
        return machine.deal(seat, stakes, rows(equipment), str(action))
    if action is SeatAction.DECIDE:
        return machine.decide(seat, command.decision, command.person)
    if action is SeatAction.AWAY:
        return machine.away(seat)
    if action is SeatAction.PLACE:
        return single(machine.place(seat, command.wager, command.amount))
    if action in _MOVES:
        return single(machine.move(seat, command.person, leaves=action is SeatAction.LEAVE))
    if action in _BY_A_PERSON:
        return single(_BY_A_PERSON[action](machine, seat, reason, decided_by))
    return single(_OTHERS[action](machine, seat))


def not_asked_so(seat: Seat, action: SeatAction) -> OperationError:
    """Returns that an action is not asked of a table with so many people."""
    there, asked = ("one player", OF_ONE) if seat.people is None else ("several people", OF_SEVERAL)
    return OperationError(f"cannot {action}: {there} at {seat.id}, expected one of {', '.join(asked)}")


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

_MOVES: Final = (SeatAction.LEAVE, SeatAction.RETURN)


def _past(before: Seat, after: Seat, person: str) -> PastRound:
    """Returns the latest round of a table as a history shows it, to one of several people where one is named."""
    view, current = view_of(after), after.round
    share = None
    if person and current is not None:
        result = next((one for one in current.results if one.wager == person), None)
        put_up = people_at(before).held or {}
        share = PersonShare(
            # Who banked is who did before the end, with which the bank may pass.
            people_at(before).banker,
            result.returned if result else put_up[person] * (current.phase not in OPEN),
            int(Fraction(result.net) * result.stake) if result else 0,
        )
    return PastRound(view.round, view.phase, view.stakes, view.hands, view.returned, view.refunded, share)

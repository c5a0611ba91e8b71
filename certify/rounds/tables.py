"""What is done at a table of several people, and what is recorded of it.

How a round goes is the family's (``Gathering``). Here its steps become events that hold who staked what, what was
held, decided and won, so that they can be kept, told person by person, and played again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from fractions import Fraction

from certify.clock import Clock, SteppedClock
from certify.errors import InputError, OperationError, TrustError
from certify.exact import fraction_text
from certify.families.gathering import Gathering, gather
from certify.families.registry import family_of
from certify.model.equipment import Equipment, Row, completed, split_row
from certify.rounds.codec import encode
from certify.rounds.events import (
    BetsExpired,
    Body,
    CardsDealt,
    CoverHeld,
    Event,
    MalfunctionDeclared,
    PeopleSeated,
    PersonDecided,
    PersonLeft,
    PersonReturned,
    RoundSettled,
    RulesInForce,
    Sitting,
    WagerResult,
    deck_commitment,
)
from certify.rounds.money import Account, Posting, transfer
from certify.rounds.play import Edition, shown
from certify.rounds.table import TableAction, TableCommand, TableState

Parts = tuple[tuple[Body, tuple[Posting, ...]], ...]
"""What is recorded of a step: what happened, and the money it moved."""

Happened = tuple[TableState, tuple[Event, ...]]
"""A table after a command, and the record of it."""

Draws = Callable[[Sequence[Equipment]], Row]
"""Gives the row of draws of a round of some equipment."""


@dataclass(frozen=True, slots=True)
class TableMachine:
    """Everything that can be done at a table: a pure function of edition, clock and state.

    Args:
        edition: Rules and terms in force.
        clock: Tells the time.
    """

    edition: Edition
    clock: Clock

    def seat(
        self,
        table: str,
        people: Mapping[str, int],
        banker: str,
        sitting: Sitting,
        rules: RulesInForce | None = None,
    ) -> Happened:
        """Records who sits down with what, and who banks first.

        Args:
            table: Id of the table.
            people: What each brings, in the order in which they sit, minor units.
            banker: Who banks first.
            sitting: Where they sit.
            rules: Rules as they were recorded, where a record is played again.

        Raises:
            InputError: The game knows no table of several people, or these people do not make one.
        """
        game = self.edition.game
        company = family_of(game).company
        if company is None:
            raise InputError(f"{game.id}: its family plays no rounds of several people with a bank of theirs")
        if not all(name and name.isprintable() and len(name) <= 40 for name in people):
            raise InputError("a person has no name of 1 to 40 characters that can be printed")
        term = timedelta(days=self.edition.policy.void_after_days)
        gathering = gather(company, game, people, banker, term)
        rules = rules or RulesInForce(game.id, game.version, game.sha256, self.edition.software)
        body = PeopleSeated(tuple(people.items()), banker, rules, gathering.origin, sitting)
        state = TableState(table, gathering, rules)
        brought = transfer(sum(people.values()), Account.CASHIER, Account.PLAYER)
        return self._happened(state, ((body, brought),), "")

    def perform(
        self,
        state: TableState,
        command: TableCommand,
        rows: Draws,
        reason: str = "not stated",
        decided_by: str = "system",
    ) -> Happened:
        """Does what a command asks.

        Raises:
            OperationError: It is not allowed now.
        """
        match command.action:
            case TableAction.DEAL:
                # The deal is verified before a row is drawn: no shuffle is thrown away by a refusal.
                stakes, equipment = dict(command.stakes), state.gathering.equipment
                self.deal(state, stakes, any_row(equipment))
                return self.deal(state, stakes, rows(equipment))
            case TableAction.DECIDE:
                return self.decide(state, command.person, command.decision)
            case TableAction.AWAY:
                return self.away(state)
            case TableAction.LEAVE | TableAction.RETURN:
                return self.move(state, command.action, command.person)
            case TableAction.MALFUNCTION:
                return self.malfunction(state, reason, decided_by)
            case TableAction.EXPIRE:
                return self.expire(state)

    def deal(self, state: TableState, stakes: Mapping[str, int], row: Row) -> Happened:
        """Accepts the stakes of all seats, holds what everybody answers for, and deals."""
        if state.suspended:
            raise OperationError(f"cannot deal: the game is unavailable ({state.suspended})")
        try:
            split_row(state.gathering.equipment, row)
        except InputError as error:
            raise OperationError(f"cannot deal: the deck is not whole: {error}") from error
        if min(stakes.values(), default=0) < 1:
            raise OperationError("cannot deal: a stake is nothing or less, expected minor units of each seat")
        gathering = state.gathering.opened(stakes, row, self._now(state))
        begun = replace(state, gathering=gathering)
        round_id, staked = begun.round, begun.stakes
        waiting = gathering.waits_for()
        held = gathering.held
        dealt = CardsDealt(
            stakes=staked,
            rules=state.rules,
            deck=tuple(row),
            hands=shown(gathering.hands()),
            options=waiting[1].ids if waiting else (),
            how="deal",
            currency=self.edition.game.wagers[0].limits.currency,
            deck_sha256=deck_commitment(round_id, tuple(row)),
        )
        cover = CoverHeld(state.gathering.banker, tuple(held.items()))
        moved = transfer(sum(held.values()), Account.PLAYER, Account.HELD)
        return self._happened(begun, ((cover, moved), (dealt, ()), *_ending(state, gathering)), round_id)

    def decide(self, state: TableState, person: str, option: str) -> Happened:
        """Takes a decision of a person who is at the table."""
        if person in state.absent:
            raise OperationError(f"cannot {option}: {person} left the table, expected return first")
        return self._decided(state, state.gathering.decided(person, option, self._now(state)), option)

    def away(self, state: TableState) -> Happened:
        """Takes what commits to least for whoever has not decided in time, seat or banker."""
        waiting = state.gathering.waits_for()
        gathering = state.gathering.away(self._now(state))
        return self._decided(state, gathering, waiting[1].ids[0] if waiting else "", away=True)

    def move(self, state: TableState, action: TableAction, person: str) -> Happened:
        """Records that a person left the table, or came back to it; nothing of the round changes."""
        leaves = action is TableAction.LEAVE
        if person not in state.gathering.balances:
            raise OperationError(f"cannot {action}: {person!r} does not sit at the table")
        if leaves == (person in state.absent):
            raise OperationError(f"cannot {action}: {person} {'left already' if leaves else 'is there'}")
        absent = tuple(one for one in (*state.absent, person) if leaves or one != person)
        body = PersonLeft(person, "connection lost") if leaves else PersonReturned(person)
        open_round = state.round if state.gathering.held else ""
        return self._happened(replace(state, absent=absent), ((body, ()),), open_round)

    def malfunction(self, state: TableState, reason: str, decided_by: str) -> Happened:
        """Voids the round that is open; everybody has back what was held."""
        held = tuple(state.gathering.held.items())
        gathering = state.gathering.malfunction()
        total = sum(amount for _, amount in held)
        body = MalfunctionDeclared(reason, decided_by, held, total, 0, 0)
        return self._happened(
            replace(state, gathering=gathering),
            ((body, transfer(total, Account.HELD, Account.PLAYER)),),
            state.round,
        )

    def expire(self, state: TableState) -> Happened:
        """Voids the round that is open once its term is over; everybody has back what was held."""
        held, deadline = tuple(state.gathering.held.items()), state.gathering.void_at
        gathering = state.gathering.expired(self._now(state))
        total = sum(amount for _, amount in held)
        body = BetsExpired(held, deadline or self._now(state), total, 0)
        moved = transfer(total, Account.HELD, Account.PLAYER)
        return self._happened(replace(state, gathering=gathering), ((body, moved),), state.round)

    def _decided(
        self, state: TableState, gathering: Gathering, option: str, *, away: bool = False
    ) -> Happened:
        before, waiting = state.gathering.waits_for(), gathering.waits_for()
        person, choice = before if before else ("", None)
        over = not gathering.held
        added = 0 if over else sum(gathering.held.values()) - sum(state.gathering.held.values())
        body = PersonDecided(
            person=person,
            decision=option,
            away=away,
            added=added,
            offered=choice.ids if choice else (),
            hands=shown(gathering.hands()),
            turn=waiting[0] if waiting else "",
            options=waiting[1].ids if waiting else (),
        )
        moved = transfer(added, Account.PLAYER, Account.HELD)
        parts: Parts = ((body, moved), *_ending(state, gathering))
        return self._happened(replace(state, gathering=gathering), parts, state.round)

    def _now(self, state: TableState) -> datetime:
        """Returns the time for the next event: the clock's, but never before the latest event."""
        instant = self.clock.now()
        return instant if state.last_at is None else max(instant, state.last_at)

    def _happened(self, state: TableState, parts: Parts, round_id: str) -> Happened:
        now, first = self._now(state), state.events + 1
        behind = self.clock.now() < now
        events = tuple(
            Event(first + place, round_id, now, body, moved, behind)
            for place, (body, moved) in enumerate(parts)
        )
        return replace(state, events=state.events + len(events), last_at=now), events


def any_row(equipment: Sequence[Equipment]) -> Row:
    """Returns a row of draws that the equipment can give, for a deal that is verified before one is drawn."""
    return tuple(item for piece in equipment for item in completed((piece,), ()))


def _ending(before: TableState, gathering: Gathering) -> Parts:
    """Returns how everybody came out of a round that a step has ended."""
    ended = gathering.history[len(before.gathering.history) :]
    if not ended:
        return ()
    # What was held and what was won came back together.
    back = {
        one.person: gathering.balances[one.person] - before.gathering.balances[one.person] for one in ended
    }
    results = tuple(
        WagerResult(
            wager=one.person,
            stake=one.staked,
            outcome=one.outcome or "bank",
            net=fraction_text(Fraction(one.net, one.staked)),
            returned=back[one.person],
        )
        for one in ended
    )
    total = sum(back.values())
    return ((RoundSettled(results, total), transfer(total, Account.HELD, Account.PLAYER)),)


def replayed(edition: Edition, table: str, events: Sequence[Event]) -> Iterator[TableState]:
    """Plays a table again from its records, compares every event bit for bit, and yields the table after each step.

    Args:
        edition: Rules and terms under which people sat down.
        table: Id of the table.
        events: Its events, decks opened.

    Raises:
        TrustError: A record cannot be played again, or comes out differently.
    """
    state: TableState | None = None
    at = 0
    while at < len(events):
        then = TableMachine(edition, SteppedClock(events[at].at))
        try:
            state, made = _step(then, table, state, events[at:])
        except (OperationError, InputError) as error:
            raise TrustError(
                f"event {events[at].sequence} of {table} cannot be played again: {error}"
            ) from error
        for recorded, played in zip(events[at : at + len(made)], made, strict=False):
            # Whether the clock lay behind is a fact about the clock of that day.
            if encode(replace(played, clock_behind=recorded.clock_behind)) != encode(recorded):
                raise TrustError(
                    f"event {recorded.sequence} of {table} does not replay: recorded {encode(recorded)}, "
                    f"replayed {encode(played)}"
                )
        if at + len(made) > len(events):
            raise TrustError(f"{table} ends in the middle of a step: expected {made[-1].kind} after it")
        at += len(made)
        yield state


def again(edition: Edition, table: str, events: Sequence[Event]) -> TableState:
    """Returns a table after all its records, each played again and compared.

    Raises:
        TrustError: A record cannot be played again, or comes out differently.
        InputError: Nobody sat down.
    """
    for state in replayed(edition, table, events):
        latest = state
    if not events:
        raise InputError(f"no people sat down at {table}")
    return latest


def _step(then: TableMachine, table: str, state: TableState | None, events: Sequence[Event]) -> Happened:
    """Does again what a record says was done."""
    body = events[0].body
    if isinstance(body, PeopleSeated):
        if state is not None:
            raise OperationError("people sat down twice")
        return then.seat(table, dict(body.people), body.banker, body.sitting, body.rules)
    if state is None:
        raise OperationError(f"{events[0].kind} before anybody sat down")
    match body:
        case CoverHeld() if len(events) > 1 and isinstance(events[1].body, CardsDealt):
            return then.deal(state, dict(events[1].body.stakes), events[1].body.deck)
        case PersonDecided(away=True):
            return then.away(state)
        case PersonDecided():
            return then.decide(state, body.person, body.decision)
        case PersonLeft():
            return then.move(state, TableAction.LEAVE, body.person)
        case PersonReturned():
            return then.move(state, TableAction.RETURN, body.person)
        case MalfunctionDeclared():
            return then.malfunction(state, body.reason, body.decided_by)
        case BetsExpired():
            return then.expire(state)
        case _:
            raise OperationError(f"{events[0].kind} follows no step of a table")

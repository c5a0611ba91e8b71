"""Records played again: what the machine makes now of what was done then, compared bit for bit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError, TrustError
from certify.rounds.codec import encode
from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    CoverHeld,
    DecisionTaken,
    Event,
    MalfunctionDeclared,
    PeopleSeated,
    PersonDecided,
    PersonLeft,
    PersonReturned,
    RoundSettled,
    StakeAdded,
)
from certify.rounds.operations import Steps, single
from certify.rounds.state import Seat, apply
from certify.rounds.voiding import Machine


class NotLoadedError(TrustError):
    """The rules under which a round was played, or people sat down at a table, are not loaded."""


def replayed(
    machine: Machine, seat_id: str, events: Sequence[Event], round_id: str | None = None
) -> Iterator[Seat]:
    """Plays records again, compares every event bit for bit, and yields the seat or table after each step.

    Args:
        machine: Operations with the editions in force at the time.
        seat_id: Id of the seat or table.
        events: All its events, decks opened.
        round_id: The round of one player to be played again, other events are taken as they are; none at a table, where
            each step rests on the one before.

    Raises:
        TrustError: A record cannot be played again, or comes out differently.
    """
    seat, at = Seat(seat_id), 0
    while at < len(events):
        recorded, made, after = events[at], events[at : at + 1], None
        if round_id is None or recorded.round == round_id:
            try:
                done = _again(machine, seat, events[at:])
            except (OperationError, InputError) as error:
                raise TrustError(f"{_which(seat, recorded)} cannot be played again: {error}") from error
            if done is not None:
                after, made = done
                for one, played in zip(events[at:], made, strict=False):
                    _verify_same(seat, one, played)
        at += len(made)
        if at > len(events):
            raise TrustError(f"{seat_id} ends in the middle of a step: expected {made[-1].kind} after it")
        seat = after if after is not None and after.people else apply(seat, recorded)
        yield seat


def verify_replay(machine: Machine, seat_id: str, events: Sequence[Event], round_id: str) -> int:
    """Plays a round of one player again from its log and compares every event bit for bit.

    Args:
        machine: Operations with the editions in force at the time.
        seat_id: Id of the seat.
        events: All events of the seat, decks opened.
        round_id: The round to replay.

    Returns:
        The number of events of the round.

    Raises:
        TrustError: An event comes out differently, or cannot be played again.
    """
    for _ in replayed(machine, seat_id, events, round_id):
        pass
    return sum(event.round == round_id for event in events)


def states(machine: Machine, seat_id: str, events: Iterable[Event]) -> Iterator[Seat]:
    """Yields a table after each of its records, which are taken as they are."""
    seat = Seat(seat_id)
    for event in events:
        body = event.body
        if isinstance(body, PeopleSeated):
            seat, _ = machine.seat_people(seat_id, dict(body.people), body.banker, body.sitting, body.rules)
        else:
            seat = apply(seat, event)
        yield seat


def again(machine: Machine, seat_id: str, events: Sequence[Event]) -> Seat:
    """Returns a table after all its records; where several people sit there, each is played again and compared.

    Raises:
        TrustError: A record cannot be played again, or comes out differently.
    """
    several = bool(events) and isinstance(events[0].body, PeopleSeated)
    made = (replayed if several else states)(machine, seat_id, events)
    return deque(made, maxlen=1).pop() if events else Seat(seat_id)


def several_again(machine: Machine, table: str, events: Sequence[Event]) -> Seat:
    """Returns a table of several people after all its records, each played again and compared.

    Raises:
        TrustError: A record cannot be played again, or comes out differently.
        InputError: Nobody sat down.
    """
    seat = again(machine, table, events)
    if seat.people is None:
        raise InputError(f"nobody sat down at table {table.partition('/')[2]!r} of this ledger")
    return seat


def _which(seat: Seat, recorded: Event) -> str:
    return f"event {recorded.sequence} of {f'round {recorded.round}' if recorded.round else seat.id}"


def _verify_same(seat: Seat, recorded: Event, played: Event) -> None:
    # Whether the clock lay behind is a fact about the clock of that day, and which software dealt is one about the
    # software of that day: neither is to be played again.
    body, then = played.body, recorded.body
    if isinstance(body, CardsDealt) and isinstance(then, CardsDealt):
        body = replace(body, rules=replace(body.rules, software_sha256=then.rules.software_sha256))
    played = replace(played, body=body, clock_behind=recorded.clock_behind)
    if encode(played) != encode(recorded):
        raise TrustError(
            f"{_which(seat, recorded)} does not replay: recorded {encode(recorded)}, replayed {encode(played)}"
        )


def _again(machine: Machine, seat: Seat, events: Sequence[Event]) -> Steps | None:
    """Returns what the machine makes now of the step that begins some events; none where draws play no part in it."""
    body = events[0].body
    then = _machine_of(machine, seat, events[0])
    match body:
        case MalfunctionDeclared():
            return single(then.malfunction(seat, body.reason, body.decided_by))
        case BetsExpired():
            return single(then.expire(seat))
        case PeopleSeated() if not seat.events:
            sat = then.seat_people(seat.id, dict(body.people), body.banker, body.sitting, body.rules)
            return single(sat)
        case CardsDealt(how=how) if seat.people is None:
            return then.deal(seat, then.stakes_to_accept(seat, how), body.deck, how)
        case DecisionTaken() | StakeAdded() if seat.people is None:
            return then.decide(seat, body.decision)
        case RoundSettled() if seat.people is None:
            return single(then.settle(seat))
        case CoverHeld() if len(events) > 1 and isinstance(events[1].body, CardsDealt):
            return then.deal(seat, events[1].body.stakes, events[1].body.deck)
        case PersonDecided():
            return then.away(seat) if body.away else then.decide(seat, body.decision, body.person)
        case PersonLeft() | PersonReturned():
            return single(then.move(seat, body.person, leaves=isinstance(body, PersonLeft)))
        case _ if seat.people is None and not isinstance(body, PeopleSeated | CoverHeld):
            return None
        case _:
            raise OperationError(f"{events[0].kind} follows no step of a table")


def _machine_of(machine: Machine, seat: Seat, recorded: Event) -> Machine:
    """Returns the machine as it was: with the clock of the time, and the edition in force.

    Raises:
        NotLoadedError: That edition is not at hand.
    """
    body, digest = recorded.body, machine.current
    if isinstance(body, CardsDealt | PeopleSeated):
        digest = body.rules.submission_sha256
        if digest not in machine.editions:
            of_round = isinstance(body, CardsDealt)
            played = (
                f"round {recorded.round} was played under rules"
                if of_round
                else f"table {seat.id.partition('/')[2]} plays under rules"
            )
            raise NotLoadedError(f"{played} {digest[:12]}…, which are not loaded")
    return Machine(machine.editions, digest, SteppedClock(recorded.at))

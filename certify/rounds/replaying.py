"""A round of one player's records played again: what the machine makes now, compared bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError, TrustError
from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    DecisionTaken,
    Event,
    MalfunctionDeclared,
    RoundSettled,
    StakeAdded,
)
from certify.rounds.journal import encode
from certify.rounds.machine import Machine
from certify.rounds.operations import Step
from certify.rounds.state import Seat, apply


class NotLoadedError(TrustError):
    """The rules under which a round was played are not loaded."""


def verify_replay(machine: Machine, seat_id: str, events: Sequence[Event], round_id: str) -> int:
    """Plays a round of one player again from its log and compares every event bit for bit.

    Args:
        machine: Operations with the editions in force at the time.
        seat_id: Id of the seat.
        events: All events of the seat, decks opened; those of other rounds are taken as they are.
        round_id: The round to replay.

    Returns:
        The number of events of the round.

    Raises:
        TrustError: An event comes out differently, or cannot be played again.
    """
    seat, number = Seat(seat_id), 0
    for recorded in events:
        if recorded.round == round_id:
            number += 1
            try:
                again = _again(machine, seat, recorded)
            except (OperationError, InputError) as error:
                raise TrustError(f"{_which(recorded)} cannot be played again: {error}") from error
            if again is not None:
                _verify_same(recorded, again[1])
        seat = apply(seat, recorded)
    return number


def _which(recorded: Event) -> str:
    return f"event {recorded.sequence} of round {recorded.round}"


def _verify_same(recorded: Event, played: Event) -> None:
    # Whether the clock lay behind is a fact about the clock of that day, and which software dealt is one about the
    # software of that day: neither is to be played again.
    body, then = played.body, recorded.body
    if isinstance(body, CardsDealt) and isinstance(then, CardsDealt):
        body = replace(body, rules=replace(body.rules, software_sha256=then.rules.software_sha256))
    played = replace(played, body=body, clock_behind=recorded.clock_behind)
    if encode(played) != encode(recorded):
        raise TrustError(
            f"{_which(recorded)} does not replay: recorded {encode(recorded)}, replayed {encode(played)}"
        )


def _again(machine: Machine, seat: Seat, recorded: Event) -> Step | None:
    """Returns what the machine makes now of a recorded step; none where draws play no part in it."""
    body = recorded.body
    then = _machine_of(machine, recorded)
    match body:
        case MalfunctionDeclared():
            return then.malfunction(seat, body.reason, body.decided_by)
        case BetsExpired():
            return then.expire(seat)
        case CardsDealt(how=how):
            return then.deal(seat, then.stakes_to_accept(seat, how), body.deck, how)
        case DecisionTaken() | StakeAdded():
            return then.decide(seat, body.decision)
        case RoundSettled():
            return then.settle(seat)
        case _:
            return None


def _machine_of(machine: Machine, recorded: Event) -> Machine:
    """Returns the machine as it was: with the clock of the time, and the edition in force.

    Raises:
        NotLoadedError: That edition is not at hand.
    """
    body, digest = recorded.body, machine.current
    if isinstance(body, CardsDealt):
        digest = body.rules.submission_sha256
        if digest not in machine.editions:
            raise NotLoadedError(
                f"round {recorded.round} was played under rules {digest[:12]}…, which are not loaded"
            )
    return Machine(machine.editions, digest, SteppedClock(recorded.at))

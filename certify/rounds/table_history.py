"""The history of one person at a table, made from what was recorded of the table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from certify.errors import InputError
from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    CoverHeld,
    Event,
    MalfunctionDeclared,
    PeopleSeated,
    PersonDecided,
    RoundSettled,
)
from certify.rounds.state import Phase
from certify.rounds.table import TableRound


def history_of(person: str, events: Iterable[Event]) -> tuple[TableRound, ...]:
    """Returns every round of a table as it was to one person, the earliest first; the open one is among them.

    Args:
        person: Whose history it is.
        events: What was recorded of the table.

    Raises:
        InputError: Nobody of that name sits there.
    """
    rounds: dict[str, TableRound] = {}
    for event in events:
        match event.body:
            case PeopleSeated(people=people) if person not in dict(people):
                there = ", ".join(dict(people))
                raise InputError(f"{person!r} does not sit at the table: expected one of {there}")
            case CoverHeld(banker=banker):
                rounds[event.round] = TableRound(event.round, str(Phase.DECISION), banker)
            case _ if event.round:
                rounds[event.round] = _after(rounds[event.round], event, person)
    return tuple(rounds.values())


def _after(one: TableRound, event: Event, person: str) -> TableRound:
    match event.body:
        case CardsDealt(stakes=stakes, hands=hands):
            return replace(one, stakes=stakes, hands=hands)
        case PersonDecided(hands=hands):
            return replace(one, hands=hands)
        case RoundSettled(results=results):
            own = next(result for result in results if result.wager == person)
            net = Fraction(own.net) * own.stake
            return replace(one, phase=str(Phase.SETTLED), returned=own.returned, net=int(net))
        case MalfunctionDeclared(stakes=held):
            return replace(one, phase=str(Phase.VOID), returned=dict(held)[person])
        case BetsExpired(stakes=held):
            return replace(one, phase=str(Phase.EXPIRED), returned=dict(held)[person])
        case _:
            return one

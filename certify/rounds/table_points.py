"""Points that rounds of three people can reach, where one of them holds the bank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from certify.clock import SteppedClock
from certify.families.gathering import CompanyPort
from certify.families.port import Choice
from certify.families.trials import Trial
from certify.model.equipment import Row
from certify.rounds.people import People
from certify.rounds.play import Edition
from certify.rounds.several import people_at
from certify.rounds.state import OPEN, Seat
from certify.rounds.voiding import Machine

MOST_POINTS: Final = 60
"""Decisions that are looked at on one row, those met first."""

PEOPLE: Final = ("first banker", "seat 1", "seat 2")

MONEY: Final = 10**9
"""What everybody has, minor units: enough for the worst round many times over."""


@dataclass(frozen=True, slots=True)
class CompanyTable:
    """A table at which every round begins alike.

    Args:
        company: What the family brings.
        edition: Rules and terms.
        people: Who sits there.
        start: When rounds begin.
        stakes: Stake of each seat, minor units.
        kind: The machine that is exercised.
    """

    company: CompanyPort
    edition: Edition
    people: People
    start: datetime
    stakes: Mapping[str, int]
    kind: type[Machine]

    @property
    def term(self) -> datetime:
        """The first instant at which a round dealt at the start is void."""
        return self.edition.policy.deadline(self.start)

    def at(self, instant: datetime) -> Machine:
        """Returns the machine at a time."""
        return self.kind({self.edition.sha256: self.edition}, self.edition.sha256, SteppedClock(instant))

    @property
    def worst(self) -> int:
        """What the bank can lose in one round of these stakes."""
        return self.people.seated.cover(tuple(self.stakes.values()))[1]

    def evening(self, money: Mapping[str, int] | None = None) -> Seat:
        """Returns an evening before its first round."""
        has = dict(self.people.balances) | dict(money or {})
        return Seat("table", sum(has.values()), people=replace(self.people, balances=has))

    def dealt(self, row: Row, money: Mapping[str, int] | None = None) -> Seat:
        """Returns the evening with its first round dealt."""
        return self.at(self.start).deal_to_all(self.evening(money), self.stakes, row)[0]


@dataclass(frozen=True, slots=True)
class TablePoint:
    """A point of a round: the evening there, the row, and the decisions that led to it."""

    table: CompanyTable
    row: Row
    evening: Seat
    decisions: tuple[tuple[str, str], ...]

    @property
    def people(self) -> People:
        """The people there."""
        return people_at(self.evening)

    @property
    def is_open(self) -> bool:
        """Whether the round is not complete."""
        return self.evening.round is not None and self.evening.round.phase in OPEN

    def waits_for(self) -> tuple[str, Choice] | None:
        """Returns who has to decide, and what; none where nothing is open."""
        return self.people.waits_for(self.evening.round)

    @property
    def story(self) -> tuple[str, ...]:
        """The steps that lead here, as a reader finds them."""
        staked = ", ".join(f"{seat} stakes {stake}" for seat, stake in self.table.stakes.items())
        cards = "cards " + " ".join(map(str, self.row))
        return (staked, cards, *(f"{person}: {option}" for person, option in self.decisions))

    def tried(self, expected: str, observed: str) -> Trial:
        """Returns a comparison at this point."""
        return Trial(expected, observed, self.story)

    def after(self, person: str, option: str) -> TablePoint:
        """Returns the point after a decision."""
        went, _ = self.table.at(self.table.start).decide_as(self.evening, person, option)
        return replace(self, evening=went, decisions=(*self.decisions, (person, option)))


def points(table: CompanyTable, row: Row) -> Iterator[TablePoint]:
    """Yields every point of the rounds on a row, decisions tried in every way, up to a number of points."""
    waiting = [TablePoint(table, row, table.dealt(row), ())]
    for point in waiting:
        yield point
        asked = point.waits_for()
        if asked is not None and len(waiting) < MOST_POINTS:
            person, choice = asked
            waiting += [point.after(person, option) for option in choice.ids]

"""Points that rounds of three people can reach, where one of them holds the bank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from certify.families.gathering import AdoptedTerms, CompanyPort, Gathering, SeatedRound
from certify.families.trials import Trial
from certify.model.equipment import Row

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
        rules: The round of all seats.
        start: When rounds begin.
        terms: The adopted terms.
        stakes: Stake of each seat, minor units.
        kind: How an evening goes.
    """

    company: CompanyPort
    rules: SeatedRound
    start: datetime
    terms: AdoptedTerms
    stakes: Mapping[str, int]
    kind: type[Gathering]

    @property
    def worst(self) -> int:
        """What the bank can lose in one round of these stakes."""
        return self.rules.cover(tuple(self.stakes.values()))[1]

    def evening(self, money: Mapping[str, int] | None = None) -> Gathering:
        """Returns an evening before its first round."""
        has = dict.fromkeys(PEOPLE, MONEY) | dict(money or {})
        return self.kind(self.rules, has, PEOPLE[0], self.terms)

    def dealt(self, row: Row, money: Mapping[str, int] | None = None) -> Gathering:
        """Returns the evening with its first round dealt."""
        return self.evening(money).opened(self.stakes, row, self.start)


@dataclass(frozen=True, slots=True)
class TablePoint:
    """A point of a round: the evening there, the row, and the decisions that led to it."""

    table: CompanyTable
    row: Row
    evening: Gathering
    decisions: tuple[tuple[str, str], ...]

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
        went = self.evening.decided(person, option, self.table.start)
        return replace(self, evening=went, decisions=(*self.decisions, (person, option)))


def points(table: CompanyTable, row: Row) -> Iterator[TablePoint]:
    """Yields every point of the rounds on a row, decisions tried in every way, up to a number of points."""
    waiting = [TablePoint(table, row, table.dealt(row), ())]
    for point in waiting:
        yield point
        asked = point.evening.waits_for()
        if asked is not None and len(waiting) < MOST_POINTS:
            person, choice = asked
            waiting += [point.after(person, option) for option in choice.ids]

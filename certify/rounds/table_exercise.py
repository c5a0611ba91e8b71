"""The life of a round with several people, exercised at every point that rounds of three of them can reach."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from certify.evidence.life import Lives, PersonRound
from certify.families.gathering import CompanyPort
from certify.families.trials import TrialTally
from certify.model.equipment import Row
from certify.rounds.people import people_of
from certify.rounds.play import Edition
from certify.rounds.several import people_at
from certify.rounds.state import Seat
from certify.rounds.table_points import MONEY, PEOPLE, CompanyTable, points
from certify.rounds.table_situations import SITUATIONS
from certify.rounds.voiding import Machine

ROWS: Final = 4
"""Rows of draws on which every line of decisions is followed."""

UNITS: Final = {"seat 1": 1, "seat 2": 3}
"""Stakes in units of the highest stake: unlike ones show whose was forgotten."""


def exercise_tables(
    company: CompanyPort,
    edition: Edition,
    rows: Sequence[Row],
    start: datetime,
    kind: type[Machine] = Machine,
) -> Lives:
    """Returns how each situation of several people ended, and rounds as they stand in the history of each person.

    Args:
        company: What the family brings.
        edition: The submission, whatever its number of seats, and its terms.
        rows: Rows of draws of a round of one seat.
        start: When rounds begin.
        kind: The machine; one with a fault is exercised to see that the fault is found.
    """
    highest = edition.game.wagers[0].limits.maximum
    stakes = {seat: units * highest for seat, units in UNITS.items()}
    people = people_of(company, edition.game, dict.fromkeys(PEOPLE, MONEY), PEOPLE[0], edition.rules)
    table = CompanyTable(company, edition, people, start, stakes, kind)
    whole = company.rows(rows, ROWS)
    tallies = {one.id: TrialTally() for one in SITUATIONS}
    for row in whole:
        for point in points(table, row):
            for situation in SITUATIONS:
                for tried in situation.trials(point):
                    tallies[situation.id].add(tried)
    concluded = tuple(
        tallies[one.id].situation(one.id, one.title, one.demand, one.clauses, adopted=True)
        for one in SITUATIONS
    )
    return concluded, _lives(table, whole)


# --- the history of each person -----------------------------------------------------------------------------


def _lives(table: CompanyTable, rows: Sequence[Row]) -> tuple[PersonRound, ...]:
    """Returns four rounds of one evening, person by person: settled, void twice, and one whose banker stays away."""
    evening, now = table.evening(), table.start
    for number, ending in enumerate((_play, _break_down, _lapse, _leave)):
        stakes = dict(zip(people_at(evening).order(), table.stakes.values(), strict=True))
        dealt, _ = table.at(now).deal_to_all(evening, stakes, rows[number % len(rows)])
        evening, now = ending(table, dealt, now)
    return people_at(evening).history


_Ended = tuple[Seat, datetime]


def _play(table: CompanyTable, evening: Seat, now: datetime) -> _Ended:
    # Whoever decides first takes the second option, everybody else what commits to least.
    place = 1
    while (asked := people_at(evening).waits_for(evening.round)) is not None:
        person, choice = asked
        option = choice.ids[min(place, len(choice.ids) - 1)]
        (evening, _), place = table.at(now).decide_as(evening, person, option), 0
    return evening, now


def _break_down(table: CompanyTable, evening: Seat, now: datetime) -> _Ended:
    machine, asked = table.at(now), people_at(evening).waits_for(evening.round)
    if asked is not None:
        evening, _ = machine.decide_as(evening, asked[0], asked[1].ids[0])
    return (machine.malfunction(evening, "tried", "exercise")[0] if evening.held else evening), now


def _lapse(table: CompanyTable, evening: Seat, now: datetime) -> _Ended:
    later = table.edition.policy.deadline(now)
    return (table.at(later).expire(evening)[0] if evening.held else evening), later


def _leave(table: CompanyTable, evening: Seat, now: datetime) -> _Ended:
    while (asked := people_at(evening).waits_for(evening.round)) is not None:
        person, choice = asked
        people = people_at(evening)
        if person == people.banker:
            now += people.terms.decide_within
            evening, _ = table.at(now).away(evening)
        else:
            evening, _ = table.at(now).decide_as(evening, person, choice.ids[0])
    return evening, now

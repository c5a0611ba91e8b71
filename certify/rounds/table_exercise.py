"""The life of a round with several people, exercised at every point that rounds of three of them can reach."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from certify.evidence.life import Lives, PersonRound
from certify.families.gathering import AdoptedTerms, CompanyPort, Gathering
from certify.families.trials import TrialTally
from certify.model.equipment import Row
from certify.model.game import Game
from certify.rounds.table_points import CompanyTable, points
from certify.rounds.table_situations import SITUATIONS

ROWS: Final = 4
"""Rows of draws on which every line of decisions is followed."""

UNITS: Final = {"seat 1": 1, "seat 2": 3}
"""Stakes in units of the highest stake: unlike ones show whose was forgotten."""


def exercise_tables(
    company: CompanyPort,
    game: Game,
    rows: Sequence[Row],
    start: datetime,
    void_after: timedelta,
    kind: type[Gathering] = Gathering,
) -> Lives:
    """Returns how each situation of several people ended, and rounds as they stand in the history of each person.

    Args:
        company: What the family brings.
        game: The submission, whatever its number of seats.
        rows: Rows of draws of a round of one seat.
        start: When rounds begin.
        void_after: Term of an unresolved round.
        kind: How a table goes; one with a fault is exercised to see that the fault is found.
    """
    highest = game.wagers[0].limits.maximum
    stakes = {seat: units * highest for seat, units in UNITS.items()}
    seated = company.seated(game, len(UNITS))
    table = CompanyTable(company, seated, start, AdoptedTerms(void_after), stakes, kind)
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
        stakes = dict(zip(evening.order(), table.stakes.values(), strict=True))
        evening, now = ending(evening.opened(stakes, rows[number % len(rows)], now), now, table.terms)
    return evening.history


_Ended = tuple[Gathering, datetime]


def _play(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    # Whoever decides first takes the second option, everybody else what commits to least.
    place = 1
    while (asked := evening.waits_for()) is not None:
        person, choice = asked
        evening, place = evening.decided(person, choice.ids[min(place, len(choice.ids) - 1)], now), 0
    return evening, now


def _break_down(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    asked = evening.waits_for()
    if asked is not None:
        evening = evening.decided(asked[0], asked[1].ids[0], now)
    return (evening.malfunction() if evening.round else evening), now


def _lapse(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    later = now + terms.void_after
    return (evening.expired(later) if evening.round else evening), later


def _leave(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    while (asked := evening.waits_for()) is not None:
        person, choice = asked
        if evening.round is not None and person == evening.round.banker:
            now += terms.decide_within
            evening = evening.away(now)
        else:
            evening = evening.decided(person, choice.ids[0], now)
    return evening, now

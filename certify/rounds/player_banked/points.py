"""Points that rounds of three people can reach, where one of them holds the bank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from certify.clock import SteppedClock
from certify.evidence.life import PersonRound
from certify.families.player_banked import PlayerBankedPort
from certify.families.port import Choice
from certify.families.registry import family_of
from certify.families.trials import Trial
from certify.model.equipment import Row
from certify.rounds.play import Edition
from certify.rounds.player_banked.operations import people_at
from certify.rounds.player_banked.people import People, people_of
from certify.rounds.state import OPEN, Phase, Seat
from certify.rounds.voiding import Machine

MOST_POINTS: Final = 60
"""Decisions that are looked at on one row, those met first."""

PEOPLE: Final = ("first banker", "seat 1", "seat 2")

UNITS: Final = {"seat 1": 1, "seat 2": 3}
"""Stakes in units of the highest stake: unlike ones show whose was forgotten."""

MONEY: Final = 10**9
"""What everybody has, minor units: enough for the worst round many times over."""


@dataclass(frozen=True, slots=True)
class SeveralTable:
    """A table at which every round begins alike.

    Args:
        player_banked: What the family brings.
        edition: Rules and terms.
        people: Who sits there.
        start: When rounds begin.
        stakes: Stake of each seat, minor units.
        kind: The machine that is exercised.
    """

    player_banked: PlayerBankedPort
    edition: Edition
    people: People
    start: datetime
    stakes: Mapping[str, int]
    kind: type[Machine]

    @classmethod
    def of(cls, edition: Edition, start: datetime, kind: type[Machine]) -> SeveralTable | None:
        """Returns a table of three at the highest stakes and more; none where the family seats nobody together."""
        player_banked = family_of(edition.game).player_banked
        if player_banked is None:
            return None
        highest = edition.game.wagers[0].limits.maximum
        stakes = {seat: units * highest for seat, units in UNITS.items()}
        people = people_of(
            player_banked, edition.game, dict.fromkeys(PEOPLE, MONEY), PEOPLE[0], edition.rules
        )
        return cls(player_banked, edition, people, start, stakes, kind)

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

    def begun(self, money: Mapping[str, int] | None = None) -> Seat:
        """Returns the table before its first round."""
        has = dict(self.people.balances) | dict(money or {})
        return Seat("table", sum(has.values()), people=replace(self.people, balances=has))

    def dealt(self, row: Row, money: Mapping[str, int] | None = None) -> Seat:
        """Returns the table with its first round dealt."""
        return self.at(self.start).deal(self.begun(money), self.stakes, row)[0]


@dataclass(frozen=True, slots=True)
class SeveralPoint:
    """A point of a round: the table there, the row, and the decisions that led to it."""

    table: SeveralTable
    row: Row
    seat: Seat
    decisions: tuple[tuple[str, str], ...]

    @property
    def people(self) -> People:
        """The people there."""
        return people_at(self.seat)

    @property
    def phase(self) -> Phase:
        """How the round stands at the point: what is decided at a table of several settles at once."""
        current = self.seat.round
        return Phase.DECISION if current and current.phase in OPEN else Phase.SETTLED

    def waits_for(self) -> tuple[str, Choice]:
        """Returns who has to decide in a round that is open, and what.

        Raises:
            TypeError: Nothing is open.
        """
        asked = self.people.waits_for(self.seat.round)
        if asked is None:
            raise TypeError("nobody is waited for: expected a point with an open decision")
        return asked

    @property
    def story(self) -> tuple[str, ...]:
        """The steps that lead here, as a reader finds them."""
        staked = ", ".join(f"{seat} stakes {stake}" for seat, stake in self.table.stakes.items())
        cards = "cards " + " ".join(map(str, self.row))
        return (staked, cards, *(f"{person}: {option}" for person, option in self.decisions))

    def tried(self, expected: str, observed: str) -> Trial:
        """Returns a comparison at this point."""
        return Trial(expected, observed, self.story)

    def after(self, person: str, option: str) -> SeveralPoint:
        """Returns the point after a decision."""
        went, _ = self.table.at(self.table.start).decide(self.seat, option, person)
        return replace(self, seat=went, decisions=(*self.decisions, (person, option)))


def points(table: SeveralTable, row: Row) -> Iterator[SeveralPoint]:
    """Yields every point of the rounds on a row, decisions tried in every way, up to a number of points."""
    waiting = [SeveralPoint(table, row, table.dealt(row), ())]
    for point in waiting:
        yield point
        if point.phase is Phase.DECISION and len(waiting) < MOST_POINTS:
            person, choice = point.waits_for()
            waiting += [point.after(person, option) for option in choice.ids]


def told_of_several(table: SeveralTable, rows: Sequence[Row]) -> tuple[PersonRound, ...]:
    """Returns four rounds of one table, person by person: settled, void twice, and one whose banker stays away."""
    seat, now = table.begun(), table.start
    for number, ending in enumerate((_play, _break_down, _lapse, _leave)):
        stakes = dict(zip(people_at(seat).order(), table.stakes.values(), strict=True))
        dealt, _ = table.at(now).deal(seat, stakes, rows[number % len(rows)])
        seat, now = ending(table, dealt, now)
    return people_at(seat).history


_Ended = tuple[Seat, datetime]


def _play(table: SeveralTable, seat: Seat, now: datetime) -> _Ended:
    # Whoever decides first takes the second option, everybody else what commits to least.
    place = 1
    while (asked := people_at(seat).waits_for(seat.round)) is not None:
        person, choice = asked
        option = choice.ids[min(place, len(choice.ids) - 1)]
        (seat, _), place = table.at(now).decide(seat, option, person), 0
    return seat, now


def _break_down(table: SeveralTable, seat: Seat, now: datetime) -> _Ended:
    machine, asked = table.at(now), people_at(seat).waits_for(seat.round)
    if asked is not None:
        seat, _ = machine.decide(seat, asked[1].ids[0], asked[0])
    return (machine.malfunction(seat, "tried", "exercise")[0] if seat.held else seat), now


def _lapse(table: SeveralTable, seat: Seat, now: datetime) -> _Ended:
    later = table.edition.policy.deadline(now)
    return (table.at(later).expire(seat)[0] if seat.held else seat), later


def _leave(table: SeveralTable, seat: Seat, now: datetime) -> _Ended:
    while (asked := people_at(seat).waits_for(seat.round)) is not None:
        person, choice = asked
        people = people_at(seat)
        if person == people.banker:
            now += people.terms.decide_within
            seat, _ = table.at(now).away(seat)
        else:
            seat, _ = table.at(now).decide(seat, choice.ids[0], person)
    return seat, now

"""Rounds in which every option is taken, alone and at a full table: what a rule allows shows, whoever would take it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any, Final

from certify.clock import SteppedClock
from certify.errors import InputError
from certify.families.driver import Decide, PlayedRound, RoundStep, play, steps
from certify.families.player_banked import PlayerBankedPort
from certify.families.port import Choice, ReferenceRound, Settled
from certify.model.game import Game
from certify.model.strategy import Strategy
from certify.rounds.events import RulesInForce
from certify.rounds.play import Edition
from certify.rounds.player_banked.operations import people_at
from certify.rounds.player_banked.people import MOST_PEOPLE, People, people_of
from certify.rounds.policy import Policy
from certify.rounds.state import Seat
from certify.rounds.voiding import Machine

WAYS: Final = 4
"""Ways in which each row of draws is played: the option taken goes round from one decision to the next."""

ROWS: Final = 60
"""Rows of draws that are played so."""

EVENING: Final = 6
"""Rounds that a full table plays one after the other, so that it shows who banks the next one."""

MONEY: Final = 1_000
"""What each at a full table brings, in units of the highest stake."""

_START: Final = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Taking:
    """A strategy that takes one option wherever it is offered, and else plays as another one does.

    Args:
        option: Id of the option.
        otherwise: The other strategy.
    """

    option: str
    otherwise: Strategy

    @property
    def name(self) -> str:
        """Name of the strategy."""
        return f"{self.option}, else {self.otherwise.name}"

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return self.otherwise.strategy_class

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option where it is offered, else what the other strategy takes, or else the first."""
        if self.option in options:
            return self.option
        try:
            return self.otherwise.choose(sees, options)
        except InputError:
            return options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["taking", self.option, self.otherwise.table()]


def explored(reference: ReferenceRound[Any], rows: Sequence[Sequence[int]]) -> Hashable:
    """Returns everything that is offered and seen, and how rounds end, where each option is taken in turn."""
    return tuple(
        _met(step) for row in rows[:ROWS] for way in range(WAYS) for step in _steps(reference, row, way)
    )


def offered(reference: ReferenceRound[Any], rows: Sequence[Sequence[int]]) -> frozenset[str]:
    """Returns the ids of the options that are offered beside another one on some rows of draws."""
    return frozenset(
        option
        for row in rows[:ROWS]
        for way in range(WAYS)
        for step in _steps(reference, row, way)
        if isinstance(step.node, Choice) and len(step.node.options) > 1
        for option in step.node.ids
    )


def played_in_turn(reference: ReferenceRound[Any], row: Sequence[int]) -> Iterator[PlayedRound]:
    """Yields the rounds of one row of draws in which each option is taken in turn."""
    for way in range(WAYS):
        yield play(reference, row, _in_turn(way))


def _steps(reference: ReferenceRound[Any], row: Sequence[int], way: int) -> Iterator[RoundStep[Any]]:
    return steps(reference, row, _in_turn(way))


def _in_turn(way: int) -> Decide:
    turn = count(way)
    return lambda choice: choice.ids[next(turn) % len(choice.ids)]


def _met(step: RoundStep[Any]) -> Hashable:
    node = step.node
    if isinstance(node, Settled):
        return node.results
    if isinstance(node, Choice):
        return (node.seat, node.options, node.sees, step.option)
    return (node.equipment, node.to, node.shown)


# --- a full table, where the family knows one ------------------------------------------------------------


def full_table(player_banked: PlayerBankedPort, game: Game, rows: Sequence[Sequence[int]]) -> Hashable:
    """Returns what several people are offered, see and win at a full table, and who banks each next round.

    Args:
        player_banked: Tables of the family.
        game: The submission.
        rows: Rows of draws of a round of one seat.

    Raises:
        InputError: No number of people makes a table of this game.
    """
    whole = [tuple(row) for row in player_banked.rows([tuple(row) for row in rows], EVENING)]
    return tuple(_evening(player_banked, game, whole, way) for way in range(WAYS))


def _evening(
    player_banked: PlayerBankedPort, game: Game, rows: Sequence[tuple[int, ...]], way: int
) -> tuple[Hashable, ...]:
    seat, turn = Seat("table", people=_seated(player_banked, game)), count(way)
    people = people_at(seat)
    edition = Edition(game, people.play, Policy.of(game.terms))
    machine = Machine({edition.sha256: edition}, edition.sha256, SteppedClock(_START))
    stake = game.wagers[0].limits.minimum
    said: list[Hashable] = []
    for row in rows:
        seat, _ = machine.deal(seat, dict.fromkeys(people.order(), stake), row)
        while (asked := people_at(seat).waits_for(seat.round)) is not None:
            person, choice = asked
            # The last way always takes the most committing option, so that the equipment runs out.
            place = -1 if way == WAYS - 1 else next(turn) % len(choice.ids)
            said.append((person, choice.options, choice.sees))
            seat, _ = machine.decide(seat, choice.ids[place], person)
        people = people_at(seat)
        decisions = seat.round.decisions if seat.round else ()
        hands = people.seated.laid_open(people.play.standing(row, decisions).state)
        said.append((people.banker, people.order(), tuple(people.balances.items()), hands))
    return tuple(said)


def _seated(player_banked: PlayerBankedPort, game: Game) -> People:
    money, rules = MONEY * game.wagers[0].limits.maximum, RulesInForce(game.id, game.version, game.sha256, "")
    for people in range(MOST_PEOPLE, 1, -1):
        names = [f"person {number}" for number in range(1, people + 1)]
        try:
            return people_of(player_banked, game, dict.fromkeys(names, money), names[0], rules)
        except InputError:
            continue
    raise InputError(f"{game.id}: no number of people up to {MOST_PEOPLE} makes a table of it")

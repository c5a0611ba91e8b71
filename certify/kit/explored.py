"""Rounds in which every option is taken: what a rule allows shows, whoever would take it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from certify.errors import InputError
from certify.families.driver import Decide, PlayedRound, RoundStep, play, steps
from certify.families.port import Choice, ReferenceRound, Settled
from certify.model.round import PassingRound
from certify.model.strategy import Strategy

WAYS: Final = 4
"""Ways in which each row of draws is played: the option taken goes round from one decision to the next."""

ROWS: Final = 60
"""Rows of draws that are played so."""


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
        _met(reference, step)
        for row in rows[:ROWS]
        for way in range(WAYS)
        for step in _steps(reference, row, way)
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


def _met(reference: ReferenceRound[Any], step: RoundStep[Any]) -> Hashable:
    node = step.node
    if isinstance(node, Settled):
        passes = reference.next_bank(step.state) if isinstance(reference, PassingRound) else None
        return node.results, passes
    if isinstance(node, Choice):
        return (node.seat, node.options, node.sees, step.option)
    return (node.equipment, node.to, node.shown)

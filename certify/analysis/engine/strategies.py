"""Strategies that every game has: best play, worst play, and each option taken wherever it is offered."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from certify.analysis.engine.walk import RoundGraph
from certify.errors import InputError
from certify.model.strategy import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL
from certify.model.strategy_plan import StrategyPlan

OPTIMAL: Final = "optimal"
WORST: Final = "worst"
ALWAYS: Final = "always:"

NOTHING_TO_DECIDE: Final = "no decisions"
"""Class of the strategy of a game that leaves nothing to decide."""


@dataclass(frozen=True, slots=True)
class ConstantChoice:
    """The same option wherever it is offered; elsewhere the first option, the least committing one.

    Args:
        option: Id of the option.
    """

    option: str

    @property
    def name(self) -> str:
        """Name of the strategy, as on the command line."""
        return f"{ALWAYS}{self.option}"

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at: nothing."""
        return "constant choice"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option where it is offered, else the first."""
        return self.option if self.option in options else options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["always", self.option]


def constant_choices(graph: RoundGraph) -> tuple[ConstantChoice, ...]:
    """Returns the constant choice of every option that is offered beside another one, by the option's id."""
    offered = {option for choice in graph.choices if len(choice.options) > 1 for option in choice.ids}
    return tuple(ConstantChoice(option) for option in sorted(offered))


def constant_choice(graph: RoundGraph, option: str) -> ConstantChoice:
    """Returns the strategy that always takes an option.

    Raises:
        InputError: The option is never offered beside another one.
    """
    known = constant_choices(graph)
    if ConstantChoice(option) not in known:
        options = ", ".join(one.option for one in known) or "none: nothing is decided in this game"
        raise InputError(f"no option {option!r} is offered beside another one: expected {options}")
    return ConstantChoice(option)


def plan(graph: RoundGraph) -> StrategyPlan:
    """Returns the named strategies of a game whose family names none."""
    constant = tuple(one.name for one in constant_choices(graph))
    if not constant:
        return StrategyPlan((MAIN_OPTIMAL,), (MAIN_OPTIMAL,), (MAIN_OPTIMAL,))
    names = (MAIN_OPTIMAL, JOINTLY_OPTIMAL, WORST, *constant, f"{FILE}PATH.toml")
    analysed = (MAIN_OPTIMAL, *constant, WORST)
    return StrategyPlan(names, analysed, (MAIN_OPTIMAL, _boldest(graph)), lambda _: constant)


def _boldest(graph: RoundGraph) -> str:
    """Returns the constant choice that is played besides the best play: the most committing option, stated last.

    It reaches outcomes that best play never does; a run plays two campaigns, however many options there are.
    """
    last = next(choice.ids[-1] for choice in graph.choices if len(choice.options) > 1)
    return ConstantChoice(last).name


def unknown_strategy(name: str, graph: RoundGraph) -> InputError:
    """Returns what to say of a name that is that of no strategy."""
    return InputError(f"no strategy {name!r}: expected {', '.join(plan(graph).names)}")

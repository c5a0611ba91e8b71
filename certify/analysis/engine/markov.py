"""The walked round as an explicit Markov decision process that a model checker reads.

Nothing is solved here. Every state of the walk is a state, every option an action, every draw a chance with its exact
weight, and every wager a reward that is given where the round is settled. Rewards are not negative, as model checkers
ask: of a wager that can lose L units in all, L is added to what every round of it pays.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Protocol

from certify.analysis.engine.beliefs import BeliefGraph, Outlook, beliefs_of
from certify.analysis.engine.folding import fold
from certify.analysis.engine.order import CountingOrder
from certify.analysis.engine.walk import CHANCE, CHOICE, RoundGraph
from certify.errors import InputError

START: Final = 0
SETTLES: Final = "settle"
DRAWS: Final = "chance"
STAYS: Final = "end"
"""Names of the actions that no player takes."""


@dataclass(frozen=True, slots=True)
class MarkovAction:
    """What may be done in a state.

    Args:
        name: Id of the option, or what chance or the rules do.
        rewards: Reward of each wager for taking it, in the order of the process.
        targets: (state, probability); probabilities sum to exactly one.
    """

    name: str
    rewards: tuple[Fraction, ...]
    targets: tuple[tuple[int, Fraction], ...]


class Process(Protocol):
    """An explicit Markov decision process; state 0 is the start, the last state the end of every round."""

    @property
    def rewards(self) -> tuple[str, ...]:
        """Ids of the wagers that have a reward."""
        ...

    @property
    def offsets(self) -> tuple[Fraction, ...]:
        """What is added to the net result of each wager, in units of its initial stake."""
        ...

    @property
    def size(self) -> int:
        """Number of states."""
        ...

    @property
    def choices(self) -> int:
        """Number of actions of all states together."""
        ...

    def states(self) -> Iterator[tuple[MarkovAction, ...]]:
        """Yields the actions of every state, in the order of the states."""
        ...


def hides_nothing(graph: RoundGraph) -> bool:
    """Tells whether no two states look alike to whoever decides freely in them.

    Then the best play of the process is the best play of the game. Where two states look alike, a scheduler of
    the process could tell them apart by what lies hidden.
    """
    seen: set[tuple[str, Hashable]] = set()
    for state, kind in enumerate(graph.kinds):
        if kind != CHOICE:
            continue
        choice = graph.choice(state)
        if len(choice.options) < 2:
            continue
        if (choice.seat, choice.sees) in seen:
            return False
        seen.add((choice.seat, choice.sees))
    return True


def process_of(graph: RoundGraph, order: CountingOrder, stakes: Mapping[str, Fraction]) -> Process:
    """Returns the process of a round: its states, or where something lies hidden what a player can know of them.

    Args:
        graph: The walked round.
        order: The order in which its states can be counted.
        stakes: Units on each wager, for a round in which something lies hidden.

    Raises:
        InputError: Two seats decide freely, or what a player can know is too much to be written out.
    """
    seats = {choice.seat for choice in graph.choices if len(choice.options) > 1}
    if len(seats) > 1:
        raise InputError(
            f"{', '.join(sorted(seats))} decide in this game: a Markov decision process has one player, "
            "expected one who decides"
        )
    if hides_nothing(graph):
        return WalkedProcess(graph)
    return KnownProcess(beliefs_of(fold(graph, order, stakes)), _most_lost(graph, stakes))


@dataclass(frozen=True, slots=True)
class WalkedProcess:
    """Every state of the walk, with a reward for each wager.

    Args:
        graph: The walked round.
    """

    graph: RoundGraph

    @property
    def rewards(self) -> tuple[str, ...]:
        """Ids of the wagers."""
        return self.graph.wagers

    @property
    def offsets(self) -> tuple[Fraction, ...]:
        """The most that each wager can lose, a whole number and at least 1."""
        return tuple(_most_lost(self.graph, {wager: Fraction(1)}) for wager in self.graph.wagers)

    @property
    def size(self) -> int:
        """The states of the walk, and the end."""
        return self.graph.size + 1

    @property
    def choices(self) -> int:
        """An action for each option, and one for each other state."""
        graph = self.graph
        return 1 + sum(
            len(graph.edges(state)) if kind == CHOICE else 1 for state, kind in enumerate(graph.kinds)
        )

    def states(self) -> Iterator[tuple[MarkovAction, ...]]:
        """Yields the actions of every state."""
        graph, nothing, offsets = self.graph, (Fraction(0),) * len(self.rewards), self.offsets
        end = graph.size
        for state, kind in enumerate(graph.kinds):
            detail, edges = graph.details[state], graph.edges(state)
            if kind == CHANCE:
                following: dict[int, int] = {}
                for edge in edges:
                    following[graph.targets[edge]] = (
                        following.get(graph.targets[edge], 0) + graph.weights[edge]
                    )
                drawn = tuple((target, Fraction(weight, detail)) for target, weight in following.items())
                yield (MarkovAction(DRAWS, nothing, drawn),)
            elif kind == CHOICE:
                ids = graph.choice(state).ids
                yield tuple(
                    MarkovAction(option, nothing, ((graph.targets[edge], Fraction(1)),))
                    for option, edge in zip(ids, edges, strict=True)
                )
            else:
                paid = tuple(
                    offset + result.net for offset, result in zip(offsets, graph.results[detail], strict=True)
                )
                yield (MarkovAction(SETTLES, paid, ((end, Fraction(1)),)),)
        yield (MarkovAction(STAYS, nothing, ((end, Fraction(1)),)),)


ALL: Final = "stakes"
"""Name of the one reward of a process of what can be known: the result in units of all stakes together."""


@dataclass(frozen=True, slots=True)
class KnownProcess:
    """What a player can know at each decision, with the expected result of what is settled on the way.

    Args:
        beliefs: What can be known.
        offset: What is added to the result of every round.
    """

    beliefs: BeliefGraph
    offset: Fraction

    @property
    def rewards(self) -> tuple[str, ...]:
        """The one reward, in units of all stakes together."""
        return (ALL,)

    @property
    def offsets(self) -> tuple[Fraction, ...]:
        """What is added to the result of every round."""
        return (self.offset,)

    @property
    def size(self) -> int:
        """The start, everything that can be known at a decision, and the end."""
        return len(self.beliefs.beliefs) + 2

    @property
    def choices(self) -> int:
        """An action for each option, and one at the start and at the end."""
        return 2 + sum(len(belief.outlooks) for belief in self.beliefs.beliefs)

    def states(self) -> Iterator[tuple[MarkovAction, ...]]:
        """Yields the actions of every state; belief n is state n + 1."""
        yield (self._action(DRAWS, self.beliefs.start),)
        for belief in self.beliefs.beliefs:
            yield tuple(
                self._action(option, outlook)
                for option, outlook in zip(belief.choice.ids, belief.outlooks, strict=True)
            )
        yield (MarkovAction(STAYS, (Fraction(0),), ((self.size - 1, Fraction(1)),)),)

    def _action(self, name: str, outlook: Outlook) -> MarkovAction:
        ends = 1 - sum((chance for _, chance in outlook.following), Fraction(0))
        targets = tuple((number + 1, chance) for number, chance in outlook.following)
        if ends:
            targets = (*targets, (self.size - 1, ends))
        return MarkovAction(name, (outlook.settled + self.offset * ends,), targets)


def _most_lost(graph: RoundGraph, stakes: Mapping[str, Fraction]) -> Fraction:
    lowest = min(
        sum((stakes.get(result.wager, Fraction(0)) * result.net for result in results), Fraction(0))
        for results in graph.results
    )
    return Fraction(max(1, math.ceil(-lowest)))

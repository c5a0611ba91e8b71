"""How a round ends under a strategy: whole-number weights carried from the start to the ends, divided once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.analysis.engine.linear import Row, solve_loops
from certify.analysis.engine.order import CountingOrder
from certify.analysis.engine.walk import CHANCE, CHOICE, SETTLED, RoundGraph
from certify.errors import InputError
from certify.model.figures import Joint
from certify.model.round import Choice
from certify.model.stages import Price
from certify.model.strategy import ByLot, Chances, Strategy

Decide = Callable[[Choice], Chances]
"""Gives the options that are taken, by id, each with its probability."""

_LONG: Final = 512
"""Bits of a denominator from which a fraction is brought to lowest terms on the way."""


def decide_by(strategy: Strategy, others: Mapping[str, Strategy] | None = None) -> Decide:
    """Returns the decisions of a strategy, and of the strategies of other seats where they have their own."""
    plain = _chances_of(strategy)
    seats = {seat: _chances_of(other) for seat, other in (others or {}).items()}
    return lambda choice: seats.get(choice.seat, plain)(choice)


def _chances_of(strategy: Strategy) -> Decide:
    if isinstance(strategy, ByLot):
        return lambda choice: strategy.chances(choice.sees, choice.ids)
    return lambda choice: ((strategy.choose(choice.sees, choice.ids), Fraction(1)),)


@dataclass(frozen=True, slots=True)
class Visits:
    """How often a round comes to what can be settled and decided.

    Args:
        results: Probability of each way in which the round ends, in the order of the graph's results.
        choices: Expected number of times that a round comes to each choice, in the order of the graph's choices:
            the probability of coming to it, where no round comes to it twice.
    """

    results: tuple[Fraction, ...]
    choices: tuple[Fraction, ...]


def visits(graph: RoundGraph, order: CountingOrder, decide: Decide) -> Visits:
    """Returns how often a round comes to each end and to each choice.

    Args:
        graph: The merged states of the round.
        order: The order in which they can be counted.
        decide: What is decided.

    Raises:
        InputError: A decision that a round comes to is not among the options, its probabilities do not sum to one, or a
            round so played may never end.
    """
    carried = _Carried(graph, decide)
    for group, loops in order.forward():
        if loops:
            carried.solve(group)
        else:
            carried.pass_on(group[0])
    return Visits(_divided(carried.ends, len(graph.results)), _divided(carried.decided, len(graph.choices)))


Taken = tuple[tuple[int, Fraction], ...]
"""Places of options among those of a choice, each with its probability."""


def _taken(choice: Choice, chances: Chances) -> Taken:
    if sum(chance for _, chance in chances) != 1:
        told = ", ".join(f"{option} {chance}" for option, chance in chances)
        raise InputError(f"options were taken with the chances {told or 'of none'}: expected a sum of one")
    return tuple((_place(choice, option), chance) for option, chance in chances if chance)


def _place(choice: Choice, option: str) -> int:
    if option not in choice.ids:
        raise InputError(f"{option!r} was decided, expected one of {', '.join(choice.ids)}")
    return choice.ids.index(option)


Sums = dict[int, dict[int, int]]
"""Whole numbers by denominator, then by what they belong to."""


def _divided(sums: Sums, size: int) -> tuple[Fraction, ...]:
    totals = [Fraction(0)] * size
    for denominator, counts in sums.items():
        for place, count in counts.items():
            totals[place] += Fraction(count, denominator)
    return tuple(totals)


class _Carried:
    """Weights on their way through the graph: a whole number over a denominator for every state reached."""

    def __init__(self, graph: RoundGraph, decide: Decide) -> None:
        self.graph = graph
        self.decide = decide
        self.taken: dict[int, Taken] = {}
        self.counts = [0] * graph.size
        self.scales = [1] * graph.size
        self.counts[0] = 1
        self.ends: Sums = {}
        self.decided: Sums = {}

    def pass_on(self, state: int) -> None:
        """Hands the weight of a state to those that follow."""
        count, scale = self.counts[state], self.scales[state]
        if not count:
            return
        graph = self.graph
        kind, detail = graph.kinds[state], graph.details[state]
        if kind == CHANCE:
            scale *= detail
            if scale.bit_length() > _LONG:
                shared = math.gcd(count, scale)
                count, scale = count // shared, scale // shared
            for edge in range(graph.offsets[state], graph.offsets[state + 1]):
                self._add(graph.targets[edge], count * graph.weights[edge], scale)
        elif kind == SETTLED:
            _count(self.ends, scale, detail, count)
        else:
            _count(self.decided, scale, detail, count)
            for target, chance in self._followed(state):
                self._add(target, count * chance.numerator, scale * chance.denominator)

    def _add(self, state: int, count: int, scale: int) -> None:
        before = self.scales[state]
        if before == scale:
            self.counts[state] += count
        elif not self.counts[state]:
            self.counts[state], self.scales[state] = count, scale
        else:
            common = math.lcm(before, scale)
            self.counts[state] = self.counts[state] * (common // before) + count * (common // scale)
            self.scales[state] = common

    def solve(self, group: Sequence[int]) -> None:
        """Hands on the weights of states that lead back to each other: their expected numbers of visits."""
        inside = self._entered(set(group))
        unknown = {state: place for place, state in enumerate(inside)}
        steps: list[dict[int, Fraction]] = [{} for _ in inside]
        for state in inside:
            for target, chance in self._following(state):
                if target in unknown:
                    row = steps[unknown[target]]
                    row[unknown[state]] = row.get(unknown[state], Fraction(0)) + chance
        entering: list[Row] = [{0: Fraction(self.counts[state], self.scales[state])} for state in inside]
        found = solve_loops(steps, entering)
        for state in inside:
            expected = found[unknown[state]][0]
            if self.graph.kinds[state] == CHOICE:
                _count(self.decided, expected.denominator, self.graph.details[state], expected.numerator)
            for target, chance in self._following(state):
                if target not in unknown:
                    share = expected * chance
                    self._add(target, share.numerator, share.denominator)

    def _entered(self, group: set[int]) -> list[int]:
        """Returns the states of a group that a round comes to as it is played."""
        waiting = [state for state in group if self.counts[state]]
        entered = set(waiting)
        while waiting:
            for target, _ in self._following(waiting.pop()):
                if target in group and target not in entered:
                    entered.add(target)
                    waiting.append(target)
        return sorted(entered)

    def _following(self, state: int) -> list[tuple[int, Fraction]]:
        graph, detail = self.graph, self.graph.details[state]
        if graph.kinds[state] == CHOICE:
            return self._followed(state)
        return [(graph.targets[edge], Fraction(graph.weights[edge], detail)) for edge in graph.edges(state)]

    def _followed(self, state: int) -> list[tuple[int, Fraction]]:
        """Returns what follows a choice, with its probability; only a choice that a round comes to is asked for."""
        place, first = self.graph.details[state], self.graph.offsets[state]
        if place not in self.taken:
            choice = self.graph.choices[place]
            self.taken[place] = _taken(choice, self.decide(choice))
        return [(self.graph.targets[first + option], chance) for option, chance in self.taken[place]]


def _count(sums: Sums, scale: int, place: int, count: int) -> None:
    counts = sums.setdefault(scale, {})
    counts[place] = counts.get(place, 0) + count


def joint(graph: RoundGraph, found: Visits, strategy: Strategy) -> Joint:
    """Returns the joint distribution of the outcomes of all wagers."""
    probabilities: dict[tuple[str, ...], Fraction] = {}
    for results, probability in zip(graph.results, found.results, strict=True):
        if probability:
            key = tuple(result.outcome for result in results)
            probabilities[key] = probabilities.get(key, Fraction(0)) + probability
    ordered = dict(sorted(probabilities.items()))
    return Joint(strategy.name, strategy.strategy_class, graph.wagers, ordered)


def pays_of(graph: RoundGraph) -> dict[str, dict[str, Price]]:
    """Returns what each outcome that the rules allow comes to, by wager and outcome.

    Raises:
        InputError: One outcome comes to two different results.
    """
    found: dict[str, dict[str, Price]] = {wager: {} for wager in graph.wagers}
    for results in graph.results:
        for result in results:
            pays = Price(Fraction(result.net), Fraction(result.staked))
            known = found[result.wager].setdefault(result.outcome, pays)
            if known != pays:
                raise InputError(
                    f"{result.wager}: the outcome {result.outcome!r} comes to {known.net} net of {known.staked} "
                    f"staked and to {pays.net} net of {pays.staked}: expected an id of its own for each"
                )
    return found

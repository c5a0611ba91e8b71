"""How often a round comes to each belief under one way of playing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from certify.analysis.engine.beliefs import BeliefGraph
from certify.analysis.engine.linear import solve_loops
from certify.analysis.engine.order import counting_order


def arrivals(graph: BeliefGraph, places: Mapping[int, int]) -> list[Fraction]:
    """Returns the expected number of times that a round comes to each belief.

    Args:
        graph: The beliefs.
        places: Place of the option taken on each belief.

    Raises:
        InputError: A round so played may never end.
    """
    arriving = [Fraction(0)] * len(graph.beliefs)
    for number, chance in graph.start.following:
        arriving[number] += chance
    for group, loops in counting_order(*graph.edges()).forward():
        inside = _entered(graph, places, group, arriving) if loops else []
        _solve(graph, places, inside, arriving)
        for number in group:
            for other, chance in _following(graph, places, number):
                if other not in inside:
                    arriving[other] += arriving[number] * chance
    return arriving


def _following(
    graph: BeliefGraph, places: Mapping[int, int], number: int
) -> tuple[tuple[int, Fraction], ...]:
    return graph.beliefs[number].outlooks[places[number]].following


def _entered(
    graph: BeliefGraph, places: Mapping[int, int], group: Sequence[int], arriving: Sequence[Fraction]
) -> list[int]:
    """Returns the beliefs of a loop that a round comes to as it is played."""
    waiting = [number for number in group if arriving[number]]
    entered, members = set(waiting), set(group)
    while waiting:
        for other, _ in _following(graph, places, waiting.pop()):
            if other in members and other not in entered:
                entered.add(other)
                waiting.append(other)
    return sorted(entered)


def _solve(
    graph: BeliefGraph, places: Mapping[int, int], inside: Sequence[int], arriving: list[Fraction]
) -> None:
    """Puts the expected numbers of visits in place of the first arrivals in a loop."""
    place = {number: index for index, number in enumerate(inside)}
    steps: list[dict[int, Fraction]] = [{} for _ in inside]
    for number in inside:
        for other, chance in _following(graph, places, number):
            if other in place:
                steps[place[other]][place[number]] = chance
    found = solve_loops(steps, [{0: arriving[number]} for number in inside])
    for number, row in zip(inside, found, strict=True):
        arriving[number] = row[0]

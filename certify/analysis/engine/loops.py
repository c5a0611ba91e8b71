"""Best play where a round can come back to the same decision: policies improved until none is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from certify.analysis.engine.beliefs import BeliefGraph, Outlook
from certify.analysis.engine.linear import solve_loops
from certify.errors import InputError


def solve_loop(
    graph: BeliefGraph, group: Sequence[int], worth: list[Fraction], *, worst: bool
) -> Mapping[int, int]:
    """Finds the value of beliefs that lead back to each other, and writes it down.

    Policy iteration (Howard 1960) from a policy that ends every round. Options change only where that is strictly
    better; nothing is paid on the way round, so that each policy that follows ends every round too, and there are
    finitely many.

    Args:
        graph: The beliefs.
        group: Those that lead back to each other.
        worth: Value of each belief that was solved before; those of the group are added.
        worst: Whether the worst play is asked for.

    Returns:
        The place of the option taken on each belief of the group.

    Raises:
        InputError: From one of them no play ends the round.
    """
    policy = _ending(graph, group)
    sign = -1 if worst else 1
    while True:
        values = _evaluated(graph, group, policy, worth)
        for number in group:
            worth[number] = values[number]
        changed = False
        for number in group:
            offered = [sign * outlook.value(worth) for outlook in graph.beliefs[number].outlooks]
            if max(offered) > sign * values[number]:
                policy[number] = offered.index(max(offered))
                changed = True
        if not changed:
            return policy


def _ending(graph: BeliefGraph, group: Sequence[int]) -> dict[int, int]:
    """Returns a policy under which every round leaves the group: each option brings the exit nearer."""
    inside = set(group)
    policy: dict[int, int] = {}
    found = True
    while found:
        found = False
        for number in [number for number in group if number not in policy]:
            for place, outlook in enumerate(graph.beliefs[number].outlooks):
                if _leaves(outlook, inside - set(policy)):
                    policy[number] = place
                    found = True
                    break
    if len(policy) < len(inside):
        raise InputError(
            "the round can come to a decision from which no play ends it: nothing is settled there"
        )
    return policy


def _leaves(outlook: Outlook, inside: set[int]) -> bool:
    staying = sum((chance for number, chance in outlook.following if number in inside), Fraction(0))
    return staying < 1


def _evaluated(
    graph: BeliefGraph, group: Sequence[int], policy: Mapping[int, int], worth: Sequence[Fraction]
) -> dict[int, Fraction]:
    place = {number: index for index, number in enumerate(group)}
    steps, ends = [], []
    for number in group:
        outlook = graph.beliefs[number].outlooks[policy[number]]
        inside = {place[other]: chance for other, chance in outlook.following if other in place}
        outside = tuple((other, chance) for other, chance in outlook.following if other not in place)
        steps.append(inside)
        ends.append({0: Outlook(outlook.settled, outside).value(worth)})
    return {
        number: row.get(0, Fraction(0)) for number, row in zip(group, solve_loops(steps, ends), strict=True)
    }

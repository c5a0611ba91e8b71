"""Which outcomes can come up at all, each with a round that shows it; what is not listed, no play reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from certify.analysis.engine.walk import CHOICE, NO_MOVE, SETTLED, RoundGraph
from certify.errors import InputError
from certify.model.points import Reached
from certify.model.round import Chance, Choice, ReferenceRound, Settled, WagerResult


def path_to(graph: RoundGraph, state: int) -> Reached:
    """Returns a shortest round from the start to a state."""
    draws: list[tuple[str, int]] = []
    decisions: list[str] = []
    steps: list[tuple[int, int]] = []
    while graph.parents[state] != NO_MOVE:
        edge = graph.parents[state]
        state = graph.source(edge)
        steps.append((state, edge))
    current: Any = graph.reference.start()
    left = {piece.id: list(piece.copies) for piece in graph.reference.equipment}
    kept = {piece.id for piece in graph.reference.equipment if piece.replaced}
    for place, edge in reversed(steps):
        move = graph.moves[edge]
        node = graph.reference.node(current)
        if graph.kinds[place] == CHOICE:
            decisions.append(graph.choice(place).ids[move])
            current = graph.reference.decided(current, decisions[-1])
        elif isinstance(node, Chance):
            face = _face(graph.reference, current, move, left[node.equipment])
            left[node.equipment][face] -= node.equipment not in kept
            draws.append((node.equipment, face))
            current = graph.reference.drawn(current, face)
    return Reached(current, graph.reference.node(current), tuple(draws), tuple(decisions))


def _face(reference: ReferenceRound[Any], state: Any, move: int, left: Sequence[int]) -> int:
    """Returns the face of an edge, or where all cards that show it are gone, the next one that leads alike."""
    if left[move]:
        return move
    alike = reference.alike(state, move)
    return next(face for face, items in enumerate(left) if items and reference.alike(state, face) == alike)


def ends(graph: RoundGraph) -> Mapping[int, int]:
    """Returns for each way in which a round can end the first state that ends so."""
    found: dict[int, int] = {}
    for state, kind in enumerate(graph.kinds):
        if kind == SETTLED:
            found.setdefault(graph.details[state], state)
    return found


def witnesses(
    graph: RoundGraph, rows_of: Callable[[str, str], Sequence[str]]
) -> Mapping[tuple[str, str], Reached]:
    """Returns a round for every row that some draws and some decisions reach, by wager and row.

    The walk visits every state that any play reaches, so that a row that is not among them is unreachable: no
    draws and no decisions settle in it.

    Where some round of a wager wins awards, its rows are those that win: its outcomes are classes of rounds.

    Args:
        graph: The merged states of the round.
        rows_of: The rows that an outcome of a wager is paid by.
    """
    awarded = {result.wager for results in graph.results for result in results if result.awards}
    first: dict[tuple[str, str], int] = {}
    for place, state in ends(graph).items():
        for result in graph.results[place]:
            won = [award.row for award in result.awards]
            for row in won if result.wager in awarded else rows_of(result.wager, result.outcome):
                first.setdefault((result.wager, row), state)
    return {key: path_to(graph, state) for key, state in first.items()}


def replay(reference: ReferenceRound[Any], played: Reached) -> tuple[WagerResult, ...]:
    """Returns how a round ends that is replayed from its draws and decisions.

    Raises:
        InputError: The round asks for something else than was recorded.
    """
    draws, decisions = iter(played.drawn), iter(played.decisions)
    state: Any = reference.start()
    while not isinstance(node := reference.node(state), Settled):
        if isinstance(node, Choice):
            option = next(decisions, None)
            if option not in node.ids:
                raise InputError(f"{option!r} was recorded, expected one of {', '.join(node.ids)}")
            state = reference.decided(state, option)
            continue
        piece, face = next(draws, (None, NO_MOVE))
        if piece != node.equipment:
            raise InputError(f"a draw from {piece} was recorded, expected one from {node.equipment}")
        state = reference.drawn(state, face)
    return node.results

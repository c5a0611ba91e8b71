"""Which outcomes can come up at all, each with a round that shows it; what is not listed, no play reaches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from certify.analysis.engine.walk import CHOICE, NO_MOVE, SETTLED, RoundGraph
from certify.errors import InputError
from certify.families.port import Chance, Choice, ReferenceRound, Settled, WagerResult
from certify.model.equipment import Equipment, Row


@dataclass(frozen=True, slots=True)
class Played:
    """A round as the list of its draws and decisions.

    Args:
        draws: (piece, face) in the order in which they came.
        decisions: Ids of the options taken, in order.
    """

    draws: tuple[tuple[str, int], ...]
    decisions: tuple[str, ...]

    def row(self, equipment: Sequence[Equipment]) -> Row:
        """Returns a whole row of draws that begins with these; what the round does not ask for comes in order.

        Raises:
            InputError: The round asks for more draws than a row holds.
        """
        return tuple(item for piece in equipment for item in self._items(piece))

    def _items(self, piece: Equipment) -> list[int]:
        taken: list[int] = []
        for name, face in self.draws:
            if name == piece.id:
                taken.append(_item(piece, face, taken))
        if len(taken) > piece.supply:
            raise InputError(f"{piece.id}: {len(taken)} draws are needed, expected at most {piece.supply} in a row")
        unused = (item for item in range(piece.size) if piece.replaced or item not in taken)
        rest = piece.supply - len(taken)
        return [*taken, *([0] * rest if piece.replaced else [next(unused) for _ in range(rest)])]


def _item(piece: Equipment, face: int, taken: Sequence[int]) -> int:
    for item, shown in enumerate(piece.shows):
        if shown == face and (piece.replaced or item not in taken):
            return item
    raise InputError(f"{piece.id}: {piece.faces[face]} was drawn more often than it is there")


def path_to(graph: RoundGraph, state: int) -> Played:
    """Returns a shortest round from the start to a state."""
    draws: list[tuple[str, int]] = []
    decisions: list[str] = []
    steps: list[tuple[int, int]] = []
    while graph.parents[state] != NO_MOVE:
        edge = graph.parents[state]
        state = graph.source(edge)
        steps.append((state, edge))
    current: Any = graph.reference.start()
    for place, edge in reversed(steps):
        move = graph.moves[edge]
        node = graph.reference.node(current)
        if graph.kinds[place] == CHOICE:
            decisions.append(graph.choice(place).ids[move])
            current = graph.reference.decided(current, decisions[-1])
        elif isinstance(node, Chance):
            draws.append((node.equipment, move))
            current = graph.reference.drawn(current, move)
    return Played(tuple(draws), tuple(decisions))


def ends(graph: RoundGraph) -> Mapping[int, int]:
    """Returns for each way in which a round can end the first state that ends so."""
    found: dict[int, int] = {}
    for state, kind in enumerate(graph.kinds):
        if kind == SETTLED:
            found.setdefault(graph.details[state], state)
    return found


def witnesses(graph: RoundGraph, row_of: Callable[[str], str]) -> Mapping[tuple[str, str], Played]:
    """Returns a round for every row that some draws and some decisions reach, by wager and row.

    The walk visits every state that any play reaches, so that a row that is not among them is unreachable: no
    draws and no decisions settle in it.

    Args:
        graph: The merged states of the round.
        row_of: The row that an outcome falls in.
    """
    first: dict[tuple[str, str], int] = {}
    for place, state in ends(graph).items():
        for result in graph.results[place]:
            first.setdefault((result.wager, row_of(result.outcome)), state)
    return {key: path_to(graph, state) for key, state in first.items()}


def replay(reference: ReferenceRound[Any], played: Played) -> tuple[WagerResult, ...]:
    """Returns how a round ends that is replayed from its draws and decisions.

    Raises:
        InputError: The round asks for something else than was recorded.
    """
    draws, decisions = iter(played.draws), iter(played.decisions)
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

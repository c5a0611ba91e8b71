"""Rounds that together come to every state of a text's least automaton and every class of faces that may come there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.exposure import RealRounds
from certify.analysis.engine.stage_points import IMPOSSIBLE, SHIFT, TARGET
from certify.analysis.engine.walk import CHANCE, NO_MOVE, SETTLED, RoundGraph
from certify.by_key import gathered
from certify.model import Choose, Won


@dataclass(frozen=True, slots=True)
class Deal:
    """One round as it is drawn and decided, and how the table settles it.

    Args:
        draws: (Place of the piece, face) in the order drawn.
        decisions: Ids of the options in the order decided.
        outcomes: Outcome of each wager.
    """

    draws: tuple[tuple[int, int], ...]
    decisions: tuple[str, ...]
    outcomes: dict[str, str]


def deals(automaton: Automaton, graph: RoundGraph) -> Iterator[Deal]:
    """Yields a round through each class of faces, or option, of each state of the least automaton.

    From the step in question on, a round is led to an end by a shortest way. Of the faces of a class another one is
    taken at every state, so that faces which a text does not tell apart are all seen.

    Args:
        automaton: The least automaton of the text.
        graph: Its exact graph.
    """
    own = _Deals(automaton, graph)
    return own.averaged() if graph.drawn_as else own.all()


class _Deals:
    """The shortest ways to and from the states of a graph."""

    def __init__(self, automaton: Automaton, graph: RoundGraph) -> None:
        self.automaton = automaton
        self.graph = graph
        self.copies = [piece.copies for piece in automaton.text.equipment]
        self.replaced = [piece.replaced for piece in automaton.text.equipment]
        self.sources = [state for state in range(graph.size) for _ in graph.edges(state)]
        self.onward = self._onward()
        self.places: list[int] = automaton.pieces.tolist()
        classes = cache(_classes)
        self.alike = [classes(self._names(own, place)) for own, place in enumerate(self.places)]
        self.count = 0

    def _onward(self) -> list[int]:
        """Returns the first edge of a shortest way to an end, for each state where its edges begin."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        graph = self.graph
        ends = np.flatnonzero(np.frombuffer(graph.kinds, np.uint8) == SETTLED)
        backwards = (np.ones(len(self.sources)), (graph.targets, self.sources))
        led = csr_array(backwards, shape=(graph.size, graph.size))
        steps = dijkstra(led, indices=ends, unweighted=True, min_only=True)
        edges: list[int] = np.lexsort((steps[graph.targets], np.array(self.sources))).tolist()
        return edges

    def all(self) -> Iterator[Deal]:
        graph, rows = self.graph, self.automaton.rows
        # By state the first face of each class that may come there and was not dealt yet.
        missing: dict[int, dict[int, None]] = {}
        for state, kind in enumerate(graph.kinds):
            own = graph.automaton_states[state]
            if kind == SETTLED or missing.get(own) == {}:
                continue
            if own not in missing:
                faces = zip(self.alike[own], rows[own], strict=False)
                missing[own] = dict.fromkeys(alike[0] for alike, arrow in faces if arrow != IMPOSSIBLE)
            begun = self._path(state)
            for edge in graph.edges(state):
                if kind == CHANCE:
                    for face in self._faces(own, edge, missing[own]):
                        # A class that is used up here may still come in the same state after other cards.
                        if self._left(begun, own, face):
                            del missing[own][face]
                            yield self._finished(begun, edge, face)
                else:
                    yield self._finished(begun, edge, graph.moves[edge])

    def averaged(self) -> Iterator[Deal]:
        """Yields rounds of cards that there are through a graph of averaged steps."""
        real, dealt = RealRounds(self.graph), set[tuple[int, int]]()
        for edge, state in enumerate(self.sources):
            own = self.graph.automaton_states[state]
            step = own, self.alike[own][self.graph.moves[edge]][0]
            if step not in dealt:
                dealt.add(step)
                self.count += 1
                played = _Round.begun(self.automaton, self.copies)
                for one in real.by(edge):
                    self._step(played, one, self.graph.moves[one])
                yield Deal(tuple(played.draws), (), dict(played.won))

    def _left(self, played: "_Round", own: int, face: int) -> list[int]:
        """Returns the faces of the class of a face that are left."""
        left = played.left[self.places[own]]
        return [one for one in self.alike[own][face] if left[one]]

    def _path(self, state: int) -> "_Round":
        edges = []
        while (edge := self.graph.parents[state]) != NO_MOVE:
            edges.append(edge)
            state = self.sources[edge]
        played = _Round.begun(self.automaton, self.copies)
        for edge in reversed(edges):
            self._step(played, edge, self.graph.moves[edge])
        return played

    def _faces(self, own: int, edge: int, among: Iterable[int]) -> list[int]:
        """Returns the faces, of some, that an edge merges."""
        row, move = self.automaton.rows[own], self.graph.moves[edge]
        target = self.graph.automaton_states[self.graph.targets[edge]]
        # Faces that leave the shoe otherwise in the classes of the next state go by another edge.
        first = self.automaton.first_face[self.places[own]]
        after = self.automaton.partitions[self.automaton.partition[target]] if first >= 0 else ()
        return [
            face
            for face in among
            if row[face] & TARGET == target and (not after or after[first + face] == after[first + move])
        ]

    def _names(self, own: int, place: int) -> tuple[int, ...]:
        """Returns the class of each face of the piece that a state draws from; none where nothing is drawn."""
        if place < 0:
            return ()
        first = self.automaton.first_face[place]
        if first < 0:
            return self.automaton.rows[own]
        names = self.automaton.partitions[self.automaton.partition[own]]
        return names[first : first + len(self.copies[place])]

    def _finished(self, begun: "_Round", edge: int, move: int) -> Deal:
        played, graph = begun.copied(), self.graph
        self.count += 1
        self._step(played, edge, move)
        while graph.kinds[state := graph.targets[edge]] != SETTLED:
            edge = self.onward[graph.offsets[state]]
            self._step(played, edge, graph.moves[edge])
        return Deal(tuple(played.draws), tuple(played.decisions), dict(played.won))

    def _step(self, played: "_Round", edge: int, move: int) -> None:
        own = self.graph.automaton_states[self.sources[edge]]
        waiting, place = self.automaton.waiting[own], self.places[own]
        if isinstance(waiting, Choose):
            played.decisions.append(waiting.options[move].id)
        else:
            alike = self._left(played, own, move)
            move = alike[self.count % len(alike)]
            played.left[place][move] -= not self.replaced[place]
            played.draws.append((place, move))
        played.won += self.automaton.walked.labels[self.automaton.rows[own][move] >> SHIFT].won


def _classes(names: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Returns all faces of the class of each face."""
    faces = gathered((name, face) for face, name in enumerate(names))
    return tuple(tuple(faces[name]) for name in names)


@dataclass(slots=True)
class _Round:
    """A round under way."""

    draws: list[tuple[int, int]]
    decisions: list[str]
    won: list[Won]
    left: list[list[int]]

    @classmethod
    def begun(cls, automaton: Automaton, copies: list[tuple[int, ...]]) -> "_Round":
        won = list(automaton.walked.labels[automaton.walked.begun].won)
        return cls([], [], won, [list(one) for one in copies])

    def copied(self) -> "_Round":
        return _Round(
            self.draws.copy(), self.decisions.copy(), self.won.copy(), [one.copy() for one in self.left]
        )

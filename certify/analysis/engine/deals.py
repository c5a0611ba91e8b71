"""Rounds that together come to every state of a text's least automaton and every class of faces that may come there."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.exposure import RealRounds
from certify.analysis.engine.stage_points import IMPOSSIBLE, SHIFT, TARGET
from certify.analysis.engine.walk import CHANCE, NO_MOVE, SETTLED, RoundGraph
from certify.model import Choose, NextDraw, Won


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
        self.to_end = self._to_end()
        self.count = 0

    def _to_end(self) -> list[float]:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        graph = self.graph
        ends = np.flatnonzero(np.frombuffer(graph.kinds, np.uint8) == SETTLED)
        backwards = (np.ones(len(self.sources)), (graph.targets, self.sources))
        led = csr_array(backwards, shape=(graph.size, graph.size))
        steps: list[float] = dijkstra(led, indices=ends, unweighted=True, min_only=True).tolist()
        return steps

    def all(self) -> Iterator[Deal]:
        graph = self.graph
        dealt: dict[int, set[int]] = {}
        for state, kind in enumerate(graph.kinds):
            own = graph.automaton_states[state]
            known = dealt.get(own, set())
            if kind == SETTLED or (own in dealt and known >= self._classes(own)):
                continue
            dealt[own] = known
            begun = self._path(state)
            for edge in graph.edges(state):
                if kind == CHANCE:
                    for name, face in self._faces(state, edge).items():
                        # A class that is used up here may still come in the same state after other cards.
                        if name not in known and self._alike(begun, own, name):
                            known.add(name)
                            yield self._finished(begun, edge, face)
                else:
                    yield self._finished(begun, edge, NO_MOVE)

    def averaged(self) -> Iterator[Deal]:
        """Yields rounds of cards that there are through a graph of averaged steps."""
        real, dealt = RealRounds(self.graph), set[tuple[int, int]]()
        for edge, state in enumerate(self.sources):
            own = self.graph.automaton_states[state]
            step = own, self._names(own, 0)[self.graph.moves[edge]]
            if step not in dealt:
                dealt.add(step)
                self.count += 1
                played = _Round.begun(self.automaton, self.copies)
                for one in real.by(edge):
                    self._step(played, one, NO_MOVE)
                yield Deal(tuple(played.draws), (), dict(played.won))

    def _classes(self, own: int) -> set[int]:
        """Returns the classes of faces that may come in a state; none where something is decided."""
        waiting = self.automaton.waiting[own]
        if not isinstance(waiting, NextDraw):
            return set()
        names = self._names(own, self.automaton.text.piece_of(waiting))
        return {
            name for name, arrow in zip(names, self.automaton.rows[own], strict=False) if arrow != IMPOSSIBLE
        }

    def _alike(self, played: "_Round", own: int, wanted: int) -> list[int]:
        """Returns the faces of a class that are left."""
        place = self.automaton.text.piece_of(self.automaton.waiting[own])  # type: ignore[arg-type]
        left = played.left[place]
        return [one for one, name in enumerate(self._names(own, place)) if name == wanted and left[one]]

    def _path(self, state: int) -> "_Round":
        edges = []
        while (edge := self.graph.parents[state]) != NO_MOVE:
            edges.append(edge)
            state = self.sources[edge]
        played = _Round.begun(self.automaton, self.copies)
        for edge in reversed(edges):
            self._step(played, edge, NO_MOVE)
        return played

    def _faces(self, state: int, edge: int) -> dict[int, int]:
        """Returns a face of each class that an edge merges, by class."""
        own = self.graph.automaton_states[state]
        place = self.automaton.text.piece_of(self.automaton.waiting[own])  # type: ignore[arg-type]
        names = self._names(own, place)
        row = self.automaton.rows[own]
        target = self.graph.automaton_states[self.graph.targets[edge]]
        # Faces that leave the shoe otherwise in the classes of the next state go by another edge.
        first, move = self.automaton.first_face[place], self.graph.moves[edge]
        after = self.automaton.partitions[self.automaton.partition[target]] if first >= 0 else ()
        classes: dict[int, int] = {}
        for face, arrow in enumerate(row):
            gone = not after or after[first + face] == after[first + move]
            if arrow >= 0 and arrow & TARGET == target and gone:
                classes.setdefault(names[face], face)
        return classes

    def _names(self, own: int, place: int) -> tuple[int, ...]:
        """Returns the class of each face of the piece that a state draws from."""
        first = self.automaton.first_face[place]
        if first < 0:
            return self.automaton.rows[own]
        names = self.automaton.partitions[self.automaton.partition[own]]
        return names[first : first + len(self.copies[place])]

    def _finished(self, begun: "_Round", edge: int, face: int) -> Deal:
        played = begun.copied()
        self.count += 1
        self._step(played, edge, face)
        state = self.graph.targets[edge]
        while self.graph.kinds[state] != SETTLED:
            edge = min(self.graph.edges(state), key=lambda one: self.to_end[self.graph.targets[one]])
            self._step(played, edge, NO_MOVE)
            state = self.graph.targets[edge]
        return Deal(tuple(played.draws), tuple(played.decisions), dict(played.won))

    def _step(self, played: "_Round", edge: int, face: int) -> None:
        own = self.graph.automaton_states[self.sources[edge]]
        waiting = self.automaton.waiting[own]
        move = self.graph.moves[edge]
        if isinstance(waiting, Choose):
            played.decisions.append(waiting.options[move].id)
            arrow = self.automaton.rows[own][move]
        else:
            assert isinstance(waiting, NextDraw)  # noqa: S101 - an edge leaves a draw or a decision
            place = self.automaton.text.piece_of(waiting)
            names = self._names(own, place)
            alike = self._alike(played, own, names[move if face == NO_MOVE else face])
            taken = alike[self.count % len(alike)]
            played.left[place][taken] -= not self.replaced[place]
            played.draws.append((place, taken))
            arrow = self.automaton.rows[own][taken]
        played.won += self.automaton.walked.labels[arrow >> SHIFT].won


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

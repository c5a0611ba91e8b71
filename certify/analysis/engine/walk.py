"""Every state that a reference round can come to, with whole-number weights, merged where the round says so."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from certify.errors import InputError
from certify.model import Equipment
from certify.model.round import Chance, Choice, ReferenceRound, Settled, WagerResult

STATE_LIMIT: Final = 1_000_000
"""Most merged states of one round that are kept at once; about 1.3 kilobytes each."""

CHANCE: Final = 0
CHOICE: Final = 1
SETTLED: Final = 2

NO_MOVE: Final = -1


@dataclass(frozen=True, slots=True)
class RoundGraph:
    """The merged states of a round as a graph: states are numbered, the start is 0.

    Args:
        reference: The round that was walked.
        kinds: What each state waits for: CHANCE, CHOICE or SETTLED.
        details: Of a chance state the number of items that may come, of a choice its place in ``choices``, of
            an end its place in ``results``.
        offsets: Where the edges of each state begin, and at the end where the last ends.
        targets: State that each edge leads to.
        weights: Number of items behind an edge of chance; 1 behind an option.
        moves: Face (the first of those that are equal) or place of the option of each edge.
        parents: The edge by which each state was first reached, -1 for the start.
        choices: The different choices that occur.
        results: The different ways in which a round ends.
        pieces: Place of the piece that each state draws from, -1 of a choice and an end.
        automaton_states: State of the least automaton that each state is, where the round is written in stages.
        drawn_as: Where steps are averaged, the first face of the class that each face is counted in: chances of steps
            do not multiply, and some ways need more cards than there are.
        counted: What was counted of it already, the same at all pays: by strategy, or by the function that counts.
    """

    reference: ReferenceRound[Any]
    kinds: bytes
    details: Sequence[int]
    offsets: array[int]
    targets: array[int]
    weights: Sequence[int]
    moves: array[int]
    parents: array[int]
    choices: tuple[Choice, ...]
    results: tuple[tuple[WagerResult, ...], ...]
    pieces: array[int]
    automaton_states: array[int] = field(default_factory=lambda: array("q"))
    drawn_as: Sequence[int] = ()
    counted: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def size(self) -> int:
        """Number of merged states."""
        return len(self.kinds)

    @property
    def wagers(self) -> tuple[str, ...]:
        """Ids of the wagers, in the order in which the round settles them."""
        return tuple(result.wager for result in self.results[0])

    def edges(self, state: int) -> range:
        """Returns the numbers of the edges of a state; of a choice in the order of its options."""
        return range(self.offsets[state], self.offsets[state + 1])

    def source(self, edge: int) -> int:
        """Returns the state that an edge starts from."""
        return bisect_right(self.offsets, edge) - 1

    def choice(self, state: int) -> Choice:
        """Returns the choice that a state waits for."""
        return self.choices[self.details[state]]


def walk(reference: ReferenceRound[Any], limit: int = STATE_LIMIT) -> RoundGraph:
    """Returns all states that some draws and some decisions lead to.

    States are found breadth first, so that the way back from a state to the start is a shortest one.

    Args:
        reference: The round.
        limit: Most merged states.

    Raises:
        InputError: The round never ends or has more states than the limit, asks for equipment that it does not have
            or for more than that holds, offers no option, or does not settle the same wagers every time.
    """
    if isinstance(reference, GraphSource):
        return reference.graph()
    return _Walk(reference, limit).run()


@runtime_checkable
class GraphSource(Protocol):
    """A reference round that brings its own graph, merged by what was proved of its text."""

    def graph(self) -> RoundGraph:
        """Returns all states that some draws and some decisions lead to."""


Value = TypeVar("Value", bound=Hashable)


class NumberedValues(dict[Value, int]):
    """Different values with their numbers, each given when the value first comes."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[Value] = []

    def __missing__(self, value: Value) -> int:
        """Gives the next number."""
        self[value] = number = len(self.listed)
        self.listed.append(value)
        return number


class Choices(dict[Choice, int]):
    """The different choices of a round with their numbers; what is seen there is of one type."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Hashable] = []

    def number(self, choice: Choice) -> int:
        """Returns the number of a choice.

        Raises:
            InputError: A choice that equals it shows values of other types: one of both would be lost.
        """
        number = self.setdefault(choice, len(self))
        if number == len(self.seen):
            self.seen.append(choice.sees)
        elif _types_of(self.seen[number]) != _types_of(choice.sees):
            raise InputError(
                f"{choice.seat} sees {choice.sees!r}, which elsewhere equals a value of another type (True is 1): "
                "expected one type at each place of what is seen"
            )
        return number


def _types_of(value: object) -> object:
    return tuple(map(_types_of, value)) if isinstance(value, tuple) else type(value)


class _Walk:
    """The walk while it is under way: what is still to be expanded, and the arrays that grow."""

    def __init__(self, reference: ReferenceRound[Any], limit: int) -> None:
        self.reference = reference
        self.limit = limit
        self.pieces: Mapping[str, Equipment] = {piece.id: piece for piece in reference.equipment}
        self.copies = {piece.id: piece.copies for piece in reference.equipment}
        self.places: dict[str | None, int] = {name: place for place, name in enumerate(self.pieces)}
        self.drawing = array("q")
        self.index: dict[Hashable, int] = {}
        # (state, items drawn from each piece that puts nothing back, by face)
        self.waiting: deque[tuple[Any, Drawn]] = deque()
        self.kinds = bytearray()
        self.details = array("q")
        self.offsets = array("q", [0])
        self.targets = array("q")
        self.weights = array("q")
        self.moves = array("q")
        self.parents = array("q", [NO_MOVE])
        self.choices = Choices()
        self.results: dict[tuple[WagerResult, ...], int] = {}

    def run(self) -> RoundGraph:
        start = self.reference.start()
        self.index[self.reference.matters(start)] = 0
        self.waiting.append((start, ()))
        while self.waiting:
            self._expand(*self.waiting.popleft())
            self.offsets.append(len(self.targets))
        if not self.results:
            raise InputError(
                "no draws and no decisions end this round: it never ends, and nothing is ever settled"
            )
        return RoundGraph(
            self.reference,
            bytes(self.kinds),
            self.details,
            self.offsets,
            self.targets,
            self.weights,
            self.moves,
            self.parents,
            tuple(self.choices),
            tuple(self.results),
            self.drawing,
        )

    def _expand(self, state: Any, drawn: Drawn) -> None:
        node = self.reference.node(state)
        # `chances` refuses a piece that the game does not have
        asked = node.equipment if isinstance(node, Chance) else None
        self.drawing.append(self.places.get(asked, NO_MOVE))
        if isinstance(node, Chance):
            self.kinds.append(CHANCE)
            self._draw(state, node, drawn)
        elif isinstance(node, Choice):
            self.kinds.append(CHOICE)
            self.details.append(self.choices.number(_checked(node)))
            for place, option in enumerate(node.options):
                self._reach(self.reference.decided(state, option.id), drawn, 1, place)
        else:
            self.kinds.append(SETTLED)
            self.details.append(self.results.setdefault(self._settled(node), len(self.results)))

    def _draw(self, state: Any, node: Chance, drawn: Drawn) -> None:
        groups = chances(self.reference, self.pieces, self.copies, state, node, drawn)
        self.details.append(sum(weight for weight, _ in groups))
        keeps = self.pieces[node.equipment].replaced
        for weight, face in groups:
            after = drawn if keeps else (*drawn, (node.equipment, face))
            self._reach(self.reference.drawn(state, face), after, weight, face)

    def _reach(self, state: Any, drawn: Drawn, weight: int, move: int) -> None:
        key = self.reference.matters(state)
        place = self.index.get(key)
        if place is None:
            place = len(self.index)
            if place >= self.limit:
                raise InputError(
                    f"the round has more than {self.limit} states that differ in what still matters: too many to "
                    "be computed in memory. Expected a reference round whose matters() and alike() merge more, or "
                    "a family with its own exact counting"
                )
            self.index[key] = place
            self.parents.append(len(self.targets))
            self.waiting.append((state, drawn))
        self.targets.append(place)
        self.weights.append(weight)
        self.moves.append(move)

    def _settled(self, node: Settled) -> tuple[WagerResult, ...]:
        wagers = [result.wager for result in node.results]
        known = [result.wager for result in next(iter(self.results), node.results)]
        if not wagers or wagers != known or len(set(wagers)) != len(wagers):
            raise InputError(
                f"a round settles {', '.join(wagers) or 'nothing'}, another {', '.join(known) or 'nothing'}: "
                "expected every wager of the game once, in the same order every time"
            )
        return node.results


Drawn = tuple[tuple[str, int], ...]
"""What was drawn from equipment that puts nothing back: (piece, face), in order."""


def chances(
    reference: ReferenceRound[Any],
    pieces: Mapping[str, Equipment],
    copies: Mapping[str, Sequence[int]],
    state: Any,
    node: Chance,
    drawn: Drawn,
) -> list[tuple[int, int]]:
    """Returns what may come next: (number of items, first face) for every group of faces that are equal.

    Raises:
        InputError: The round asks for a piece that it does not have, or for more than it holds.
    """
    piece = pieces.get(node.equipment)
    if piece is None:
        raise InputError(f"the round draws from {node.equipment!r}: expected one of {', '.join(pieces)}")
    left = copies[piece.id]
    if not piece.replaced:
        taken = [face for name, face in drawn if name == piece.id]
        if len(taken) >= piece.supply:
            raise InputError(
                f"the round takes more than {piece.supply} draws from {piece.id}: it holds no more"
            )
        left = list(left)
        for face in taken:
            left[face] -= 1
    groups: dict[Hashable, list[int]] = {}
    alike = reference.alike
    for face, items in enumerate(left):
        if items:
            group = groups.setdefault(alike(state, face), [0, face])
            group[0] += items
    return [(weight, face) for weight, face in groups.values()]


def _checked(choice: Choice) -> Choice:
    ids = choice.ids
    if not ids or len(set(ids)) != len(ids):
        raise InputError(f"a choice offers {', '.join(ids) or 'nothing'}: expected options, each once")
    return choice

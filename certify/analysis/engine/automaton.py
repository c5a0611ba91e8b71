"""The least automaton of a text: moments with equal futures are one state, and what no future tells apart is one class.

Moments with equal futures become one state (hash consing from the end; Moore's algorithm where rounds come back), and
every state gets the coarsest partition of faces that no future of it tells apart. Nothing of this is believed:
``engine.proof`` compares every moment with its state, and every face with its class.

Source: E. F. Moore, Gedanken-experiments on sequential machines, 1956 (states with equal futures).
"""

import marshal
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.distribution import counting_order, heights
from certify.analysis.engine.stage_points import SHIFT, TARGET, Row, Waiting, Walked, Whole
from certify.analysis.engine.walk import NumberedValues
from certify.model import Choose, NextDraw, RoundText


@dataclass(frozen=True)
class Automaton:
    """The least automaton of a text: moments with equal futures are one state; the start is 0.

    Args:
        walked: The moments that it was made of.
        state_of: State of each moment.
        waiting: What each state waits for, as one of its moments does.
        rows: Arrows of each state, by face or by place of the option.
        partition: Place in ``partitions`` of what no future of a state tells apart.
        partitions: Class of each face of all pieces that put nothing back, one piece after the other.
        first_face: Where the faces of each piece begin among those; -1 for a piece that puts back what was drawn.
    """

    walked: Walked
    state_of: Sequence[int]
    waiting: tuple[Waiting, ...]
    rows: tuple[Row, ...]
    partition: tuple[int, ...]
    partitions: tuple[Row, ...]
    first_face: tuple[int, ...]

    @property
    def text(self) -> RoundText:
        """The text that was walked."""
        return self.walked.text

    @cached_property
    def flat(self) -> "Flat":
        """Arrows of all states, one after the other."""
        return Flat.of(self.rows)

    def drawing(self, place: int) -> Whole:
        """Returns the states that draw from a piece."""
        return np.flatnonzero(self.pieces == place)

    def arrows(self, states: Whole, count: int) -> Whole:
        """Returns the arrows of states that have as many, a line for each."""
        lines: Whole = self.flat.arrows[self.flat.begins[states][:, None] + np.arange(count)]
        return lines

    @cached_property
    def pieces(self) -> Whole:
        """Place of the piece that each state draws from, -1 where none is drawn from."""
        place = self.walked.text.piece_of
        drawn = [place(one) if type(one) is NextDraw else -1 for one in self.waiting]
        return np.array(drawn, np.int64)

    @cached_property
    def classes(self) -> NDArray[np.int16]:
        """Class of each face, a line for each of the ``partitions``."""
        return np.array(self.partitions, np.int16).reshape(len(self.partitions), -1)

    @cached_property
    def first_alike(self) -> Whole:
        """First face of the class of each face, a line for each of the ``partitions``."""
        classes = self.classes
        first = np.full((len(classes), int(classes.max(initial=-1)) + 1), -1, np.int64)
        lines = np.arange(len(classes))
        for face in range(classes.shape[1] - 1, -1, -1):
            first[lines, classes[:, face]] = face
        return np.take_along_axis(first, classes.astype(np.int64), axis=1)


def least(found: Walked) -> Automaton:
    """Returns the least automaton of what was walked."""
    flat = Flat.of(found.rows)
    state_of = _states(found, flat)
    first: dict[int, int] = {}
    for moment, state in enumerate(state_of):
        first.setdefault(state, moment)
    named = flat.renamed(np.array(state_of, np.int64)).tolist()
    rows = tuple(tuple(named[flat.offsets[moment] : flat.offsets[moment + 1]]) for moment in first.values())
    waiting = tuple(found.moments[moment] for moment in first.values())
    partition, partitions, offsets = _partitions(found.text, waiting, rows)
    return Automaton(found, state_of, waiting, rows, partition, partitions, offsets)


@dataclass(frozen=True, slots=True)
class Flat:
    """Rows of arrows one after the other.

    Args:
        arrows: All arrows.
        offsets: Where the arrows of each row begin, and at the end where the last ends.
        begins: The same as an array.
    """

    arrows: Whole
    offsets: list[int]
    begins: Whole

    @classmethod
    def of(cls, rows: Sequence[Row | Whole]) -> "Flat":
        """Returns rows as one."""
        offsets = list(accumulate(map(len, rows), initial=0))
        if any(isinstance(row, np.ndarray) for row in rows):
            arrows = np.concatenate([np.asarray(row, np.int64) for row in rows])
        else:
            arrows = np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1])
        return cls(arrows, offsets, np.array(offsets, np.int64))

    def renamed(self, names: Whole) -> Whole:
        """Returns the arrows with what they lead to named otherwise."""
        return _renamed(self.arrows, names)

    def followed(self) -> tuple[Whole, Whole]:
        """Returns where the arrows that are possible lead, and where those of each row begin."""
        possible = self.arrows >= 0
        before = np.concatenate([[0], np.cumsum(possible)])
        return self.arrows[possible] & TARGET, before[self.begins]

    def followers(self) -> tuple[Whole, Whole]:
        """Returns where the arrows of each row lead, each state once, and where those of each row begin."""
        targets, starts = self.followed()
        count = len(starts) - 1
        once = np.unique(np.repeat(np.arange(count), np.diff(starts)) * count + targets)
        states, targets = np.divmod(once, max(count, 1))
        return targets, np.searchsorted(states, np.arange(count + 1))


def places(counts: Whole) -> Whole:
    """Returns the numbers from nought to each of several counts, one after the other.

    >>> places(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)


def _renamed(arrows: Whole, names: Whole) -> Whole:
    to = names[np.where(arrows < 0, 0, arrows & TARGET)]
    return np.where(arrows < 0, arrows, to | arrows >> SHIFT << SHIFT)


def _label(found: Walked, waiting: Waiting) -> tuple[object, ...]:
    """Returns what tells moments apart whatever follows."""
    if type(waiting) is NextDraw:
        holder = waiting.to if waiting.hidden_from else ""
        return NextDraw, found.text.piece_of(waiting), waiting.hidden_from, holder
    if type(waiting) is Choose:
        return Choose, waiting.seat, waiting.options, marshal.dumps(waiting.sees, 2)
    return type(waiting), waiting


def _states(found: Walked, flat: Flat) -> list[int]:
    """Returns the state of each moment: equal rows are one.

    Where no round comes back, from the end; else by refinement until nothing more is distinguished (Moore).
    """
    known: dict[object, int] = {}
    labels = [known.setdefault(_label(found, waiting), len(known)) for waiting in found.moments]
    targets, starts = flat.followed()
    height = heights(starts, targets)
    if height is not None:
        numbers: dict[object, int] = {}
        states = np.zeros(len(labels), np.int64)
        lengths = np.diff(flat.begins)
        of_arrow = np.repeat(height, lengths)
        for level in range(int(height.max()) + 1):
            own = np.flatnonzero(height == level)
            named = _renamed(flat.arrows[of_arrow == level], states)
            ends = np.cumsum(lengths[own]).tolist()
            written, begins = named.tobytes(), [0, *(8 * end for end in ends)]
            states[own] = [
                numbers.setdefault((labels[moment], written[begin:end]), len(numbers))
                for moment, (begin, end) in zip(own.tolist(), pairwise(begins), strict=True)
            ]
        return _by_first(states.tolist())
    return _by_first(refined(labels, flat))


def refined(now: Sequence[int], flat: Flat) -> Sequence[int]:
    """Returns a number for each row: those of equal labels and equal futures are one (Moore).

    Args:
        now: The label of each row, from nought: what is below says of an arrow that it is impossible.
        flat: The rows.
    """
    while True:
        numbers: dict[object, int] = {}
        named = flat.renamed(np.array(now, np.int64))
        after = [
            numbers.setdefault((now[row], named[begin:end].tobytes()), len(numbers))
            for row, (begin, end) in enumerate(pairwise(flat.offsets))
        ]
        if len(numbers) == len(set(now)):
            return after
        now = after


def _by_first(states: Sequence[int]) -> list[int]:
    """Returns states numbered in the order in which moments first come to them: the start is 0."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(state, len(numbers)) for state in states]


@dataclass(slots=True, eq=False)
class _Partitions:
    """Partitions of the faces of all pieces that put nothing back, each kept once."""

    known: NumberedValues[Row] = field(default_factory=NumberedValues)
    joins: dict[frozenset[int], int] = field(default_factory=dict)

    def number(self, classes: Sequence[Hashable]) -> int:
        order = dict.fromkeys(classes)
        names = dict(zip(order, range(len(order)), strict=True))
        return self.known[tuple(map(names.__getitem__, classes))]

    def join(self, several: frozenset[int]) -> int:
        """Returns the coarsest partition that tells apart what any of several does."""
        known = self.joins.get(several)
        if known is None:
            beside = zip(*map(self.known.listed.__getitem__, several), strict=True)
            known = self.joins[several] = self.number([*beside]) if len(several) > 1 else min(several)
        return known


_BLOCK: Final = 4_096
"""Rows that are looked at together."""


def first_equal(rows: Whole) -> NDArray[np.int16]:
    """Returns for every entry of each line the place of the first that equals it.

    >>> first_equal(np.array([[7, 7, 5, 7, 5]])).tolist()
    [[0, 0, 2, 0, 2]]
    """
    columns = np.ascontiguousarray(rows.T)
    first = np.full(columns.shape, -1, np.int16)
    for place, column in enumerate(columns):
        if (first[place] >= 0).all():
            continue
        leads = first[place] < 0
        rest = first[place:]
        rest[(columns[place:] == column) & leads & (rest < 0)] = place
    return np.ascontiguousarray(first.T)


def _partitions(
    text: RoundText, waiting: Sequence[Waiting], rows: Sequence[Row]
) -> tuple[tuple[int, ...], tuple[Row, ...], tuple[int, ...]]:
    """Returns for every state the coarsest partition of faces that neither it nor any future of it tells apart."""
    offsets: list[int] = []
    owners: list[int] = []
    for place, piece in enumerate(text.equipment):
        offsets.append(-1 if piece.replaced else len(owners))
        owners += [] if piece.replaced else [place] * len(piece.faces)
    known = _Partitions()
    whole = known.number(owners)
    own = [whole] * len(rows)
    # Arrows are no smaller than -1: faces of other pieces are named below.
    others = [-2 - place for place in owners]
    flat = Flat.of(rows)
    pieces = np.array([text.piece_of(here) if type(here) is NextDraw else -1 for here in waiting], np.int64)
    for place, first in enumerate(offsets):
        drawing = np.flatnonzero(pieces == place if first >= 0 else np.zeros(len(rows), bool))
        faces = len(text.equipment[place].faces)
        begins = flat.begins[drawing]
        alike = np.empty((len(drawing), faces), np.int16)
        for begin in range(0, len(drawing), _BLOCK):
            here = slice(begin, begin + _BLOCK)
            alike[here] = first_equal(flat.arrows[begins[here][:, None] + np.arange(faces)])
        numbers: dict[bytes, int] = {}
        for state, one in zip(drawing.tolist(), alike, strict=True):
            written = one.tobytes()
            number = numbers.get(written)
            if number is None:
                row = (*others[:first], *one.tolist(), *others[first + faces :])
                number = numbers[written] = known.number(row)
            own[state] = number
    partition = list(own)
    targets, starts = flat.followers()
    followers, bounds = targets.tolist(), starts.tolist()
    for group, loops in counting_order(starts, targets).backward():
        changed = True
        while changed:
            changed = False
            for state in group:
                following = {partition[one] for one in followers[bounds[state] : bounds[state + 1]]}
                following.add(partition[state])
                joined = known.join(frozenset(following))
                changed = loops and (changed or joined != partition[state])
                partition[state] = joined
    return tuple(partition), tuple(known.known.listed), tuple(offsets)

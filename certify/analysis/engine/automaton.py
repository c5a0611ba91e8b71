"""The least automaton of a text: moments with equal futures are one state, and what no future tells apart is one class.

Moments with equal futures become one state (hash consing from the end; Moore's algorithm where rounds come back), and
every state gets the coarsest partition of faces that no future of it tells apart. Nothing of this is believed:
``engine.proof`` compares every moment with its state, and every face with its class.

Source: E. F. Moore, Gedanken-experiments on sequential machines, 1956 (states with equal futures).
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain, pairwise

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.moments import SHIFT, TARGET, Row, Waiting, Walked
from certify.analysis.engine.order import counting_order, heights
from certify.model.stages import Choose, NextDraw, RoundText

Whole = NDArray[np.int64]


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
    """

    arrows: Whole
    offsets: list[int]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Flat:
        """Returns rows as one."""
        offsets = list(accumulate(map(len, rows), initial=0))
        return cls(np.fromiter(chain.from_iterable(rows), np.int64, offsets[-1]), offsets)

    def renamed(self, names: Whole) -> Whole:
        """Returns the arrows with what they lead to named otherwise."""
        to = names[np.where(self.arrows < 0, 0, self.arrows & TARGET)]
        return np.where(self.arrows < 0, self.arrows, to | self.arrows >> SHIFT << SHIFT)

    def followed(self) -> tuple[Whole, Whole]:
        """Returns where the arrows that are possible lead, and where those of each row begin."""
        possible = self.arrows >= 0
        before = np.concatenate([[0], np.cumsum(possible)])
        return self.arrows[possible] & TARGET, before[self.offsets]


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

    Where no round comes back, from the end; else by refinement until nothing more is told apart (Moore).
    """
    known: dict[object, int] = {}
    labels = [known.setdefault(_label(found, waiting), len(known)) for waiting in found.moments]
    targets, starts = flat.followed()
    height = heights(starts, targets)
    offsets = flat.offsets
    if height is not None:
        numbers: dict[object, int] = {}
        states = np.zeros(len(labels), np.int64)
        of_arrow = np.repeat(height, np.diff(offsets))
        for level in range(int(height.max()) + 1):
            own = np.flatnonzero(height == level)
            lengths = np.diff(offsets)[own]
            here = Flat(flat.arrows[of_arrow == level], [0, *np.cumsum(lengths).tolist()])
            named = here.renamed(states)
            states[own] = [
                numbers.setdefault((labels[moment], named[begin:end].tobytes()), len(numbers))
                for moment, (begin, end) in zip(own.tolist(), pairwise(here.offsets), strict=True)
            ]
        return _by_first(states.tolist())
    now = labels
    while True:
        numbers = {}
        named = flat.renamed(np.array(now, np.int64))
        after = [
            numbers.setdefault((now[moment], named[begin:end].tobytes()), len(numbers))
            for moment, (begin, end) in enumerate(pairwise(offsets))
        ]
        if len(numbers) == len(set(now)):
            return _by_first(after)
        now = after


def _by_first(states: Sequence[int]) -> list[int]:
    """Returns states numbered in the order in which moments first come to them: the start is 0."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(state, len(numbers)) for state in states]


class _Partitions:
    """Partitions of the faces of all pieces that put nothing back, each kept once."""

    def __init__(self) -> None:
        self.known: dict[Row, int] = {}
        self.all: list[Row] = []
        self.joins: dict[frozenset[int], int] = {}

    def number(self, classes: Sequence[Hashable]) -> int:
        order = dict.fromkeys(classes)
        names = dict(zip(order, range(len(order)), strict=True))
        key = tuple(map(names.__getitem__, classes))
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = len(self.all)
            self.all.append(key)
        return known

    def join(self, several: frozenset[int]) -> int:
        """Returns the coarsest partition that tells apart what any of several does."""
        known = self.joins.get(several)
        if known is None:
            beside = zip(*map(self.all.__getitem__, several), strict=True)
            known = self.joins[several] = self.number([*beside]) if len(several) > 1 else min(several)
        return known


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
    for state, here in enumerate(waiting):
        if type(here) is NextDraw:
            first = offsets[text.piece_of(here)]
            if first >= 0:
                own[state] = known.number(
                    (*others[:first], *rows[state], *others[first + len(rows[state]) :])
                )
    partition = list(own)
    followers = [{arrow & TARGET for arrow in set(row) if arrow >= 0} for row in rows]
    targets = np.fromiter(chain.from_iterable(followers), np.int64)
    starts = np.fromiter(accumulate(map(len, followers), initial=0), np.int64)
    for group, loops in counting_order(starts, targets).backward():
        changed = True
        while changed:
            changed = False
            for state in group:
                following = {partition[one] for one in followers[state]}
                joined = known.join(frozenset((partition[state], *following)))
                changed = loops and (changed or joined != partition[state])
                partition[state] = joined
    return tuple(partition), tuple(known.all), tuple(offsets)

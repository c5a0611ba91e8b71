"""The exact graph of a text: states of its least automaton with what left the shoe and what is settled so far.

What left is counted in the classes of faces that no future of the state tells apart, so that few different contents of
the shoe remain. Weights are whole numbers of cards.
"""

from array import array
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.automaton import Automaton, places
from certify.analysis.engine.stage_points import SHIFT, TARGET, Failed, Waiting
from certify.analysis.engine.walk import (
    CHANCE,
    CHOICE,
    NO_MOVE,
    SETTLED,
    STATE_LIMIT,
    Choices,
    NumberedValues,
    RoundGraph,
)
from certify.errors import InputError
from certify.model import (
    Choice,
    Choose,
    Equipment,
    NextDraw,
    ReferenceRound,
    RoundText,
    WagerResult,
    Won,
)

GRAPH_LIMIT: Final = 6 * STATE_LIMIT
"""Most states of the exact graph; about 300 bytes each."""

Whole = NDArray[np.int64]

_SPACE: Final = 1 << 62
"""Numbers below which several whole numbers are distinguished as one."""

_BLOCK: Final = 1 << 15
"""States whose edges are found at a time."""

_FAILED: Final = 3
"""Kind of a state at which a stage failed; no graph holds it."""


class GraphTooLargeError(InputError):
    """What may be left in the shoe is too much to be counted in memory."""


def graph_of(
    automaton: Automaton,
    reference: ReferenceRound[Any],
    limit: int = GRAPH_LIMIT,
) -> RoundGraph:
    """Returns the exact graph of a text, every outcome at a net result of nought: games at other pays share it.

    Args:
        automaton: The least automaton of the text.
        reference: The round that the same text plays, kept with the graph.
        limit: Most states.

    Raises:
        InputError: There are more states than the limit; the round asks a piece for more than it holds, settles a wager
            twice, or a stage failed on a draw that is possible.
    """
    return Growing(automaton, reference, limit).run()


class _Plans:
    """What may come at each state of an automaton, one line a class of faces or an option, as columns.

    ``one`` is the class that leaves the shoe (-1 where none does), ``size`` the items behind it before any left, and
    ``move`` its first face or the place of the option. Lines of a state lie between its ``offsets``.
    """

    def __init__(self, automaton: Automaton) -> None:
        text, states = automaton.text, len(automaton.rows)
        self.kinds = np.array([_kind(one) for one in automaton.waiting], np.int8)
        self.place = automaton.pieces
        self.partition = np.array(automaton.partition, np.int64)
        self.names = automaton.classes
        alike = automaton.first_alike
        leads = alike == np.arange(alike.shape[1])
        self.classes = int(self.names.max(initial=-1)) + 1
        self.first = np.zeros((len(self.names), self.classes), np.int64)
        of, face = leads.nonzero()
        self.first[of, self.names[of, face]] = face
        self.owner = np.concatenate(
            [np.full(len(piece.faces), place) for place, piece in _kept(text)] or [np.empty(0, np.int64)]
        ).astype(np.int64)
        copies = np.array([count for _, piece in _kept(text) for count in piece.copies], np.int64)
        sizes = np.zeros((len(self.names), self.classes), np.int64)
        np.add.at(sizes, (np.arange(len(self.names))[:, None], self.names), copies)
        lines = [self._options(automaton)]
        for place, piece in enumerate(text.equipment):
            own = np.flatnonzero(self.place == place)
            if len(own):
                rows = automaton.arrows(own, len(piece.faces))
                start = automaton.first_face[place]
                if start < 0:
                    line, face = np.indices(rows.shape).reshape(2, -1)
                    one, size = np.full(len(face), -1), np.array(piece.copies)[face]
                else:
                    line, face = leads[self.partition[own], start : start + rows.shape[1]].nonzero()
                    of = self.partition[own[line]]
                    one = self.names[of, start + face].astype(np.int64)
                    size = sizes[of, one]
                lines.append(np.stack([own[line], one, rows[line, face], size, face]))
        joined = np.concatenate(lines, axis=1)
        joined = joined[:, np.argsort(joined[0], kind="stable")]
        self.one, self.arrow, self.size, self.move = joined[1:]
        self.offsets = np.searchsorted(joined[0], np.arange(states + 1))

    def _options(self, automaton: Automaton) -> Whole:
        own = np.flatnonzero(self.kinds == CHOICE)
        begin, end = automaton.flat.begins[own], automaton.flat.begins[own + 1]
        place = places(end - begin)
        arrows = automaton.flat.arrows[np.repeat(begin, end - begin) + place]
        ones = np.ones(len(place), np.int64)
        return np.stack([np.repeat(own, end - begin), -ones, arrows, ones, place])

    def renamed(self, bags: NDArray[np.int16], before: Whole, after: Whole) -> NDArray[np.int16]:
        """Returns what left, counted in the classes of what follows; places that hold nothing are -1, and first."""
        if not self.classes or not bags.shape[1]:
            return bags
        names = self.names[after[:, None], self.first[before[:, None], bags]]
        names = np.sort(np.where(bags < 0, np.int16(-1), names), axis=1)
        return names[:, int((names < 0).all(axis=0).sum()) :]


def _kept(text: RoundText) -> list[tuple[int, Equipment]]:
    """Returns the pieces that put nothing back, with their places."""
    return [(place, piece) for place, piece in enumerate(text.equipment) if not piece.replaced]


def _kind(waiting: Waiting) -> int:
    if isinstance(waiting, Failed):
        return _FAILED
    return CHANCE if isinstance(waiting, NextDraw) else CHOICE if isinstance(waiting, Choose) else SETTLED


class Growing:
    """The graph while it grows, one step of all rounds after the other."""

    def __init__(
        self, automaton: Automaton, reference: ReferenceRound[Any], limit: int = GRAPH_LIMIT
    ) -> None:
        self.automaton = automaton
        self.reference = reference
        self.limit = limit
        self.wagers = {wager: place for place, wager in enumerate(automaton.text.wagers)}
        self.plans = _Plans(automaton)
        self.index: dict[bytes, int] = {}
        self.settled: NumberedValues[tuple[Won, ...]] = NumberedValues()
        self.settled[()]
        self.adding: dict[tuple[int, int], int] = {}
        self.choices = Choices()
        self.choice_of: dict[int, int] = {}
        self.results: dict[tuple[Won, ...], int] = {}
        self.edges = 0
        self.columns: dict[str, list[Whole]] = {
            name: []
            for name in (
                "states",
                "kinds",
                "details",
                "degrees",
                "targets",
                "weights",
                "moves",
                "parents",
                "pieces",
            )
        }

    def run(self) -> RoundGraph:
        """Returns the whole graph."""
        states = np.zeros(1, np.int64)
        settled = np.array([self.add(0, self.automaton.walked.begun)])
        bags = np.empty((1, 0), np.int16)
        self.numbered(states, settled, bags, states)
        self.keep(parents=np.array([NO_MOVE]))
        while len(states):
            self.keep(
                states=states,
                kinds=self.plans.kinds[states],
                details=self.details(states, settled, bags),
                pieces=self.plans.place[states],
            )
            blocks = [slice(begin, begin + _BLOCK) for begin in range(0, len(states), _BLOCK)]
            parts = [self.step(states[block], settled[block], bags[block]) for block in blocks]
            states, settled = (np.concatenate([part[place] for part in parts]) for place in (0, 1))
            bags = _beneath([part[2] for part in parts])
        if not self.results:
            raise InputError(
                "no draws and no decisions end this round: it never ends, and nothing is ever settled"
            )
        whole = {name: np.concatenate(parts) for name, parts in self.columns.items()}
        return RoundGraph(
            self.reference,
            whole["kinds"].astype(np.uint8).tobytes(),
            _array(whole["details"]),
            _array(np.concatenate([[0], np.cumsum(whole["degrees"])])),
            _array(whole["targets"]),
            _array(whole["weights"]),
            _array(whole["moves"]),
            _array(whole["parents"]),
            tuple(self.choices),
            self.ends(),
            _array(whole["pieces"]),
            _array(whole["states"]),
        )

    def keep(self, **columns: NDArray[Any]) -> None:
        """Keeps what is known of some states or edges."""
        for name, values in columns.items():
            self.columns[name].append(values.astype(np.int64))

    def details(self, states: Whole, settled: Whole, bags: NDArray[np.int16]) -> Whole:
        """Returns how many items may come, or which choice it is, or how the round ends."""
        plans, text = self.plans, self.automaton.text
        kinds, places = plans.kinds[states], plans.place[states]
        found = np.empty(len(states), np.int64)
        for place, piece in enumerate(text.equipment):
            own = np.flatnonzero(places == place)
            drawn = np.zeros(len(own), np.int64)
            if not piece.replaced and bags.shape[1]:
                held = bags[own]
                faces = plans.first[plans.partition[states[own]][:, None], held]
                drawn = ((held >= 0) & (plans.owner[faces] == place)).sum(axis=1)
                if (drawn >= piece.supply).any():
                    raise InputError(
                        f"the round takes more than {piece.supply} draws from {piece.id}: it holds no more"
                    )
            found[own] = piece.size - drawn
        for own, named, numbered in (
            (np.flatnonzero(kinds == SETTLED), settled, self.ended),
            (np.flatnonzero((kinds != CHANCE) & (kinds != SETTLED)), states, self.chosen),
        ):
            different, first, of = np.unique(named[own], return_index=True, return_inverse=True)
            # Numbered in the order in which rounds come to them.
            numbers = np.empty(len(different), np.int64)
            for place in np.argsort(first).tolist():
                numbers[place] = numbered(int(different[place]))
            found[own] = numbers[of]
        return found

    def ended(self, settled: int) -> int:
        """Returns the number of a way in which rounds end."""
        return self.results.setdefault(self.settled.listed[settled], len(self.results))

    def ends(self) -> tuple[tuple[WagerResult, ...], ...]:
        """Returns every way in which rounds end, at a net result of nought."""
        return tuple(tuple(WagerResult(*one, Fraction(0)) for one in won) for won in self.results)

    def chosen(self, state: int) -> int:
        """Returns the number of the choice of a state; refuses a state at which a stage failed."""
        number = self.choice_of.get(state)
        waiting = self.automaton.waiting[state]
        if isinstance(waiting, Failed):
            raise InputError(f"{waiting.message}: the round comes here")
        if number is None and isinstance(waiting, Choose):
            number = self.choices.number(Choice(waiting.seat, waiting.options, waiting.sees))
            self.choice_of[state] = number
        return NO_MOVE if number is None else number

    def step(
        self, states: Whole, settled: Whole, bags: NDArray[np.int16]
    ) -> tuple[Whole, Whole, NDArray[np.int16]]:
        """Keeps every edge of some states; returns the states that these are the first to come to."""
        plans = self.plans
        begin, end = plans.offsets[states], plans.offsets[states + 1]
        node = np.repeat(np.arange(len(states)), end - begin)
        line = np.repeat(begin, end - begin) + places(end - begin)
        one, arrow, weight = plans.one[line], plans.arrow[line], plans.size[line]
        weight = weight - ((bags[node] == one[:, None]) & (one >= 0)[:, None]).sum(axis=1)
        may = weight > 0
        node, line, one, arrow, weight = node[may], line[may], one[may], arrow[may], weight[may]
        if (arrow < 0).any():
            state = int(states[node[arrow < 0][0]])
            raise AssertionError(f"a card that is certainly gone can come: state {state}")
        target, label = arrow & TARGET, arrow >> SHIFT
        after = np.column_stack([one.astype(np.int16), bags[node]])
        after = plans.renamed(after, plans.partition[states[node]], plans.partition[target])
        won = self.added(settled[node], label)
        held, bounds = after.T + np.int64(1), [plans.classes + 1] * after.shape[1]
        keys = _joint([target, won, *held], [len(plans.kinds), len(self.settled), *bounds])
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
        numbers, fresh = self.numbered(target[first], won[first], after[first], np.argsort(first))
        reached = numbers[inverse]
        # Faces that lead to one state are one edge; options stay apart.
        apart = np.where(plans.kinds[states[node]] == CHOICE, plans.move[line] + 1, 0)
        _, kept, edge = np.unique(
            _joint([node, reached, apart], [len(states), len(self.index), int(apart.max(initial=0)) + 1]),
            return_index=True,
            return_inverse=True,
        )
        weights = np.zeros(len(kept), np.int64)
        np.add.at(weights, edge, weight)
        order = np.argsort(kept)
        kept = kept[order]
        self.keep(
            degrees=np.bincount(node[kept], minlength=len(states)),
            targets=reached[kept],
            weights=weights[order],
            moves=plans.move[line[kept]],
        )
        # An edge by which a state is first come to is the first to lead there.
        new = first[fresh]
        self.keep(parents=self.edges + np.searchsorted(kept, new))
        self.edges += len(kept)
        return target[new], won[new], after[new]

    def added(self, settled: Whole, label: Whole) -> Whole:
        """Returns what is settled once the wagers of arrows are too."""
        pairs, inverse = np.unique(settled << SHIFT | label, return_inverse=True)
        return np.array([self.add(pair >> SHIFT, pair & TARGET) for pair in pairs.tolist()], np.int64)[
            inverse
        ]

    def numbered(
        self, states: Whole, settled: Whole, bags: NDArray[np.int16], order: Whole
    ) -> tuple[Whole, Whole]:
        """Returns the numbers of different states, and the places of those that are new, in the order given."""
        # What left comes first, without the places that hold nothing: the rest is of one length.
        ends = np.stack([states, settled], axis=1).astype(">i8").view(">i2")
        rows = np.concatenate([bags.astype(">i2"), ends], axis=1)
        width, written = 2 * rows.shape[1], rows.tobytes()
        index, known, numbers = self.index, len(self.index), np.empty(len(states), np.int64)
        begins = (order * width).tolist()
        keys = [written[begin : begin + width].lstrip(b"\xff") for begin in begins]
        numbers[order] = [index.setdefault(key, len(index)) for key in keys]
        if len(index) > self.limit:
            raise GraphTooLargeError(
                f"the exact graph of the round has more than {self.limit:,} states: too many to be counted in "
                "memory. Expected a round of fewer cards, turns that keep fewer of them and settle early, or a wheel "
                "of the same faces, from which nothing leaves"
            )
        return numbers, order[numbers[order] >= known]

    def add(self, settled: int, label: int) -> int:
        """Returns what is settled once the wagers of an arrow are too."""
        key = (settled, label)
        number = self.adding.get(key)
        if number is None:
            won = (*self.settled.listed[settled], *self.automaton.walked.labels[label].won)
            self.check(won)
            in_order = tuple(sorted(won, key=lambda one: self.wagers[one[0]]))
            number = self.adding[key] = self.settled[in_order]
        return number

    def check(self, won: tuple[Won, ...]) -> None:
        """Refuses wagers that the game does not have, or that are settled twice."""
        wagers = [wager for wager, _ in won]
        unknown = [wager for wager in wagers if wager not in self.wagers]
        if unknown:
            known = ", ".join(self.wagers)
            raise InputError(f"the round settles {unknown[0]!r}: expected one of the game's wagers, {known}")
        if len(set(wagers)) != len(wagers):
            twice = next(wager for wager in wagers if wagers.count(wager) > 1)
            raise InputError(f"the round settles {twice!r} twice: expected every wager of the game once")


def _joint(columns: Sequence[Whole], bounds: Sequence[int]) -> Whole:
    """Returns one whole number for what is side by side in columns, equal where all of it is."""
    joint, space = np.zeros(len(columns[0]), np.int64), 1
    for column, bound in zip(columns, bounds, strict=True):
        if space * bound >= _SPACE:
            _, joint = np.unique(joint, return_inverse=True)
            space = len(joint)
        joint = joint * bound + column
        space *= bound
    return joint


def _beneath(parts: Sequence[NDArray[np.int16]]) -> NDArray[np.int16]:
    """Returns contents of the shoe one beneath the other, filled up in front to the widest."""
    width = max(part.shape[1] for part in parts)
    filled = [np.pad(part, ((0, 0), (width - part.shape[1], 0)), constant_values=-1) for part in parts]
    return np.concatenate(filled)


def _array(values: Whole) -> "array[int]":
    made = array("q")
    made.frombytes(np.ascontiguousarray(values, np.int64).tobytes())
    return made

"""The text of a game walked once: every moment that its stages come to, and the least automaton that plays it.

A moment is a stage with the values that it was handed; equal moments are one. A card remembers which of its
attributes a stage reads: faces that give the same answers lead the same way, so that one of them is stepped for all.
Then moments with equal futures become one state (hash consing from the end; Moore's algorithm where rounds come
back), and every state gets the coarsest partition of faces that no future of it tells apart. Nothing of this is
believed: ``engine.proof`` steps every arrow again on every face.

Source: E. F. Moore, Gedanken-experiments on sequential machines, 1956 (states with equal futures).
"""

from __future__ import annotations

import marshal
from array import array
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from certify.analysis.engine.order import CountingOrder, counting_order
from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.stages import Card, Choose, Draw, End, Moment, Plain, RoundText, Settling, Showing, Won

MOMENT_LIMIT: Final = 3_000_000
"""Most different moments of one round that are kept; about half a kilobyte each."""

IMPOSSIBLE: Final = -1
"""In a row: a face that cannot come, because all that show it have left the shoe."""

SHIFT: Final = 32
TARGET: Final = (1 << SHIFT) - 1
"""An arrow is a whole number: its target below, above it the place of its label."""

_FEW_COPIES: Final = 6
"""Copies of a face below which it is followed whether all of them are certainly gone."""


class Failed(NamedTuple):
    """A stage raised an error on a draw that may be impossible; a round that really comes here is refused.

    Args:
        message: What was raised, and where.
    """

    message: str


class Label(NamedTuple):
    """What happens on an arrow.

    Args:
        won: Wagers settled.
        told: What was turned up or announced.
    """

    won: tuple[Won, ...] = ()
    told: tuple[tuple[str, Plain], ...] = ()


Waiting = Draw | Choose | End | Failed
"""What a moment waits for."""

Row = tuple[int, ...]


@dataclass(frozen=True)
class Walked:
    """Every moment that the stages of a text come to.

    Args:
        text: The text.
        moments: What each moment waits for; the start is 0.
        rows: Arrows of each moment, by face of the piece drawn from or by place of the option.
        labels: What happens on arrows; the first is nothing.
        begun: Place of the label of what happens before the first draw.
        numbers: Number of each moment.
        label_of: Place of each label.
        steps: Calls of the text's stages.
    """

    text: RoundText
    moments: list[Waiting]
    rows: list[Row]
    labels: list[Label]
    begun: int
    numbers: Mapping[Waiting, int] = field(repr=False)
    label_of: Mapping[Label, int] = field(repr=False)
    steps: int = 0


class ReadCard(Card):
    """A card that remembers what was read of it."""

    __slots__ = ("read",)

    def __init__(self, attributes: Mapping[str, Plain]) -> None:
        super().__init__(attributes)
        self.read: list[tuple[str, Plain]] = []

    def __getattr__(self, name: str) -> Any:
        value = Card.__getattr__(self, name)
        self.read.append((name, value))
        return value


class _Faces:
    """The faces of a piece as cards, and which of them agree in what was read."""

    def __init__(self, text: RoundText, piece: Equipment, first_bit: int) -> None:
        self.attributes = [text.face(piece, face) for face in range(len(piece.faces))]
        self.cards = [ReadCard(attributes) for attributes in self.attributes]
        self.by_value: dict[tuple[str, Plain], frozenset[int]] = {}
        self.agreeing: dict[tuple[tuple[str, Plain], ...], frozenset[int]] = {}
        self.copies = piece.copies
        self.bits: list[int] = []
        self.full: list[int] = []
        for copies in self.copies:
            few = not piece.replaced and copies < _FEW_COPIES
            self.bits.append(first_bit)
            self.full.append(((1 << copies) - 1) << first_bit if few else 0)
            first_bit += copies if few else 0
        self.next_bit = first_bit

    def agree(self, read: tuple[tuple[str, Plain], ...]) -> frozenset[int]:
        """Returns the faces that give the same answers."""
        known = self.agreeing.get(read)
        if known is None:
            every = range(len(self.attributes))
            known = frozenset(
                face
                for face in every
                if all(_same(self.attributes[face][name], value) for name, value in read)
            )
            self.agreeing[read] = known
        return known

    def possible(self, gone: int) -> list[int]:
        """Returns the faces of which some card is not certainly gone."""
        return [face for face, full in enumerate(self.full) if not full or gone & full != full]

    def taken(self, gone: int, face: int) -> int:
        """Returns what is certainly gone after a face was drawn."""
        full = self.full[face]
        if not full:
            return gone
        bit = self.bits[face]
        return gone | (((gone & full) >> bit) + 1) << bit


def _same(one: Plain, other: Plain) -> bool:
    return type(one) is type(other) and one == other


def walked(text: RoundText, limit: int = MOMENT_LIMIT) -> Walked:
    """Returns every moment that the stages of a text come to.

    Args:
        text: The text of a game.
        limit: Most moments.

    Raises:
        InputError: There are more moments than the limit; a stage keeps what is not plain, asks for a piece that the
            game does not have, or offers no option.
    """
    return _Walk(text, limit).run()


class _Walk:
    """The walk while it is under way."""

    def __init__(self, text: RoundText, limit: int) -> None:
        self.text = text
        self.limit = limit
        self.faces: list[_Faces] = []
        bit = 0
        for piece in text.equipment:
            self.faces.append(_Faces(text, piece, bit))
            bit = self.faces[-1].next_bit
        self.follows_gone = bit > 0
        self.numbers: dict[Waiting, int] = {}
        self.moments: list[Waiting] = []
        self.exact: list[bytes] = []
        self.rows: list[list[int]] = []
        self.gone: list[int] = []
        self.queued = bytearray()
        self.todo: deque[int] = deque()
        self.labels: list[Label] = [Label()]
        self.label_of: dict[Label, int] = {Label(): 0}
        self.steps = 0

    def run(self) -> Walked:
        begun = self.reach(self.text.start(self.text.table), 0)
        while self.todo:
            number = self.todo.popleft()
            self.queued[number] = 0
            waiting, gone = self.moments[number], self.gone[number]
            if type(waiting) is Draw:
                self.expand(number, waiting, gone)
            elif type(waiting) is Choose:
                self.rows[number] = [
                    self.reach(self.step(waiting, option.id), gone) for option in waiting.options
                ]
        if begun & TARGET:
            raise AssertionError("the start is the first moment")
        rows = [tuple(row) for row in self.rows]
        return Walked(
            self.text,
            self.moments,
            rows,
            self.labels,
            begun >> SHIFT,
            self.numbers,
            self.label_of,
            self.steps,
        )

    def expand(self, number: int, waiting: Draw, gone: int) -> None:
        """Steps one face of all that agree in what the stage reads."""
        faces = self.faces[self.piece(waiting)]
        row = self.rows[number]
        if not row:
            row = self.rows[number] = [IMPOSSIBLE] * len(faces.cards)
        possible = faces.possible(gone)
        done: set[int] = set()
        for face in possible:
            if face in done:
                continue
            card = faces.cards[face]
            read: list[tuple[str, Plain]] = []
            card.read = read
            after = self.step(waiting, card)
            agreeing = faces.agree(tuple(read))
            if not self.follows_gone:
                arrow = self.reach(after, 0)
                for other in agreeing:
                    row[other] = arrow
                done |= agreeing
                continue
            here = [
                other
                for other in agreeing
                if not faces.full[other] or gone & faces.full[other] != faces.full[other]
            ]
            # Where several faces lead there, only what was gone before is certain.
            arrow = self.reach(after, faces.taken(gone, face) if len(here) == 1 else gone)
            for other in here:
                row[other] = arrow
            done.update(here)

    def step(self, waiting: Draw | Choose, answer: Card | str) -> Moment | Failed:
        """Calls a stage."""
        self.steps += 1
        try:
            return waiting.then(self.text.table, *waiting.kept, answer)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's text raises is said where it matters
            told = answer if isinstance(answer, str) else answer.__class__.__name__.lower()
            return Failed(f"{stage_name(waiting)} raised {error!r} on {told} after {waiting.kept!r}")

    def reach(self, moment: Moment | Failed, gone: int) -> int:
        """Returns the arrow to a moment; a new one is still to be expanded."""
        won: tuple[Won, ...] = ()
        told: tuple[tuple[str, Plain], ...] = ()
        while True:
            kind = type(moment)
            if kind is Settling:
                won += moment.won  # type: ignore[union-attr]
                moment = moment.moment  # type: ignore[union-attr]
            elif kind is Showing:
                told += ((moment.holder, moment.told),)  # type: ignore[union-attr]
                moment = moment.moment  # type: ignore[union-attr]
            else:
                break
        if kind is End:
            won += moment.won  # type: ignore[union-attr]
            moment = ENDED
        label = 0
        if won or told:
            key = Label(tuple(sorted(won)), told)
            known = self.label_of.get(key)
            if known is None:
                known = self.label_of[key] = len(self.labels)
                self.labels.append(key)
            label = known << SHIFT
        try:
            number = self.numbers.get(moment)  # type: ignore[arg-type]
        except TypeError:
            raise _not_plain(moment) from None
        if number is None:
            number = self.add(moment, gone)  # type: ignore[arg-type]
        else:
            if len(moment) > 1 and marshal.dumps(moment[1], 2) != self.exact[number]:  # type: ignore[arg-type]
                raise _mixed(self.moments[number], moment)
            if self.follows_gone and self.gone[number] & gone != self.gone[number]:
                self.gone[number] &= gone
                if not self.queued[number]:
                    self.queued[number] = 1
                    self.todo.append(number)
        return number | label

    def add(self, moment: Waiting, gone: int) -> int:
        number = len(self.moments)
        if number >= self.limit:
            raise InputError(
                f"the round comes to more than {self.limit:,} different moments: too many to be walked in memory. "
                "Expected stages that keep totals instead of cards and settle a wager where it is decided"
            )
        _check(self.text, moment)
        self.numbers[moment] = number
        self.moments.append(moment)
        self.exact.append(marshal.dumps(moment[1], 2) if len(moment) > 1 else b"")
        self.rows.append([])
        self.gone.append(gone)
        if type(moment) is Draw or type(moment) is Choose:
            self.todo.append(number)
            self.queued.append(1)
        else:
            self.queued.append(0)
        return number

    def piece(self, waiting: Draw) -> int:
        return self.text.piece_of(waiting)


ENDED: Final = End(())
"""The end of every round: what is settled there is settled on the arrow that leads to it."""


def stage_name(waiting: Draw | Choose) -> str:
    """Returns the name of the stage at which a moment goes on, for messages."""
    return getattr(waiting.then, "__qualname__", repr(waiting.then))


_PLAIN: Final = (int, str, bool, type(None))


def is_plain(value: object) -> bool:
    """Tells whether a value may be kept: whole numbers, text, yes or no, nothing, and tuples of these, exactly.

    >>> is_plain((1, "A", (True, None))), is_plain(1.5), is_plain([1])
    (True, False, False)
    """
    return type(value) in _PLAIN or (type(value) is tuple and all(map(is_plain, value)))


def _check(text: RoundText, moment: object) -> None:
    """Refuses a moment that is none, or keeps what is not plain."""
    if isinstance(moment, Draw):
        try:
            text.piece_of(moment)
        except KeyError:
            known = ", ".join(piece.id for piece in text.equipment)
            raise InputError(
                f"the stage before {stage_name(moment)} draws from {moment.piece or 'an unnamed piece'!r}: "
                f"expected one of {known}"
            ) from None
    elif isinstance(moment, Choose):
        ids = [option.id for option in moment.options]
        if not ids or len(set(ids)) != len(ids):
            raise InputError(
                f"{stage_name(moment)}: a choice offers {', '.join(ids) or 'nothing'}: expected options, each once"
            )
        if not is_plain(moment.sees):
            raise _not_plain(moment)
    elif not isinstance(moment, End | Failed):
        raise InputError(f"a stage returned {moment!r}: expected a draw, a choice or the end of the round")
    if isinstance(moment, Draw | Choose) and not all(map(is_plain, moment.kept)):
        raise _not_plain(moment)


def _not_plain(moment: object) -> InputError:
    kept = getattr(moment, "kept", moment)
    name = stage_name(moment) if isinstance(moment, Draw | Choose) else "a stage"
    return InputError(
        f"{name} is handed {kept!r}: expected whole numbers, text, yes or no, nothing, and tuples of these, so that "
        "equal values are the same moment"
    )


def _mixed(known: Waiting, moment: object) -> InputError:
    return InputError(
        f"{stage_name(known) if isinstance(known, Draw | Choose) else 'a stage'} is handed "
        f"{getattr(moment, 'kept', '')!r} and {getattr(known, 'kept', '')!r}, which are equal and of different "
        "types: expected one type at each place"
    )


# --- the least automaton -----------------------------------------------------------------------------------


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


def least(found: Walked) -> Automaton:
    """Returns the least automaton of what was walked."""
    order = _order([_followers(row) for row in found.rows])
    labels = [_label(found, waiting) for waiting in found.moments]
    state_of = _refined(found, labels) if any(order.loops) else _consed(found, labels, order)
    first: dict[int, int] = {}
    for moment in range(len(found.moments)):
        first.setdefault(state_of[moment], moment)
    kept = [first[state] for state in range(len(first))]
    rows = tuple(renamed(found.rows[moment], state_of) for moment in kept)
    waiting = tuple(found.moments[moment] for moment in kept)
    partition, partitions, offsets = _partitions(found.text, waiting, rows)
    return Automaton(found, state_of, waiting, rows, partition, partitions, offsets)


def _followers(row: Row) -> set[int]:
    return {arrow & TARGET for arrow in set(row) if arrow >= 0}


def _order(followers: Sequence[Collection[int]]) -> CountingOrder:
    """Returns the order in which moments lead to each other."""
    offsets, targets = array("q", [0]), array("q")
    for following in followers:
        targets.extend(following)
        offsets.append(len(targets))
    return counting_order(offsets, targets)


def renamed(row: Row, state_of: Sequence[int]) -> Row:
    """Returns a row of moments as one of states."""
    names = {
        arrow: state_of[arrow & TARGET] | arrow >> SHIFT << SHIFT if arrow >= 0 else arrow
        for arrow in set(row)
    }
    return tuple([names[arrow] for arrow in row])


def _label(found: Walked, waiting: Waiting) -> tuple[object, ...]:
    """Returns what tells moments apart whatever follows."""
    if type(waiting) is Draw:
        holder = waiting.to if waiting.hidden_from else ""
        return Draw, found.text.piece_of(waiting), waiting.hidden_from, holder
    if type(waiting) is Choose:
        return Choose, waiting.seat, waiting.options, marshal.dumps(waiting.sees, 2)
    return type(waiting), waiting


def _consed(found: Walked, labels: Sequence[object], order: CountingOrder) -> list[int]:
    """Returns the state of each moment where no round comes back: from the end, equal rows are one."""
    numbers: dict[object, int] = {}
    backward = [-1] * len(found.moments)
    for (moment,), _ in order.backward():
        key = labels[moment], renamed(found.rows[moment], backward)
        backward[moment] = numbers.setdefault(key, len(numbers))
    return _by_first(backward)


def _refined(found: Walked, labels: Sequence[object]) -> list[int]:
    """Returns the state of each moment by refinement until nothing more is told apart (Moore)."""
    numbers: dict[object, int] = {}
    now = [numbers.setdefault(label, len(numbers)) for label in labels]
    while True:
        numbers = {}
        after = [
            numbers.setdefault((now[moment], renamed(row, now)), len(numbers))
            for moment, row in enumerate(found.rows)
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

    def __init__(self, size: int) -> None:
        self.size = size
        self.known: dict[Row, int] = {}
        self.all: list[Row] = []
        self.joins: dict[tuple[int, int], int] = {}

    def number(self, classes: Iterable[object]) -> int:
        names: dict[object, int] = {}
        key = tuple(names.setdefault(one, len(names)) for one in classes)
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = len(self.all)
            self.all.append(key)
        return known

    def join(self, one: int, other: int) -> int:
        """Returns the coarsest partition that tells apart what either does."""
        if one == other:
            return one
        key = (one, other) if one < other else (other, one)
        known = self.joins.get(key)
        if known is None:
            known = self.joins[key] = self.number(zip(self.all[one], self.all[other], strict=True))
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
    known = _Partitions(len(owners))
    whole = known.number(owners)
    own = [whole] * len(rows)
    for state, here in enumerate(waiting):
        if type(here) is Draw:
            first = offsets[text.piece_of(here)]
            if first >= 0:
                row = rows[state]
                classes: list[object] = list(owners)
                classes[first : first + len(row)] = [(owners[first], arrow) for arrow in row]
                own[state] = known.number(classes)
    partition = list(own)
    followers = [_followers(row) for row in rows]
    for group, loops in _order(followers).backward():
        changed = True
        while changed:
            changed = False
            for state in group:
                joined = partition[state]
                for one in {partition[following] for following in followers[state]}:
                    joined = known.join(joined, one)
                changed = loops and (changed or joined != partition[state])
                partition[state] = joined
    return tuple(partition), tuple(known.all), tuple(offsets)

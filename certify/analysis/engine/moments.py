"""Every moment that the stages of a text come to, found by calling each stage on every answer that tells it something.

A moment is a stage with the values that it was handed; equal moments are one. A card tells the walk which of its
attributes a stage reads: faces that give the same answers lead the same way, so that one of them is stepped for all.
Nothing of this is believed: ``engine.proof`` steps every arrow again.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.stages import (
    Card,
    Choose,
    Draw,
    End,
    Moment,
    Plain,
    RoundText,
    Settling,
    Showing,
    Stage,
    Won,
    opened,
)

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

ENDED: Final = End(())
"""The end of every round: what is settled there is settled on the arrow that leads to it."""


@dataclass(frozen=True, slots=True, eq=False)
class FaceClass:
    """Faces that gave a stage the same answers, so that one of them was stepped for all.

    Args:
        faces: The faces, in order.
        read: Names of the attributes that the stage asked for.
    """

    faces: tuple[int, ...]
    read: tuple[str, ...]


@dataclass(frozen=True)
class Walked:
    """Every moment that the stages of a text come to.

    Args:
        text: The text.
        moments: What each moment waits for; the start is 0.
        rows: Arrows of each moment, by face of the piece drawn from or by place of the option.
        classes: Classes of faces that were stepped at each moment that draws.
        labels: What happens on arrows; the first is nothing.
        begun: Place of the label of what happens before the first draw.
        arrows: Arrow to each moment as stages return it, with what is settled and shown before.
        steps: Calls of the text's stages.
    """

    text: RoundText
    moments: list[Waiting]
    rows: list[Row]
    classes: list[list[FaceClass]]
    labels: list[Label]
    begun: int
    arrows: Mapping[Moment | Failed, int] = field(repr=False)
    steps: int = 0

    def arrow(self, moment: Moment) -> int:
        """Returns the arrow to a moment as a stage returned it, IMPOSSIBLE where the walk came to none such."""
        known = self.arrows.get(moment)
        if known is not None:
            return known
        node, won, told = opened(moment)
        if isinstance(node, End):
            won, node = won + node.won, ENDED
        label = self.places.get(Label(tuple(sorted(won)), told))
        number = self.arrows.get(node)
        return IMPOSSIBLE if label is None or number is None else number | label << SHIFT

    @cached_property
    def places(self) -> Mapping[Label, int]:
        """Place of each label."""
        return {label: place for place, label in enumerate(self.labels)}


class _WalkCard(Card):
    """A card that has at hand what its stage always reads, and tells the walk what else is read of it."""

    __slots__ = ("__dict__", "_asked")

    def __init__(self, at_hand: Mapping[str, Plain], asked: Callable[[str], Any]) -> None:
        self.__dict__.update(at_hand)
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        return self._asked(name)


class _Absent:
    """What a face answers that has no such attribute."""


_ABSENT: Final = _Absent()


class _Faces:
    """The faces of a piece, and how many of each there are."""

    def __init__(self, text: RoundText, piece: Equipment, first_bit: int) -> None:
        self.attributes = [text.face(piece, face) for face in range(len(piece.faces))]
        self.every = list(range(len(self.attributes)))
        self.asked: list[str] = []
        self.bits: list[int] = []
        self.full: list[int] = []
        for copies in piece.copies:
            few = not piece.replaced and copies < _FEW_COPIES
            self.bits.append(first_bit)
            self.full.append(((1 << copies) - 1) << first_bit if few else 0)
            first_bit += copies if few else 0
        self.next_bit = first_bit

    def card(self, face: int, always: Iterable[str]) -> _WalkCard:
        """Returns a face as a card that has some attributes at hand and tells when others are read."""
        attributes = self.attributes[face]
        plain = Card(attributes)

        def asked(name: str) -> Any:
            self.asked.append(name)
            return plain.__getattr__(name)

        return _WalkCard({name: attributes[name] for name in always}, asked)

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


class _Reading:
    """How one stage reads the faces of one piece: what it always asks for, and the classes that its answers make."""

    def __init__(self, faces: _Faces) -> None:
        self.faces = faces
        self.learned = False
        self.begin(())

    def begin(self, always: tuple[str, ...]) -> None:
        """Puts at hand what the stage always asks for."""
        self.always = always
        self.cards = [self.faces.card(face, always) for face in self.faces.every]
        self.known: dict[tuple[int, tuple[str, ...]], FaceClass] = {}
        self.alone = [self.agreeing(face, ()) for face in self.faces.every]

    def learn(self, met: Iterable[FaceClass]) -> None:
        """Learns from the first moment of the stage what it asks of every card."""
        self.learned = True
        asked = [one.read for one in met]
        common = [name for name in asked[0] if all(name in one for one in asked)] if asked else []
        attributes = self.faces.attributes
        self.begin(tuple(name for name in common if all(name in one for one in attributes)))

    def agreeing(self, face: int, besides: tuple[str, ...]) -> FaceClass:
        """Returns the class of the faces that answer as one does, also in what was asked besides."""
        known = self.known.get((face, besides))
        if known is None:
            attributes = self.faces.attributes
            read = (*self.always, *dict.fromkeys(besides))
            behind = [name for name in read if name.startswith("_")]
            if behind:
                raise InputError(
                    f"a stage looks behind the card, at its {behind[0]}: expected an attribute that the text gives its "
                    "faces, for it would see what the card does not show"
                )
            answers = [(name, attributes[face].get(name, _ABSENT)) for name in read]
            alike = tuple(
                other
                for other, one in enumerate(attributes)
                if all(same(one.get(name, _ABSENT), answer) for name, answer in answers)
            )
            known = FaceClass(alike, read)
            for other in alike:
                self.known[other, besides] = known
        return known


def same(one: object, other: object) -> bool:
    """Tells whether two answers are equal and of one type."""
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
        self.readings: dict[tuple[Stage, str], _Reading] = {}
        self.arrows: dict[Moment | Failed, int] = {}
        self.moments: list[Waiting] = []
        self.exact: list[bytes] = []
        self.rows: list[list[int]] = []
        self.classes: list[list[FaceClass]] = []
        self.gone: list[int] = []
        self.queued = bytearray()
        self.todo: deque[int] = deque()
        self.labels: list[Label] = [Label()]
        self.label_of: dict[tuple[Label, bytes], int] = {(Label(), b""): 0}
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
                    self.reach(self.decide(waiting, one.id), gone) for one in waiting.options
                ]
        if begun & TARGET:
            raise AssertionError("the start is the first moment")
        rows = [tuple(row) for row in self.rows]
        return Walked(
            self.text,
            self.moments,
            rows,
            self.classes,
            self.labels,
            begun >> SHIFT,
            self.arrows,
            self.steps,
        )

    def expand(self, number: int, waiting: Draw, gone: int) -> None:
        """Steps one face of all that agree in what the stage reads."""
        reading = self.readings.get((waiting.then, waiting.piece))
        if reading is None:
            reading = _Reading(self.faces[self.text.piece_of(waiting)])
            self.readings[waiting.then, waiting.piece] = reading
        faces, then, kept, table = reading.faces, waiting.then, waiting.kept, self.text.table
        cards, alone, asked, full = reading.cards, reading.alone, faces.asked, faces.full
        row = self.rows[number] or [IMPOSSIBLE] * len(cards)
        met: list[FaceClass] = []
        done: set[int] = set()
        asked.clear()
        for face in faces.possible(gone) if self.follows_gone else faces.every:
            if face in done:
                continue
            after: Moment | Failed
            try:
                after = then(table, *kept, cards[face])
            except Exception as error:  # noqa: BLE001 - whatever a stranger's text raises is said where it matters
                after = self.failed(waiting, "card", error)
            if asked:
                one = reading.agreeing(face, tuple(asked))
                asked.clear()
            else:
                one = alone[face]
            met.append(one)
            here: Iterable[int] = one.faces
            if len(one.faces) == 1:
                row[face] = self.reach(after, faces.taken(gone, face) if self.follows_gone else 0)
                continue
            if self.follows_gone:
                here = [other for other in one.faces if not full[other] or gone & full[other] != full[other]]
                # Where several faces lead there, only what was gone before is certain.
                arrow = self.reach(after, faces.taken(gone, face) if len(here) == 1 else gone)
            else:
                arrow = self.reach(after, 0)
            for other in here:
                row[other] = arrow
            done.update(here)
        self.rows[number], self.classes[number] = row, met
        self.steps += len(met)
        if not reading.learned:
            reading.learn(met)

    def decide(self, waiting: Choose, option: str) -> Moment | Failed:
        """Calls a stage that follows a decision."""
        self.steps += 1
        try:
            return waiting.then(self.text.table, *waiting.kept, option)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's text raises is said where it matters
            return self.failed(waiting, option, error)

    def failed(self, waiting: Draw | Choose, answer: str, error: Exception) -> Failed:
        return Failed(f"{stage_name(waiting)} raised {error!r} on {answer} after {waiting.kept!r}")

    def reach(self, moment: Moment | Failed, gone: int) -> int:
        """Returns the arrow to a moment; a new one is still to be expanded."""
        try:
            arrow = self.arrows.get(moment)
        except TypeError:
            raise _not_plain(moment) from None
        if arrow is None:
            return self.add(moment, gone)
        number = arrow & TARGET
        exact = self.exact[number]
        if exact:
            while type(moment) is Settling or type(moment) is Showing:
                moment = moment.moment
            if _exact(moment) != exact:
                raise _mixed(self.moments[number], moment)
        if self.follows_gone:
            before = self.gone[number]
            if before & gone != before:
                self.gone[number] = before & gone
                if not self.queued[number]:
                    self.queued[number] = 1
                    self.todo.append(number)
        return arrow

    def add(self, moment: Moment | Failed, gone: int) -> int:
        """Keeps a moment that no stage returned before; with what was settled and shown before it."""
        if isinstance(moment, Settling | Showing | End) and moment != ENDED:
            node, won, told = opened(moment)
            if isinstance(node, End):
                won, node = won + node.won, ENDED
            label = self.label(Label(tuple(sorted(won)), told)) << SHIFT
            arrow = self.arrows[moment] = self.reach(node, gone) | label
            return arrow
        number = len(self.moments)
        if number >= self.limit:
            raise InputError(
                f"the round comes to more than {self.limit:,} different moments: too many to be walked in memory. "
                "Expected stages that keep totals instead of cards and settle a wager where it is decided"
            )
        _check(self.text, moment)
        self.arrows[moment] = number
        self.moments.append(moment)
        self.exact.append(_exact(moment))
        self.rows.append([])
        self.classes.append([])
        self.gone.append(gone)
        follows = type(moment) is Draw or type(moment) is Choose
        self.queued.append(follows)
        if follows:
            self.todo.append(number)
        return number

    def label(self, label: Label) -> int:
        if not all(is_plain(one) for one in label):
            raise InputError(
                f"a stage settles {label.won!r} and shows {label.told!r}: expected names of wagers and outcomes, and "
                "whole numbers, text, yes or no, nothing, and tuples of these"
            )
        key = label, marshal.dumps(label.told, 2)
        known = self.label_of.get(key)
        if known is None:
            known = self.label_of[key] = len(self.labels)
            self.labels.append(label)
        return known


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


def _exact(moment: object) -> bytes:
    """Returns what a moment hands on and shows, with its types: ``True`` and 1 are equal and not the same."""
    try:
        if type(moment) is Draw:
            return marshal.dumps(moment.kept, 2)
        return marshal.dumps((moment.kept, moment.sees), 2) if type(moment) is Choose else b""
    except ValueError:
        raise _not_plain(moment) from None


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
    while isinstance(moment, Settling | Showing):
        moment = moment.moment
    kept = getattr(moment, "kept", moment)
    name = stage_name(moment) if isinstance(moment, Draw | Choose) else "a stage"
    return InputError(
        f"{name} is handed {kept!r}: expected whole numbers, text, yes or no, nothing, and tuples of these, so that "
        "equal values are the same moment"
    )


def _mixed(known: Waiting, moment: object) -> InputError:
    def handed(one: object) -> object:
        return (*one.kept, one.sees) if isinstance(one, Choose) else getattr(one, "kept", "")

    return InputError(
        f"{stage_name(known) if isinstance(known, Draw | Choose) else 'a stage'} is handed "
        f"{handed(moment)!r} and {handed(known)!r}, which are equal and of different types: expected one type at "
        "each place"
    )

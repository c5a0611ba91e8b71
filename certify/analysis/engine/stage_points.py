"""Every moment that the stages of a text come to, found by calling each stage on every answer that tells it something.

A moment is a stage with the values that it was handed; equal moments are one. A card tells the walk which of its
attributes a stage reads: faces that give the same answers lead the same way, so that one of them is stepped for all.
A text may name a function that steps many moments of one stage at once, as arrays; these are then stepped together.
Nothing of this is believed: ``engine.proof`` steps every arrow again.
"""

import marshal
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from traceback import walk_tb
from types import CodeType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.reading import WORD, FaceClass, Faces, StageReading
from certify.errors import InputError
from certify.model.stages import (
    Card,
    Choose,
    End,
    Moment,
    NextDraw,
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

ARROW_LIMIT: Final = 32_000_000
"""Most arrows of one round that are kept: a moment has one for each face of its piece; some 30 bytes each."""

IMPOSSIBLE: Final = -1
"""In a row: a face that cannot come, because all that show it have left the shoe."""

SHIFT: Final = 32
TARGET: Final = (1 << SHIFT) - 1
"""An arrow is a whole number: its target below, above it the place of its label."""


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


Waiting = NextDraw | Choose | End | Failed
"""What a moment waits for."""

Row = tuple[int, ...]
Whole = NDArray[np.int64]

ENDED: Final = End(())
"""The end of every round: what is settled there is settled on the arrow that leads to it."""


@dataclass(frozen=True)
class Walked:
    """Every moment that the stages of a text come to.

    Args:
        text: The text.
        moments: What each moment waits for; the start is 0.
        rows: Arrows of each moment, by face of the piece drawn from or by place of the option.
        classes: Classes of faces that were stepped at each moment that draws, none where many were stepped together.
        labels: What happens on arrows; the first is nothing.
        begun: Place of the label of what happens before the first draw.
        arrows: Arrow to each moment as stages return it, with what is settled and shown before.
    """

    text: RoundText
    moments: list[Waiting]
    rows: Sequence[Row | Whole]
    classes: list[list[FaceClass]]
    labels: list[Label]
    begun: int
    arrows: Mapping[Moment | Failed, int] = field(repr=False)

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
        self.faces: list[Faces] = []
        bit = 0
        for piece in text.equipment:
            self.faces.append(Faces(text, piece, bit))
            bit = self.faces[-1].next_bit
        self.follows_gone = bit > 0
        self.words = max(-(-bit // WORD), 1)
        self.together: dict[Hashable, list[int]] = {}
        self.readings: dict[tuple[Stage, str], StageReading] = {}
        self.arrows: dict[Moment | Failed, int] = {}
        self.moments: list[Waiting] = []
        self.exact: list[bytes] = []
        self.rows: list[Any] = []
        self.classes: list[list[FaceClass]] = []
        self.gone: list[int] = []
        self.drawn = 0
        self.queued = bytearray()
        self.todo: deque[int] = deque()
        self.labels: list[Label] = [Label()]
        self.label_of: dict[tuple[Label, bytes], int] = {(Label(), b""): 0}

    def run(self) -> Walked:
        begun = self.reach(self.text.start(self.text.table), 0)
        while self.todo:
            number = self.todo.popleft()
            waiting, gone = self.moments[number], self.gone[number]
            if not self.queued[number]:
                continue
            if type(waiting) is NextDraw and waiting.then in self.text.together:
                own = self.together.pop(stepped_with(waiting))
                for part in blocks(own, len(self.faces[self.text.piece_of(waiting)].every)):
                    self.expand_together(part)
                continue
            self.queued[number] = 0
            if type(waiting) is NextDraw:
                self.expand(number, waiting, gone)
            elif type(waiting) is Choose:
                self.rows[number] = [
                    self.reach(self.called(waiting, one.id, one.id), gone) for one in waiting.options
                ]
        if begun & TARGET:
            raise AssertionError("the start is the first moment")
        rows = [row if isinstance(row, np.ndarray) else tuple(row) for row in self.rows]
        return Walked(
            self.text,
            self.moments,
            rows,
            self.classes,
            self.labels,
            begun >> SHIFT,
            self.arrows,
        )

    def expand(self, number: int, waiting: NextDraw, gone: int) -> None:
        """Steps one face of all that agree in what the stage reads."""
        reading = self.readings.get((waiting.then, waiting.piece))
        if reading is None:
            reading = StageReading(self.faces[self.text.piece_of(waiting)])
            self.readings[waiting.then, waiting.piece] = reading
        faces = reading.faces
        row = self.rows[number] or [IMPOSSIBLE] * len(faces.every)
        met: list[FaceClass] = []
        done: set[int] = set()
        may = faces.possible(gone) if gone else faces.every
        certain = set(may) if gone else done
        for face in may:
            if face in done:
                continue
            after = self.called(waiting, reading.cards[face], "card")
            one = reading.met(face)
            met.append(one)
            here = [other for other in one.faces if other in certain] if gone else one.faces
            # Where several faces lead there, only what was gone before is certain.
            sure = self.follows_gone and len(here) == 1
            arrow = self.reach(after, faces.taken(gone, face) if sure else gone)
            for other in here:
                row[other] = arrow
            done.update(here)
        self.rows[number], self.classes[number] = row, met
        if not reading.learned:
            reading.learn(met)

    def expand_together(self, numbers: Sequence[int]) -> None:
        """Steps every face at moments of one stage that differ in the last value that is kept alone."""
        several: list[Any] = [self.moments[number] for number in numbers]
        gone = [self.gone[number] for number in numbers]
        for number in numbers:
            self.queued[number] = 0
        faces = self.faces[self.text.piece_of(several[0])]
        may, taken = faces.after(gone, self.words)
        places, moments = stepped_together(self.text, several, faces.plain, may)
        order = np.argsort(places, axis=None, kind="stable")
        led, starts = np.unique(places.flat[order], return_index=True)
        # Where several faces lead there, only what was gone before is certain.
        sure = np.bitwise_and.reduceat(taken.reshape(-1, self.words)[order], starts)
        arrows = np.full(len(moments) + 1, IMPOSSIBLE)
        for at in np.argsort(order[starts]):
            if led[at] != IMPOSSIBLE and moments[led[at]] is not None:
                arrows[led[at]] = self.reach(moments[led[at]], int.from_bytes(sure[at].tobytes(), "little"))
        rows = arrows[places]
        for line, face in np.argwhere(may & (rows == IMPOSSIBLE)).tolist():
            after = self.called(several[line], faces.plain[face], "card")
            rows[line, face] = self.reach(after, faces.taken(gone[line], face))
        for number, row in zip(numbers, rows, strict=True):
            self.rows[number] = row

    def called(self, waiting: NextDraw | Choose, answer: Card | str, called: str) -> Moment | Failed:
        """Calls the stage that a moment goes on at."""
        try:
            return waiting.then(self.text.table, *waiting.kept, answer)
        except Exception as error:  # noqa: BLE001 - whatever a stranger's text raises is stated where it matters
            return Failed(f"{stage_name(waiting)} raised {located(error)} on {called} after {waiting.kept!r}")

    def reach(self, moment: Moment | Failed, gone: int) -> int:
        """Returns the arrow to a moment; a new one is still to be expanded."""
        try:
            arrow = self.arrows.get(moment)
        except TypeError:
            raise _not_plain(moment) from None
        return self.add(moment, gone) if arrow is None else self.meet(moment, arrow, gone)

    def meet(self, moment: Moment | Failed, arrow: int, gone: int) -> int:
        """Returns the arrow to a moment that is known; where less is certainly gone now, it is expanded anew."""
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
                    self.queue(number)
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
        if type(moment) is NextDraw:
            # Counted before they are stepped: that they are too many is known at once.
            self.drawn += len(self.faces[self.text.piece_of(moment)].every)
            if self.drawn > ARROW_LIMIT:
                raise InputError(
                    f"the round's draws lead more than {ARROW_LIMIT:,} ways: too many to be walked in memory. "
                    "Expected equipment of fewer faces, or fewer moments that draw from it"
                )
        self.arrows[moment] = number
        self.moments.append(moment)
        self.exact.append(_exact(moment))
        self.rows.append([])
        self.classes.append([])
        self.gone.append(gone)
        follows = type(moment) is NextDraw or type(moment) is Choose
        self.queued.append(follows)
        if follows:
            self.queue(number)
        return number

    def queue(self, number: int) -> None:
        """Has a moment expanded, anew where less is certainly gone."""
        self.queued[number] = 1
        self.todo.append(number)
        waiting = self.moments[number]
        if type(waiting) is NextDraw and waiting.then in self.text.together:
            self.together.setdefault(stepped_with(waiting), []).append(number)

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


BLOCK: Final = 1 << 18
"""Arrows that are stepped together at most."""


def blocks(numbers: Sequence[int], faces: int) -> Iterator[Sequence[int]]:
    """Yields moments whose arrows are stepped together, each with so many faces."""
    size = max(BLOCK // faces, 1)
    yield from (numbers[begin : begin + size] for begin in range(0, len(numbers), size))


def stepped_with(waiting: NextDraw) -> Hashable:
    """Returns what moments that may be stepped together share: all but the last value that is kept."""
    return waiting.then, waiting.kept[:-1], *waiting[2:]


def stepped_together(
    text: RoundText, several: Sequence[Any], cards: Sequence[Card], may: NDArray[np.bool_]
) -> tuple[Whole, Sequence[Moment | None]]:
    """Returns what comes next at moments of one stage: a line for each, by place among the moments returned.

    Args:
        text: The text.
        several: The moments.
        cards: The cards.
        may: Which card may come at which of them.
    """
    first: NextDraw = several[0]
    kept = [one.kept[-1] for one in several]
    return text.together[first.then](text.table, *first.kept[:-1], kept, cards, may)


def stage_name(waiting: NextDraw | Choose) -> str:
    """Returns the name of the stage at which a moment goes on, with its file and line, for messages."""
    return written_at(waiting.then)


def written_at(function: object) -> str:
    """Returns the name of a function, with the file and the line at which its text begins."""
    name = getattr(function, "__qualname__", repr(function))
    code = getattr(function, "__code__", None)
    return name if code is None else f"{name} ({_file(code)}:{code.co_firstlineno})"


def located(error: Exception) -> str:
    """Returns an error that was caught, with file and line where it was raised."""
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"{error!r} ({_file(frame.f_code)}:{line})"


def _file(code: CodeType) -> str:
    """Returns the file that code is read from, in its folder: many are called the same there."""
    return "/".join(Path(code.co_filename).parts[-2:])


_PLAIN: Final = frozenset((int, str, bool, type(None)))


def is_plain(value: object) -> bool:
    """Returns whether a value may be kept: whole numbers, text, yes or no, nothing, and tuples of these, exactly.

    >>> is_plain((1, "A", (True, None))), is_plain(1.5), is_plain([1])
    (True, False, False)
    """
    return type(value) in _PLAIN or (
        type(value) is tuple and (_PLAIN.issuperset(map(type, value)) or all(map(is_plain, value)))
    )


def _exact(moment: object) -> bytes:
    """Returns what a moment hands on and shows, with its types: ``True`` and 1 are equal and not the same."""
    try:
        if type(moment) is NextDraw:
            return marshal.dumps(moment.kept, 2)
        return marshal.dumps((moment.kept, moment.sees), 2) if type(moment) is Choose else b""
    except ValueError:
        raise _not_plain(moment) from None


def _check(text: RoundText, moment: object) -> None:
    """Refuses a moment that is none, or keeps what is not plain."""
    if isinstance(moment, NextDraw):
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
    if isinstance(moment, NextDraw | Choose) and not all(map(is_plain, moment.kept)):
        raise _not_plain(moment)


def _not_plain(moment: object) -> InputError:
    while isinstance(moment, Settling | Showing):
        moment = moment.moment
    kept = getattr(moment, "kept", moment)
    name = stage_name(moment) if isinstance(moment, NextDraw | Choose) else "a stage"
    return InputError(
        f"{name} is handed {kept!r}: expected whole numbers, text, yes or no, nothing, and tuples of these, so that "
        "equal values are the same moment"
    )


def _mixed(known: Waiting, moment: object) -> InputError:
    def handed(one: object) -> object:
        return (*one.kept, one.sees) if isinstance(one, Choose) else getattr(one, "kept", "")

    return InputError(
        f"{stage_name(known) if isinstance(known, NextDraw | Choose) else 'a stage'} is handed "
        f"{handed(moment)!r} and {handed(known)!r}, which are equal and of different types: expected one type at "
        "each place"
    )

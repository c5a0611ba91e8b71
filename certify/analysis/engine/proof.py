"""What the engine merged is proved in every run: arrows again, plain values, no hidden state, whole rounds, no leak.

Two moments of a round are one where they go on at the same stage with equal values. That is right if a stage uses
nothing but the table and what it was handed. So every arrow is stepped again, last moment first, on every face and
with plain cards; functions and what they read of their modules are looked at; and whole rounds are played on the text
next to the table. What is false is refused with the two moments, or the moment and the face, that show it.

Moments that were stepped many at once are stepped many at once again, in another order, and each of them by its stage
as well, on a card drawn by lot.

What this does not show: that the text plays the game as printed. A rule that is wrong in the text passes; that is what
a second implementation is for.
"""

import hashlib
import types
from array import array
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.automaton import Automaton, Flat
from certify.analysis.engine.information_leaks import leak_free
from certify.analysis.engine.reading import FaceClass, same
from certify.analysis.engine.stage_points import (
    ENDED,
    IMPOSSIBLE,
    SHIFT,
    TARGET,
    Failed,
    Label,
    Row,
    Waiting,
    Walked,
    blocks,
    is_plain,
    located,
    stage_name,
    stepped_together,
    stepped_with,
    written_at,
)
from certify.analysis.engine.strategies import is_changeable, named_by, reached
from certify.errors import ContradictionError, InputError
from certify.evidence import MergingProven
from certify.model import Card, Choose, Equipment, Moment, NextDraw, Plain, RoundText, opened

ROUNDS: Final = 2_000
"""Whole rounds that are played next to the table."""


class MergingError(InputError):
    """Merged states differ, or a decision sees what is hidden."""


class ClassCard(Card):
    """A card that holds nothing but what the faces of a class share; what else is required of it is reported."""

    __slots__ = ("__dict__", "_beyond")

    def __init__(self, shared: Mapping[str, Plain], absent: Collection[str], beyond: list[str]) -> None:
        self.__dict__.update(shared)
        self._beyond = absent, beyond

    def __getattr__(self, name: str) -> Any:
        absent, beyond = self._beyond
        if name not in absent:
            beyond.append(name)
        raise AttributeError(f"a card has no attribute {name!r}")


def proved(automaton: Automaton, before: "Surroundings", rounds: int = ROUNDS) -> MergingProven:
    """Returns what was proved of the merging of a text.

    Args:
        automaton: The least automaton of the text.
        before: The surroundings of the text as they were before it was walked.
        rounds: Whole rounds to play next to the table.

    Raises:
        MergingError: A stage uses what it was not handed, states of one class lead apart, or a decision sees what
            is hidden.
    """
    found = automaton.walked
    check_stages(found)
    arrows = _again(found)
    _certified(automaton)
    played = whole_rounds(automaton, rounds)
    pairs = leak_free(automaton)
    before.unchanged()
    return MergingProven(len(found.moments), len(automaton.rows), arrows, played, pairs)


# --- every arrow again -------------------------------------------------------------------------------------


def _cards(text: RoundText) -> list[list[Card]]:
    return [[Card(text.face(piece, face)) for face in range(len(piece.faces))] for piece in text.equipment]


class _ClassCards(dict[FaceClass, ClassCard]):
    """A card for each class of faces that was walked, made of what its faces are found to share."""

    def __init__(self, text: RoundText, piece: Equipment) -> None:
        super().__init__()
        self.attributes = [text.face(piece, face) for face in range(len(piece.faces))]
        self.beyond: list[str] = []

    def __missing__(self, one: FaceClass) -> ClassCard:
        """Makes the card of a class.

        Raises:
            MergingError: A face of the class differs in what was read.
        """
        first, *others = (self.attributes[face] for face in one.faces)
        shared = {name: first[name] for name in one.read if name in first}
        for other in others:
            for name in one.read:
                if (name in other) != (name in shared) or not same(other.get(name), shared.get(name)):
                    raise MergingError(
                        f"faces {one.faces} were merged and differ in their {name}, which was read"
                    )
        absent = set(one.read) - set(shared)
        self[one] = card = ClassCard(shared, absent, self.beyond)
        return card


def _again(found: Walked) -> int:
    """Steps every arrow once more, last moment first, on every class of faces; returns how many faces were covered.

    A class is stepped with a card that holds what its faces share and nothing else: a stage has nothing by which it
    could lead them apart.
    """
    text, table, moments, count = found.text, found.text.table, found.moments, 0
    cards = [_ClassCards(text, piece) for piece in text.equipment]
    plain, lots = _cards(text), _lots("moments stepped by themselves")
    together: dict[Hashable, list[int]] = {}
    known: dict[int, Moment] = {}
    for number in range(len(moments) - 1, -1, -1):
        waiting = moments[number]
        steps: Iterable[tuple[Any, int, int]]
        row: Any
        if type(waiting) is NextDraw:
            piece, row = text.piece_of(waiting), found.rows[number]
            if waiting.then in text.together:
                together.setdefault(stepped_with(waiting), []).append(number)
                # Also by the stage itself, on a card drawn by lot.
                face = next(lots) % len(row)
                steps = [(plain[piece][face], int(row[face]), 0)] if row[face] != IMPOSSIBLE else ()
            else:
                steps = _steps(waiting, cards[piece], found.classes[number], row)
        elif type(waiting) is Choose:
            steps = (
                (one.id, arrow, 1) for one, arrow in zip(waiting.options, found.rows[number], strict=True)
            )
        else:
            continue
        for answer, arrow, faces in steps:
            if type(moments[arrow & TARGET]) is Failed:
                continue
            count += faces
            after = _stepped(waiting, answer, table)
            if (arrow <= TARGET and after == moments[arrow]) or after == known.get(arrow):
                continue
            _check_led(found, waiting, answer, after, arrow)
            known[arrow] = after
    for several in together.values():
        for part in blocks(several, len(found.rows[several[0]])):
            count += _again_together(found, part, plain)
    for own in cards:
        if own.beyond:
            raise MergingError(
                f"the {own.beyond[0]} of a card was read when it was stepped again and not before: a stage uses "
                "something that it was not handed"
            )
    return count


def _stepped(waiting: NextDraw | Choose, answer: Any, table: Any) -> Moment:
    try:
        return waiting.then(table, *waiting.kept, answer)
    except Exception as error:
        raise _elsewhere(waiting, answer, f"it raised {located(error)}") from error


def _check_led(found: Walked, waiting: Waiting, answer: object, after: Moment, arrow: int) -> None:
    wanted, label = found.moments[arrow & TARGET], found.labels[arrow >> SHIFT]
    if _unwrapped(after, label) != wanted:
        raise _elsewhere(waiting, answer, f"it led to {_told(after)} instead of {_told(wanted)}")


def _again_together(found: Walked, numbers: Sequence[int], plain: Sequence[Sequence[Card]]) -> int:
    """Steps moments of one stage together once more, in another order; returns how many faces were covered."""
    text = found.text
    several: list[Any] = [found.moments[number] for number in numbers]
    cards = plain[text.piece_of(several[0])][::-1]
    rows = np.stack([found.rows[number] for number in numbers])[:, ::-1]
    may = rows != IMPOSSIBLE
    places, moments = stepped_together(text, several, cards, may)
    arrows = [IMPOSSIBLE if one is None else found.arrow(one) for one in moments]
    led = np.array([*arrows, IMPOSSIBLE])[places]
    for line, face in np.argwhere(may & (led != rows)).tolist():
        arrow = int(rows[line, face])
        if type(found.moments[arrow & TARGET]) is Failed:
            may[line, face] = False
            continue
        if led[line, face] != IMPOSSIBLE:
            raise _elsewhere(several[line], cards[face], "it led elsewhere when it was stepped with others")
        _check_led(found, several[line], cards[face], _stepped(several[line], cards[face], text.table), arrow)
    return int(may.sum())


def _steps(
    waiting: NextDraw, cards: _ClassCards, classes: Sequence[FaceClass], row: Row
) -> Iterator[tuple[ClassCard, int, int]]:
    """Yields the card of each class of faces with the arrow that all of them have, and how many of them may come.

    Raises:
        MergingError: Faces of a class have different arrows, or a face is in no class or in two.
    """
    covered = 0
    for one in classes:
        faces = one.faces
        if len(faces) == 1:
            covered += 1
            yield cards[one], row[faces[0]], 1
            continue
        arrows = [row[face] for face in faces if row[face] != IMPOSSIBLE]
        if len(set(arrows)) != 1:
            raise MergingError(f"{_told(waiting)}: faces {faces} were merged and lead apart")
        covered += len(arrows)
        yield cards[one], arrows[0], len(arrows)
    stepped = {face for one in classes for face in one.faces if row[face] != IMPOSSIBLE}
    if not covered == len(stepped) == len(row) - row.count(IMPOSSIBLE):
        raise MergingError(f"{_told(waiting)}: a face was stepped for no class, or for two")


def _unwrapped(after: Moment, label: Label) -> object:
    """Returns what a moment waits for; what is settled or shown otherwise than by the label is no such moment."""
    node, won, told = opened(after)
    if type(node) is type(ENDED):
        won, node = won + node.won, ENDED
    return node if (tuple(sorted(won)), told) == (label.won, label.told) else (node, won, told)


def _elsewhere(waiting: Waiting, answer: object, what: str) -> MergingError:
    return MergingError(
        f"{_told(waiting)} was stepped again on {_answer(answer)} and {what}: the stage uses something that it was not "
        "handed. Expected a function of the table, the values kept for it and the card alone"
    )


def _answer(answer: object) -> str:
    if isinstance(answer, ClassCard):
        return ", ".join(f"{name} {value}" for name, value in vars(answer).items()) or "any card"
    return str(getattr(answer, "name", "a card")) if isinstance(answer, Card) else repr(answer)


def _told(moment: object) -> str:
    if isinstance(moment, NextDraw | Choose):
        return f"{stage_name(moment)}{moment.kept!r}"
    return "the end of the round" if moment == ENDED else repr(moment)


# --- certificates of minimisation --------------------------------------------------------------------------


def _certified(automaton: Automaton) -> None:
    """Compares every moment with its state and every class of faces with what its faces lead to, in one pass."""
    found, state_of = automaton.walked, np.array(automaton.state_of, np.int64)
    moments, states = Flat.of(found.rows), automaton.flat
    named, begins = moments.renamed(state_of), states.begins
    lengths = np.diff(moments.begins)
    same_rows = np.array_equal(lengths, np.diff(begins)[state_of])
    if same_rows:
        within = np.arange(len(named)) - np.repeat(moments.begins[:-1], lengths)
        same_rows = np.array_equal(named, states.arrows[np.repeat(begins[state_of], lengths) + within])
    for number, state in enumerate(automaton.state_of):
        here, there = found.moments[number], automaton.waiting[state]
        row = named[moments.offsets[number] : moments.offsets[number + 1]]
        if (not same_rows and tuple(row.tolist()) != automaton.rows[state]) or (
            here is not there and _kind(found.text, here) != _kind(found.text, there)
        ):
            raise MergingError(f"{_told(here)} and {_told(there)} were merged and differ")
    partition, first = np.array(automaton.partition, np.int64), automaton.first_alike
    for place, piece in enumerate(found.text.equipment):
        start, faces = automaton.first_face[place], piece.faces
        for own in _blocks(automaton.drawing(place) if start >= 0 else np.empty(0, np.int64)):
            rows = automaton.arrows(own, len(faces))
            alike = first[partition[own], start : start + len(faces)] - start
            led = (rows == np.take_along_axis(rows, alike, axis=1)).all(axis=1)
            if not led.all():
                waiting = automaton.waiting[own[led.argmin()]]
                raise MergingError(f"{_told(waiting)}: faces that were merged lead apart")
    targets, starts = states.followed()
    before = np.repeat(partition, np.diff(starts))
    for pairs in _blocks(np.unique(before * len(first) + partition[targets])):
        one, other = np.divmod(pairs, len(first))
        classes = automaton.classes[other]
        if (classes != np.take_along_axis(classes, first[one], axis=1)).any():
            raise MergingError("merged faces differ in what follows")


def _blocks(rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yields rows some thousands at a time."""
    yield from (rows[begin : begin + 4_096] for begin in range(0, len(rows), 4_096))


def _kind(text: RoundText, waiting: Waiting) -> object:
    if isinstance(waiting, NextDraw):
        return NextDraw, text.piece_of(waiting), waiting.hidden_from
    if isinstance(waiting, Choose):
        return Choose, waiting.seat, waiting.options, waiting.sees
    return waiting


# --- whole rounds compared with the table -------------------------------------------------------------------------


def _lots(name: str) -> Iterator[int]:
    """Yields numbers that depend on nothing but a fixed text: rounds to look at, no source of randomness."""
    for block in count():
        lots = array("Q", hashlib.shake_256(f"{name} {block}".encode()).digest(1 << 15))
        yield from lots


def whole_rounds(automaton: Automaton, rounds: int) -> int:
    """Plays whole rounds on the text and on the table; returns how many."""
    text, found = automaton.text, automaton.walked
    cards, lots = _cards(text), _lots("rounds compared with the table")
    states, table = automaton.state_of, text.table
    shows = [list(piece.shows) for piece in text.equipment]
    for _ in range(rounds):
        left = [
            one if piece.replaced else one.copy() for one, piece in zip(shows, text.equipment, strict=True)
        ]
        drawn = [0] * len(left)
        state = 0
        node: Waiting = opened(text.start(table))[0]
        while isinstance(node, NextDraw | Choose):
            lot = next(lots)
            if isinstance(node, NextDraw):
                place = text.piece_of(node)
                piece = text.equipment[place]
                if drawn[place] >= piece.supply:
                    break
                drawn[place] += 1
                faces = left[place]
                item = lot % len(faces)
                if piece.replaced:
                    face = faces[item]
                else:
                    face, faces[item] = faces[item], faces[-1]
                    faces.pop()
                answer: Card | str = cards[place][face]
                arrow = automaton.rows[state][face]
            else:
                option = lot % len(node.options)
                answer, arrow = node.options[option].id, automaton.rows[state][option]
            try:
                led = found.arrow(node.then(table, *node.kept, answer))
            except Exception as error:
                stated = isinstance(error, ContradictionError)
                reason = (
                    f"{error} (certify lint names their lines)"
                    if stated
                    else f"{_told(node)} raised {located(error)}"
                )
                raise MergingError(f"{reason} on {_answer(answer)} in a whole round") from error
            if (
                led < 0
                or arrow < 0
                or (led >> SHIFT, states[led & TARGET]) != (arrow >> SHIFT, arrow & TARGET)
            ):
                raise _elsewhere(node, answer, "a whole round led elsewhere than the table")
            state = arrow & TARGET
            node = found.moments[led & TARGET]
    return rounds


# --- surroundings of the text ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Surroundings:
    """What the functions of a text can reach in addition to their arguments, as it was before the walk.

    Args:
        values: Text of every changeable value that a function names in its module, and of the table.
        read: Returns the same values as they are now.
    """

    values: Mapping[str, str]
    read: Callable[[], Mapping[str, str]]

    def unchanged(self) -> None:
        """Refuses a text that changed what it can reach.

        Raises:
            MergingError: A value is not what it was before the walk.
        """
        now = self.read()
        for name, before in self.values.items():
            if now.get(name) != before:
                raise MergingError(
                    f"{name} changed while the round was walked: a stage keeps something there. Expected that "
                    "everything a later stage needs is handed to it"
                )


def surroundings(text: RoundText) -> Surroundings:
    """Returns what the functions of a text can reach, found from its first stage on."""
    code = reached(text.start, type(text.table), *text.together.values())

    def read() -> dict[str, str]:
        values = {"the table": repr(text.table)}
        for name, one in code.items():
            own = isinstance(one, type)
            for named, value in named_by(one):
                # What a class holds beyond its methods can be set anew; what a module holds, if it can be changed.
                if is_changeable(value) or (own and not callable(value) and "__" not in named):
                    values[f"{named}, which {written_at(one)} names,"] = repr(value)
            if not own and vars(one):
                values[name] = repr(vars(one))
        return values

    return Surroundings(read(), read)


def check_stages(found: Walked) -> None:
    """Refuses stages that are no plain functions of a module.

    Raises:
        MergingError: A stage is a closure, a method or a function inside another, or keeps values in its defaults.
    """
    stages = {waiting.then for waiting in found.moments if isinstance(waiting, NextDraw | Choose)}
    for stage in (found.text.start, *stages):
        name = getattr(stage, "__qualname__", repr(stage))
        if not isinstance(stage, types.FunctionType) or stage.__closure__ or "<" in name or "." in name:
            raise MergingError(
                f"the stage {written_at(stage)} is no function of a module: what it carries along cannot be compared. "
                "Expected a function that is handed everything it uses"
            )
        defaults = (*(stage.__defaults__ or ()), *(stage.__kwdefaults__ or {}).values())
        if not all(map(is_plain, defaults)):
            raise MergingError(
                f"the stage {written_at(stage)} has a default that can change: expected plain values"
            )

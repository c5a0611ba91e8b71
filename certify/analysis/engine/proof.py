"""What the engine merged is proved in every run: arrows again, plain values, no hidden state, whole rounds, no leak.

Two moments of a round are one where they go on at the same stage with equal values. That is right if a stage uses
nothing but the table and what it was handed. So every arrow is stepped again, last moment first, on every face and
with plain cards; functions and what they read of their modules are looked at; and whole rounds are played on the text
beside the table. What is false is refused with the two moments, or the moment and the face, that show it.

What this does not show: that the text plays the game as printed. A rule that is wrong in the text passes; that is what
a second text is for.
"""

from __future__ import annotations

import hashlib
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify.analysis.engine.automaton import (
    ENDED,
    IMPOSSIBLE,
    SHIFT,
    TARGET,
    Automaton,
    Failed,
    Label,
    Waiting,
    Walked,
    is_plain,
    renamed,
    stage_name,
)
from certify.analysis.engine.leaks import leak_free
from certify.errors import InputError
from certify.model.stages import Card, Choose, Draw, Moment, RoundText, draw, opened

ROUNDS: Final = 2_000
"""Whole rounds that are played beside the table."""


@dataclass(frozen=True, slots=True)
class MergingProof:
    """What was proved of the merging of one text, as counts of what was compared.

    Args:
        moments: Moments that the stages come to.
        states: States of the least automaton.
        arrows: Arrows stepped again with plain cards, each face by itself.
        rounds: Whole rounds played beside the table.
        hidden_pairs: Pairs of states that differ in a hidden draw alone and were shown to be decided alike.
        functions: Functions of the text whose surroundings were looked at.
    """

    moments: int
    states: int
    arrows: int
    rounds: int
    hidden_pairs: int
    functions: int


class MergingError(InputError):
    """Something that was merged is not alike, or a decision sees what lies hidden."""


class PlainCard(Card):
    """A card of which nothing is remembered."""

    __slots__ = ()


def proved(automaton: Automaton, before: Surroundings, rounds: int = ROUNDS) -> MergingProof:
    """Returns what was proved of the merging of a text.

    Args:
        automaton: The least automaton of the text.
        before: The surroundings of the text as they were before it was walked.
        rounds: Whole rounds to play beside the table.

    Raises:
        MergingError: A stage uses what it was not handed, states of one class lead apart, or a decision sees what
            lies hidden.
    """
    found = automaton.walked
    check_stages(found)
    arrows = _again(found)
    _certified(automaton)
    played = _beside(automaton, rounds)
    pairs = leak_free(automaton)
    before.unchanged()
    return MergingProof(len(found.moments), len(automaton.rows), arrows, played, pairs, len(before.functions))


# --- every arrow again -------------------------------------------------------------------------------------


def _cards(text: RoundText) -> list[list[PlainCard]]:
    return [
        [PlainCard(text.face(piece, face)) for face in range(len(piece.faces))] for piece in text.equipment
    ]


def _again(found: Walked) -> int:
    """Steps every arrow once more, last moment first; returns how many were."""
    cards, table, count = _cards(found.text), found.text.table, 0
    moments, labels = found.moments, found.labels
    for number in range(len(moments) - 1, -1, -1):
        waiting = moments[number]
        kind = type(waiting)
        if kind is Draw:
            answers: list[Any] = cards[found.text.piece_of(waiting)]  # type: ignore[arg-type]
        elif kind is Choose:
            answers = [option.id for option in waiting.options]  # type: ignore[union-attr]
        else:
            continue
        then, kept = waiting.then, waiting.kept  # type: ignore[union-attr]
        for answer, arrow in zip(answers, found.rows[number], strict=True):
            if arrow == IMPOSSIBLE:
                continue
            wanted = moments[arrow & TARGET]
            if type(wanted) is Failed:
                continue
            count += 1
            try:
                after = then(table, *kept, answer)
            except Exception as error:
                raise _elsewhere(waiting, answer, f"it raised {error!r}") from error
            if arrow >> SHIFT or type(after) is not type(wanted):
                after = _unwrapped(after, labels[arrow >> SHIFT])
            if after != wanted:
                raise _elsewhere(waiting, answer, f"it led to {_told(after)} instead of {_told(wanted)}")
    return count


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
    return str(answer.name) if isinstance(answer, Card) else repr(answer)


def _told(moment: object) -> str:
    if isinstance(moment, Draw | Choose):
        return f"{stage_name(moment)}{moment.kept!r}"
    return "the end of the round" if moment == ENDED else repr(moment)


# --- certificates of minimisation --------------------------------------------------------------------------


def _certified(automaton: Automaton) -> None:
    """Compares every moment with its state and every class of faces with what its faces lead to, in one pass."""
    found, state_of = automaton.walked, automaton.state_of
    for number, row in enumerate(found.rows):
        state = state_of[number]
        here, there = found.moments[number], automaton.waiting[state]
        if renamed(row, state_of) != automaton.rows[state] or _kind(found.text, here) != _kind(
            found.text, there
        ):
            raise MergingError(f"{_told(here)} and {_told(there)} were merged and are not alike")
    partitions = automaton.partitions
    finer: set[tuple[int, int]] = set()
    for state, row in enumerate(automaton.rows):
        waiting, own = automaton.waiting[state], partitions[automaton.partition[state]]
        if type(waiting) is Draw:
            first = automaton.first_face[found.text.piece_of(waiting)]
            leads: dict[int, int] = {}
            for face, arrow in enumerate(row if first >= 0 else ()):
                if leads.setdefault(own[first + face], arrow) != arrow:
                    raise MergingError(
                        f"{_told(waiting)}: faces that were merged lead apart, face {face} is one"
                    )
        finer |= {
            (automaton.partition[state], automaton.partition[arrow & TARGET])
            for arrow in set(row)
            if arrow >= 0
        }
    for one, other in finer:
        names: dict[int, int] = {}
        for mine, theirs in zip(partitions[one], partitions[other], strict=True):
            if names.setdefault(mine, theirs) != theirs:
                raise MergingError("faces that were merged are told apart by what follows")


def _kind(text: RoundText, waiting: Waiting) -> object:
    if isinstance(waiting, Draw):
        return Draw, text.piece_of(waiting), waiting.hidden_from
    if isinstance(waiting, Choose):
        return Choose, waiting.seat, waiting.options, waiting.sees
    return waiting


# --- whole rounds beside the table -------------------------------------------------------------------------


class _Lots:
    """Numbers that depend on nothing but a fixed text: rounds to look at, no source of randomness."""

    def __init__(self, name: str) -> None:
        self.name = name.encode()
        self.count = 0

    def below(self, bound: int) -> int:
        self.count += 1
        drawn = hashlib.sha256(self.name + self.count.to_bytes(8, "big")).digest()
        return int.from_bytes(drawn[:8], "big") % bound


def _beside(automaton: Automaton, rounds: int) -> int:
    """Plays whole rounds on the text and on the table; returns how many."""
    text, found = automaton.text, automaton.walked
    cards, lots = _cards(text), _Lots("rounds beside the table")
    for _ in range(rounds):
        left = [list(piece.shows) for piece in text.equipment]
        drawn = [0] * len(left)
        state, node = 0, opened(text.start(text.table))[0]
        while type(node) is Draw or type(node) is Choose:
            row = automaton.rows[state]
            if isinstance(node, Draw):
                place = text.piece_of(node)
                if drawn[place] >= text.equipment[place].supply:
                    break
                drawn[place] += 1
                item = lots.below(len(left[place]))
                face = left[place][item] if text.equipment[place].replaced else left[place].pop(item)
                answer: Card | str = cards[place][face]
                arrow = row[face]
            else:
                option = lots.below(len(node.options))
                answer, arrow = node.options[option].id, row[option]
            try:
                after, won, told = opened(node.then(text.table, *node.kept, answer))
            except Exception as error:
                raise MergingError(
                    f"{_told(node)} raised {error!r} on {_answer(answer)} in a whole round"
                ) from error
            if type(after) is type(ENDED):
                won, after = won + after.won, ENDED
            label = found.labels[arrow >> SHIFT] if arrow >= 0 else Label()
            state = arrow & TARGET
            if (
                arrow < 0
                or (tuple(sorted(won)), told) != (label.won, label.told)
                or _kind(text, after) != _kind(text, automaton.waiting[state])
            ):
                raise _elsewhere(node, answer, "a whole round led elsewhere than the table")
            node = after
    return rounds


# --- surroundings of the text ------------------------------------------------------------------------------

_CONTAINERS: Final = (list, dict, set, bytearray)


@dataclass(frozen=True)
class Surroundings:
    """What the functions of a text can reach besides their arguments, as it was before the walk.

    Args:
        functions: The functions, by module and name.
        values: Text of every changeable value that a function names in its module, and of the table.
        read: Returns the same values as they are now.
    """

    functions: tuple[str, ...]
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
    functions = _functions(text.start)

    def read() -> dict[str, str]:
        values = {"the table": repr(text.table)}
        for name, function in functions.items():
            for named in names_in(function.__code__):
                value = function.__globals__.get(named)
                if isinstance(value, _CONTAINERS):
                    values[f"{function.__module__}.{named}"] = repr(value)
            if vars(function):
                values[name] = repr(vars(function))
        return values

    return Surroundings(tuple(functions), read(), read)


def _functions(start: object) -> dict[str, types.FunctionType]:
    """Returns every function of Python that is named, directly or not, by the first stage."""
    found: dict[str, types.FunctionType] = {}
    waiting: list[object] = [start]
    while waiting:
        one = waiting.pop()
        one = getattr(one, "__wrapped__", one)
        if not isinstance(one, types.FunctionType) or one.__module__ == draw.__module__:
            continue
        name = f"{one.__module__}.{one.__qualname__}"
        if name not in found:
            found[name] = one
            waiting += [one.__globals__.get(named) for named in names_in(one.__code__)]
    return found


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yields the names that a function, or one inside it, looks up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def check_stages(found: Walked) -> None:
    """Refuses stages that are no plain functions of a module.

    Raises:
        MergingError: A stage is a closure, a method or a function inside another, or keeps values in its defaults.
    """
    stages = {waiting.then for waiting in found.moments if isinstance(waiting, Draw | Choose)}
    for stage in (found.text.start, *stages):
        name = getattr(stage, "__qualname__", repr(stage))
        if not isinstance(stage, types.FunctionType) or stage.__closure__ or "<" in name or "." in name:
            raise MergingError(
                f"the stage {name} is no function of a module: what it carries along cannot be compared. Expected a "
                "function that is handed everything it uses"
            )
        defaults = (*(stage.__defaults__ or ()), *(stage.__kwdefaults__ or {}).values())
        if not all(map(is_plain, defaults)):
            raise MergingError(f"the stage {name} has a default that can change: expected plain values")

"""Least automata as they are kept between commands, and what they rest on in one digest."""

import hashlib
import inspect
import marshal
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.stage_points import ENDED, Failed, Label, Waiting, Walked
from certify.analysis.engine.strategies import named_by, reached
from certify.evidence import MergingProven
from certify.executors.packages import environment
from certify.model import Choose, NextDraw, Option, RoundText


def digest_of_text(text: RoundText) -> str:
    """Returns one SHA-256 over everything that the automaton of a text rests on; empty where it cannot be determined.

    That is this software with the families installed, the code of every function that the text names as it is now in
    memory, what these name in addition, the table, and the equipment with what its faces show.
    """
    parts = [repr(environment()), repr(text.table), repr(text.equipment), repr(text.wagers)]
    for piece in text.equipment:
        parts += [repr(dict(text.face(piece, face))) for face in range(len(piece.faces))]
    return digest_of_parts(parts + code_of(text.start, type(text.table)))


def code_of(*starts: object) -> list[str]:
    """Returns the code of every function that some name, directly or not, as it is now in memory, and what it names.

    Args:
        starts: Functions and classes to begin with.
    """
    parts = []
    for name, one in reached(*starts).items():
        parts.append(name)
        if isinstance(one, types.FunctionType):
            parts += [_written(one.__code__), repr(one.__defaults__), repr(one.__kwdefaults__)]
            parts += _enclosed(one)
        for named, value in named_by(one):
            # A cache of a function means the function itself, which is counted where it is reached.
            behind = inspect.unwrap(value) if callable(value) else value
            told = isinstance(behind, types.FunctionType | type | types.ModuleType) or named.endswith("__")
            parts.append(named if told else f"{named}: {value!r}")
    return parts


def _written(code: types.CodeType) -> str:
    """Returns the code of a function; later forms than this second one also say what else refers to its parts."""
    return marshal.dumps(code, 2).hex()


def _enclosed(one: types.FunctionType) -> Iterator[str]:
    """Yields what a function took along from the function that made it; functions by their own code."""
    for name, cell in zip(one.__code__.co_freevars, one.__closure__ or (), strict=True):
        value = cell.cell_contents
        if isinstance(value, types.FunctionType) and not value.__closure__:
            yield _written(value.__code__)
        elif name != "__class__":
            yield repr(value)


def digest_of_parts(parts: Iterable[str]) -> str:
    """Returns one SHA-256 over everything that a result rests on; empty where a part cannot be determined.

    A value that is known by its place in memory alone may be another one the next time.
    """
    whole = "\n".join(parts)
    return "" if " at 0x" in whole else hashlib.sha256(whole.encode()).hexdigest()


def document_of(automaton: Automaton, proof: MergingProven) -> dict[str, object] | None:
    """Returns an automaton with what was proved of it; none where a stage is not named by the text."""
    found = automaton.walked
    places = {function: place for place, function in enumerate(_stages(found.text))}
    if any(isinstance(one, NextDraw | Choose) and one.then not in places for one in found.moments):
        return None
    first = {state: moment for moment, state in reversed([*enumerate(automaton.state_of)])}
    offered: dict[tuple[Option, ...], int] = {}
    return {
        "moments": [_plain(one, places, offered) for one in found.moments],
        "offered": [
            [(one.id, [(wager, str(more)) for wager, more in one.adds], one.gives_up) for one in options]
            for options in offered
        ],
        "labels": [tuple(one) for one in found.labels],
        "begun": found.begun,
        "steps": found.steps,
        "state_of": list(automaton.state_of),
        "first": [first[state] for state in range(len(first))],
        "rows": automaton.rows,
        "partition": automaton.partition,
        "partitions": automaton.partitions,
        "first_face": automaton.first_face,
        "proof": asdict(proof),
    }


def _stages(text: RoundText) -> list[Any]:
    """Returns the functions and classes that a text names, in an order that its code alone decides."""
    return list(reached(text.start).values())


def _plain(
    waiting: Waiting, places: Mapping[object, int], offered: dict[tuple[Option, ...], int]
) -> tuple[object, ...]:
    if isinstance(waiting, NextDraw):
        return (places[waiting.then], *waiting[1:])
    if isinstance(waiting, Choose):
        options = offered.setdefault(waiting.options, len(offered))
        return (places[waiting.then], waiting.kept, waiting.seat, options, waiting.sees)
    return (waiting.message,) if isinstance(waiting, Failed) else ()


def automaton_of(text: RoundText, document: Any) -> tuple[Automaton, MergingProven]:
    """Returns an automaton that was kept, with what was proved of it when it was made.

    The moments of its walk are there, their rows are not: nothing can be proved of it again but by rounds next to it.

    Raises:
        KeyError, TypeError, ValueError, IndexError: The document is none of an automaton of this text.
    """
    stages = _stages(text)
    offered = [
        tuple(
            Option(name, tuple((wager, Fraction(more)) for wager, more in adds), gives_up)
            for name, adds, gives_up in options
        )
        for options in document["offered"]
    ]
    moments = [_waiting(one, stages, offered) for one in document["moments"]]
    found = Walked(
        text,
        moments,
        [],
        [],
        [Label(*one) for one in document["labels"]],
        document["begun"],
        {moment: number for number, moment in enumerate(moments)},
        document["steps"],
    )
    automaton = Automaton(
        found,
        document["state_of"],
        tuple(moments[moment] for moment in document["first"]),
        document["rows"],
        document["partition"],
        document["partitions"],
        document["first_face"],
    )
    return automaton, MergingProven(**document["proof"])


def _waiting(one: tuple[Any, ...], stages: list[Any], offered: Sequence[tuple[Option, ...]]) -> Waiting:
    if len(one) < 2:
        return Failed(*one) if one else ENDED
    if len(one) == 6:
        return NextDraw(stages[one[0]], *one[1:])
    return Choose(stages[one[0]], one[1], one[2], offered[one[3]], one[4])

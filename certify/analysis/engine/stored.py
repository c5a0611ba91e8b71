"""Least automata as they are kept between commands, and what they rest on in one digest."""

import hashlib
import inspect
import marshal
import types
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.strategies import named_by, reached
from certify.executors import environment
from certify.model import RoundText


def digest_of_text(text: RoundText) -> str:
    """Returns one SHA-256 over everything that the automaton of a text rests on; empty where it cannot be determined.

    That is this software with the families installed, the code of every function that the text names as it is now in
    memory, what these name in addition, the table, and the equipment with what its faces show.
    """
    parts = [repr(environment()), repr(text.table), repr(text.equipment), repr(text.wagers)]
    for piece in text.equipment:
        parts += [repr(dict(text.face(piece, face))) for face in range(len(piece.faces))]
    return digest_of_parts(parts + code_of(text.start, type(text.table), *text.together.values()))


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


def without_text(automaton: Automaton) -> Automaton:
    """Returns an automaton as it is kept: without its text, whose functions have no name, and the rows of its walk."""
    bare: Any = None
    return replace(automaton, walked=replace(automaton.walked, text=bare, rows=[], classes=[], arrows={}))


def with_text(automaton: Automaton, text: RoundText) -> Automaton:
    """Returns an automaton that was kept; nothing can be proved of it again but by rounds next to it.

    Args:
        automaton: The automaton as it was kept, of the same text.
        text: The text.
    """
    arrows: dict[Any, int] = {moment: number for number, moment in enumerate(automaton.walked.moments)}
    return replace(automaton, walked=replace(automaton.walked, text=text, arrows=arrows))

"""What the code of a text names, directly or not: functions, classes and changeable values, wherever they lie."""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Iterator, MutableMapping, MutableSequence, MutableSet
from typing import Final, TypeAlias

Code: TypeAlias = "types.FunctionType | type"

_NOUNS: Final = ("certify.model.", "certify.errors", "certify.exact")
"""Modules of nouns, which say nothing about how a game is played."""

SIDE_DOORS: Final = frozenset(
    {"_getframe", "_current_frames", "currentframe", "f_back", "f_locals", "f_globals", "tb_frame", "gi_frame",
     "get_objects", "get_referrers", "settrace", "setprofile", "import_module", "__import__", "__globals__",
     "__closure__", "__code__", "__subclasses__", "__builtins__", "eval", "exec", "inspect", "gc", "ctypes",
     "importlib"}
)  # fmt: skip
"""Names by which code sees who calls it and what others hold, or reaches code that it does not name."""

_CHANGEABLE: Final = (MutableMapping, MutableSequence, MutableSet)


def reached(*starts: object) -> dict[str, Code]:
    """Returns every function and class that some name, directly or not, by module and name.

    The standard library, the language's own functions and the nouns of every game are no text of a game.
    """
    found: dict[str, Code] = {}
    waiting = [*starts]
    while waiting:
        one = waiting.pop()
        one = inspect.unwrap(one) if callable(one) else one
        if not isinstance(one, types.FunctionType | type):
            waiting += _made_of(one)
            continue
        if _is_library(one.__module__):
            continue
        name = f"{one.__module__}.{one.__qualname__}"
        if name not in found:
            found[name] = one
            waiting += [*(value for _, value in named_by(one)), *_held_by(one)]
    return found


def _made_of(one: object) -> Iterator[object]:
    """Yields the functions that something which can be called, and is no function, is made of."""
    if isinstance(one, functools.partial):
        yield from (one.func, *one.args, *one.keywords.values())
    elif isinstance(one, types.MethodType):
        yield from (one.__func__, type(one.__self__))
    elif callable(one):
        yield getattr(one, "py_func", type(one))


def _held_by(one: Code) -> Iterator[object]:
    """Yields what a function was handed when it was made: by the function around it, or for what is left out."""
    if isinstance(one, types.FunctionType):
        yield from (cell.cell_contents for cell in one.__closure__ or () if cell != types.CellType())
        yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())


def named_by(one: Code) -> Iterator[tuple[str, object]]:
    """Yields what a function names in its module and in modules, or what a class is made of, each with its name."""
    if isinstance(one, type):
        home = f"{one.__module__}.{one.__qualname__}"
        for name, value in vars(one).items():
            yield f"{home}.{name}", getattr(value, "__func__", getattr(value, "fget", value))
        yield from ((f"{base.__module__}.{base.__qualname__}", base) for base in one.__bases__)
        return
    names = tuple(dict.fromkeys(names_in(one.__code__)))
    for name in names:
        value = one.__globals__.get(name)
        yield f"{one.__module__}.{name}", value
        if isinstance(value, types.ModuleType) and not _is_library(value.__name__):
            yield from ((f"{value.__name__}.{inner}", getattr(value, inner, None)) for inner in names)


def names_in(code: types.CodeType) -> Iterator[str]:
    """Yields the names that a function, or one inside it, looks up."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from names_in(constant)


def is_changeable(value: object) -> bool:
    """Tells whether a value holds others and can be changed: a list, a dictionary, a set or one like them."""
    return isinstance(value, _CHANGEABLE)


def _is_library(module: str) -> bool:
    return module.startswith(_NOUNS) or module.partition(".")[0] in sys.stdlib_module_names

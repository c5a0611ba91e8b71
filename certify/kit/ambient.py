"""What a module takes from outside itself and its arguments: a clock, chance, files, the network, its callers."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Final

from certify.analysis.engine.named import SIDE_DOORS

_KNOWN: Final = frozenset(
    {"__future__", "abc", "array", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime",
     "decimal", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq", "itertools", "json", "math",
     "numbers", "operator", "pathlib", "re", "reprlib", "statistics", "string", "struct", "textwrap", "types", "typing",
     "unicodedata", "warnings", "weakref", "zlib"}
)  # fmt: skip
"""Modules of the standard library that tell nothing but what they are given; every other one is ambient."""

_NAMES: Final = frozenset(
    {"numpy.random", "numpy.load", "numpy.fromfile", "numpy.loadtxt", "numpy.genfromtxt", "numpy.memmap", "scipy.io",
     "certify.clock", "certify.kept", "certify.outside", "certify.cli", "certify.gate", "certify.issue",
     "certify.certification", "rng.entropy"}
)  # fmt: skip
_CALLS: Final = frozenset({"open", "input", "eval", "exec"})
_METHODS: Final = frozenset(
    {"now", "today", "utcnow", "fromtimestamp", "astimezone",
     "read_text", "read_bytes", "write_text", "write_bytes", "iterdir", "rglob", "rvs"}
)  # fmt: skip
"""Methods that look at the clock or the time zone, at files or at chance; a date that is given is data."""
_HARMLESS: Final = frozenset({"threading.Lock", "threading.RLock"})
"""Parts of such modules that tell nothing: a lock keeps two threads from counting the same twice."""


def reads(tree: ast.Module) -> set[tuple[int, str]]:
    """Returns what a module takes from outside itself and its arguments, each with its line."""
    stands_for = dict(_imported(tree))
    return {(node.lineno, what) for node in ast.walk(tree) for what in _taken(node, stands_for)}  # type: ignore[attr-defined]


def _imported(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yields the names that stand for a module, or for a part of one, with its full name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                top = one.name.partition(".")[0]
                yield (one.asname, one.name) if one.asname else (top, top)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def _taken(node: ast.AST, stands_for: dict[str, str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (one.name for one in node.names if _is_ambient(one.name))
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = {f"{node.module}.{one.name}" for one in node.names} - _HARMLESS
        yield from (name for name in (*names, *([node.module] if names else ())) if _is_ambient(name))
    elif isinstance(node, ast.Attribute):
        named = _full_name(node, stands_for)
        if named and (_is_ambient(named) or _holds_module(named)):
            yield named
        if node.attr in SIDE_DOORS - _CALLS:
            yield node.attr
    elif isinstance(node, ast.Name) and node.id in SIDE_DOORS - _CALLS:
        yield node.id
    elif isinstance(node, ast.Global):
        yield f"global {', '.join(node.names)}"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        yield f"{node.func.id}()"
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        yield f".{node.func.attr}()"


def _is_ambient(name: str) -> bool:
    """Tells whether a module, or a part of one, is not known to tell nothing."""
    top = name.partition(".")[0]
    unknown = top in sys.stdlib_module_names and top not in _KNOWN
    return name not in _HARMLESS and (
        unknown or any(name == one or name.startswith(f"{one}.") for one in _NAMES)
    )


def _full_name(node: ast.Attribute, stands_for: dict[str, str]) -> str:
    """Returns what a chain of attributes of something imported is, whatever it was called; empty for any other."""
    parts, at = [node.attr], node.value
    while isinstance(at, ast.Attribute):
        parts.append(at.attr)
        at = at.value
    if not isinstance(at, ast.Name) or at.id not in stands_for:
        return ""
    return ".".join((stands_for[at.id], *reversed(parts)))


def _holds_module(name: str) -> bool:
    """Tells whether a module of the standard library is asked for another one that it has imported itself."""
    top, _, part = name.partition(".")
    return top in _KNOWN and part.lstrip("_") in {"sys", "os", "builtins", "inspect", "time", "random", "io"}

"""What the code of a package leans on, function by function and class by class, whatever file they stand in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

WHOLE: Final = "*"
"""In place of a name: everything that a module defines."""

Definition = tuple[str, str]
"""A function, a class or a constant of the package: (module, name)."""


@dataclass(frozen=True, slots=True)
class Module:
    """What one module defines and imports.

    Args:
        name: Its full name.
        defined: The names that each definition uses, by the name of the definition; parts of methods included.
        imported: What a name that the module imports stands for.
        whole: Modules of the package that it imports whole, whoever uses them.
    """

    name: str
    defined: Mapping[str, frozenset[str]]
    imported: Mapping[str, Definition]
    whole: frozenset[str]


@dataclass(slots=True)
class _Reading:
    """Takes one module apart."""

    package: tuple[str, ...]
    modules: Mapping[str, Path]
    imported: dict[str, Definition] = field(default_factory=dict)
    whole: set[str] = field(default_factory=set)

    def take(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            self.whole |= {one.name for one in node.names if one.name in self.modules}
            return
        base = self.package[: len(self.package) - node.level + 1] if node.level else ()
        module = ".".join((*base, *((node.module,) if node.module else ())))
        for one in node.names:
            inner = f"{module}.{one.name}"
            if inner in self.modules:
                self.imported[one.asname or one.name] = (inner, WHOLE)
            elif module in self.modules:
                self.imported[one.asname or one.name] = (module, one.name)


def module_of(name: str, modules: Mapping[str, Path]) -> Module:
    """Returns what a module of a package defines and imports."""
    path = modules[name]
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    reading = _Reading(tuple(package), modules)
    tree = ast.parse(path.read_text("utf-8"))
    for node in _run(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            reading.take(node)
    defined: dict[str, frozenset[str]] = {}
    for statement in tree.body:
        for one in _names(statement):
            defined[one] = defined.get(one, frozenset()) | frozenset(_used(statement))
    return Module(name, defined, reading.imported, frozenset(reading.whole))


def _names(statement: ast.stmt) -> Iterator[str]:
    """Yields the names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _used(statement: ast.AST) -> Iterator[str]:
    """Yields the names that a statement uses when it runs; annotations, which are read by nobody, left out."""
    for node in _run(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.ImportFrom):
            yield from (one.asname or one.name for one in node.names)


_ANNOTATIONS: Final = ("annotation", "returns")


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """Yields everything that is run: what is there for types alone is left out."""
    for name, value in ast.iter_fields(tree):
        if name in _ANNOTATIONS:
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST):
                continue
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                continue
            yield node
            yield from _run(node)


def reached(starts: Iterable[Definition], modules: Mapping[str, Path]) -> frozenset[Definition]:
    """Returns every definition of a package that some of its definitions lean on, these included.

    Args:
        starts: The definitions; one with ``*`` for its name is all of its module.
        modules: The file of every module of the package.
    """
    read: dict[str, Module] = {}
    found: set[Definition] = set()
    seen: set[Definition] = set()
    waiting = list(starts)
    while waiting:
        name, one = waiting.pop()
        if (name, one) in seen or name not in modules:
            continue
        seen.add((name, one))
        module = read.setdefault(name, module_of(name, modules))
        if one == WHOLE:
            waiting += [(name, other) for other in module.defined]
            waiting += [(other, WHOLE) for other in module.whole]
            waiting += module.imported.values()
        elif one in module.defined:
            found.add((name, one))
            waiting += _leans_on(module, module.defined[one])
        elif one in module.imported:
            waiting.append(module.imported[one])
    return frozenset(found)


def _leans_on(module: Module, used: frozenset[str]) -> Iterator[Definition]:
    yield from ((module.name, name) for name in used if name in module.defined)
    yield from (module.imported[name] for name in used if name in module.imported)
    yield from ((other, WHOLE) for other in module.whole)

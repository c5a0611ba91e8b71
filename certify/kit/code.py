"""What the code of a family must not do: look at the clock, at chance or at files, or let one leg lean on another."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from certify.analysis.engine.named import SIDE_DOORS
from certify.families.port import Family
from certify.families.registry import home_of
from certify.kit.check import Checked, Found, KitLaw, judged, not_applicable
from certify.kit.definitions import WHOLE, Definition, reached
from certify.kit.digest import digest
from certify.kit.subject import Subject
from certify.model.finding import Verdict

AMBIENT: Final = KitLaw(
    "ambient",
    "The code of the family reads no clock, no randomness, no file, no network and no environment, nor who calls it",
    "The same submission need not give the same figures: nothing can be verified later.",
)
SAME_ELSEWHERE: Final = KitLaw(
    "same-elsewhere",
    "Another process with another hash seed, time zone, language and folder finds the same rounds and figures",
    "The same submission need not give the same figures: nothing can be verified later.",
)
ISOLATED: Final = KitLaw(
    "isolated-legs",
    "Own counting and own play-through import neither each other nor the reference round",
    "Two legs settle by the same code: a mistake shows in both alike and is not found.",
)

_MODULES: Final = frozenset(
    {"random", "secrets", "time", "uuid", "socket", "ssl", "urllib", "http", "requests", "subprocess",
     "asyncio", "threading", "multiprocessing", "tempfile", "shutil", "locale", "getpass", "platform",
     "inspect", "gc", "ctypes", "importlib", "traceback", "builtins", "atexit", "io"}
)  # fmt: skip
_NAMES: Final = frozenset(
    {"numpy.random", "os.urandom", "os.environ", "os.getenv", "os.getcwd", "os.listdir"}
)
_CALLS: Final = frozenset({"open", "input", "eval", "exec"})
_HARMLESS: Final = frozenset({"threading.Lock", "threading.RLock"})
"""Parts of such modules that tell nothing: a lock keeps two threads from counting the same twice."""
_CLOCKS: Final = frozenset({"now", "today", "utcnow", "fromtimestamp", "astimezone"})
"""Methods of the standard library's dates that look at the clock or the time zone; a date that is given is data."""


def code(family: Family, subject: Subject | None) -> Iterator[Checked]:
    """Yields whether the code keeps to itself; what another process finds is tried on one game."""
    yield AMBIENT.tried("", lambda: _ambient(family))
    yield ISOLATED.tried("", lambda: _isolated(family))
    if subject is not None:
        yield SAME_ELSEWHERE.tried(subject.game.id, lambda: _same_elsewhere(subject))


@cache
def modules_of(root: str) -> Mapping[str, Path]:
    """Returns the file of every module of a package, its tests left out."""
    spec = find_spec(root)
    if spec is None or spec.origin is None:
        return {}
    if not spec.submodule_search_locations:
        return {root: Path(spec.origin)}
    folder, found = Path(spec.origin).parent, {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        if "tests" not in parts:
            found[".".join((root, *(part for part in parts if part != "__init__")))] = path
    return found


def _ambient(family: Family) -> Found:
    modules = modules_of(home_of(family.id))
    found = [
        f"{name}, line {line}: {what}"
        for name, path in modules.items()
        for line, what in sorted(_reads(ast.parse(path.read_text("utf-8"))))
    ]
    return judged(len(modules), "modules", found)


def _reads(tree: ast.Module) -> set[tuple[int, str]]:
    """Returns what a module takes from outside itself and its arguments, each with its line."""
    found: set[tuple[int, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            named = node.attr if isinstance(node, ast.Attribute) else node.id
            found |= {(node.lineno, named)} if named in SIDE_DOORS - _CALLS else set()
        if isinstance(node, ast.Import):
            found |= {(node.lineno, one.name) for one in node.names if _ambient_name(one.name)}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = {f"{node.module}.{one.name}" for one in node.names} - _HARMLESS
            names |= {node.module} if names else set()
            found |= {(node.lineno, name) for name in names if _ambient_name(name)}
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}".replace("np.", "numpy.")
            if name in _NAMES:
                found.add((node.lineno, name))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
            found.add((node.lineno, f"{node.func.id}()"))
        elif (
            isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CLOCKS
        ):
            found.add((node.lineno, f".{node.func.attr}()"))
    return found


def _ambient_name(name: str) -> bool:
    return name.split(".")[0] in _MODULES or any(name == one or name.startswith(f"{one}.") for one in _NAMES)


def _isolated(family: Family) -> Found:
    root = home_of(family.id)
    modules = modules_of(root)
    legs = {
        name: tuple(_definitions(part, modules, family.reference))
        for name, part in (("exact", family.exact), ("volume", family.volume))
        if part is not None
    }
    if not legs:
        return not_applicable("the family brings one leg alone, its reference round")
    reference = tuple(_definitions(family.reference, modules))
    found: list[str] = []
    leaning: list[str] = []
    reach = {name: reached(leg, modules) for name, leg in legs.items()}
    for name in legs:
        others = {"reference": reference, **{other: at for other, at in legs.items() if other != name}}
        for other, at in others.items():
            # What the general code counts, it may count from what the text states; beside a second text, which shares
            # nothing with the first, any leg may be made from the first.
            made = family.second is not None or type(getattr(family, name)).__module__ not in modules
            told = leaning if other == "reference" and made else found
            told += [
                f"{name} ({', '.join(map(_words, legs[name]))}) reaches {other} ({_words(one)})"
                for one in at
                if one in reach[name]
            ]
    shared = reached(reference, modules).intersection(*reach.values())
    verdict, detail = judged(len(legs), "legs", found)
    apart = (
        f"; made from the reference round, and no text of its own: {'; '.join(leaning)}" if leaning else ""
    )
    return (
        verdict,
        f"{detail}{apart}; all of them share {', '.join(sorted(map(_words, shared))) or 'nothing'}",
    )


def _definitions(part: Any, modules: Mapping[str, Path], besides: object = None) -> Iterator[Definition]:
    """Yields the classes and functions of the package that a part of the family is, or is made of.

    A part that the general code makes holds functions of the package; one without a name is all of its module. The
    general code may hold the reference round besides, to walk it.
    """
    kind = part if hasattr(part, "__qualname__") else type(part)
    if kind.__module__ in modules:
        name = str(kind.__qualname__).split(".")[0]
        if name.startswith("<"):
            yield from reached([(kind.__module__, WHOLE)], modules)
        else:
            yield (kind.__module__, name)
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            if getattr(part, one.name) is not besides:
                yield from _definitions(getattr(part, one.name), modules)


def _words(definition: Definition) -> str:
    return ".".join(definition)


def _same_elsewhere(subject: Subject) -> Found:
    if not subject.game.path or not Path(subject.game.path).is_file():
        return not_applicable("the game is in no file that another process could read")
    here = digest(subject.game, subject.seed)
    environment = {
        **os.environ, "PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "LC_ALL": "C",
        "PYTHONPATH": os.pathsep.join(filter(None, (*sys.path, os.environ.get("PYTHONPATH", "")))),
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "certify.kit.digest",
        str(Path(subject.game.path).absolute()),
        subject.seed.hex(),
    ]
    done = subprocess.run(  # noqa: S603 - our own module on a file that was read already
        command, cwd="/", env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return Verdict.NOT_SATISFIED, f"the other process breaks off: {last}"
    there = done.stdout.strip()
    return judged(1, "digest", [] if here == there else [f"{here[:16]}… here, {there[:16]}… there"])

"""What the code of a family must not do: look at the clock, at chance or at files, or let one leg lean on another."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

from certify.children import ChildError, answer
from certify.executors.packages import package_files
from certify.families.port import Family
from certify.families.registry import home_of, offer_of
from certify.kit.ambient import reads
from certify.kit.check import Checked, Found, KitLaw, judged, not_applicable
from certify.kit.definitions import WHOLE, Definition, reached
from certify.kit.digest import digest
from certify.kit.subject import Subject
from certify.model.finding import Verdict

AMBIENT: Final = KitLaw(
    "ambient",
    "The code of the family, and what it requires, reads no clock, randomness, file, network, environment or caller",
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
    modules = {**modules_of(home_of(family.id)), **required_of(family.id)}
    found = [
        f"{name}, line {line}: {what}"
        for name, path in modules.items()
        for line, what in sorted(reads(ast.parse(path.read_bytes())))
    ]
    return judged(len(modules), "modules", found)


def required_of(family_id: str) -> Mapping[str, Path]:
    """Returns the file of every module that the package of a family requires and this software does not.

    They are in the digest of its code, and take part in its figures.
    """
    offer = offer_of(family_id)
    if offer is None:
        return {}
    files = ((PurePosixPath(name), path) for name, path in package_files(offer.point))
    return {
        ".".join(name.with_suffix("").parts): path
        for name, path in files
        if name.suffix == ".py"
        and "tests" not in name.parts
        and name.parts[0].removesuffix(".py") != offer.top
    }


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
    environment = {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "LC_ALL": "C"}
    task = json.dumps([str(Path(subject.game.path).absolute()), subject.seed.hex()]).encode()
    try:
        there = answer("certify.kit.digest:serve", task, timeout=600, environment=environment).decode()
    except ChildError as error:
        return Verdict.NOT_SATISFIED, f"the other process breaks off: {error}"
    return judged(1, "digest", [] if here == there else [f"{here[:16]}… here, {there[:16]}… there"])

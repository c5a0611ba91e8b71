"""The software that computes: packages with their digests, and the environment of a worker."""

import ast
import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import metadata
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from inspect import getmodulename
from pathlib import Path
from types import CodeType
from typing import Any, Final

from certify.by_key import reached
from certify.children import digest_of, of_current_folder, source_digest
from certify.errors import InputError, Refusing

GROUP: Final = "certify.families"
"""Group of the entry points by which an installed package offers a family: ``NAME = "package.module:FAMILY"``."""

APPLICATION: Final = "certify"
_COMPILED: Final = frozenset({".nbi", ".nbc"})
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_OURS: Final = frozenset({APPLICATION, "rng", "report_templates"})


@dataclass(frozen=True, slots=True)
class PackageCode:
    """The code of a family.

    Args:
        family: Id of the family.
        package: Name of the package that brings it; ``certify`` where it is built in.
        version: Version of that package, empty where it is not known.
        sha256: Digest of its sources, and of those of every package that it requires and this software does not; empty
            where it is built in, and the tool's own digest holds.
    """

    family: str
    package: str
    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class PackageOffer(PackageCode):
    """A family that an installed package offers.

    Args:
        point: The entry point.
    """

    point: metadata.EntryPoint

    @property
    def top(self) -> str:
        """The module that the entry point begins with."""
        return self.point.module.partition(".")[0]


def offers() -> tuple[PackageOffer, ...]:
    """Returns every family that an installed package offers, in the order of their names; nothing of them is run.

    Raises:
        InputError: A package has no sources in files.
    """
    points = sorted(metadata.entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return tuple(_offer(point) for point in points)


def _offer(point: metadata.EntryPoint) -> PackageOffer:
    name = point.dist.name if point.dist else point.module
    if point.dist and of_current_folder(str(point.dist.locate_file(""))):
        raise InputError(
            f"the family {point.name!r} of {name} is in the folder called from ({os.getcwd()}), which is on the path "
            "of modules: install it, or take the folder from the path"
        )
    version = point.dist.version if point.dist else ""
    return PackageOffer(
        point.name,
        name,
        version,
        digest_of((one, path.read_bytes()) for one, path in package_files(point)),
        point,
    )


def package_files(point: metadata.EntryPoint) -> list[tuple[str, Path]]:
    """Returns the files that take part where a family is loaded, with names that mean the same on every machine.

    Args:
        point: The entry point of the family.

    Raises:
        InputError: The package is not installed as files in one folder, or one that it requires not in its place.
    """
    found = dict(_module_files(point))
    needed = _required_packages(point)
    for dist in needed:
        if dist.files is None or any(_is_editable(file) for file in dist.files):
            raise InputError(
                f"the family {point.name!r} requires {dist.name}, whose files are not in its place (an editable "
                "installation?): they would take part and be in no digest; install it as it is delivered"
            )
    for dist in (*([point.dist] if point.dist else ()), *needed):
        found |= dict(_distributed(dist))
    return sorted(found.items())


def _is_editable(file: metadata.PackagePath) -> bool:
    return len(file.parts) == 1 and file.name.startswith(("_editable_impl_", "__editable__"))


def _module_files(point: metadata.EntryPoint) -> Iterator[tuple[str, Path]]:
    top = point.module.partition(".")[0]
    if top in _OURS:
        raise InputError(f"the entry point {point.name!r} names {point.value}: expected a package of its own")
    spec = find_spec(top)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if spec is not None and spec.origin is not None and not places:
        yield Path(spec.origin).name, Path(spec.origin)
        return
    if len(places) != 1 or not Path(places[0]).is_dir():
        raise InputError(f"the family {point.name!r} of {point.value}: expected a package in one folder")
    folder = Path(places[0])
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.relative_to(folder).parts:
            yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _distributed(dist: metadata.Distribution) -> Iterator[tuple[str, Path]]:
    """Yields the files of a distribution, what installing it writes left out."""
    for file in dist.files or ():
        installed = ".dist-info" in file.parts[0] or ".." in file.parts or "__pycache__" in file.parts
        path = Path(str(file.locate()))
        if not (installed or _is_editable(file)) and path.is_file():
            yield file.as_posix(), path


def _required_packages(point: metadata.EntryPoint) -> list[metadata.Distribution]:
    """Returns what a package requires, directly or not, and this software does not."""
    required = _names(point.dist.name) if point.dist else frozenset()
    foreign = required - _our_names(tuple(sys.path)) - {APPLICATION}
    return [metadata.distribution(name) for name in sorted(foreign)]


@lru_cache(maxsize=1)
def _our_names(path: tuple[str, ...]) -> frozenset[str]:
    """Returns what this software requires: some sixty packages, looked for once on a path."""
    return _names(APPLICATION)


def _names(package: str) -> frozenset[str]:
    """Returns the names of the installed packages that one requires, directly or not."""
    return frozenset(reached(requires(package), requires))


def requires(package: str) -> Iterator[str]:
    """Yields the names of the installed packages that one requires, those of extras left out."""
    dist = installed(package)
    for line in (dist.requires if dist else None) or ():
        match = _NAME.match(line)
        if (
            match
            and "extra ==" not in line.replace('"', "").replace("'", "")
            and installed(name := normal(match[0]))
        ):
            yield name


def normal(name: str) -> str:
    """Returns the one spelling of the name of a package.

    >>> normal("Boolean_Py")
    'boolean-py'
    """
    return re.sub(r"[-_.]+", "-", name).lower()


def installed(name: str) -> metadata.Distribution | None:
    """Returns an installed package, none where there is none of that name."""
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def require_declared(point: metadata.EntryPoint) -> None:
    """Refuses a package that imports what it does not require: such code would take part and be in no digest.

    Raises:
        InputError: It names the module and the import.
    """
    files = package_files(point)
    covered = {path.resolve() for _, path in files}
    for name, path in files:
        for module in sorted(_imported(path)) if path.suffix == ".py" else ():
            if module in _OURS or module in sys.stdlib_module_names:
                continue
            spec = find_spec(module)
            if spec is None or _code_files(spec) <= covered:
                continue
            if module not in _declared(tuple(sys.path)):
                raise InputError(
                    f"{name} of the family {point.name!r} imports {module}, which is of no package that it requires, "
                    "or not of the files of that package: expected every import among its dependencies"
                )


def _code_files(spec: ModuleSpec) -> set[Path]:
    """Returns the files that a module can run."""
    places = spec.submodule_search_locations
    if places is None:
        return {Path(spec.origin or "").resolve()}
    return {
        path.resolve()
        for place in places
        for path in Path(place).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and getmodulename(path.name)
    }


def _imported(path: Path) -> set[str]:
    with Refusing(
        (SyntaxError, ValueError, RecursionError, MemoryError),
        InputError,
        f"{path.name} cannot be read as Python",
    ):
        tree = ast.parse(path.read_bytes())
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


@lru_cache(maxsize=1)
def _declared(path: tuple[str, ...]) -> frozenset[str]:
    """Returns the modules of everything that this software requires, looked for once on a path."""
    required = _our_names(path)
    return frozenset(
        module
        for module, owners in metadata.packages_distributions().items()
        if not required.isdisjoint(map(normal, owners))
    )


def require_uncompiled(point: metadata.EntryPoint) -> None:
    """Refuses machine code kept next to the sources: it would be run in their place, and is in no digest.

    Raises:
        InputError: It names the file.
    """
    spec = find_spec(point.module.partition(".")[0])
    for place in (spec.submodule_search_locations or ()) if spec else ():
        for path in sorted(Path(place).rglob("*")):
            if path.suffix in _COMPILED:
                raise InputError(
                    f"the family {point.name!r} comes with compiled code ({path.name}): remove it, for its sources "
                    "alone are what the pack names"
                )


class _SourceOnly(SourceFileLoader):
    """Compiles a module from its source each time: what is in ``__pycache__`` may be of another one."""

    def get_code(self, fullname: str) -> CodeType:
        """Returns the code of the source."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class _FromSources(MetaPathFinder):
    """Finds the modules of packages that bring families, and loads them from their sources."""

    def __init__(self) -> None:
        self.tops: set[str] = set()

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Returns how a module of theirs is loaded, None for every other one."""
        if fullname.partition(".")[0] not in self.tops:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _SourceOnly(spec.loader.name, spec.loader.path)
        return spec


_FINDER: Final = _FromSources()


def load(offer: PackageOffer) -> object:
    """Returns what an entry point names, loaded from the sources that the digest is of."""
    _FINDER.tops.add(offer.top)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    return offer.point.load()


COMPUTING: Final = ("numba", "llvmlite", "numpy", "scipy")
"""Distributions that arithmetic rests on."""


def environment() -> tuple[tuple[str, str], ...]:
    """Returns what results rest on: sources, interpreter, what computes, everything required, families of packages."""
    return (
        ("certify (SHA-256 of its sources)", source_digest()),
        ("python", platform.python_version()),
        ("machine", platform.machine()),
        *((name, metadata.version(name)) for name in COMPUTING),
        ("required distributions (SHA-256 of names and versions)", _required_environment()),
        *(
            (f"family {one.family} of {one.package}", f"{one.version}, SHA-256 {one.sha256}")
            for one in offers()
        ),
    )


@cache
def _required_environment() -> str:
    lines = sorted(f"{name}=={metadata.version(name)}" for name in {*requires(APPLICATION)})
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()

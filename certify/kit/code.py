"""The code of a family: where it is found, and what it must not import.

It is at hand by its id, or in a folder that is not installed. It must import no clock, chance or file, and no leg
another one.
"""

import ast
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final

from certify.by_key import reached
from certify.children import NAMED, ChildError, answer
from certify.errors import CertifyError, InputError, Refusing, with_kind
from certify.executors import GROUP, package_files
from certify.families import Family, families, family, forget_families, home_of, offer_of, play
from certify.kit.check import Checked, Found, KitLaw, judged, not_applicable, tried_on, undecided
from certify.kit.subject import Subject
from certify.mathematics import analyze, plan_of
from certify.model import Game, Verdict
from certify.simulation import StreamDecks
from certify.submission import read_game
from certify.untrusted_input import TomlError, bounded_toml, read_bounded

DEEPEST: Final = 4
"""Folders below one another in which submissions are looked for."""

MOST_FILES: Final = 5_000
"""Files that are looked at in all."""

MOST_ROWS: Final = 32
"""Paid rows of a submission next to the code that is tried, where a smaller one exists: faults are planted in each."""

_PASSED: Final = frozenset(
    {"node_modules", "build", "dist", "site-packages", "tests", "__pycache__", "mutants"}
)


@dataclass(frozen=True, slots=True)
class Located:
    """A family with its submissions.

    Args:
        family: The family.
        games: Its submissions, in the order of their files.
        unread: Submissions at which the code of the family broke off while they were read.
        wide: Ids of submissions next to the code that are not tried: they have many rows, and smaller ones are there.
    """

    family: Family
    games: tuple[Game, ...]
    unread: tuple[Checked, ...] = ()
    wide: tuple[str, ...] = ()


READING: Final = KitLaw(
    "reading",
    "The code of the family reads every submission, or says what is wrong with it",
    "A submission that cannot be read cannot be certified.",
)


@contextmanager
def located(name: str, files: tuple[Path, ...]) -> Iterator[Located]:
    """Makes a family known while it is checked.

    Args:
        name: Id of a family at hand, or the folder of a package with its entry point in ``pyproject.toml``.
        files: Submissions to try it on; those next to the code where none are named.

    Raises:
        InputError: No such family or folder, or a submission that cannot be read.
    """
    folder = Path(name)
    if name not in families() and folder.is_dir():
        with _offered(folder.absolute()) as found:
            yield _read(found, files, folder.absolute())
        return
    if name not in families():
        at_hand = ", ".join(families())
        raise InputError(
            f"{name}: unknown family and no folder of a package: expected one with pyproject.toml, or one of {at_hand}"
        )
    known = family(name)
    yield _read(known, files, _project(known))


def _project(known: Family) -> Path | None:
    """Returns the folder that holds the package of a family: its project's, where that is at hand."""
    spec = find_spec(home_of(known.id).split(".")[0])
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    projects = (one for one in (folder.parent, folder.parent.parent) if (one / "pyproject.toml").is_file())
    return next(projects, folder)


def _read(known: Family, files: tuple[Path, ...], folder: Path | None) -> Located:
    """Returns a family with its submissions: those named, else those next to its code but for wide layouts."""
    named = bool(files)
    if not files and folder is not None:
        beside = (path for path in _submissions(folder, 0, [MOST_FILES]) if _is_of(path, known.id))
        files = tuple(sorted(beside))
    games: list[Game] = []
    unread: list[Checked] = []
    for path in files:
        try:
            games.append(read_game(path))
        except CertifyError:
            raise
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything; none of it is a pass
            unread.append(READING.broken(str(path), error))
    strange = [game for game in games if game.family != known.id]
    if strange:
        raise InputError(f"{strange[0].path} is of the family {strange[0].family!r}: expected {known.id!r}")
    tried = [
        game for game in games if named or sum(len(wager.paytable.rows) for wager in game.wagers) <= MOST_ROWS
    ] or games
    wide = tuple(game.id for game in games if game not in tried)
    return Located(known, tuple(tried), tuple(unread), wide)


def _submissions(folder: Path, depth: int, left: list[int]) -> Iterator[Path]:
    """Yields TOML files below a folder, no deeper and no more than is bounded."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        left[0] -= 1
        if left[0] < 0 or path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir() and depth < DEEPEST and path.name not in _PASSED:
            yield from _submissions(path, depth + 1, left)
        elif path.suffix == ".toml" and path.is_file():
            yield path


def _is_of(path: Path, family_id: str) -> bool:
    try:
        document = bounded_toml(read_bounded(path))
    except CertifyError:
        return False
    game = document.get("game")
    return (
        str(document.get("schema", "")).startswith("certify-game/")
        and isinstance(game, dict)
        and game.get("family") == family_id
    )


@contextmanager
def _offered(folder: Path) -> Iterator[Family]:
    """Offers the family of a package that is not installed, as its entry point would."""
    project = folder / "pyproject.toml"
    try:
        document = bounded_toml(read_bounded(project))
    except TomlError as error:
        raise InputError(f"{project}: {error}: expected the package of a family") from error
    stated = document.get("project")
    table = stated if isinstance(stated, dict) else {}
    points = table.get("entry-points", {}).get(GROUP, {})
    if len(points) != 1:
        raise InputError(
            f'{project}: {len(points)} entry points of [project.entry-points."{GROUP}"]: expected one, '
            'such as wheel = "wheel:FAMILY"'
        )
    ((point, value),) = points.items()
    sources = [str(path) for path in (folder / "src", folder) if path.is_dir()]
    with tempfile.TemporaryDirectory() as scratch:
        name, version = str(table.get("name", folder.name)), str(table.get("version", "0"))
        needs = [str(one) for one in table.get("dependencies", ())]
        _write_metadata(Path(scratch), name, version, point, str(value), needs)
        with _on_path([*sources, scratch]):
            module = str(value).partition(":")[0]
            # The id that the code states, whatever the entry point is called.
            loaded = getattr(_imported(module, project), str(value).partition(":")[2] or "FAMILY", None)
            if not isinstance(loaded, Family):
                raise InputError(f"{project}: {value} gives no family: expected a Family")
            yield family(loaded.id)


def _imported(module: str, project: Path) -> object:
    with Refusing(Exception, InputError, f"{project}: {module} cannot be loaded", words=with_kind):
        return import_module(module)


def _write_metadata(scratch: Path, name: str, version: str, point: str, value: str, needs: list[str]) -> None:
    info = scratch / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    required = "".join(f"Requires-Dist: {' '.join(one.split())}\n" for one in needs)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{required}", "utf-8"
    )
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{point} = {value}\n", "utf-8")


@contextmanager
def _on_path(added: list[str]) -> Iterator[None]:
    """Puts folders on the path of this process and of those that it starts, and takes them away again."""
    before, named = list(sys.path), set(NAMED)
    known = set(sys.modules)
    sys.path[:0] = added
    NAMED.update(added)
    invalidate_caches()
    forget_families()
    try:
        yield
    finally:
        sys.path[:] = before
        NAMED.intersection_update(named)
        for module in set(sys.modules) - known:
            file = getattr(sys.modules[module], "__file__", None) or ""
            if any(file.startswith(f"{folder}{os.sep}") for folder in added):
                del sys.modules[module]
        invalidate_caches()
        forget_families()


ROUNDS: Final = 50


def digest(game: Game, seed: bytes) -> str:
    """Returns the SHA-256 of the sentences of some rounds and of the exact figures under the best play.

    Args:
        game: The submission.
        seed: Master seed of the rounds.
    """
    analysis = analyze(game, plan_of(game).analysed[0])
    reference = game.port.reference(game)
    said = [
        f"{wager.wager} {outcome.id} {outcome.pays} {outcome.staked} {outcome.probability}"
        for wager in analysis.wagers
        for outcome in wager.outcomes
    ]
    for row in StreamDecks.of(game, seed).deal(0, ROUNDS).tolist():
        said += play(reference, row, analysis.strategy).trace
    return hashlib.sha256("\n".join(said).encode()).hexdigest()


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Answers with the digest of the game and the seed of a task."""
    path, seed = json.load(given)
    answers.write(digest(read_game(Path(path)), bytes.fromhex(seed)).encode())


KNOWN: Final = frozenset(
    {"__future__", "abc", "array", "bisect", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime",
     "decimal", "enum", "fractions", "functools", "graphlib", "hashlib", "heapq", "itertools", "json", "math",
     "numbers", "operator", "pathlib", "re", "reprlib", "statistics", "string", "struct", "textwrap", "types", "typing",
     "unicodedata", "warnings", "weakref", "zlib"}
)  # fmt: skip
"""Modules of the standard library that tell nothing but what they are given; every other one is ambient."""

HARMLESS: Final = frozenset(
    {
        "threading.Lock",
        "threading.RLock",
        "certify.untrusted_input.Document",
        "certify.untrusted_input.JsonObject",
    }
)
"""Parts of other modules that tell nothing: a lock keeps two threads from counting the same twice; forms of data."""

AMBIENT_PARTS: Final = (
    "numpy.random", "scipy.io", "certify.clock", "certify.result_cache",
    "certify.untrusted_input",
    "certify.cli", "certify.gate", "certify.issue", "certify.certification", "rng.entropy",
)  # fmt: skip


def code(family: Family, subject: Subject | None) -> Iterator[Checked]:
    """Yields whether the code keeps to itself; what another process finds is tried on one game."""
    yield from tried_on("", family, _ambient, _isolated)
    if subject is not None:
        yield from tried_on(subject.game.id, subject, _same_elsewhere)


@cache
def modules_of(root: str) -> Mapping[str, Path]:
    """Returns the file of every module of a package, its tests left out."""
    spec = find_spec(root)
    if spec is None or spec.origin is None:
        return {}
    if not spec.submodule_search_locations:
        return {root: Path(spec.origin)}
    folder = Path(spec.origin).parent
    files = {path: path.relative_to(folder).with_suffix("").parts for path in sorted(folder.rglob("*.py"))}
    return {
        ".".join((root, *(part for part in parts if part != "__init__"))): path
        for path, parts in files.items()
        if "tests" not in parts
    }


@KitLaw(
    "ambient",
    "The code of the family, and what it requires, imports no clock, randomness, file, network, environment or caller",
    "The same submission need not give the same figures: nothing can be verified later.",
)
def _ambient(family: Family) -> Found:
    modules = {**modules_of(home_of(family.id)), **required_of(family.id)}
    found = [
        f"{name}, line {line}: {what}"
        for name, path in modules.items()
        for line, what in sorted(imported(name, path))
        if _is_ambient(what)
    ]
    return judged(len(modules), "modules", found)


def imported(name: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yields the line and the full name of what a module imports when it runs; what types alone need is left out."""
    package = name.split(".")[: None if path.name == "__init__.py" else -1]
    waiting: list[ast.AST] = [ast.parse(path.read_bytes())]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            yield from ((node.lineno, one.name) for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join((*base, *filter(None, [node.module])))
            yield from ((node.lineno, f"{module}.{one.name}") for one in node.names)


def _is_ambient(name: str) -> bool:
    """Returns whether a module, or a part of one, may tell more than what it is given."""
    top = name.partition(".")[0]
    unknown = top in sys.stdlib_module_names and top not in KNOWN
    return name not in HARMLESS and (
        unknown or any(f"{name}.".startswith(f"{one}.") for one in AMBIENT_PARTS)
    )


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


@KitLaw(
    "isolated-legs",
    "Own counting and own play-through import neither each other nor the reference implementation",
    "Two legs settle by the same code: a mistake is the same in both and is not found.",
)
def _isolated(family: Family) -> Found:
    modules = modules_of(home_of(family.id))
    legs = {
        name: frozenset(_written_in(part, modules, family.reference))
        for name, part in (("exact", family.exact), ("volume", family.volume))
        if part is not None
    }
    if not legs:
        return not_applicable("the family has only one implementation, the reference")
    every = {"reference": frozenset(_written_in(family.reference, modules)), **legs}
    reach = {name: _reached(leg, modules) for name, leg in legs.items()}
    found, made_from, together = list[str](), list[str](), list[str]()
    for name, leg in legs.items():
        # What the general code counts, it may count from what the implementation states. With a second
        # implementation, which shares nothing with the first, any leg may be made from the first.
        made = family.second is not None or type(getattr(family, name)).__module__ not in modules
        for other, written in every.items():
            if other == name:
                continue
            into = made_from if other == "reference" and made else together if leg & written else found
            into += [f"{name} reaches {other} ({one})" for one in sorted(reach[name] & written)]
    shared = _reached(every["reference"], modules).intersection(*reach.values())
    verdict, detail = judged(len(legs), "legs", found)
    if together and not found:
        verdict, detail = undecided(f"legs in one module are held apart by no import: {'; '.join(together)}")
    apart = (
        f"; made from the reference implementation, not written independently: {'; '.join(made_from)}"
        * bool(made_from)
    )
    return verdict, f"{detail}{apart}; all of them share {', '.join(sorted(shared)) or 'nothing'}"


def _reached(starts: frozenset[str], modules: Mapping[str, Path]) -> frozenset[str]:
    """Returns the modules of a package that some of them import, directly or not, these included."""

    def imports(name: str) -> Iterator[str]:
        for _, what in imported(name, modules[name]):
            yield from [one for one in (what, what.rpartition(".")[0]) if one in modules][:1]

    return frozenset(reached(starts, imports))


def _written_in(part: Any, modules: Mapping[str, Path], besides: object = None) -> Iterator[str]:
    """Yields the modules of the package in which a part of the family is written, or what it is made of.

    A part that the general code makes holds functions of the package, and may hold the reference round to walk it.
    """
    kind = part if hasattr(part, "__qualname__") else type(part)
    if kind.__module__ in modules:
        yield kind.__module__
    elif is_dataclass(part) and not isinstance(part, type):
        for one in fields(part):
            if getattr(part, one.name) is not besides:
                yield from _written_in(getattr(part, one.name), modules)


@KitLaw(
    "same-elsewhere",
    "Another process with another hash seed, time zone, language and folder finds the same rounds and figures",
    "The same submission need not give the same figures: nothing can be verified later.",
)
def _same_elsewhere(subject: Subject) -> Found:
    if not subject.game.path or not Path(subject.game.path).is_file():
        return not_applicable("the game is in no file that another process could read")
    here = digest(subject.game, subject.seed)
    environment = {"PYTHONHASHSEED": "4242", "TZ": "Pacific/Chatham", "LC_ALL": "C"}
    task = json.dumps([str(Path(subject.game.path).absolute()), subject.seed.hex()]).encode()
    try:
        there = answer("certify.kit.code:serve", task, timeout=600, environment=environment).decode()
    except ChildError as error:
        return Verdict.NOT_SATISFIED, f"the other process breaks off: {error}"
    return judged(1, "digest", [] if here == there else [f"{here[:16]}… here, {there[:16]}… there"])

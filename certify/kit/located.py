"""Where a family to be checked is: at hand by its id, or in a folder that is not installed."""

import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import invalidate_caches
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from certify.children import NAMED
from certify.errors import CertifyError, InputError
from certify.executors.packages import GROUP
from certify.families.port import Family
from certify.families.registry import families, family, forget_families, home_of
from certify.kit.check import Checked, KitLaw
from certify.mathematics.of_game import forget_engines
from certify.model import Game
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
    "A submission that nobody can read is certified by nobody.",
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


def _rows(game: Game) -> int:
    return sum(len(wager.paytable.rows) for wager in game.wagers)


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
    tried = [game for game in games if named or _rows(game) <= MOST_ROWS] or games
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
    try:
        return importlib.import_module(module)
    except Exception as error:
        raise InputError(f"{project}: {module} cannot be loaded: {type(error).__name__}: {error}") from error


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
    forget_engines()
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
        forget_engines()

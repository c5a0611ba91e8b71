"""The texts of a family as a state of a repository has them: what is counted with, for each state its own."""

import sys
import sysconfig
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Final

from certify import __version__
from certify.children import digest_of
from certify.errors import InputError
from certify.executors import PackageCode
from certify.families import BUILT_IN, family as loaded, offer_of
from certify.gate.git_store import worktree_of
from certify.gate.snapshot import FolderTree, Snapshot, SnapshotTree
from certify.untrusted_input import read_bounded

MAXIMUM_FILES: Final = 2_000
"""Files of the code of a family at most."""


@dataclass(frozen=True, slots=True)
class ChangedCode(PackageCode):
    """The code of a family.

    Args:
        files: The files by name, where they are those of a state and not the installed ones.
    """

    files: Mapping[str, bytes] | None = field(default=None, compare=False, repr=False)

    @property
    def identity(self) -> str:
        """What tells this code from any other: the package, and the digest of its files."""
        return f"{self.package} {self.sha256}"

    @property
    def words(self) -> str:
        """The code as messages name it."""
        return f"{self.package} {self.version}".strip() + (f" ({self.sha256[:12]})" if self.sha256 else "")


def installed_code(family: str) -> ChangedCode:
    """Returns the code of a family as it is installed, with every package that it requires.

    Raises:
        InputError: Its files cannot be read.
    """
    offer = offer_of(family)
    return (
        ChangedCode(family, BUILT_IN, __version__, "")
        if offer is None
        else ChangedCode(family, offer.package, offer.version, offer.sha256)
    )


def files_at(place: Path) -> dict[str, bytes]:
    """Returns the files of a package or module on disk, by their names from its parent folder."""
    if place.is_file():
        return {place.name: read_bounded(place)}
    tree = FolderTree(place)
    return {f"{place.name}/{name}": data for name, data in tree.contents(list(_sources(tree))).items()}


def places_of(family: str, worktree: Path | None) -> dict[str, Path]:
    """Returns where the code of an installed family is: its package, and what of a checkout it has loaded.

    Args:
        family: Id of the family, which has been loaded.
        worktree: The checkout, if there is one: what else was loaded from it takes part as well.
    """
    offer = offer_of(family)
    if offer is None:
        return {}
    found = {offer.top: _place(offer.top)}
    for name, module in tuple(sys.modules.items()) if worktree is not None else ():
        file = getattr(module, "__file__", None)
        top = name.partition(".")[0]
        if file and top not in _OURS and top not in found and _within(Path(file), worktree):
            found[top] = _place(top)
    return {top: place for top, place in found.items() if place is not None}


_OURS: Final = frozenset({"certify", "rng", "report_templates", "__main__", "__mp_main__"})


def _within(path: Path, worktree: Path | None) -> bool:
    """Returns whether a file is in the checkout, and not in the environment that runs the tool.

    An environment is often made inside a checkout (``.venv``): what is installed there belongs to no state of it, and
    what a family requires of it is in the digest of its offer.
    """
    found = path.resolve()
    return (
        worktree is not None
        and found.is_relative_to(worktree)
        and not any(
            found.is_relative_to(Path(sysconfig.get_path(name)).resolve())
            for name in ("stdlib", "purelib", "platlib")
        )
    )


def _place(top: str) -> Path | None:
    """Returns the folder of a package, or the file of a module."""
    spec = find_spec(top)
    places = list(spec.submodule_search_locations or ()) if spec else []
    if len(places) == 1 and Path(places[0]).is_dir():
        return Path(places[0]).resolve()
    return Path(spec.origin).resolve() if spec is not None and spec.origin and not places else None


def _sources(tree: SnapshotTree, folder: str = "") -> Iterator[str]:
    """Yields the files of a package below its folder, hidden ones too, but for what Python keeps of them itself.

    A compiled module next to the sources is one of them: Python imports it.
    """
    return (
        name for name in tree.names(folder, everything=True) if "__pycache__" not in PurePosixPath(name).parts
    )


class StateCode:
    """The code of families in one state.

    Args:
        state: The state.
        repository: Folder of the repository that commits are read from.
        pinned: Digests of code by family, for code that is in no state.
    """

    def __init__(self, state: Snapshot, repository: Path, pinned: Mapping[str, str] | None = None) -> None:
        self._state = state
        self._worktree = worktree_of(repository)
        self._pinned = pinned or {}
        self._known: dict[str, ChangedCode | None] = {}

    def held(self, family: str) -> ChangedCode | None:
        """Returns the code that the state itself holds; none where it holds none, or the family is built in.

        Raises:
            InputError: It holds more than one, or cannot be read.
        """
        if family not in self._known:
            self._known[family] = self._read(family)
        return self._known[family]

    def before(self, family: str, *, held_after: bool = False) -> ChangedCode:
        """Returns the code that the figures of the state rest on: its own, the pinned one, or what is installed.

        Args:
            family: Id of the family.
            held_after: Whether the state after holds code of the family: then it came with the change, and what was
                there before is not known.
        """
        installed = installed_code(family)
        held = self.held(family)
        if held is not None:
            return installed if held == installed else held
        pin = self._pinned.get(family)
        if pin is not None and pin != installed.sha256 and installed.sha256:
            return ChangedCode(family, installed.package, "", pin)
        if held_after and pin is None:
            return ChangedCode(family, installed.package, "of no known state", "")
        return installed

    def after(self, family: str) -> ChangedCode:
        """Returns the installed code, which is to be that of the state where it holds any.

        Raises:
            InputError: The state holds other code than is installed: nobody but its owner says that it is run.
        """
        installed, held = installed_code(family), self.held(family)
        if held is not None and held.identity != installed.identity:
            raise InputError(
                f"{self._state.label}: its code of the family {family!r} ({held.sha256[:12]}) is not the one that is "
                f"installed, {installed.words}: install it, so that its games are counted with it"
            )
        return installed

    def _read(self, family: str) -> ChangedCode | None:
        offer, tree = offer_of(family), self._tree()
        if offer is None or tree is None:
            return None
        # What else of a checkout takes part is known by what is loaded.
        loaded(family)
        root = tree.root if isinstance(tree, FolderTree) else self._worktree
        held: dict[str, bytes] = {}
        installed: dict[str, bytes] = {}
        for top, place in places_of(family, root).items():
            code = self._code(tree, top, place, root)
            if code:
                held |= code
                installed |= files_at(place)
        if not any(name.partition("/")[0].removesuffix(".py") == offer.top for name in held):
            return None
        if held == installed:
            return installed_code(family)
        return ChangedCode(family, offer.package, "", digest_of(held.items()), held)

    def _code(self, tree: SnapshotTree, top: str, place: Path, root: Path | None) -> dict[str, bytes]:
        """Returns the files of a package or module in the state: where it is installed from, or by its name."""
        if root is not None and place.is_relative_to(root.resolve()):
            here = _files_in(tree, place.relative_to(root.resolve()).as_posix())
            if here:
                return here
        found = {
            digest_of(code.items()): code
            for code in (_files_in(tree, folder) for folder in _named(tree, top))
        }
        if len(found) > 1:
            raise InputError(
                f"{self._state.label}: {len(found)} packages by the name {top!r}, each with other code: expected one"
            )
        return next(iter(found.values()), {})

    def _tree(self) -> SnapshotTree | None:
        """Returns every file of the state: of a folder, those of the whole checkout that it is in."""
        if self._state.tree is not None:
            return self._state.tree
        root = self._state.root
        return None if root is None else FolderTree(worktree_of(root) or root)


def _named(tree: SnapshotTree, top: str) -> frozenset[str]:
    """Returns the folders of a state that are a package by a name."""
    end = f"{top}/__init__.py"
    found = (name for name in tree.names("") if name == end or name.endswith(f"/{end}"))
    return frozenset(name.removesuffix("/__init__.py") for name in found)


def _files_in(tree: SnapshotTree, inside: str) -> dict[str, bytes]:
    """Returns the files of a package or module of a state, by their names from its parent folder."""
    parent, _, own = inside.rpartition("/")
    names = [f"{own}/{name}" for name in _sources(tree, inside)] or [
        name for name in tree.names(parent) if name == own
    ]
    if len(names) > MAXIMUM_FILES:
        raise InputError(f"{inside}: more than {MAXIMUM_FILES} files, which no code of a family has")
    paths = {name: f"{parent}/{name}" if parent else name for name in names}
    found = tree.contents(list(paths.values()))
    return {name: found[path] for name, path in paths.items()}

"""One state of the submissions, as it was read; files and folders on disk, whose links are named, never followed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final, Protocol

from certify.errors import InputError
from certify.gate.git_store import GitStore
from certify.untrusted_input import MAXIMUM_BYTES, read_bounded

GIT: Final = "git:"
NOTHING: Final = "none"
MAXIMUM_FILES: Final = 20_000


@dataclass(frozen=True, slots=True)
class EarlierFile:
    """A TOML file as it stood before some commit of the history changed or removed it.

    Args:
        commit: Full id of the commit that changed or removed it.
        path: Path from the root of the repository.
        data: Its bytes before that commit.
    """

    commit: str
    path: str
    data: bytes


class SnapshotTree(Protocol):
    """Files of one state by their path from its root, whatever they are called."""

    def read(self, path: str) -> bytes | None:
        """Returns the bytes of a file, none where there is no such file.

        Raises:
            InputError: The path leads through a symbolic link or into a submodule.
        """

    def names(self, folder: str = "", *, everything: bool = False) -> Iterator[str]:
        """Yields the paths of the files below a folder, counted from it.

        Args:
            folder: The folder, from the root.
            everything: Whether hidden files and links are among them.
        """

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Returns the bytes of files that are there.

        Raises:
            InputError: One of them is a symbolic link, cannot be read, or is larger than a submission.
        """

    def changed(self, since: "SnapshotTree | None") -> Iterator[tuple[str, bytes]]:
        """Yields regular files, none larger than a submission, that another state may not have so."""

    def earlier(self) -> Iterator[EarlierFile]:
        """Yields TOML files that the history behind the state knew otherwise, the latest first."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that could be a submission in one state.

    Args:
        label: The state as it was requested.
        files: TOML files by path, with their bytes; the path is relative to the repository or folder.
        commit: Full id of the commit, empty where the state is not one.
        note: What a reader should know about how the state was read.
        single: Whether the state is one file, which is a submission whatever it holds.
        folder: Where the files lie, for messages; empty for a commit.
        links: Symbolic links by path with what they point to; they are not followed.
        gitlinks: Submodules by path with the commit that they are pinned to.
        tree: Every file of a commit; none where the state is no commit.
        root: Folder on disk that the files were read from; none for a commit.
        within: Path within the commit that the state was narrowed to; empty for all of it.
        large: TOML files that are larger than a submission; nothing of them was read.
    """

    label: str
    files: Mapping[str, bytes]
    commit: str = ""
    note: str = ""
    single: bool = False
    folder: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    gitlinks: Mapping[str, str] = field(default_factory=dict)
    tree: SnapshotTree | None = None
    root: Path | None = None
    within: str = ""
    large: frozenset[str] = frozenset()

    @property
    def from_git(self) -> bool:
        """Whether the state was named as a commit, one that does not exist yet among them."""
        return self.label.startswith(GIT)

    def shown(self, path: str) -> str:
        """Returns a path as messages and annotations name it."""
        return f"{self.folder}/{path}" if self.folder else path


class FolderTree:
    """Files below a folder on disk.

    Args:
        root: The folder.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> bytes | None:
        """Returns the bytes of a file, none where there is no such file."""
        place = self.root
        for part in PurePosixPath(path).parts:
            place = place / part
            if place.is_symlink():
                raise InputError(f"{place}: a symbolic link, which the gate does not follow")
        return read_bounded(place) if place.is_file() else None

    def names(self, folder: str = "", *, everything: bool = False) -> Iterator[str]:
        """Yields the paths of the files below a folder, counted from it; hidden ones and links where all are wanted."""
        top = self.root / folder
        for here, folders, names in os.walk(top):
            place = Path(here)
            links = [name for name in folders if (place / name).is_symlink()]
            folders[:] = sorted(
                name for name in folders if name not in links and (everything or not name.startswith("."))
            )
            for name in sorted((*names, *links)):
                path = place / name
                if everything or not (name.startswith(".") or path.is_symlink()):
                    yield path.relative_to(top).as_posix()

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Returns the bytes of files that are there."""
        for path in paths:
            if (self.root / path).is_symlink():
                raise InputError(f"{self.root / path}: a symbolic link, which the gate does not follow")
        return {path: read_bounded(self.root / path) for path in paths}

    def changed(self, since: SnapshotTree | None) -> Iterator[tuple[str, bytes]]:
        """Yields every regular file that is not hidden, none larger than a submission."""
        for name in self.names():
            path = self.root / name
            if path.is_file() and path.stat().st_size <= MAXIMUM_BYTES:
                yield name, read_bounded(path)

    def earlier(self) -> Iterator[EarlierFile]:
        """Yields nothing: a folder has no history."""
        return iter(())


def read_file(text: str, path: Path) -> Snapshot:
    """Returns the state that is one file."""
    folder = path.parent
    return Snapshot(
        text,
        {path.name: read_bounded(path)},
        single=True,
        folder=_shown_folder(folder),
        root=folder.resolve(),
    )


def read_folder(text: str, root: Path) -> Snapshot:
    """Returns every TOML file of a folder; hidden folders are left out and links not followed.

    Raises:
        InputError: Something in it cannot be read, or there is too much of it.
    """
    files: dict[str, bytes] = {}
    links: dict[str, str] = {}
    large: set[str] = set()

    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error

    for folder, folders, names in os.walk(root, onerror=fail):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted((*folders, *names)):
            path = here / name
            relative = path.relative_to(root).as_posix()
            if path.is_symlink():
                links[relative] = os.readlink(path)
            elif name in names and is_toml(name):
                if not path.is_file():
                    raise InputError(f"{path}: is no regular file, which a submission was expected to be")
                if path.stat().st_size > MAXIMUM_BYTES:
                    large.add(relative)
                else:
                    files[relative] = read_bounded(path)
            if len(files) + len(large) > MAXIMUM_FILES:
                raise InputError(f"{text}: more than {MAXIMUM_FILES} TOML files")
    shown = _shown_folder(root)
    return Snapshot(text, files, folder=shown, links=links, root=root.resolve(), large=frozenset(large))


def with_submodules(snapshot: Snapshot, paths: Iterable[str]) -> Snapshot:
    """Returns the state of a folder with the commits that its submodules have checked out, as far as they are.

    Args:
        snapshot: The state.
        paths: Where submodules are expected.
    """
    if snapshot.root is None:
        return snapshot
    found = {
        path: GitStore(snapshot.root / path).resolve("HEAD")
        for path in paths
        if (snapshot.root / path / ".git").exists()
    }
    return replace(snapshot, gitlinks={path: commit for path, commit in found.items() if commit})


def is_toml(name: str) -> bool:
    """Returns whether a file is called as TOML files are, in capitals too."""
    return name.lower().endswith(".toml")


def shown_path(path: Path) -> Path:
    """Returns a path from the working directory, where it is below it."""
    try:
        return path.resolve().relative_to(Path.cwd().resolve())
    except ValueError:
        return path


def _shown_folder(folder: Path) -> str:
    """Returns a folder as paths from the working directory begin, empty for that directory itself."""
    shown = shown_path(folder).as_posix()
    return "" if shown == "." else shown

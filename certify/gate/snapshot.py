"""One state of the submissions, as it was read; files and folders on disk, whose links are named, never followed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from certify.errors import InputError
from certify.gate.git_store import LINK, SUBMODULE, GitStore, ReplacedFile, TreeEntry
from certify.untrusted_input import MAXIMUM_BYTES, read_bounded

GIT: Final = "git:"
NOTHING: Final = "none"
MAXIMUM_FILES: Final = 20_000

_Named = TypeVar("_Named", TreeEntry, ReplacedFile)


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
    tree: "SnapshotTree | None" = None
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


@dataclass(frozen=True, slots=True)
class FolderTree:
    """Files below a folder on disk by their path from it, whatever they are called.

    Args:
        root: The folder.
    """

    root: Path

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

    def changed(self, since: "SnapshotTree | None") -> Iterator[tuple[str, bytes]]:
        """Yields every regular file that is not hidden, none larger than a submission."""
        for name in self.names():
            path = self.root / name
            if path.is_file() and path.stat().st_size <= MAXIMUM_BYTES:
                yield name, read_bounded(path)

    def earlier(self) -> Iterator[tuple[ReplacedFile, bytes]]:
        """Yields nothing: a folder has no history."""
        return iter(())


class CommitTree:
    """Every file of a commit, and the history behind it.

    Args:
        store: The object store.
        commit: Full id of the commit.
    """

    def __init__(self, store: GitStore, commit: str) -> None:
        self._store = store
        self._commit = commit
        self.entries: dict[str, TreeEntry] = {entry.path: entry for entry in store.tree(commit)}

    def attributes(self, paths: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, str]]:
        """Returns which of some attributes files of the commit have, by path, unset ones left out."""
        return self._store.attributes(self._commit, self.entries.values(), paths, names)

    def read(self, path: str) -> bytes | None:
        """Returns the bytes of a file, none where there is no such file.

        Raises:
            InputError: The path leads through a symbolic link or into a submodule.
        """
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            name = "/".join(parts[:length])
            entry = self.entries.get(name)
            if entry is None:
                continue
            if entry.mode in (LINK, SUBMODULE):
                what = "a symbolic link" if entry.mode == LINK else "a submodule"
                raise InputError(f"{name} in {self._commit[:12]}: {what}, which the gate does not follow")
            return self._store.blobs({entry.oid: name})[entry.oid] if name == path else None
        return None

    def names(self, folder: str = "", *, everything: bool = False) -> Iterator[str]:
        """Yields the paths of the files below a folder, counted from it; hidden ones and links where all are wanted."""
        top = f"{folder}/" if folder else ""
        for path, entry in self.entries.items():
            inside = path.removeprefix(top) if path.startswith(top) else ""
            plain = entry.mode not in (LINK, SUBMODULE)
            if inside and (
                everything or (plain and not any(part.startswith(".") for part in inside.split("/")))
            ):
                yield inside

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Returns the bytes of files that are there."""
        for path in paths:
            if self.entries[path].mode in (LINK, SUBMODULE):
                raise InputError(
                    f"{path} in {self._commit[:12]}: a link or submodule, which the gate does not follow"
                )
        blobs = self._store.blobs({self.entries[path].oid: path for path in paths})
        return {path: blobs[self.entries[path].oid] for path in paths}

    def changed(self, since: "SnapshotTree | None") -> Iterator[tuple[str, bytes]]:
        """Yields files, none larger than a submission, that another commit does not have at their place."""
        known = since.entries if isinstance(since, CommitTree) else {}
        files = [
            entry
            for path, entry in self.entries.items()
            if entry.mode not in (LINK, SUBMODULE) and (path not in known or known[path].oid != entry.oid)
        ]
        for entry, data in self._in_parts(files):
            yield entry.path, data

    def earlier(self) -> Iterator[tuple[ReplacedFile, bytes]]:
        """Yields TOML files that the history behind the commit knew otherwise, with their bytes, the latest first."""
        return self._in_parts([entry for entry in self._store.replaced(self._commit) if is_toml(entry.path)])

    def _in_parts(self, entries: Sequence[_Named]) -> Iterator[tuple[_Named, bytes]]:
        """Yields files no larger than a submission with their contents, few of which are held in memory at once."""
        small = self._store.no_larger([entry.oid for entry in entries], MAXIMUM_BYTES)
        entries = [entry for entry in entries if entry.oid in small]
        for start in range(0, len(entries), _AT_ONCE):
            part = entries[start : start + _AT_ONCE]
            blobs = self._store.blobs({entry.oid: entry.path for entry in part})
            yield from ((entry, blobs[entry.oid]) for entry in part)


_AT_ONCE: Final = 64
"""Files that are held in memory at once."""


SnapshotTree = FolderTree | CommitTree
"""Files of one state by their path from its root, whatever they are called."""


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

"""One state of the submissions, as it was read: a file, a folder, a commit, or nothing at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

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
        ...

    def names(self, folder: str = "", *, everything: bool = False) -> Iterator[str]:
        """Yields the paths of the files below a folder, counted from it.

        Args:
            folder: The folder, from the root.
            everything: Whether hidden files and links are among them.
        """
        ...

    def contents(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Returns the bytes of files that are there.

        Raises:
            InputError: One of them is a symbolic link, cannot be read, or is larger than a submission.
        """
        ...

    def changed(self, since: SnapshotTree | None) -> Iterator[tuple[str, bytes]]:
        """Yields regular files, none larger than a submission, that another state may not have so."""
        ...

    def earlier(self) -> Iterator[EarlierFile]:
        """Yields TOML files that the history behind the state knew otherwise, the latest first."""
        ...


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything that could be a submission in one state.

    Args:
        label: The state as it was asked for.
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

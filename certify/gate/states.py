"""States of the submissions: a file, a folder, a commit, or nothing at all."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from certify.errors import InputError
from certify.outside import read_regular

GIT: Final = "git:"
NOTHING: Final = "none"
MAXIMUM_FILES: Final = 20_000
_DECLARED: Final = re.compile(rb"^[\"']?schema[\"']?[ \t]*=[ \t]*[\"']+certify-game/", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class State:
    """Everything that could be a submission in one state.

    Args:
        label: The state as it was asked for.
        files: TOML files by path, with their bytes; the path is relative to the repository or folder.
        commit: Full id of the commit, empty where the state is not one.
        note: What a reader should know about how the state was read.
        single: Whether the state is one file, which is a submission whatever it holds.
        folder: Where the files lie, for messages; empty for a commit.
        links: Paths of TOML files that are symbolic links, which are not followed.
        policy: The policy file at the root of the state, by name, where there is one.
    """

    label: str
    files: Mapping[str, bytes]
    commit: str = ""
    note: str = ""
    single: bool = False
    folder: str = ""
    links: frozenset[str] = frozenset()
    policy: Mapping[str, bytes] = field(default_factory=dict)

    def shown(self, path: str) -> str:
        """Returns a path as messages and annotations name it."""
        return f"{self.folder}/{path}" if self.folder else path


def read_state(text: str, repository: Path) -> State:
    """Returns the state that an argument names.

    Args:
        text: A file, a folder, ``git:REF``, ``git:REF:PATH``, or ``none`` for no state at all.
        repository: Folder of the repository that commits are read from.

    Raises:
        InputError: There is no such state, or it cannot be read.
    """
    if text == NOTHING:
        return State(NOTHING, {}, note="nothing to compare with: every game is new")
    if text.startswith(GIT):
        from certify.gate.git_store import read_commit

        return read_commit(text, repository)
    path = Path(text)
    if path.is_dir():
        return _folder(text, path)
    if path.is_file():
        return State(text, {path.name: _bytes(path)}, single=True, folder=_shown_folder(path.parent))
    raise InputError(f"{text}: no such file or folder; expected a file, a folder, git:REF or {NOTHING}")


def _shown_folder(folder: Path) -> str:
    """Returns a folder as paths from the working directory begin, empty for that directory itself."""
    try:
        shown = folder.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        shown = folder.as_posix()
    return "" if shown == "." else shown


def _folder(text: str, root: Path) -> State:
    """Returns every TOML file of a folder; hidden folders are left out and links not followed."""
    files: dict[str, bytes] = {}
    links: set[str] = set()

    def fail(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read: {error.strerror}") from error

    for folder, folders, names in os.walk(root, onerror=fail):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            relative = path.relative_to(root).as_posix()
            if not name.endswith(".toml"):
                continue
            if path.is_symlink():
                links.add(relative)
            else:
                files[relative] = _bytes(path)
            if len(files) > MAXIMUM_FILES:
                raise InputError(f"{text}: more than {MAXIMUM_FILES} TOML files")
    policy: dict[str, bytes] = {
        name: files[name] for name in ("certify.toml", "pyproject.toml") if name in files
    }
    return State(text, files, folder=_shown_folder(root), links=frozenset(links), policy=policy)


def _bytes(path: Path) -> bytes:
    """Returns the bytes of a file, at most one more than a submission may have."""
    try:
        return read_regular(path)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def submission_paths(state: State, paths: tuple[str, ...], exclude: tuple[str, ...]) -> frozenset[str]:
    """Returns the files of a state that say they are submissions.

    A file that declares the schema is one even where it is broken, and so is everything called
    ``game.toml``: what cannot be read must fail, not vanish.

    Raises:
        InputError: A submission is a symbolic link.
    """
    if state.single:
        return frozenset(state.files)
    for path in state.links:
        if PurePosixPath(path).name == "game.toml" and _wanted(path, paths, exclude):
            raise InputError(f"{state.label}: {path} is a symbolic link: expected the submission itself")
    return frozenset(
        path
        for path, data in state.files.items()
        if _wanted(path, paths, exclude)
        and (PurePosixPath(path).name == "game.toml" or _DECLARED.search(data))
    )


def _wanted(path: str, paths: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Tells whether the patterns of a policy keep a path; ``*`` matches across folders."""
    if any(fnmatchcase(path, pattern) for pattern in exclude):
        return False
    return not paths or any(fnmatchcase(path, pattern) for pattern in paths)

"""Submissions of a commit, read from the object store: the working tree is neither read nor touched."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from certify.errors import InputError, MissingPartError
from certify.gate.states import GIT, MAXIMUM_FILES, State
from certify.submission.reader import MAXIMUM_BYTES

_TIMEOUT: Final = 120.0
_ZEROS: Final = re.compile(r"^0{40}(0{24})?$")
_PARENT: Final = re.compile(r"^(.+?)(?:\^1?|~1?)$")

# A repository is untrusted: nothing is fetched, no prompt is shown, and objects are what they are.
_SETTINGS: Final = ("-c", "protocol.allow=never", "-c", "core.fsmonitor=false", "--no-pager")
_ENVIRONMENT: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}


def read_commit(text: str, repository: Path) -> State:
    """Returns the TOML files of a commit.

    Args:
        text: ``git:REF`` or ``git:REF:PATH``, the path counted from the root of the repository. The parent
            of a first commit, and the id of zeros that servers send for a new branch, are empty states.
        repository: Any folder of the repository.

    Raises:
        InputError: There is no repository or no such commit, or the clone is too shallow to have it.
        MissingPartError: git is not installed.
    """
    ref, _, path = text.removeprefix(GIT).partition(":")
    path = _clean_path(text, path)
    if not ref or ref.startswith("-") or any(ord(c) < 33 for c in ref):
        raise InputError(f"{text}: expected {GIT}REF or {GIT}REF:PATH, such as git:origin/main")
    store = _Store(repository)
    store.require_repository()
    if _ZEROS.match(ref):
        return State(text, {}, note=f"{text} is no commit: every game is new")
    commit = store.resolve(ref)
    if commit is None:
        return _without_commit(store, text, ref)
    return _state(store, text, commit, path)


def _clean_path(text: str, path: str) -> str:
    """Returns the path within a commit without dots and trailing slashes."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts:
        raise InputError(f"{text}: expected a path within the repository, counted from its root")
    return "/".join(parts)


def _without_commit(store: _Store, text: str, ref: str) -> State:
    """Returns the empty state before a first commit, or says why a commit is not there."""
    child = _PARENT.match(ref)
    commit = store.resolve(child[1]) if child else None
    if commit is not None:
        if not store.parents(commit):
            return State(text, {}, note=f"{text} lies before the first commit: every game is new")
        raise InputError(
            f"{text}: the parent of {commit[:12]} is not in this clone"
            + (_SHALLOW if store.is_shallow() else "; the repository is damaged or incomplete")
        )
    raise InputError(f"{text}: no such commit in {store.where}" + (_SHALLOW if store.is_shallow() else ""))


_SHALLOW: Final = (
    ", which is shallow: fetch the history that the comparison needs "
    "(git fetch --unshallow; fetch-depth: 0 in GitHub's checkout; GIT_DEPTH: 0 in GitLab)"
)


def _state(store: _Store, text: str, commit: str, path: str) -> State:
    """Returns the TOML files of a commit, below a path where one is given."""
    wanted: dict[str, str] = {}
    links: set[str] = set()
    single = False
    for mode, name, oid in store.tree(commit):
        inside = not path or name == path or name.startswith(f"{path}/")
        hidden = any(part.startswith(".") for part in name.split("/")[:-1])
        if not (inside and (name == path or (name.endswith(".toml") and not hidden))):
            continue
        if mode == "120000":
            links.add(name)
        else:
            wanted[name] = oid
            single = single or name == path
    if path and path in links:
        raise InputError(f"{text}: {path} is a symbolic link: expected the submission itself")
    if len(wanted) > MAXIMUM_FILES:
        raise InputError(f"{text}: more than {MAXIMUM_FILES} TOML files")
    roots = {
        name: oid for name, oid in store.root_files(commit) if name in ("certify.toml", "pyproject.toml")
    }
    blobs = store.blobs([*wanted.values(), *roots.values()])
    return State(
        text,
        {name: blobs[oid] for name, oid in wanted.items()},
        commit=commit,
        single=single,
        links=frozenset(links),
        policy={name: blobs[oid] for name, oid in sorted(roots.items())},
    )


class _Store:
    """The object store of one repository, asked by git itself."""

    def __init__(self, repository: Path) -> None:
        self.where = repository

    def require_repository(self) -> None:
        """Refuses a folder that belongs to no repository."""
        done = self._git("rev-parse", "--git-dir")
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise InputError(f"{self.where} was expected to lie in a git repository: {said}")

    def resolve(self, ref: str) -> str | None:
        """Returns the full id of a commit, or none."""
        done = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
        return done.stdout.decode("ascii").strip() if done.returncode == 0 else None

    def parents(self, commit: str) -> tuple[str, ...]:
        """Returns the parents that a commit names, in a shallow clone too."""
        header = self._read("cat-file", "commit", commit).split(b"\n\n", 1)[0]
        return tuple(
            line.removeprefix(b"parent ").decode("ascii")
            for line in header.split(b"\n")
            if line.startswith(b"parent ")
        )

    def is_shallow(self) -> bool:
        """Tells whether the clone lacks part of its history."""
        return self._read("rev-parse", "--is-shallow-repository").strip() == b"true"

    def tree(self, commit: str) -> Iterator[tuple[str, str, str]]:
        """Yields mode, path and id of every file of a commit."""
        yield from self._list("-r", commit)

    def root_files(self, commit: str) -> Iterator[tuple[str, str]]:
        """Yields name and id of the files at the root of a commit."""
        for mode, name, oid in self._list(commit):
            if mode in ("100644", "100755"):
                yield name, oid

    def _list(self, *arguments: str) -> Iterator[tuple[str, str, str]]:
        listing = self._read("ls-tree", "-z", "--full-tree", *arguments)
        for entry in listing.split(b"\0")[:-1]:
            head, name = entry.split(b"\t", 1)
            mode, kind, oid = head.decode("ascii").split()
            if kind == "blob":
                yield mode, name.decode("utf-8", "surrogateescape"), oid

    def blobs(self, oids: Sequence[str]) -> dict[str, bytes]:
        """Returns the contents of files by id; what is larger than a submission is cut after its bound."""
        if not oids:
            return {}
        output = self._read("cat-file", "--batch", given="".join(f"{oid}\n" for oid in oids).encode())
        found: dict[str, bytes] = {}
        offset = 0
        for oid in oids:
            end = output.index(b"\n", offset)
            fields = output[offset:end].decode("ascii").split()
            if len(fields) != 3 or fields[:2] != [oid, "blob"]:
                raise InputError(
                    f"{self.where}: the content {oid} is not in this clone (partial clone?): fetch it first"
                )
            size = int(fields[2])
            found[oid] = output[end + 1 : end + 1 + min(size, MAXIMUM_BYTES + 1)]
            offset = end + 1 + size + 1
        return found

    def _read(self, *arguments: str, given: bytes | None = None) -> bytes:
        done = self._git(*arguments, given=given)
        if done.returncode != 0:
            said = done.stderr.decode("utf-8", "replace").strip()
            raise InputError(f"{self.where}: git {arguments[0]} failed: {said}")
        return done.stdout

    def _git(self, *arguments: str, given: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(  # noqa: S603 - arguments are fixed, or ids and refs behind --end-of-options
                ["git", *_SETTINGS, *arguments],  # noqa: S607 - the git of the user's own path is meant
                cwd=self.where,
                env={**os.environ, **_ENVIRONMENT},
                input=given if given is not None else b"",
                capture_output=True,
                timeout=_TIMEOUT,
                check=False,
            )
        except FileNotFoundError as error:
            raise MissingPartError("git is not installed: states of the form git:REF need it") from error
        except OSError as error:
            raise InputError(f"{self.where}: git cannot be run here: {error.strerror}") from error
        except subprocess.TimeoutExpired as error:
            raise InputError(f"{self.where}: git did not answer within {_TIMEOUT:g} seconds") from error

"""The object store of a repository, asked by git itself; the repository is not trusted to say what git runs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory
from typing import Final

from certify.children import run_program
from certify.errors import InputError, MissingPartError
from certify.submission.reader import MAXIMUM_BYTES

_TIMEOUT: Final = 120.0
_PERSON: Final = re.compile(
    r"^(?:author|committer|co-authored-by:) ?([^<\n]*)<([^>\n]*)>", re.MULTILINE | re.IGNORECASE
)
"""Lines of a commit that name somebody; what a message says in the same form is taken for it too."""

# Nothing is fetched, no prompt is shown, no program of the repository's choosing is run, and objects are what
# they are. Each is said twice where git lets it be said twice: a setting of the repository overrules some.
_SETTINGS: Final = (
    *("-c", "protocol.allow=never"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.alternateRefsCommand=false"),
    *("-c", "credential.helper="),
    # A graph beside the objects may say that a commit has another tree or other parents.
    *("-c", "core.commitGraph=false"),
    *("-c", "core.useReplaceRefs=false"),
    *("-c", f"core.attributesFile={os.devnull}"),
    *("-c", "core.warnAmbiguousRefs=true"),
    # An index of part of a commit would lack attributes that stand in the other folders.
    *("-c", "core.sparseCheckout=false"),
    *("-c", "index.sparse=false"),
    # An attribute for a name in other letters holds where the disk that is checked out to does not tell them apart.
    *("-c", "core.ignoreCase=true"),
    "--no-pager",
    "--no-optional-locks",
    "--literal-pathspecs",
)
_ENVIRONMENT: Final = {
    # `protocol.ext.allow=always` of a repository goes before `protocol.allow=never`; this goes before both.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_ASKPASS": "",
    "SSH_ASKPASS": "",
    "LC_ALL": "C",
}


# Of git's own variables those alone are handed on that say where git is installed and configured, and where a hook
# keeps objects that it has not accepted yet. A hook of one repository sets others, which would put that repository,
# its index or its attributes in the place of the one that is asked about.
_HANDED_ON: Final = re.compile(
    "GIT_(?:EXEC_PATH|CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_[0-9]+|VALUE_[0-9]+)|CEILING_DIRECTORIES|"
    "DISCOVERY_ACROSS_FILESYSTEM|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH)|(?!GIT_).*",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, link or submodule of a commit.

    Args:
        mode: What it is, as git writes it: ``100644``, ``120000`` for a link, ``160000`` for a submodule.
        path: Path from the root of the repository.
        oid: Id of its content; of a submodule, the commit that it is pinned to.
    """

    mode: str
    path: str
    oid: str


@dataclass(frozen=True, slots=True)
class ReplacedFile:
    """A file as it stood before a commit changed or removed it: that commit, its path and its content's id."""

    commit: str
    path: str
    oid: str


def worktree_of(folder: Path) -> Path | None:
    """Returns the checkout that a folder lies in, none outside of any.

    It is looked for without git: settings of the repository could name another folder.
    """
    start = folder.resolve()
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), None)


class GitStore:
    """The object store of one repository.

    Args:
        where: Any folder of the repository.
    """

    def __init__(self, where: Path) -> None:
        self.where = where

    def require_repository(self) -> None:
        """Refuses a folder that belongs to no repository."""
        done = self._git("rev-parse", "--git-dir")
        if done.returncode != 0:
            raise InputError(f"{self.where} was expected to lie in a git repository: {_said(done)}")

    def resolve(self, ref: str) -> str | None:
        """Returns the full id of a commit, or none.

        Raises:
            InputError: A tag and a branch have the same name: whoever may push one could pass it off as the other.
        """
        done = self._git("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}")
        if b"is ambiguous" in done.stderr:
            raise InputError(
                f"{self.where}: {ref} names more than one ref: name it whole, such as refs/heads/main "
                "or refs/remotes/origin/main"
            )
        return done.stdout.decode("ascii").strip() if done.returncode == 0 else None

    def merge_bases(self, *commits: str) -> tuple[str, ...]:
        """Returns the commits where two commits parted, none where they share no history."""
        done = self._git("merge-base", "--all", *commits)
        # 1 is git's answer where there is none.
        if done.returncode not in (0, 1):
            raise InputError(f"{self.where}: git merge-base failed: {_said(done)}")
        return tuple(done.stdout.decode("ascii").split())

    def refs(self, prefix: str) -> frozenset[str]:
        """Returns the refs below a prefix, such as ``refs/remotes/origin/``."""
        return frozenset(self._read("for-each-ref", "--format=%(refname)", prefix).decode().split())

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

    def tree(self, commit: str) -> Iterator[TreeEntry]:
        """Yields every file, link and submodule of a commit."""
        for entry in self._read("ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")[:-1]:
            head, name = entry.split(b"\t", 1)
            mode, _, oid = head.decode("ascii").split()
            yield TreeEntry(mode, name.decode("utf-8", "surrogateescape"), oid)

    def replaced(self, commit: str) -> Iterator[ReplacedFile]:
        """Yields every file that a commit behind this one changed or removed, as it stood before, latest first.

        Commits and trees are asked for by plumbing, which obeys no setting that names a program.
        """
        commits = self._read("rev-list", "--topo-order", commit)
        arguments = ("-r", "-m", "--root", "--raw", "-z", "--no-renames", "--no-abbrev", "--diff-filter=DMT")
        listing = self._read("diff-tree", "--stdin", *arguments, given=commits)
        seen: set[tuple[str, str]] = set()
        current = ""
        tokens = iter(listing.split(b"\0"))
        for token in tokens:
            if not token.startswith(b":"):
                current = token.decode("ascii").split(" ")[0] or current
                continue
            mode, _, oid, _, _ = token[1:].decode("ascii").split(" ")
            path = next(tokens).decode("utf-8", "surrogateescape")
            if mode.startswith("100") and (path, oid) not in seen:
                seen.add((path, oid))
                yield ReplacedFile(current, path, oid)

    def attributes(
        self, commit: str, paths: Sequence[str], names: Sequence[str]
    ) -> dict[str, dict[str, str]]:
        """Returns which of some attributes the files of a commit have, by path, unset ones left out.

        They are read from an index of the commit alone, made for the question: what lies in the working tree says
        nothing about the commit.
        """
        if not paths:
            return {}
        with TemporaryDirectory(prefix="certify-index-") as folder:
            index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
            self._read("read-tree", commit, more=index)
            given = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
            told = self._read("check-attr", "--cached", "-z", "--stdin", *names, given=given, more=index)
        fields = [part.decode("utf-8", "surrogateescape") for part in told.split(b"\0")[:-1]]
        found: dict[str, dict[str, str]] = {}
        for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True):
            if value not in ("unspecified", "unset"):
                found.setdefault(path, {})[name] = value
        return found

    def authors(self, base: str, head: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Returns the names and addresses of authors and committers of what lies between two commits.

        Args:
            base: What is compared with.
            head: What is judged.
            paths: Files that a commit must touch to be asked; all of them where none is named.
        """
        commits = self._read("rev-list", f"{base}..{head}", "--", *paths).split()
        told = self._read("cat-file", "--batch", given=b"".join(one + b"\n" for one in commits))
        found = _PERSON.findall(told.decode("utf-8", "replace"))
        return tuple(dict.fromkeys(one.strip() for person in found for one in person if one.strip()))

    def no_larger(self, oids: Sequence[str], most: int) -> frozenset[str]:
        """Returns those files, by id, that have no more than so many bytes or are not at hand; none is read."""
        asked = "".join(f"{oid}\n" for oid in oids).encode()
        lines = self._read("cat-file", "--batch-check", given=asked).decode("ascii").splitlines()
        told = (line.split() for line in lines)
        return frozenset(one[0] for one in told if len(one) != 3 or int(one[2]) <= most)

    def blobs(self, paths: Mapping[str, str]) -> dict[str, bytes]:
        """Returns the contents of files by id.

        Args:
            paths: Where each lies, by id.

        Raises:
            InputError: One is larger than a submission, or not at hand.
        """
        oids = list(paths)
        if not oids:
            return {}
        for oid in sorted(set(oids) - self.no_larger(oids, MAXIMUM_BYTES), key=paths.__getitem__):
            raise InputError(
                f"{paths[oid]}: larger than {MAXIMUM_BYTES} bytes, which nothing is that the gate reads"
            )
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
            found[oid] = output[end + 1 : end + 1 + size]
            offset = end + 1 + size + 1
        return found

    def _read(
        self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> bytes:
        done = self._git(*arguments, given=given, more=more)
        if done.returncode != 0:
            raise InputError(f"{self.where}: git {arguments[0]} failed: {_said(done)}")
        return done.stdout

    def _git(
        self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> CompletedProcess[bytes]:
        try:
            # Arguments are fixed, or ids and refs behind --end-of-options.
            return run_program(
                ["git", *_SETTINGS, *arguments],
                given=given or b"",
                timeout=_TIMEOUT,
                environment={**_handed_on(), **_ENVIRONMENT, **(more or {})},
                folder=self.where,
            )
        except FileNotFoundError as error:
            raise MissingPartError("git is not installed: states of the form git:REF need it") from error
        except OSError as error:
            raise InputError(f"{self.where}: git cannot be run here: {error.strerror}") from error
        except TimeoutExpired as error:
            raise InputError(f"{self.where}: git did not answer within {_TIMEOUT:g} seconds") from error


def _handed_on() -> dict[str, str]:
    """Returns what of the environment git is given."""
    return {name: value for name, value in os.environ.items() if _HANDED_ON.fullmatch(name)}


def _said(done: CompletedProcess[bytes]) -> str:
    return done.stderr.decode("utf-8", "replace").strip()

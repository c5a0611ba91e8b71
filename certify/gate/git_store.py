"""The object store of a repository, read by git itself; the repository is not trusted to say what git runs.

Nor is it trusted to hold what its ids say: the id of every object that is read is computed from its bytes.
"""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path, PurePosixPath
from signal import SIGKILL
from subprocess import CompletedProcess, TimeoutExpired
from tempfile import TemporaryDirectory, TemporaryFile
from threading import Timer
from typing import BinaryIO, Final, TypeAlias, cast
from weakref import finalize

from certify.by_key import gathered
from certify.children import Child, run_program, start_program
from certify.errors import InputError, MissingPartError, Refusing, strerror

_TIMEOUT: Final = 120.0
_LARGEST: Final = 1 << 24
"""Bytes of one object that is read; a submission has a mebibyte at most."""

_LARGEST_TOGETHER: Final = 1 << 28
"""Bytes of all contents that are requested at once."""

_MOST_ENTRIES: Final = 1_000_000
"""Files of a commit: a few small trees that hold one another can represent more than anybody can count."""

_ASKED_AT_ONCE: Final = 60
"""Ids that a process is handed before its answers are read: with 64 digits each they fit into the smallest pipe."""

_Answers: TypeAlias = dict[str, tuple[str, int, bytes]]
"""Kind, size and, where requested, bytes of objects by id."""

LINK: Final = "120000"
SUBMODULE: Final = "160000"

_MODES: Final = frozenset({b"40000", b"100644", b"100664", b"100755", LINK.encode(), SUBMODULE.encode()})
"""What git writes of an entry of a tree; any other number it reads as a folder, a link or a submodule all the same."""

_PERSON: Final = re.compile(
    r"^(?:author|committer|co-authored-by:) ?([^<\n]*)<([^>\n]*)>", re.MULTILINE | re.IGNORECASE
)
"""Lines of a commit that name somebody; what a message says in the same form is taken for it too."""

# Nothing is fetched, no prompt is shown, no program of the repository's choosing is run, and objects are what
# they are. Each is stated twice where git lets it be stated twice: a setting of the repository overrules some.
_SETTINGS: Final = (
    *("-c", "protocol.allow=never"),
    *("-c", "core.fsmonitor=false"),
    *("-c", f"core.hooksPath={os.devnull}"),
    *("-c", "core.sshCommand=false"),
    *("-c", "core.alternateRefsCommand=false"),
    *("-c", "credential.helper="),
    # A graph next to the objects may say that a commit has another tree or other parents.
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
# its index or its attributes in the place of the one in question.
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
    """Returns the checkout that a folder is in, none outside of any.

    It is looked for without git: settings of the repository could name another folder.
    """
    start = folder.resolve()
    return next((place for place in (start, *start.parents) if (place / ".git").exists()), None)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class GitStore:
    """The object store of one repository.

    Args:
        where: Any folder of the repository.
    """

    where: Path
    _answering: dict[str, tuple[Child, BinaryIO]] = field(default_factory=dict, init=False, compare=False)
    """Processes that answer further questions about objects, by form, each with the file of its errors."""

    def require_repository(self) -> None:
        """Refuses a folder that belongs to no repository."""
        done = self._git("rev-parse", "--git-dir")
        if done.returncode != 0:
            raise InputError(f"{self.where} was expected to lie in a git repository: {_said(done.stderr)}")

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
        # Of the commit that a name leads to, and of tags on the way, git computes the ids itself.
        return done.stdout.decode("ascii").strip() if done.returncode == 0 else None

    def merge_bases(self, *commits: str) -> tuple[str, ...]:
        """Returns the commits where two commits parted, none where they share no history.

        Raises:
            InputError: The clone is cut off above them, so that the two may have parted later than it shows.
        """
        self._require_history(*commits)
        done = self._git("merge-base", "--all", *commits)
        # 1 is git's answer where there is none.
        if done.returncode not in (0, 1):
            raise InputError(f"{self.where}: git merge-base failed: {_said(done.stderr)}")
        found = tuple(done.stdout.decode("ascii").split())
        if found and self.is_shallow():
            above = self._read("rev-list", "--parents", *commits, "--not", *found).decode("ascii")
            walked = {commit: tuple(parents) for commit, *parents in map(str.split, above.splitlines())}
            for commit, content in self._objects(walked, "commit"):
                if _parents(content) != walked[commit]:
                    raise InputError(
                        f"{self.where}: this clone ends at {commit[:12]}, so that where the two parted is not known: "
                        "git fetch --unshallow"
                    )
        return found

    def refs(self, prefix: str) -> frozenset[str]:
        """Returns the refs below a prefix, such as ``refs/remotes/origin/``."""
        return frozenset(self._read("for-each-ref", "--format=%(refname)", prefix).decode().split())

    def parents(self, commit: str) -> tuple[str, ...]:
        """Returns the parents that a commit names, in a shallow clone too."""
        ((_, content),) = self._objects([commit], "commit")
        return _parents(content)

    def is_shallow(self) -> bool:
        """Returns whether the clone lacks part of its history."""
        return self._read("rev-parse", "--is-shallow-repository").strip() == b"true"

    def tree(self, commit: str) -> Iterator[TreeEntry]:
        """Yields every file, link and submodule of a commit, in the order of their paths.

        Raises:
            InputError: A tree is not what its id says, or there are more files than anybody keeps.
        """
        ((_, content),) = self._objects([commit], "commit")
        root = content[5 : content.index(b"\n")].decode("ascii", "replace")
        found: list[TreeEntry] = []
        folders, trees, entries = [("", root)], dict[str, bytes](), dict[str, list[tuple[str, str, str]]]()
        while folders:
            trees.update(self._objects({oid for _, oid in folders} - trees.keys(), "tree"))
            deeper: list[tuple[str, str]] = []
            for folder, tree in folders:
                entries[tree] = entries.get(tree) or [*self._entries(tree, trees[tree])]
                for mode, name, oid in entries[tree]:
                    if mode == "40000":
                        deeper.append((f"{folder}{name}/", oid))
                    else:
                        found.append(TreeEntry(mode, f"{folder}{name}", oid))
                if len(found) + len(deeper) > _MOST_ENTRIES:
                    raise InputError(
                        f"{self.where}: {commit} holds more than {_MOST_ENTRIES} files: nothing was compared"
                    )
            folders = deeper
        yield from sorted(found, key=lambda entry: entry.path)

    def _entries(self, oid: str, content: bytes) -> Iterator[tuple[str, str, str]]:
        """Yields mode, name and id of what a tree holds.

        Raises:
            InputError: It is no tree that git makes: a mode of its own, a name twice, or one that leads elsewhere.
        """
        seen, place = {"", ".", ".."}, 0
        while place < len(content):
            mode, _, rest = content[place : place + 8192].partition(b" ")
            name, ends, _ = rest.partition(b"\0")
            told = name.decode("utf-8", "surrogateescape")
            start = place + len(mode) + len(name) + 2
            place = start + len(oid) // 2
            if not ends or mode not in _MODES or told in seen or "/" in told or place > len(content):
                raise InputError(f"{self.where}: the tree {oid} is damaged (git fsck): nothing was compared")
            seen.add(told)
            yield mode.decode("ascii"), told, content[start:place].hex()

    def replaced(self, commit: str) -> Iterator[ReplacedFile]:
        """Yields every file that a commit behind this one changed or removed, as it stood before, latest first.

        Commits and trees are requested by plumbing, which obeys no setting that names a program.
        """
        self._require_history(commit, objects=("--objects", "--filter=blob:none"))
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
        self, commit: str, files: Iterable[TreeEntry], paths: Sequence[str], names: Sequence[str]
    ) -> dict[str, dict[str, str]]:
        """Returns which of some attributes the files of a commit have, by path, unset ones left out.

        They are read from an index of the commit alone, in a repository made for the question: what is in the
        working tree, or in ``info/attributes``, says nothing about the commit.

        Args:
            commit: Full id of the commit.
            files: All that it holds, as ``tree`` lists them.
            paths: The files in question.
            names: The attributes.
        """
        if not paths:
            return {}
        named = [entry for entry in files if entry.path.lower().endswith(".gitattributes")]
        self.blobs({entry.oid: entry.path for entry in named if entry.mode.startswith("100")})
        with TemporaryDirectory(prefix="certify-index-") as folder:
            objects = self._read("rev-parse", "--git-path", "objects").decode("utf-8", "surrogateescape")
            form = f"--object-format={'sha1' if len(commit) == 40 else 'sha256'}"
            self._read("init", "--quiet", "--bare", "--template=", form, folder)
            own = {
                "GIT_DIR": folder,
                "GIT_OBJECT_DIRECTORY": str((self.where / objects.rstrip("\n")).absolute()),
            }
            self._read("read-tree", commit, more=own)
            given = "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")
            told = b""
            for asked in (None, *_in_other_letters(named, paths)):
                if asked is not None:
                    self._read("update-index", "--add", "--cacheinfo", asked, more=own)
                told += self._read("check-attr", "--cached", "-z", "--stdin", *names, given=given, more=own)
        fields = [part.decode("utf-8", "surrogateescape") for part in told.split(b"\0")[:-1]]
        found = gathered(
            (path, (name, value))
            for path, name, value in zip(fields[::3], fields[1::3], fields[2::3], strict=True)
            if value not in ("unspecified", "unset")
        )
        return {path: dict(values) for path, values in found.items()}

    def authors(self, base: str, head: str, paths: Sequence[str]) -> tuple[str, ...]:
        """Returns the names and addresses of authors and committers of what is between two commits.

        Args:
            base: What is compared with.
            head: What is judged.
            paths: Files that a commit must touch to be listed; all of them where none is named.
        """
        self._require_history(base, head, objects=("--objects", "--filter=blob:none") if paths else ())
        commits = self._read("rev-list", f"{base}..{head}", "--", *paths).decode("ascii").split()
        told = (content.decode("utf-8", "replace") for _, content in self._objects(commits, "commit"))
        found = [person for content in told for person in _PERSON.findall(content)]
        return tuple(dict.fromkeys(one.strip() for person in found for one in person if one.strip()))

    def no_larger(self, oids: Sequence[str], most: int) -> frozenset[str]:
        """Returns those files, by id, that have no more than so many bytes or are not at hand; none is read."""
        sizes = self._answers("--batch-check", oids)
        return frozenset(oid for oid in oids if oid not in sizes or sizes[oid][1] <= most)

    def blobs(self, paths: Mapping[str, str]) -> dict[str, bytes]:
        """Returns the contents of files by id.

        Args:
            paths: The ids, each with a path that a message can name.

        Raises:
            InputError: A file is not in this clone, is larger than what is read, or is not what its id says.
        """
        sizes = self._answers("--batch-check", paths)
        for oid, path in paths.items():
            if oid in sizes and sizes[oid][1] > _LARGEST:
                raise InputError(
                    f"{self.where}: {path} ({oid}) has {sizes[oid][1]} bytes: expected at most {_LARGEST}"
                )
        if sum(size for _, size, _ in sizes.values()) > _LARGEST_TOGETHER:
            raise InputError(
                f"{self.where}: more than {_LARGEST_TOGETHER} bytes of files: expected submissions"
            )
        return dict(self._objects(paths, "blob", sizes=sizes))

    def _require_history(self, *commits: str, objects: Sequence[str] = ()) -> None:
        """Refuses commits that have anything behind them, trees too where requested, that is not what its id says.

        What git lists is all that it sees; as each of it is true, so is what it names further.
        """
        listed = self._read("rev-list", *objects, *commits).decode("utf-8", "replace")
        for _ in self._objects({line.split(" ", 1)[0] for line in listed.splitlines()}, "commit", "tree"):
            pass

    def _objects(
        self, oids: Collection[str], *expected: str, sizes: _Answers | None = None
    ) -> Iterator[tuple[str, bytes]]:
        """Yields the bytes of objects by id, few of which are held in memory at once.

        Args:
            oids: The ids.
            *expected: Kinds of object that they may be.
            sizes: Kinds and sizes, where they are known.

        Raises:
            InputError: An object is not in this clone, is of another kind, too large, or not what its id says.
        """
        part: list[str] = []
        together = 0
        sizes = self._answers("--batch-check", oids) if sizes is None else sizes
        for oid in dict.fromkeys(oids):
            kind, size, _ = sizes.get(oid, ("", 0, b""))
            if kind not in expected:
                raise InputError(
                    f"{self.where}: the {expected[0]} {oid} is not in this clone (partial clone?): fetch it first"
                )
            self._require_small(oid, kind, size)
            if part and together + size > _LARGEST:
                yield from self._contents(part)
                part, together = [], 0
            part.append(oid)
            together += size
        if part:
            yield from self._contents(part)

    def _contents(self, oids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yields the bytes of objects that are at hand, each held against its id.

        Source: gitformat-pack(5) and hash-function-transition of git: the id digests kind, size, zero and content.
        """
        told = self._answers("--batch", oids)
        for oid in oids:
            kind, size, content = told.get(oid, ("", 0, b""))
            held, algorithm = f"{kind} {size}\0".encode() + content, "sha1" if len(oid) == 40 else "sha256"
            computed = hashlib.new(algorithm, held, usedforsecurity=False).hexdigest()
            if computed != oid:
                raise InputError(
                    f"{self.where}: the object store holds {computed} under the id {oid}: it is damaged "
                    "or forged (git fsck): nothing was compared"
                )
            yield oid, content

    def _require_small(self, oid: str, kind: str, size: int) -> None:
        if size > _LARGEST:
            raise InputError(f"{self.where}: the {kind} {oid} has {size} bytes: expected at most {_LARGEST}")

    def _answers(self, form: str, oids: Collection[str]) -> _Answers:
        """Returns kind, size and, in the form ``--batch``, bytes of objects by id, those left out that are not at hand.

        One process answers all questions of a form. It is handed so few ids at once that it never waits for us while
        we wait for it, and all that it answers is read before anything else is done.

        Raises:
            InputError: It ended before it had answered, answers something else, or with more than is read.
        """
        found, whole, waiting = _Answers(), form == "--batch", iter(oids)
        with self._refusing():
            # Taken out meanwhile: one that was not heard to the end gets no further question.
            child, errors = self._answering.pop(form) if form in self._answering else self._started(form)
            given, answers = cast("BinaryIO", child.stdin), cast("BinaryIO", child.stdout)
            # With what a wrapper of git started, which would hold the stream open.
            clock = Timer(_TIMEOUT, os.killpg, (child.pid, SIGKILL))
            clock.start()
            try:
                while part := list(islice(waiting, _ASKED_AT_ONCE)):
                    os.write(given.fileno(), "".join(f"{oid}\n" for oid in part).encode())
                    for oid in part:
                        # A forged object may go on after its end, and would answer what is requested next.
                        told = answers.readline(4096).decode("utf-8", "replace").split()
                        kind, size = (
                            told[1:]
                            if len(told) == 3 and told[0] == oid and told[2].isdecimal()
                            else ("", "-1")
                        )
                        if whole:
                            self._require_small(oid, kind, int(size))
                        content = answers.read(int(size) + 1) if whole else b""
                        if told[:1] != [oid] or (whole and len(content) <= int(size)):
                            raise BrokenPipeError
                        if kind:
                            found[oid] = kind, int(size), content[:-1]
            except BrokenPipeError:
                # A clock that killed it says so only then.
                if clock.finished.wait(1):
                    raise TimeoutExpired("git", _TIMEOUT) from None
                child.kill()
                errors.seek(0)
                raise InputError(
                    f"{self.where}: git cat-file failed: "
                    + (_said(errors.read()) or "it ended, or answered something else (git fsck)")
                ) from None
            finally:
                clock.cancel()
            self._answering[form] = child, errors
        return found

    def _started(self, form: str) -> tuple[Child, BinaryIO]:
        """Returns a process that answers for as long as the store is there, and the file of its errors."""
        errors = cast("BinaryIO", TemporaryFile())  # noqa: SIM115 - the store ends it
        child = start_program(
            ["git", *_SETTINGS, "cat-file", form],
            environment=_environment(),
            folder=self.where,
            errors=errors,
        )
        finalize(self, _end, child, errors)
        return child, errors

    def _read(
        self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> bytes:
        done = self._git(*arguments, given=given, more=more)
        if done.returncode != 0:
            raise InputError(f"{self.where}: git {arguments[0]} failed: {_said(done.stderr)}")
        return done.stdout

    def _git(
        self, *arguments: str, given: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> CompletedProcess[bytes]:
        with self._refusing():
            # Arguments are fixed, or ids and refs behind --end-of-options.
            return run_program(
                ["git", *_SETTINGS, *arguments],
                given=given or b"",
                timeout=_TIMEOUT,
                environment=_environment() | dict(more or {}),
                folder=self.where,
            )

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Refuses what git cannot be started for, and what it does not answer in time."""
        with (
            Refusing(OSError, InputError, f"{self.where}: git cannot be run here", words=strerror),
            Refusing(
                FileNotFoundError,
                MissingPartError,
                "git is not installed: states of the form git:REF need it",
                words=None,
            ),
            Refusing(
                TimeoutExpired,
                InputError,
                f"{self.where}: git did not answer within {_TIMEOUT:g} seconds",
                words=None,
            ),
        ):
            yield


def _environment() -> dict[str, str]:
    """Returns what git is started with."""
    handed_on = {name: value for name, value in os.environ.items() if _HANDED_ON.fullmatch(name)}
    return handed_on | _ENVIRONMENT


def _end(child: Child, errors: BinaryIO) -> None:
    """Ends a process that nobody asks any more."""
    with child, errors:
        child.kill()


def _in_other_letters(named: Iterable[TreeEntry], paths: Iterable[str]) -> Iterator[str]:
    """Yields files of attributes that only a disk without capitals reads for some paths, as an index takes them."""
    places = {
        place.lower(): place
        for path in paths
        for place in (str(parent / ".gitattributes") for parent in PurePosixPath(path).parents)
    }
    for entry in named:
        place = places.get(entry.path.lower(), entry.path)
        if place != entry.path and entry.mode.startswith("100"):
            yield f"{entry.mode},{entry.oid},{place}"


def _parents(content: bytes) -> tuple[str, ...]:
    """Returns the parents that a commit names."""
    header = content.split(b"\n\n", 1)[0].split(b"\n")
    return tuple(line[7:].decode("ascii") for line in header if line.startswith(b"parent "))


def _said(errors: bytes) -> str:
    return errors.decode("utf-8", "replace").strip()

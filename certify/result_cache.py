"""Results kept between commands, by the digest of everything that they rest on.

An entry is believed only with its mark: a keyed digest (HMAC-SHA-256, RFC 2104) over its kind, its key and what it
holds. The key is outside the folder. Whoever can write the folder alone can take entries away or put old ones back,
which under their own key still say the same; they can make none. Who can read the key can change this program too.
Nothing is kept, and nothing found, unless a command says so: what verifies a pack or repeats a run computes anew.
"""

import hashlib
import hmac
import json
import os
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, Final, Generic, TypeVar

from certify.untrusted_input import SizeLimit, read_bounded

Result = TypeVar("Result")

SCHEMA: Final = "certify-kept/3"
ENTRY: Final = SizeLimit("a result that is kept", 1 << 27)

FOLDER: Final = 1 << 30
"""Bytes that all entries of a folder may hold together."""

_SECRET_BYTES: Final = 32
_OURS: Final = re.compile(r"[a-z]+-[0-9a-f]{40}|tmp\w+\.new")


@dataclass(frozen=True, slots=True, eq=False)
class Keeping:
    """Where results are kept while a command runs; another command in the same folder is another one.

    Args:
        folder: Folder of the entries.
        secret: Key of their marks.
        found: Digests of the results that were found there, by what they are.
    """

    folder: Path
    secret: bytes
    found: dict[str, str] = field(default_factory=dict)

    def path(self, kind: str, key: str) -> Path:
        """Returns the file of an entry."""
        return self.folder / f"{kind}-{hashlib.sha256(key.encode()).hexdigest()[:40]}"

    def mark(self, kind: str, key: str, content: bytes) -> str:
        """Returns the mark of an entry."""
        head = json.dumps([SCHEMA, kind, key]).encode()
        return hmac.new(self.secret, len(head).to_bytes(8, "big") + head + content, "sha256").hexdigest()


_KEEPING: list[Keeping] = []


@contextmanager
def kept_in(folder: Path, secret: bytes) -> Iterator[Keeping]:
    """Keeps results in a folder, and finds them there, as long as the context lasts."""
    keeping = Keeping(folder, secret)
    _KEEPING.append(keeping)
    try:
        yield keeping
    finally:
        _KEEPING.remove(keeping)


@contextmanager
def kept_by_user(folder: Path | None = None) -> Iterator[None]:
    """Keeps results in a folder, else in that of the user, under the user's key; nothing where there can be none."""
    secret = secret_of(os.environ)
    with nullcontext() if secret is None else kept_in(folder or default_folder(os.environ), secret):
        yield


def keeping() -> Path | None:
    """Returns where the command that runs keeps results, none where it keeps none."""
    return _KEEPING[-1].folder if _KEEPING else None


def found() -> Mapping[str, str]:
    """Returns the results that the command found instead of computing them: their digests, by what they are."""
    return dict(_KEEPING[-1].found) if _KEEPING else {}


@dataclass(frozen=True, slots=True)
class SentTask(Generic[Result]):
    """A task of the command that another process of this machine computes, keeping and finding results as it does.

    Args:
        task: The task.
        keeping: Where the command keeps its results; none where it keeps nothing.
    """

    task: Callable[[], Result]
    keeping: Keeping | None

    def __call__(self) -> tuple[Result, Mapping[str, str]]:
        """Computes the task; returns its result, and what was found on the way: digests, by what they are."""
        if self.keeping is None:
            return self.task(), {}
        with kept_in(self.keeping.folder, self.keeping.secret) as there:
            return self.task(), there.found


def to_send(task: Callable[[], Result]) -> SentTask[Result]:
    """Returns a task to be sent to another process of this machine."""
    return SentTask(task, _KEEPING[-1] if _KEEPING else None)


def also_kept(there: Mapping[str, str]) -> None:
    """Adds what another process of the command found instead of computing it."""
    if _KEEPING:
        _KEEPING[-1].found.update(there)


def find(kind: str, key: str) -> Any | None:
    """Returns what is kept under a key, or none where no entry bears the right mark.

    Args:
        kind: What it is, such as ``automaton``.
        key: Digest of everything that it rests on.
    """
    if not _KEEPING or not key:
        return None
    keeping = _KEEPING[-1]
    path = keeping.path(kind, key)
    try:
        mark, _, content = read_bounded(path, ENTRY).partition(b"\n")
        if not hmac.compare_digest(mark.decode("ascii"), keeping.mark(kind, key, content)):
            return None
        # A pickle runs what it says: it is read under the user's own mark alone, when that is known to be right.
        document = pickle.loads(content)  # noqa: S301
    except Exception:  # noqa: BLE001 - what cannot be read for whatever reason is computed
        return None
    keeping.found[kind] = key
    with suppress(OSError):
        # The time of an entry is that of its last use: the oldest is removed first.
        os.utime(path)
    return document


def keep(kind: str, key: str, content: Any) -> None:
    """Keeps a result; a folder that cannot be written keeps nothing, which costs time and no more."""
    if not _KEEPING or not key:
        return
    keeping = _KEEPING[-1]
    try:
        written = pickle.dumps(content, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError):
        # It holds what has no name, or parts within parts without end.
        return
    if len(written) >= ENTRY.size - 65:
        return
    path = keeping.path(kind, key)
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Whole or not at all: a reader never meets half an entry.
        with NamedTemporaryFile("wb", dir=path.parent, suffix=".new", delete=False) as file:
            file.write(keeping.mark(kind, key, written).encode() + b"\n" + written)
        os.replace(file.name, path)
        _remove_oldest(path.parent)


def _remove_oldest(folder: Path) -> None:
    """Removes the entries used longest ago until those that are left fit the folder.

    A process that reads an entry has opened it, and reads it to its end after it is removed; one that comes later
    computes it. Files of other names are somebody else's.

    Source: POSIX.1-2017, ``unlink``.
    """
    # Hundreds of entries are looked at whenever one is kept: a path of each would cost as much again.
    entries = [(entry.stat(), entry.path) for entry in os.scandir(folder) if _OURS.fullmatch(entry.name)]
    left = FOLDER
    for found, path in sorted(entries, key=lambda entry: entry[0].st_mtime_ns, reverse=True):
        left -= found.st_size
        if left < 0:
            os.unlink(path)


def default_folder(environment: Mapping[str, str]) -> Path:
    """Returns the cache folder of a user: ``CERTIFY_CACHE``, or ``certify`` in the user's cache folder.

    Source: XDG Base Directory Specification 0.8, ``XDG_CACHE_HOME``.
    """
    named = environment.get("CERTIFY_CACHE")
    return Path(named) if named else _of_user(environment, "XDG_CACHE_HOME", ".cache")


def secret_file(environment: Mapping[str, str]) -> Path:
    """Returns the file of the key of a user's marks, apart from the folder of entries.

    Source: XDG Base Directory Specification 0.8, ``XDG_STATE_HOME``.
    """
    return _of_user(environment, "XDG_STATE_HOME", ".local/state") / "kept.key"


def secret_of(environment: Mapping[str, str]) -> bytes | None:
    """Returns the key of the marks of what this user keeps, made when it is first needed; none where none can be."""
    from rng.entropy import OperatingSystemNoise  # Loading it takes a moment that --help need not wait for.
    from rng.errors import EntropyError

    file = secret_file(environment)
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with NamedTemporaryFile("wb", dir=file.parent, delete=False) as made:
                made.write(OperatingSystemNoise().samples(_SECRET_BYTES))
            with suppress(FileExistsError):
                # Whole, and only once: two commands that start together keep the same key.
                os.link(made.name, file)
            os.unlink(made.name)
        with file.open("rb") as opened:
            found = os.fstat(opened.fileno())
            secret = opened.read()
    except (OSError, EntropyError):
        return None
    own = found.st_uid == os.geteuid() and not found.st_mode & 0o077
    return secret if own and len(secret) == _SECRET_BYTES else None


def _of_user(environment: Mapping[str, str], variable: str, otherwise: str) -> Path:
    base = environment.get(variable) or str(Path(environment.get("HOME") or "~").expanduser() / otherwise)
    return Path(base) / "certify"

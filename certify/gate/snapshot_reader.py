"""Which state an argument names, and which of its files say that they are submissions."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from certify.errors import InputError
from certify.gate.commit_reader import read_commit
from certify.gate.folder_store import read_file, read_folder
from certify.gate.snapshot import GIT, NOTHING, Snapshot
from certify.untrusted_input import MAXIMUM_BYTES, TomlError, bounded_toml

_SCHEMA: Final = "certify-game/"
_MARKS: Final = b"\xef\xbb\xbf\xff\xfe"
_DECLARED: Final = re.compile(rb"^[\"']?schema[\"']?[ \t]*=[ \t]*[\"']+certify-game/", re.MULTILINE)


def read_snapshot(text: str, repository: Path) -> Snapshot:
    """Returns the state that an argument names.

    Args:
        text: A file, a folder, ``git:REF``, ``git:REF:PATH``, ``git:REF...REF`` for the commit where both
            parted, or ``none`` for no state at all.
        repository: Folder of the repository that commits are read from.

    Raises:
        InputError: There is no such state, or it cannot be read.
        MissingPartError: git is needed and not installed.
    """
    if text == NOTHING:
        return Snapshot(NOTHING, {}, note="nothing to compare with: every game is new")
    if text.startswith(GIT):
        return read_commit(text, repository)
    path = Path(text)
    if path.is_dir():
        return read_folder(text, path)
    if path.is_file():
        return read_file(text, path)
    raise InputError(f"{text}: no such file or folder; expected a file, a folder, git:REF or {NOTHING}")


def submission_paths(snapshot: Snapshot, paths: tuple[str, ...], exclude: tuple[str, ...]) -> frozenset[str]:
    """Returns the files of a state that say they are submissions, and links that are called as submissions are.

    A file that declares the schema is one even where it is broken, and so is everything called
    ``game.toml``: what cannot be read must fail, not vanish.
    """
    if snapshot.single:
        return frozenset(snapshot.files)
    links = (path for path in snapshot.links if is_game_file(path))
    files = (path for path, data in snapshot.files.items() if is_game_file(path) or declares_game(data))
    return frozenset(path for path in (*links, *files) if is_wanted(path, paths, exclude))


def require_seen(snapshot: Snapshot, paths: tuple[str, ...], exclude: tuple[str, ...]) -> None:
    """Refuses a state with TOML files of which nobody can say whether they are submissions.

    Raises:
        InputError: A file that the patterns of a policy keep is larger than a submission; the first is named.
    """
    for path in sorted(path for path in snapshot.large if snapshot.single or is_wanted(path, paths, exclude)):
        raise InputError(
            f"{snapshot.shown(path)}: larger than {MAXIMUM_BYTES} bytes: expected a submission, or a file that the "
            "policy leaves out with exclude"
        )


def is_game_file(path: str) -> bool:
    """Tells whether a file is called as submissions are, in capitals too."""
    return PurePosixPath(path).name.lower() == "game.toml"


def declares_game(data: bytes) -> bool:
    r"""Tells whether a file says that it is a submission, however the key and its value are spelled.

    >>> declares_game(b'schema = "certify-game/1"'), declares_game(b'schema = "certify\\u002dgame/1"')
    (True, True)
    """
    return bool(_DECLARED.search(_bare(data))) or parses_as_game(data)


def parses_as_game(data: bytes) -> bool:
    r"""Tells whether a file is TOML as a whole and says that it is a submission.

    >>> parses_as_game('schema = "certify-game/1"'.encode("utf-16")), parses_as_game(b'`schema = "certify-game/1"`')
    (True, False)
    """
    bare = _bare(data)
    if b"\\" not in bare and _SCHEMA.encode() not in bare:
        return False
    try:
        schema = bounded_toml(bare.decode("utf-8")).get("schema")
    except (UnicodeDecodeError, TomlError):
        return False
    return isinstance(schema, str) and schema.startswith(_SCHEMA)


def _bare(data: bytes) -> bytes:
    """Returns text without the marks and zeros of another encoding: what is written in it must fail, not vanish."""
    return data.replace(b"\0", b"").lstrip(_MARKS) if data[:1] in _MARKS or b"\0" in data[:4] else data


def is_wanted(path: str, paths: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Tells whether the patterns of a policy keep a path; ``*`` matches across folders."""
    if any(fnmatchcase(path, pattern) for pattern in exclude):
        return False
    return not paths or any(fnmatchcase(path, pattern) for pattern in paths)


def is_below(path: str, folder: str) -> bool:
    """Tells whether a path is a folder or lies in it; an empty folder is the root."""
    return not folder or path == folder or path.startswith(f"{folder}/")

"""Files and TOML from outside, bounded before they are trusted with memory, time or the stack; the form of JSON."""

import hashlib
import json
import math
import os
import re
import shlex
import stat
import threading
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from certify.errors import CertifyError, InputError, Refusing, strerror
from rng.errors import RngError
from rng.outside import (
    UNREADABLE as UNREADABLE,
    Meter as Meter,
    Refuse,
    SizeLimit as SizeLimit,
    finite as finite,
    json_of as json_of,
    parsing as parsing_with,
    read_file,
    read_stream as read_stream,
)

Json: TypeAlias = "str | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A JSON value that is written: no fraction, date or noun is in it."""

JsonObject: TypeAlias = "dict[str, Json]"
"""A JSON object that is written."""

Document: TypeAlias = dict[str, Any]
"""A JSON object or TOML table that is read: nothing is known of its values until they are looked at."""

MAXIMUM_BYTES: Final = 1 << 20
"""A rules screen fits many times into a mebibyte; anything larger is no file that a person wrote."""

SUBMISSION: Final = SizeLimit("a file that a person wrote", MAXIMUM_BYTES)
PARTIES: Final = SizeLimit("a parties file", 64 << 10)
KEY: Final = SizeLimit("keys, certificates or a passphrase", 1 << 20)
SECRET: Final = SizeLimit("one line", 10_000)
REVOCATIONS: Final = SizeLimit("revocation lists", 16 << 20)
SHEET: Final = SizeLimit("a spreadsheet that a person wrote", 8 << 20, values=400_000)
"""A workbook that says what a slot is has some ten thousand cells."""
SHEET_UNPACKED: Final = 64 << 20
"""Bytes of all parts of a workbook, unpacked."""
HEADS: Final = SizeLimit("a log of heads, some three million of them", 256 << 20)
OUTPUT: Final = SizeLimit("figures as JSON", 64 << 20)

DEEPEST_TEXT: Final = 500
"""Brackets left open and dots in a line up to which a text is parsed."""

DEEPEST: Final = 16
"""Tables and arrays within one another; a submission has five."""

_LONG_NUMBER: Final = re.compile(r"[0-9_]{1000,}|0[xob][0-9a-fA-F_]{1000,}")
_LARGEST: Final = 1 << 63
_PLACE: Final = re.compile(r"line (\d+), column (\d+)")
_NOT_FINITE: Final = re.compile(r"\b(inf|nan)\b|[eE]\+?[0-9_]{3}")


@dataclass
class TomlError(InputError):
    """A text is no TOML that is read here: where it breaks, and why; line or column 0 where that is not known."""

    line: int
    message: str
    column: int = 0

    def __str__(self) -> str:
        """Returns the reason with its line and column."""
        column = f", column {self.column}" if self.column else ""
        return f"line {self.line}{column}: {self.message}" if self.line else self.message


def file_sha256(path: Path) -> str:
    """Returns the SHA-256 of a file of any size, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_bounded(
    path: Path,
    limit: SizeLimit = SUBMISSION,
    refuse: Refuse | None = None,
    *,
    links: bool = True,
    pipes: bool = False,
) -> bytes:
    """Returns the bytes of a file that is no larger than its limit.

    Args:
        path: Where it is.
        limit: How large it may be.
        refuse: Makes the error from the reason alone; one that names the path if left out.
        links: Whether a symbolic link is followed.
        pipes: Whether a pipe is read as well.

    Raises:
        InputError: There is no such file, it is not regular, or it is larger.
    """
    told = refuse or (lambda reason: InputError(f"{path}: {reason}"))
    return read_file(path, limit, told, links=links, pipes=pipes)


def parsing(limit: SizeLimit, refuse: Refuse) -> AbstractContextManager[Meter]:
    """Lets somebody else's parser read foreign bytes: whatever it raises, and whatever it takes, the bytes are refused.

    Args:
        limit: How much it may take.
        refuse: Makes the error; it is given the reason alone.
    """
    return parsing_with(limit, refuse, (CertifyError, RngError))


def write_whole(path: Path, pieces: Iterable[bytes], *, ours: bool = False, new: bool = False) -> None:
    """Writes a file whole or not at all, and never through a link.

    The bytes go to a new file in the same folder, which takes the place of an earlier one when it is on the disk.

    Args:
        path: The file; its folder is there.
        pieces: Its bytes, one after the other.
        ours: Whether a stranger may have made the folder: it must be no link, and nobody else may write into it.
        new: Whether a file that is there already is left as it is, and refused.

    Raises:
        InputError: A link or something else than a file is there, the folder is not ours, or the system refuses.
    """
    part = f".{path.name}.{os.getpid()}.{threading.get_native_id()}.part"
    with Refusing(OSError, InputError, f"{path}: cannot be written", words=strerror):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | (os.O_NOFOLLOW if ours else 0))
        try:
            if ours:
                require_ours(path.parent, os.fstat(folder))
            with suppress(FileNotFoundError):
                if not stat.S_ISREG(os.stat(path.name, dir_fd=folder, follow_symlinks=False).st_mode):
                    raise InputError(f"{path}: a link, or no regular file: nothing was written")
            _write_new(part, pieces, folder)
            (os.link if new else os.replace)(part, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(part, dir_fd=folder)
            os.close(folder)


def _write_new(name: str, pieces: Iterable[bytes], folder: int) -> None:
    """Writes a file that was not there, and waits until it is on the disk."""
    with suppress(FileNotFoundError):
        # Of a run of this number that was killed, long ago; a link under this name is removed, not followed.
        os.unlink(name, dir_fd=folder)
    made = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644, dir_fd=folder)
    with os.fdopen(made, "wb") as file:
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def require_ours(folder: Path, found: os.stat_result) -> None:
    """Refuses a folder into which others may write.

    Raises:
        InputError: It belongs to somebody else, or others may write to it.
    """
    if found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise InputError(
            f"{folder}: others may write into this folder: expected one that belongs to you and that nobody else "
            f"writes to (chown, chmod go-w): nothing was written"
        )


def read_key(path: Path, *, pipes: bool = True) -> bytes:
    """Returns the bytes of a file that holds a private key, which nobody but its owner may read.

    Args:
        path: Where it is.
        pipes: Whether a pipe is read as well.

    Raises:
        InputError: It cannot be read, or others can read it too.
    """
    content, mode = read_bounded(path, KEY, pipes=pipes), path.stat().st_mode
    # Certificates that were given in the place of a key are no secret, and are reported as what they are.
    secret = b"PRIVATE KEY" in content or b"-----BEGIN" not in content
    if secret and stat.S_ISREG(mode) and mode & 0o077:
        raise InputError(
            f"{path}: others may read this private key or write to it (mode {mode & 0o777:04o}): expected 0600; "
            f"chmod 600 {shlex.quote(str(path))}, and make a new key if anybody may have read it"
        )
    return content


def quoted(text: str) -> str:
    """Returns a text as a basic string of TOML.

    JSON escapes what TOML wants escaped, but for the delete character, which TOML wants escaped as well.

    Source: TOML v1.0.0, String.
    """
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def bounded_toml(data: str | bytes) -> Document:
    r"""Returns the document of a TOML text whose nesting and numbers are within bounds.

    Raises:
        TomlError: It is no TOML, or goes beyond them.

    >>> bounded_toml("a.b = 1")
    {'a': {'b': 1}}
    >>> bounded_toml("a = 0x" + "f" * 20_000)
    Traceback (most recent call last):
    certify.untrusted_input.TomlError: line 1: a number of a thousand digits or more
    """
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TomlError(error.object[: error.start].count(b"\n") + 1, "not UTF-8 text") from error
    if text.startswith("\ufeff"):
        raise TomlError(1, "the file begins with a byte order mark: save it as UTF-8 without one")
    lines = re.split(r"\r?\n", text.removesuffix("\n"))
    _check_lines(lines)
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message, _, place = str(error).rpartition(" (at ")
        # Without a line the parser means the end of the document.
        match = _PLACE.match(place)
        number, column = (int(match[1]), int(match[2])) if match else (max(len(lines), 1), 0)
        raise TomlError(number, f"not valid TOML: {message}", column) from error
    except RecursionError as error:
        raise TomlError(1, "nested too deeply") from error
    _check_values(document, lines)
    return document


def _check_lines(lines: list[str]) -> None:
    opened = 0
    for number, line in enumerate(lines, start=1):
        # The parser of the standard library recurses once a bracket or a dot: bound both beforehand.
        if "[" in line or "{" in line or "]" in line or "}" in line:
            opened = max(0, opened + line.count("[") + line.count("{") - line.count("]") - line.count("}"))
        long = len(line) > DEEPEST_TEXT
        if opened > DEEPEST_TEXT or (long and max(line.count(mark) for mark in "[{.") > DEEPEST_TEXT):
            raise TomlError(number, "nested too deeply")
        if long and _LONG_NUMBER.search(line):
            raise TomlError(number, "a number of a thousand digits or more")


def _check_values(document: Document, lines: list[str]) -> None:
    level: list[tuple[str, Any]] = [("", document)]
    for _ in range(DEEPEST):
        for key, value in level:
            if type(value) is int and not -_LARGEST <= value < _LARGEST:
                number = next((place for place, line in enumerate(lines, 1) if str(value) in line), 0)
                raise TomlError(number, f"{key}: a whole number of more than 64 bits")
            if isinstance(value, float) and not math.isfinite(value):
                number = next((place for place, line in enumerate(lines, 1) if _NOT_FINITE.search(line)), 0)
                raise TomlError(number, f"{key}: {value} is not a finite number")
        level = [inner for key, value in level for inner in _inner(key, value)]
    if level:
        raise TomlError(0, "nested too deeply")


def _inner(key: str, value: Any) -> list[tuple[str, Any]]:
    """Returns what a table or list holds, each with its key as its author writes it; positions count from 1."""
    if isinstance(value, dict):
        return [(f"{key}.{name}".lstrip("."), inner) for name, inner in value.items()]
    return [(f"{key}[{n}]", inner) for n, inner in enumerate(value, 1)] if isinstance(value, list) else []

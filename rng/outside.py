"""What comes from outside, read within bounds: what goes beyond is refused and never cut, whatever its form."""

import json
import math
import os
import stat
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, Protocol

from rng.errors import RngError, SampleError

Refuse = Callable[[str], Exception]
"""Makes the error that says why a file is refused."""


class ReadStream(Protocol):
    """What is read piece by piece."""

    def read(self, size: int, /) -> bytes:
        """Returns up to so many bytes, none at the end."""


class SizeLimit(NamedTuple):
    """How much of one kind of file is read.

    Args:
        what: What was expected, as a message names it.
        size: Bytes that it has at most.
        values: Rows, cells or other values that it has at most, where a parser counts them.
        seconds: Seconds that reading it takes at most.
    """

    what: str
    size: int
    values: int = 0
    seconds: float = 60.0


VECTORS: Final = SizeLimit("known answers of a DRBG", 256 << 20)
TRANSCRIPT: Final = SizeLimit("a transcript", 256 << 20)
STREAM: Final = SizeLimit("a sample, or a part of it in a file", 1 << 33)
UNPACKED: Final = SizeLimit("a sample", 1 << 33)
"""Eight gibibytes are two hundred times what every test here looks at."""

MOST_DENSE: Final = 200
"""How many times its size packed data may unpack to: random output comes to less than two, text of bits to ten."""

MOST_MEMORY: Final = 256 << 20
"""Bytes that unpacking may hold: what a packed file asks for is its own choice."""

NOT_YET_DENSE: Final = 64 << 20
"""Bytes up to which packed data may unpack to whatever it does: the output of a generator that is stuck is small."""


_LONGEST_REASON: Final = 300

UNREADABLE: Final = "cannot be read"
"""What the reason begins with where the system does not hand a file over."""


def read_file(
    path: Path, limit: SizeLimit, refuse: Refuse, *, links: bool = True, pipes: bool = False
) -> bytes:
    """Returns the bytes of a file that is no larger than its limit.

    A pipe is not waited for and a device not read, unless that is allowed: both can be named by whoever names the file.

    Args:
        path: Where it is.
        limit: How large it may be.
        refuse: Makes the error; it is given the reason alone.
        links: Whether a symbolic link is followed.
        pipes: Whether a pipe is read as well.
    """
    flags = os.O_RDONLY | (0 if pipes else os.O_NONBLOCK) | (0 if links else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except OSError as error:
        raise refuse(f"{UNREADABLE}: {error.strerror}") from error
    except ValueError as error:
        raise refuse(f"{UNREADABLE}: the name holds a null character") from error
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not (stat.S_ISREG(mode) or (pipes and not stat.S_ISDIR(mode))):
            raise refuse("not a regular file")
        try:
            return read_stream(file, limit, refuse)
        except OSError as error:
            raise refuse(f"{UNREADABLE}: {error.strerror}") from error


def read_stream(stream: ReadStream, limit: SizeLimit, refuse: Refuse) -> bytes:
    """Returns all that a stream holds, refused where it is more than its limit."""
    parts: list[bytes] = []
    left = limit.size + 1
    while left and (piece := stream.read(left)):
        parts.append(piece)
        left -= len(piece)
    if not left:
        raise refuse(f"larger than {limit.size} bytes: expected {limit.what}")
    return b"".join(parts)


def head_of(path: Path, size: int) -> bytes:
    """Returns the beginning of a file, by which its form is known; whoever reads it then reads all of it.

    Raises:
        SampleError: It cannot be read, or has no end.
    """
    try:
        with path.open("rb") as stream:
            require_end(stream, str(path))
            return stream.read(size)
    except OSError as error:
        raise SampleError(f"{path}: cannot be read ({error.strerror})") from None


def require_end(stream: IO[bytes], name: str) -> None:
    """Refuses a device, which has no end; a terminal has one, and so has nothing at all.

    Raises:
        SampleError: It is one.
    """
    try:
        state = os.fstat(stream.fileno())
    except OSError:
        return  # What is no file of the system ends with what was put in.
    nothing = state.st_rdev == os.stat(os.devnull).st_rdev
    if stat.S_ISCHR(state.st_mode) and not nothing and not os.isatty(stream.fileno()):
        raise SampleError(f"{name}: a device without end: expected a file, or a part such as head -c gives")


def json_of(text: str | bytes, whole: Callable[[str], Any] = int) -> Any:
    r"""Returns the value of a JSON text that can be read in one way only, every number of it finite.

    Args:
        text: The text.
        whole: Makes a whole number.

    Raises:
        ValueError: It is none.

    Source: RFC 7493 (I-JSON), sections 2.2 and 2.3.

    >>> json_of('{"a": 1e999}')
    Traceback (most recent call last):
    ValueError: the number 1e999 is not finite
    """
    try:
        return json.loads(
            text, object_pairs_hook=_each_once, parse_constant=finite, parse_float=finite, parse_int=whole
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def finite(text: str) -> float:
    """Returns the number that a text states.

    Raises:
        ValueError: It is none, or not finite.
    """
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text} is not finite")
    return number


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"the key {twice!r} is repeated")
    return found


@dataclass(slots=True)
class Meter:
    """What a parser of foreign bytes has taken: values and seconds.

    Args:
        limit: How much it may take.
        refuse: Makes the error; it is given the reason alone.
    """

    limit: SizeLimit
    refuse: Refuse
    where: str = ""
    taken: int = 0
    since: float = field(default_factory=time.monotonic)

    def take(self, values: int = 1, where: str = "") -> None:
        """Counts what was read up to a place, which a message about what follows names; nothing counts as one value."""
        self.taken += values or 1
        self.where = where
        if self.taken > self.limit.values:
            raise self.refuse(
                f"more than {self.limit.values:,} values{self.place}: expected {self.limit.what}"
            )
        if time.monotonic() - self.since > self.limit.seconds:
            raise self.refuse(
                f"not read within {self.limit.seconds:g} seconds{self.place}: expected {self.limit.what}"
            )

    @property
    def place(self) -> str:
        """Where the parser is, as a message ends with it."""
        return f", {self.where}" if self.where else ""


@contextmanager
def parsing(
    limit: SizeLimit, refuse: Refuse, passing: tuple[type[Exception], ...] = (RngError,)
) -> Iterator[Meter]:
    """Lets somebody else's parser read foreign bytes: whatever it raises, the bytes are refused.

    Args:
        limit: How much it may take.
        refuse: Makes the error; it is given the reason alone.
        passing: What passes as it is.
    """
    meter = Meter(limit, refuse)
    try:
        yield meter
    except passing:
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}"[:_LONGEST_REASON]
        raise refuse(f"damaged{meter.place} ({said}): expected {limit.what}") from error

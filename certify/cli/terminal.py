"""The one point at which text leaves for a terminal or a file: nothing in it can steer whoever reads it."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import IO, Any, Final, cast

from certify.characters import is_unseen

_KEPT: Final = "\n\t"


def plain(text: str) -> str:
    r"""Returns a text with every character that a reader does not see spelled out.

    The spelling is that of JSON, so that JSON stays JSON with the same meaning.

    >>> print(plain("\x1b[31m7\u202e½\ud800"))
    \u001b[31m7\u202e½\ud800
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_spelled, text))


@lru_cache(maxsize=4096)
def _spelled(character: str) -> str:
    if character in _KEPT or not is_unseen(character):
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))


class PlainStream(io.TextIOBase):
    """A text stream that spells out what a terminal would obey; bytes go to ``buffer`` as they are.

    Args:
        stream: Where the text goes.

    Attributes:
        used: Whether any text was written.
    """

    encoding = "utf-8"
    errors = "backslashreplace"

    def __init__(self, stream: IO[str]) -> None:
        self.stream = stream
        self.used = False
        if isinstance(stream, io.TextIOWrapper):
            # What the machine's character set lacks is spelled out too, never a reason to fail.
            stream.reconfigure(errors="backslashreplace")

    def write(self, text: str) -> int:
        """Writes a text, spelled out."""
        self.used = self.used or bool(text)
        self.stream.write(plain(text))
        return len(text)

    def overwrite(self, text: str) -> None:
        """Writes a text over the present line of a terminal."""
        self.stream.write("\r" + plain(text))
        self.stream.flush()

    def flush(self) -> None:
        """Passes on what is buffered."""
        self.stream.flush()

    def isatty(self) -> bool:
        """Tells whether a person reads along; nobody does once the stream is closed."""
        return not self.stream.closed and self.stream.isatty()

    @property
    def closed(self) -> bool:
        """Whether the caller has closed the stream: libraries ask before they write at the end of the program."""
        return self.stream.closed

    def writable(self) -> bool:
        """Tells that the stream takes text."""
        return True

    def fileno(self) -> int:
        """Returns the descriptor behind the stream."""
        return self.stream.fileno()

    def close(self) -> None:
        """Leaves the stream open: it belongs to the caller."""

    @property
    def buffer(self) -> Any:
        """The stream of bytes behind the text."""
        return cast(Any, self.stream).buffer


@contextmanager
def plain_output() -> Iterator[None]:
    """Sends everything printed meanwhile through :class:`PlainStream`."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = PlainStream(sys.stdout), PlainStream(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before

"""The one point at which text leaves for a terminal, so that nothing steers its reader; signals that end a process."""

import gc
import io
import os
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from tempfile import TemporaryDirectory
from threading import Event, Thread, current_thread, main_thread
from types import FrameType
from typing import IO, Any, Final, cast

import click

from certify.characters import is_unseen
from certify.children import end_all

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


_VERDICT: Final = re.compile(
    r"^(?:verdict: |printed .*: )?(?:(?P<red>not satisfied|may not be merged|FAIL|WRONG)"
    r"|(?P<yellow>satisfied on conditions|inconclusive|not applicable|\?\?)"
    r"|(?P<green>mathematics satisfied, product (?:not tested|tested in part)|satisfied|may be merged|ok))(?![\w-])",
    re.IGNORECASE,
)
"""A verdict at the beginning of a line, as commands print it, by its colour."""


def coloured(line: str) -> str:
    r"""Returns a line with the verdict that it begins with in colour.

    >>> coloured("may be merged: 3 games compared, 1 with changes")
    '\x1b[32mmay be merged\x1b[0m: 3 games compared, 1 with changes'
    >>> coloured("the two rows may be merged")
    'the two rows may be merged'
    """
    bare = line.lstrip()
    found = _VERDICT.match(bare)
    if found is None or found.lastgroup is None:
        return line
    indent, colour = line[: len(line) - len(bare)], found.lastgroup
    before, verdict = bare[: found.start(colour)], found[colour]
    return indent + before + click.style(verdict, fg=colour) + bare[found.end() :]


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
        """Writes a text, spelled out; on a terminal with its verdicts in colour, unless NO_COLOR is set."""
        self.used = self.used or bool(text)
        safe = plain(text)
        if self.isatty() and not os.environ.get("NO_COLOR"):
            safe = "\n".join(map(coloured, safe.split("\n")))
        self.stream.write(safe)
        return len(text)

    def overwrite(self, text: str) -> None:
        """Writes a text over the present line of a terminal."""
        self.stream.write("\r" + plain(text))
        self.stream.flush()

    def flush(self) -> None:
        """Passes on what is buffered."""
        self.stream.flush()

    def isatty(self) -> bool:
        """Returns whether a person reads along; nobody does once the stream is closed."""
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


HEARD: Final = 2.0
"""Seconds after which a signal was not heard: the interpreter hears it once compiled code returns."""

UNWOUND: Final = 60.0
"""Seconds that cleaning up may take."""


class TerminatedError(BaseException):
    """SIGTERM arrived; raised like KeyboardInterrupt, so that nothing on the way takes it for a failure."""


@contextmanager
def terminated_by_signal(explain: Callable[[TerminatedError], int]) -> Iterator[None]:
    """Turns SIGTERM into :class:`TerminatedError` meanwhile, so that half-written files are removed.

    While compiled code counts, no error can be raised in the thread that called it, and one that is raised where a
    library calls back is lost there: a second thread, which compiled code does not hold up, then ends what was
    started, removes the temporary folders and ends the process. A second signal ends it at once. Processes forked
    meanwhile end as they ever did.

    Args:
        explain: Says that the call was terminated, and returns the exit code.

    Raises:
        TerminatedError: SIGTERM arrived, whatever else came of it.
    """
    if current_thread() is not main_thread():
        yield
        return
    owner, heard, ended = os.getpid(), Event(), Event()

    def told(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() != owner:
            os.kill(os.getpid(), signal.SIGTERM)
            return
        heard.set()
        raise TerminatedError

    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    _forget_in_children()
    before = signal.signal(signal.SIGTERM, told)
    woken = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    Thread(target=_watch, args=(reader, heard, ended, explain), daemon=True).start()
    try:
        yield
    except BaseException as error:
        if heard.is_set() and not isinstance(error, TerminatedError):
            raise TerminatedError from error
        raise
    else:
        if heard.is_set():
            raise TerminatedError
    finally:
        ended.set()
        signal.set_wakeup_fd(woken)
        os.close(writer)
        signal.signal(signal.SIGTERM, before)


def _watch(reader: int, heard: Event, ended: Event, explain: Callable[[TerminatedError], int]) -> None:
    """Ends the process where its main thread does not hear that it is to end, or does not come to its end."""
    with os.fdopen(reader, "rb", buffering=0) as signals:
        while number := signals.read(1):
            if number[0] == signal.SIGTERM and not (heard.wait(HEARD) and ended.wait(UNWOUND)):
                code = explain(TerminatedError())
                end_all()
                for one in gc.get_objects():
                    if type(one) is TemporaryDirectory:
                        with suppress(OSError):
                            one.cleanup()
                sys.stderr.flush()
                os._exit(code)


@cache
def _forget_in_children() -> None:
    """Has processes that are forked tell the watcher of their parent nothing of their own signals."""
    os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))

"""The words that all numbers are made from: a byte stream read as 64-bit little-endian integers."""

import mmap
import os
import sys
from collections.abc import Callable
from threading import get_ident
from typing import Any, Final, NoReturn, Protocol
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from rng.errors import DrbgError, EntropyError, RangeError, RngError

MADV_WIPEONFORK: Final = 18
"""Linux 4.14 and later: the page reads as zeros in a child (madvise(2)); Python does not name it yet."""


class Forked(Protocol):
    """Something that must change when the process is copied."""

    def _forked(self) -> None: ...


_watched: "WeakSet[Forked]" = WeakSet()


def _marked_page() -> "mmap.mmap | None":
    """A page that the kernel empties in every copy of the process, or nothing where it cannot."""
    if sys.platform != "linux":
        return None
    page = mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    try:
        page.madvise(MADV_WIPEONFORK)
    except OSError:
        return None
    return page


_page = _marked_page()
MARK: "mmap.mmap | bytearray" = bytearray(1) if _page is None else _page
"""Its first byte is 0 in a copy of the process that has not been noticed yet, where the kernel helps."""

MARK[0] = 1
_process = os.getpid()


def notice_fork() -> None:
    """Tell every instance that it is a copy, if the process was copied since the last call.

    A `fork` of the C library, which runs no hook of the interpreter, is found out here: by the page
    that the kernel emptied, or by the number of the process where there is no such page.
    """
    if not MARK[0] or (_page is None and os.getpid() != _process):
        _in_child()


def _in_child() -> None:
    global _process
    MARK[0] = 1
    _process = os.getpid()
    for instance in list(_watched):
        instance._forked()


def after_fork(instance: Forked) -> None:
    """Inform an instance, in each child process, that it is now a copy."""
    notice_fork()
    _watched.add(instance)


# The interpreter's own hook tells at once; the page is for children that it does not hear of.
os.register_at_fork(after_in_child=_in_child)


BLOCK_BYTES: Final = 65536
"""The stream is drawn in requests of this many bytes, the largest that SP 800-90A allows."""

BLOCK_WORDS: Final = BLOCK_BYTES // 8
_CARRY: Final = 4096
"""Words that may wait for more behind them: those of the longest item that a compiled loop makes."""


class WordSource:
    """A stream of 64-bit words, each used once and in order.

    The stream is the concatenation of blocks of 65,536 bytes; the words are its successive groups
    of eight bytes, least significant byte first. Words that a batch left over are the next ones
    to be served, so that the same numbers come out however a caller portions its draws. A word that
    was served is overwritten at once: what was drawn cannot be read from memory afterwards.

    Source: docs/byte-consumption-rule.md, version 1, rule 2.
    """

    __slots__ = ("__weakref__", "_buffer", "_bytes", "_end", "_fill", "_owner", "_position", "drawn")

    def __init__(self, fill: Callable[[memoryview], int | None]) -> None:
        """A source over `fill`, which writes the next bytes of the stream.

        Args:
            fill: writes the next 65,536 bytes into the buffer it is given. A finite stream returns
                the number of bytes it had left, a multiple of 8; an endless one returns None.
        """
        self._fill = fill
        storage = bytearray(8 * (_CARRY + BLOCK_WORDS))
        self._bytes = memoryview(storage)
        self._buffer: NDArray[np.uint64] = np.frombuffer(storage, dtype="<u8")
        self._position = self._end = _CARRY
        self._owner = get_ident()
        after_fork(self)
        self.drawn = 0
        """Words served so far."""

    def word(self) -> int:
        """The next word."""
        if self._position == self._end or self._owner != get_ident() or not MARK[0]:
            self.window(1)
        value = int(self._buffer[self._position])
        self._buffer[self._position] = 0
        self._position += 1
        self.drawn += 1
        return value

    def window(self, at_least: int = 1) -> NDArray[np.uint64]:
        """The words that are waiting, at least so many; they stay waiting until `skip` is called.

        The array is a view: `skip` overwrites the words that it marks, and the next call all others.

        Raises:
            EntropyError: the stream is finite and has too few words left.
        """
        notice_fork()
        if self._owner != get_ident():
            raise DrbgError("a stream belongs to one thread: shared, its order would depend on scheduling")
        while self._end - self._position < at_least:
            self._refill()
        return self._buffer[self._position : self._end]

    def skip(self, words: int) -> None:
        """Mark so many words of the window as used; they are overwritten."""
        if not 0 <= words <= self._end - self._position:
            raise RangeError(f"{words} words marked as used, {self._end - self._position} were offered")
        after = self._position + words
        self._buffer[self._position : after] = 0
        self._position = after
        self.drawn += words

    def skip_to(self, word: int) -> None:
        """Pass over words until the one of this number, from 0, is the next.

        Raises:
            RangeError: it has been served.
        """
        if word < self.drawn:
            raise RangeError(f"word {word} was served: {self.drawn} were")
        while self.drawn < word:
            self.skip(min(len(self.window()), word - self.drawn))

    def read(self, nbytes: int) -> bytes:
        """The next bytes of the stream; the unused rest of the last word is passed over."""
        if type(nbytes) is not int or nbytes < 0:
            raise RangeError(f"{nbytes!r} bytes requested: a whole number from 0 expected")
        parts = []
        left = nbytes
        while left > 0:
            window = self.window()
            words = min(len(window), -(-left // 8))
            parts.append(window[:words].tobytes()[:left])
            self.skip(words)
            left -= 8 * words
        return b"".join(parts)

    def _refill(self) -> None:
        """Move the waiting words to the front and write the next block behind them."""
        left = self._end - self._position
        if left > _CARRY:
            raise RangeError(f"{left} words are waiting: a window is at most {_CARRY} words")
        start = _CARRY - left
        self._buffer[start:_CARRY] = self._buffer[self._position : self._end]
        # Their old place too: a short last block would not cover it.
        self._buffer[max(self._position, _CARRY) : self._end] = 0
        self._position, self._end = start, _CARRY
        try:
            written = self._fill(self._bytes[8 * _CARRY :])
            if written == 0:
                raise EntropyError("the stream is used up: a finite recording has no more words")
        except RngError:
            # After a failure nothing is served, not even words that were waiting.
            self.discard()
            raise
        self._end += BLOCK_WORDS if written is None else written // 8

    def discard(self) -> None:
        """Overwrite the words that are waiting; the next one comes from a new block."""
        self._buffer.fill(0)
        self._position = self._end = _CARRY

    def _forked(self) -> None:
        """In a child process: the words that wait belong to the parent."""
        self.discard()
        self._owner = get_ident()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.drawn} words drawn>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise DrbgError("a stream is never copied or pickled: two copies would draw the same words")

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(4)

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__reduce_ex__(4)


def serve(
    source: WordSource,
    count: int,
    step: Callable[[NDArray[np.uint64], int], tuple[int, int]],
    at_least: int = 1,
) -> None:
    """Run a compiled loop over the waiting words until it has made what is wanted.

    Args:
        source: where the words come from.
        count: how many items are wanted.
        step: given the waiting words and the number of items made before, makes items until all are
            made or the words end; returns the items made and the words that these used. The words of
            an item that was not completed stay waiting, and more follow them at the next step.
        at_least: words that the first step is given at the least.

    Raises:
        RangeError: one item wants more words than a window can hold.
        EntropyError: the stream is finite and has too few words left.
    """
    done = 0
    while done < count:
        window = source.window(max(1, at_least))
        made, used = step(window, done)
        left = len(window) - used
        source.skip(used)
        done += made
        if done < count:
            source.window(left + 1)

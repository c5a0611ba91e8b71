"""How a generator learns that it now runs in a child process, whoever made the child."""

import mmap
import os
import sys
from typing import Final, Protocol
from weakref import WeakSet

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
    """Have an instance told, in each child process, that it is now a copy."""
    notice_fork()
    _watched.add(instance)


# The interpreter's own hook tells at once; the page is for children that it does not hear of.
os.register_at_fork(after_in_child=_in_child)

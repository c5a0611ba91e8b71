"""Being told to stop: what was begun is cleaned up, and the exit code says by what it was stopped."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from tempfile import TemporaryDirectory
from threading import Event, Thread, current_thread, main_thread
from types import FrameType
from typing import Final

from certify.children import end_all

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

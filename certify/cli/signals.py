"""Being told to stop: what was begun is cleaned up, and the exit code says by what it was stopped."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType


class TerminatedError(BaseException):
    """SIGTERM arrived; raised like KeyboardInterrupt, so that nothing on the way takes it for a failure."""


@contextmanager
def terminated_by_signal() -> Iterator[None]:
    """Turns SIGTERM into :class:`TerminatedError` meanwhile, so that half-written files are removed.

    A second signal ends the process at once. Processes forked meanwhile end as they ever did.
    """
    if current_thread() is not main_thread():
        yield
        return
    owner = os.getpid()

    def told(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if os.getpid() != owner:
            os.kill(os.getpid(), signal.SIGTERM)
            return
        raise TerminatedError

    before = signal.signal(signal.SIGTERM, told)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

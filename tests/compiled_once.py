"""Workers of a test run compile a kernel once: who needs one that another compiles waits, and loads what it kept."""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

_HELD: set[str] = set()
"""Kernels that this process compiles at the moment: a kernel that calls itself asks for its own lock again."""


def compile_once(locks: Path) -> None:
    """Has this process compile under locks that all workers of the run share.

    In a fresh tree they would begin with the same kernels, and each compile them all.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    locks.mkdir(parents=True, exist_ok=True)
    alone: Callable[[Any, Any], Any] = Dispatcher.compile

    @wraps(alone)
    def compiled(self: Any, sig: Any) -> Any:
        kernel = f"{self.py_func.__module__}.{self.py_func.__qualname__}{sig}"
        # Numba's own lock first, as within it: no thread waits for one of the two while it holds the other.
        with global_compiler_lock, _locked(locks, kernel):
            return alone(self, sig)

    Dispatcher.compile = compiled


@contextmanager
def _locked(locks: Path, kernel: str) -> Iterator[None]:
    if kernel in _HELD:
        yield
        return
    with (locks / hashlib.sha256(kernel.encode()).hexdigest()).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _HELD.add(kernel)
        try:
            yield
        finally:
            _HELD.discard(kernel)

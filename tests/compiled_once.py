"""Workers of a test run compile a kernel once: who needs one that another compiles waits, and loads what it kept."""

import fcntl
import hashlib
from contextlib import contextmanager
from functools import wraps

_HELD = set()
"""Kernels that this process compiles at the moment: a kernel that calls itself asks for its own lock again."""


def compile_once(locks):
    """Has this process compile under locks that all workers of the run share.

    In a fresh tree they would begin with the same kernels, and each compile them all.
    """
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.dispatcher import Dispatcher

    locks.mkdir(parents=True, exist_ok=True)
    alone = Dispatcher.compile

    @wraps(alone)
    def compiled(self, sig):
        kernel = f"{self.py_func.__module__}.{self.py_func.__qualname__}{sig}"
        # Numba's own lock first, as within it: no thread waits for one of the two while it holds the other.
        with global_compiler_lock, _locked(locks, kernel):
            return alone(self, sig)

    Dispatcher.compile = compiled


@contextmanager
def _locked(locks, kernel):
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

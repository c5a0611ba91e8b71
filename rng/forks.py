"""How a generator learns that it now runs in a child process."""

import os
from typing import Protocol
from weakref import WeakSet


class Forked(Protocol):
    """Something that must change when the process is copied."""

    def _forked(self) -> None: ...


_watched: "WeakSet[Forked]" = WeakSet()


def _in_child() -> None:
    for instance in list(_watched):
        instance._forked()


def after_fork(instance: Forked) -> None:
    """Have an instance told, in each child process, that it is now a copy."""
    _watched.add(instance)


# The interpreter's own fork hook costs nothing per request, where asking the kernel for the
# process number would cost a system call.
os.register_at_fork(after_in_child=_in_child)

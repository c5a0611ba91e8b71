"""How a generator learns that it now runs in a child process."""

import os

_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


def fork_generation() -> int:
    """How many forks lie between the first process of this program and the present one."""
    return _forks


# A counter kept by the interpreter's own fork hook costs one comparison per request, where asking
# the kernel for the process number would cost a system call.
os.register_at_fork(after_in_child=_count_fork)

"""Exit codes, the same for every command, and the way from an error to its code."""

from __future__ import annotations

from enum import IntEnum

from certify.errors import (
    CertifyError,
    InputError,
    MissingPartError,
    NothingCheckedError,
    OperationError,
    TrustError,
)
from rng.errors import RangeError, RngError, SampleError, TranscriptError, VectorError


class Exit(IntEnum):
    """What the exit status of a command says to a script."""

    SATISFIED = 0
    FINDINGS = 1
    WRONG_INPUT = 2
    INTERNAL = 3
    INCONCLUSIVE = 4
    NOTHING_CHECKED = 5
    INTERRUPTED = 130
    """Ctrl-C: 128 and the number of the signal, as shells say it."""
    PIPE_CLOSED = 141
    """The reader of the output went away."""
    TERMINATED = 143
    """SIGTERM."""


def exit_for(error: CertifyError | RngError) -> Exit:
    """Returns the exit code of an error.

    >>> exit_for(InputError("no such file")).name
    'WRONG_INPUT'
    """
    families: tuple[tuple[tuple[type[Exception], ...], Exit], ...] = (
        ((InputError, OperationError, RangeError, SampleError, VectorError), Exit.WRONG_INPUT),
        ((TrustError, TranscriptError), Exit.FINDINGS),
        ((NothingCheckedError,), Exit.NOTHING_CHECKED),
        ((MissingPartError,), Exit.INTERNAL),
    )
    for kinds, code in families:
        if isinstance(error, kinds):
            return code
    return Exit.INTERNAL

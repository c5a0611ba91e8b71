"""How commands end: exit codes, and the message of what failed."""

import re
import select
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

import click

from certify.cli.terminal import TerminatedError
from certify.errors import (
    CertifyError,
    InputError,
    MissingPartError,
    NothingCheckedError,
    OperationError,
    Problem,
    SubmissionError,
    TrustError,
)
from certify.untrusted_input import read_bounded
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


def exit_by(verdicts: Collection[str]) -> int:
    """Returns the exit code of a command by its verdicts: the worst of them decides, and none that applies is no pass.

    >>> exit_by(["satisfied", "inconclusive"]), exit_by([]), exit_by(["not applicable"])
    (4, 5, 5)
    """
    codes = {
        "satisfied": Exit.SATISFIED,
        "inconclusive": Exit.INCONCLUSIVE,
        "not applicable": Exit.NOTHING_CHECKED,
    }
    found = {codes.get(word, Exit.FINDINGS) for word in verdicts}
    worst_first = (Exit.FINDINGS, Exit.INCONCLUSIVE, Exit.SATISFIED)
    return int(next((code for code in worst_first if code in found), Exit.NOTHING_CHECKED))


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
    return next((code for kinds, code in families if isinstance(error, kinds)), Exit.INTERNAL)


_KINDS: Final = {
    Exit.FINDINGS: "finding",
    Exit.WRONG_INPUT: "input",
    Exit.INTERNAL: "missing-part",
    Exit.INCONCLUSIVE: "inconclusive",
    Exit.NOTHING_CHECKED: "nothing-checked",
}


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a call did not do its job.

    Args:
        code: The exit code.
        kind: Who is at fault, in one word.
        message: What happened, where, and what was expected.
        problems: Every mistake of a submission by itself.
        unforeseen: Whether it is a defect of this software.
    """

    code: Exit
    kind: str
    message: str
    problems: tuple[Problem, ...] = ()
    unforeseen: bool = False

    def lines(self) -> tuple[str, ...]:
        """Returns what a person reads."""
        if self.problems:
            # Their place comes first: editors and CI go to it.
            show = with_excerpt if sys.stderr.isatty() else lambda problem: (str(problem),)
            return tuple(chain.from_iterable(map(show, self.problems)))
        further = ("set CERTIFY_TRACEBACK=1 to see where",) if self.unforeseen else ()
        # A message that begins with a place of a file is one that editors and CI go to.
        named = "" if _PLACED.match(self.message) else "certify: "
        return tuple(f"{named}{line}" for line in (self.message, *further))

    def to_json(self) -> dict[str, object]:
        """Returns what a program reads."""
        error: dict[str, object] = {
            "kind": self.kind,
            "message": self.message,
            "exit_code": int(self.code),
        }
        if self.problems:
            error["problems"] = [problem.to_json() for problem in self.problems]
        return {"error": error}


_WIDEST: Final = 100
_PLACED: Final = re.compile(r"[^\s:]+:[1-9]\d*(:[1-9]\d*)?: ")


def with_excerpt(problem: Problem) -> tuple[str, ...]:
    """Returns a mistake with its line of the file and a caret below its column, for a person at a terminal."""
    if not problem.column:
        return (str(problem),)
    try:
        line = re.split(r"\r?\n", read_bounded(Path(problem.path)).decode("utf-8"))[problem.line - 1]
    except (InputError, UnicodeDecodeError, IndexError):
        return (str(problem),)
    left = max(0, problem.column - 1 - _WIDEST // 2)
    seen = line[left : left + _WIDEST].replace("\t", " ")
    return (str(problem), f"{problem.line:>6} | {seen}", f"{'':>6} | {'^':>{problem.column - left}}")


def failure_of(error: BaseException) -> Failure:
    """Returns what a call says about an error that ended it."""
    match error:
        case click.ClickException():
            return Failure(Exit.WRONG_INPUT, "input", error.format_message())
        case CertifyError() | RngError():
            code = exit_for(error)
            problems = error.problems if isinstance(error, SubmissionError) else ()
            return Failure(code, _KINDS[code], str(error), problems)
        case TerminatedError():
            return Failure(Exit.TERMINATED, "terminated", "terminated")
        case KeyboardInterrupt() | click.Abort() if not isinstance(error.__context__, EOFError):
            return Failure(Exit.INTERRUPTED, "interrupted", "interrupted")
        case click.Abort():
            return Failure(Exit.WRONG_INPUT, "input", "the input ended before every question was answered")
        case BrokenPipeError() if _reader_gone():
            # What was requested was not delivered, and nobody is left to report it to.
            return Failure(
                Exit.PIPE_CLOSED, "pipe-closed", "the output was closed before all of it was written"
            )
        case OSError():
            # The machine's fault, not a defect: a full disk, a folder that cannot be read.
            place = f"{error.filename}: " if error.filename else ""
            return Failure(Exit.INTERNAL, "machine", f"{place}{error.strerror or error}")
        case _:
            text = f"internal error: {type(error).__name__}: {error}"
            return Failure(Exit.INTERNAL, "internal", text, unforeseen=True)


def wants_json(arguments: Sequence[str]) -> bool:
    """Returns whether a call asks for JSON, whatever else may be wrong with it.

    >>> wants_json(["analyze", "--format", "json"]), wants_json(["analyze", "--", "--format=json"])
    (True, False)
    """
    options = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--format=json" in options or any(pair == ("--format", "json") for pair in pairwise(options))


def _reader_gone() -> bool:
    """Returns whether the reader of the output is gone, and not that of some other pipe or connection."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return any(happened & select.POLLERR for _, happened in poll.poll(0))
    except (OSError, ValueError, AttributeError):
        return True

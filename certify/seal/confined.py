"""Reads what a stranger wrote in a process of its own, under hard limits of memory and time.

Bounds are held before every parser; a parser can still be wrong about what it takes. What the system ends at a limit
takes nothing else with it, and is a failure like any other.
"""

import json
import resource
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Final

from certify.children import ChildError, UnfinishedError, answer
from certify.errors import InputError
from certify.evidence import plain
from certify.evidence.read import read
from certify.seal.verification_report import StepOutcome, VerificationReport, VerificationStep

MEMORY: Final = 3 * 1024**3
"""Bytes of address space: libraries map a good part of a gigabyte before they read anything."""


SECONDS: Final = 120
"""Seconds of one core."""


_WAIT: Final = 600.0


def confined_verification(
    pack: Path,
    trust: Path | None,
    at: datetime,
    revocations: Sequence[Path] = (),
    trust_tsa: Path | None = None,
    *,
    memory: int = MEMORY,
    seconds: int = SECONDS,
) -> VerificationReport:
    """Returns what :func:`certify.seal.verify.verify` finds without computing anything again, from a limited process.

    Args:
        pack: Folder of a pack, or a report (PDF).
        trust: PEM file with the roots that the caller trusts.
        at: The time of verification, aware.
        revocations: PEM files with revocation lists.
        trust_tsa: PEM file with the roots of time-stamp authorities.
        memory: Bytes of address space that the process may take.
        seconds: Seconds of one core that it may take.

    Raises:
        InputError: A path cannot be read, or a file of trust or revocations is none.
    """
    task = {
        # The child runs in another folder.
        "pack": str(pack.absolute()),
        "trust": trust and str(trust.absolute()),
        "at": at.isoformat(),
        "revocations": [str(path.absolute()) for path in revocations],
        "trust_tsa": trust_tsa and str(trust_tsa.absolute()),
        "memory": memory,
        "seconds": seconds,
    }
    try:
        # One thread is enough to read, and each further one maps memory of its own.
        threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        told = json.loads(
            answer(f"{__name__}:serve", json.dumps(task).encode(), timeout=_WAIT, environment=threads)
        )
        if "error" in told:
            raise InputError(told["error"])
        found = read(VerificationReport, told)
    except UnfinishedError as error:
        detail = f"reading it did not finish: {error}; that is no fault of the pack, expected a faster or idle machine"
        return _ended(pack, StepOutcome.NOT_POSSIBLE, detail)
    except (ChildError, ValueError):
        found = None
    if isinstance(found, VerificationReport):
        return replace(found, target=str(pack))
    detail = f"reading it took more than {memory} bytes of memory, or ended its reader"
    return _ended(pack, StepOutcome.FAILS, detail)


def _ended(pack: Path, outcome: StepOutcome, detail: str) -> VerificationReport:
    step = VerificationStep("files", "The files can be read within limits", "", outcome, detail)
    return VerificationReport(str(pack), (step,), False, ("anything: the files could not be read",))


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Verifies what a task names, under its limits, and answers with the report or the mistake of the call."""
    task = json.load(given)
    for limit, most in (
        (resource.RLIMIT_AS, task["memory"]),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
    # The signal of the lower limit names what ended it; the higher one ends whatever does not obey.
    resource.setrlimit(resource.RLIMIT_CPU, (task["seconds"], task["seconds"] + 5))
    from certify.seal.verify import verify

    try:
        told = plain(
            verify(
                Path(task["pack"]),
                task["trust"] and Path(task["trust"]),
                datetime.fromisoformat(task["at"]),
                revocations=[Path(path) for path in task["revocations"]],
                trust_tsa=task["trust_tsa"] and Path(task["trust_tsa"]),
            )
        )
    except InputError as error:
        told = {"error": str(error)}
    answers.write(json.dumps(told).encode())

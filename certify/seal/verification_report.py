"""What verification found: an ordered list of steps, each saying what it means."""

from __future__ import annotations

import json
import resource
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO, Final

from certify.children import ChildError, answer
from certify.errors import InputError, TrustError
from certify.evidence.encode import plain
from certify.evidence.read import read

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
    except (ChildError, ValueError):
        return _ended(pack, memory, seconds)
    return (
        replace(found, target=str(pack))
        if isinstance(found, VerificationReport)
        else _ended(pack, memory, seconds)
    )


def _ended(pack: Path, memory: int, seconds: int) -> VerificationReport:
    detail = f"reading it took more than {memory} bytes of memory or {seconds} seconds, or ended its reader"
    step = VerificationStep("files", "The files can be read within limits", "", StepOutcome.FAILS, detail)
    return VerificationReport(str(pack), (step,), False, ("anything: the files could not be read",))


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Verifies what a task names, under its limits, and answers with the report or the mistake of the call."""
    task = json.load(given)
    for limit, most in (
        (resource.RLIMIT_AS, task["memory"]),
        (resource.RLIMIT_CPU, task["seconds"]),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(limit, (most, most))
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


class StepOutcome(StrEnum):
    """How a step of verification ended."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_CHECKED = "not checked"
    NOT_POSSIBLE = "not possible"


class Level(StrEnum):
    """How far a success reaches: each level holds what those before it hold."""

    INTEGRITY = "integrity"
    FIGURES = "figures"
    RUN = "whole run"


_REACHED = {
    Level.INTEGRITY: "integrity only: nothing was computed again",
    Level.FIGURES: "integrity and figures: exact figures, conclusions and pages come out again",
    Level.RUN: "integrity, figures and the whole run: all of it comes out again",
}


@dataclass(frozen=True, slots=True)
class VerificationStep:
    """One thing that verification looked at.

    Args:
        id: Stable id of the step.
        title: What was checked.
        means: What it means if it holds.
        outcome: How it ended.
        detail: What was found, or why it was not checked.
    """

    id: str
    title: str
    means: str
    outcome: StepOutcome
    detail: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was verified, as it was read: nothing on the disk is asked again.

    Args:
        digests: SHA-256 of the report, and of the attestation where a pack was verified, by name.
        certificates: The signer's certificate and its issuers up to the root, in PEM.
        signed: When the report was signed, by the signer's clock; an ISO 8601 time with its zone.
    """

    digests: Mapping[str, str]
    certificates: str
    signed: str


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The result of verifying a pack or a report.

    Args:
        target: What was verified.
        steps: Every step in the order in which it was taken.
        identity_established: Whether the signer's chain was traced to a root that the caller trusts.
        not_established: What even a success does not establish.
        demonstration: Whether the signer is a throwaway identity that nobody vouches for.
        verified: What was verified; None where signature and chain could not be read.
    """

    target: str
    steps: tuple[VerificationStep, ...]
    identity_established: bool
    not_established: tuple[str, ...]
    demonstration: bool = False
    verified: Verified | None = None

    @property
    def level(self) -> Level | None:
        """How far the success reaches; None where there is none."""
        if not self.holds:
            return None
        held = {step.id for step in self.steps if step.outcome is StepOutcome.HOLDS}
        if not held >= {"rerun", "rendered"}:
            return Level.INTEGRITY
        return Level.RUN if "replay" in held else Level.FIGURES

    @property
    def undecided(self) -> tuple[VerificationStep, ...]:
        """The steps that were asked for and cannot be taken by this software."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.NOT_POSSIBLE)

    @property
    def failures(self) -> tuple[VerificationStep, ...]:
        """The steps that fail."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.FAILS)

    @property
    def holds(self) -> bool:
        """Whether everything asked for holds; a step is left unchecked for lack of a question only."""
        return bool(self.steps) and not self.failures and not self.undecided

    def require(self) -> None:
        """Passes where everything holds.

        Raises:
            TrustError: Names the first step that fails or was asked for in vain, and why.
        """
        for step in (*self.failures, *self.undecided):
            raise TrustError(f"{self.target}: {step.title}: {step.detail}")
        if not self.steps:
            raise TrustError(f"{self.target}: nothing was checked")

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if self.undecided and not self.failures:
            return (
                f"NOT DECIDED: nothing fails, but {len(self.undecided)} of the steps asked for cannot be taken by this "
                f"software: {', '.join(step.id for step in self.undecided)}"
            )
        if self.level is None:
            count = len(self.failures)
            return f"NOT VERIFIED: {count} step{'s' if count > 1 else ''} of {len(self.steps)} fail"
        end = "; signed with a DEMONSTRATION KEY, for which nobody vouches" if self.demonstration else ""
        if self.identity_established:
            found = "VERIFIED: unaltered, and signed by a signer whose chain leads to the trusted root"
        else:
            found = "INTEGRITY VERIFIED, IDENTITY NOT ESTABLISHED: unaltered since it was signed, but by whom is open"
        return f"{found}{end}. Level reached: {_REACHED[self.level]}"

    def to_json(self) -> Mapping[str, Any]:
        """Returns the report as one JSON object."""
        return {
            "target": self.target,
            "verified": self.holds,
            "identity_established": self.identity_established,
            "level": self.level,
            "demonstration_key": self.demonstration,
            "sentence": self.sentence,
            "steps": [
                {
                    "id": step.id,
                    "title": step.title,
                    "outcome": step.outcome.value,
                    "detail": step.detail,
                    "means": step.means,
                }
                for step in self.steps
            ],
            "not_established": list(self.not_established),
        }

    def lines(self) -> list[str]:
        """Returns the report as lines of text, for a terminal."""
        marks = {
            StepOutcome.HOLDS: "ok  ",
            StepOutcome.FAILS: "FAIL",
            StepOutcome.NOT_CHECKED: "--  ",
            StepOutcome.NOT_POSSIBLE: "??  ",
        }
        lines = [self.target, ""]
        for number, step in enumerate(self.steps, start=1):
            lines.append(f"{marks[step.outcome]} {number:2}. {step.title}")
            lines.append(f"         {step.detail}")
            if step.outcome is StepOutcome.HOLDS:
                lines.append(f"         So {step.means}.")
        lines += ["", self.sentence, "", "Not established by this:"]
        return lines + [f"  - {text}" for text in self.not_established]

"""What verification found: an ordered list of steps, each saying what it means."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from certify.errors import TrustError


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
    Level.FIGURES: "integrity and figures: exact figures, conclusions and pages are reproduced",
    Level.RUN: "integrity, figures and the whole run: all of it is reproduced",
}


NO_REGISTER: Final = "that its issuer did not revoke or replace it since: no register was read (--register)"


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
    """What was verified, as it was read: nothing on the disk is queried again.

    Args:
        digests: SHA-256 of the report, and of the attestation where a pack was verified, by name.
        certificates: The signer's certificate and its issuers up to the root, in PEM.
        signed: When the report was signed, by the signer's clock; an ISO 8601 time with its zone.
        number: Number of the report; empty where its evidence could not be read, or it has none.
        certificate: SHA-256 of the signed certificate; empty where a report was verified alone.
    """

    digests: Mapping[str, str]
    certificates: str
    signed: str
    number: str = ""
    certificate: str = ""


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
        if "replayed-event" in held:
            return Level.RUN
        if not held >= {"rerun", "rendered"}:
            return Level.INTEGRITY
        return Level.RUN if "replay" in held else Level.FIGURES

    @property
    def undecided(self) -> tuple[VerificationStep, ...]:
        """The steps that were requested and could not be taken: by this software, or in time."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.NOT_POSSIBLE)

    @property
    def failures(self) -> tuple[VerificationStep, ...]:
        """The steps that fail."""
        return tuple(step for step in self.steps if step.outcome is StepOutcome.FAILS)

    @property
    def holds(self) -> bool:
        """Whether everything requested holds; a step is left unchecked for lack of a question only."""
        return bool(self.steps) and not self.failures and not self.undecided

    def require(self) -> None:
        """Passes where everything holds.

        Raises:
            TrustError: Names the first step that fails or was requested in vain, and why.
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
                f"NOT DECIDED: no step fails, but {len(self.undecided)} requested steps could not be carried out: "
                f"{', '.join(step.id for step in self.undecided)}"
            )
        if self.level is None:
            noun, verb = ("steps", "fail") if len(self.failures) > 1 else ("step", "fails")
            return f"NOT VERIFIED: {len(self.failures)} {noun} of {len(self.steps)} {verb}"
        end = "; signed with a DEMONSTRATION KEY, for which nobody vouches" if self.demonstration else ""
        found = (
            "VERIFIED: unaltered, and signed by a signer whose chain leads to the trusted root"
            if self.identity_established
            else "INTEGRITY VERIFIED, IDENTITY NOT ESTABLISHED: unaltered since it was signed, but by whom is open"
        )
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
            lines += [f"{marks[step.outcome]} {number:2}. {step.title}", f"         {step.detail}"]
            if step.outcome is StepOutcome.HOLDS:
                lines.append(f"         So {step.means}.")
        lines += ["", self.sentence, "", "Not established by this:"]
        return lines + [f"  - {text}" for text in self.not_established]

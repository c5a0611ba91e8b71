"""What verification found: an ordered list of steps, each saying what it means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from certify.errors import TrustError


class Outcome(StrEnum):
    """How a step of verification ended."""

    HOLDS = "holds"
    FAILS = "fails"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Step:
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
    outcome: Outcome
    detail: str


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """The result of verifying a pack or a report.

    Args:
        target: What was verified.
        steps: Every step in the order in which it was taken.
        identity_established: Whether the signer's chain was traced to a root that the caller trusts.
        not_established: What even a success does not establish.
    """

    target: str
    steps: tuple[Step, ...]
    identity_established: bool
    not_established: tuple[str, ...]

    @property
    def failures(self) -> tuple[Step, ...]:
        """The steps that fail."""
        return tuple(step for step in self.steps if step.outcome is Outcome.FAILS)

    @property
    def holds(self) -> bool:
        """Whether everything asked for holds; a step is left unchecked for lack of a question only."""
        return bool(self.steps) and not self.failures

    def require(self) -> None:
        """Passes where everything holds.

        Raises:
            TrustError: Names the first step that fails, and why.
        """
        if self.failures:
            raise TrustError(f"{self.target}: {self.failures[0].title}: {self.failures[0].detail}")
        if not self.steps:
            raise TrustError(f"{self.target}: nothing was checked")

    @property
    def sentence(self) -> str:
        """The result in one sentence."""
        if not self.holds:
            count = len(self.failures)
            return f"NOT VERIFIED: {count} step{'s' if count > 1 else ''} of {len(self.steps)} fail"
        if self.identity_established:
            return "VERIFIED: unaltered, and signed by a signer whose chain leads to the trusted root"
        return (
            "INTEGRITY VERIFIED, IDENTITY NOT ESTABLISHED: unaltered since it was signed, but by whom is open"
        )

    def to_json(self) -> Mapping[str, Any]:
        """Returns the report as one JSON object."""
        return {
            "target": self.target,
            "verified": self.holds,
            "identity_established": self.identity_established,
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
        marks = {Outcome.HOLDS: "ok  ", Outcome.FAILS: "FAIL", Outcome.NOT_CHECKED: "--  "}
        lines = [self.target, ""]
        for number, step in enumerate(self.steps, start=1):
            lines.append(f"{marks[step.outcome]} {number:2}. {step.title}")
            lines.append(f"         {step.detail}")
            if step.outcome is Outcome.HOLDS:
                lines.append(f"         So {step.means}.")
        lines += ["", self.sentence, "", "Not established by this:"]
        return lines + [f"  - {text}" for text in self.not_established]

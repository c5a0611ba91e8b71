"""Observations of checks and the findings that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Verdict(StrEnum):
    """The four ways a check can end; what could not be decided is never a pass."""

    SATISFIED = "satisfied"
    NOT_SATISFIED = "not satisfied"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"


class Severity(IntEnum):
    """How much a finding matters, lowest first."""

    NOTE = 0
    MINOR = 1
    MAJOR = 2
    CRITICAL = 3


@dataclass(frozen=True, slots=True)
class Observation:
    """What one check saw.

    Args:
        check: Id of the check.
        title: What was checked, one sentence.
        verdict: How it ended.
        expected: What was expected, with its numbers.
        observed: What was seen, with its numbers.
        reason: Why it is inconclusive or not applicable.
        evidence: Pointers into the evidence (JSON pointers or file names).
        subject: What it is about (a wager, a term, a test); empty for the whole game.
    """

    check: str
    title: str
    verdict: Verdict
    expected: str
    observed: str
    reason: str = ""
    evidence: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader of the report must know.

    Args:
        id: Stable id of the finding, such as ``F-03``.
        severity: How much it matters.
        title: One sentence.
        detail: What was found, with its numbers.
        clauses: Ids of the clauses it touches.
        reproduce: Command that shows it again.
        status: ``open``, ``condition`` (what somebody else must still confirm), ``fixed`` or ``information``.
    """

    id: str
    severity: Severity
    title: str
    detail: str
    clauses: tuple[str, ...] = ()
    reproduce: str = ""
    status: str = "open"


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """A finding before it has a number.

    Args:
        severity: How much it matters.
        title: The finding in one sentence.
        detail: The finding with its numbers.
        clauses: Ids of the clauses that it touches.
        reproduce: Command that shows it again, ``{game}`` standing for the submitted file.
        status: ``open`` or ``information``.
        check: Id of the check whose failure it tells with more than the check knows; empty where there is none.
    """

    severity: Severity
    title: str
    detail: str
    clauses: tuple[str, ...] = ()
    reproduce: str = ""
    status: str = "open"
    check: str = ""

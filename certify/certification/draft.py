"""A finding before it has a number."""

from __future__ import annotations

from dataclasses import dataclass

from certify.model.finding import Severity


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding before it has a number.

    Args:
        severity: How much it matters.
        title: The finding in one sentence.
        detail: The finding with its numbers.
        clauses: Ids of the clauses that it touches.
        reproduce: Command that shows it again, ``{game}`` standing for the submitted file.
        status: ``open`` or ``information``.
    """

    severity: Severity
    title: str
    detail: str
    clauses: tuple[str, ...] = ()
    reproduce: str = ""
    status: str = "open"

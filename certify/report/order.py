"""The order of reading: canonical JSON sorts its keys, a reader wants wagers and strategies as they matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from certify.evidence.analysis import StatedAnalysis
from certify.evidence.document import Evidence, by_strategy, listed_first
from certify.evidence.submitted import StatedRow
from certify.messages import tell, translated
from certify.model.finding import Finding
from certify.model.strategy import MAIN
from certify.report.words import clause_number

Held = TypeVar("Held")


def strategies(evidence: Evidence) -> tuple[tuple[str, StatedAnalysis], ...]:
    """Returns the analyses by strategy, the one that is best for the first wager at the head."""
    return by_strategy(evidence.analysis)


def by_row(paytable: tuple[StatedRow, ...], held: Mapping[str, Held]) -> tuple[tuple[str, Held], ...]:
    """Returns what is held by row of a paytable, in the order of the paytable."""
    return listed_first(held, (row.id for row in paytable))


def clause_names(evidence: Evidence) -> dict[str, str]:
    """Returns what the clauses are called by their id: the standard, and their number in it."""
    return {clause.id: f"{clause.standard} {clause_number(clause.number)}" for clause in evidence.clauses}


def file_of(evidence: Evidence, name: str) -> str:
    """Returns the name of a data file that belongs to the report; nothing where it does not."""
    return name if any(file.name == name for file in evidence.files) else ""


def wager_titles(evidence: Evidence) -> dict[str, str]:
    """Returns the names of the wagers by their id."""
    return {wager.id: translated(wager.title) for wager in evidence.wagers}


def findings_in_order(evidence: Evidence) -> tuple[Finding, ...]:
    """Returns the findings, the gravest first; those of one severity as they stand in the evidence."""
    return tuple(sorted(evidence.findings, key=lambda finding: -finding.severity))


def unit_of(evidence: Evidence) -> str:
    """Returns what a return is counted in: the one wager by its name, where there is one, otherwise the stake."""
    wagers = [wager.id for wager in evidence.wagers]
    named = len(wagers) == 1 and wagers[0] != MAIN
    return translated(wagers[0].replace("-", " ")) if named else tell("unit.stake")


def plural(unit: str) -> str:
    """Returns what a return is counted in, where there are several of it.

    >>> plural("stake"), plural("ante")
    ('stakes', 'antes')
    """
    return tell("unit.stakes") if unit == tell("unit.stake") else tell("unit.several", unit=unit)

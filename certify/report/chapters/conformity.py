"""The statement of conformity and every check behind it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import fraction, percent
from certify.report.layout import Cell, Table, Verdict, columns, judged, mono, note, verdict
from certify.report.node import Node

_ORDER = ("not satisfied", "inconclusive", "satisfied", "not applicable")
_ROWS = 60


@dataclass(frozen=True, slots=True)
class Conformity:
    """The statement, the rule it was decided by, and the checks.

    Args:
        sentence: The statement.
        verdict: The same as a verdict.
        decision_rule: How every check was decided.
        confidence: The confidence level, such as ``99 %``.
        open_checks: Checks that are not satisfied or undecided, in full.
        checks: All checks, in tables of bounded length.
        plan: What was planned before anything was looked at.
    """

    sentence: str
    verdict: Verdict
    decision_rule: str
    confidence: str
    alpha: str
    open_checks: Table | None
    checks: tuple[Table, ...]
    planned: int


def conformity(evidence: Node) -> Conformity:
    """Returns the chapter."""
    run, statement = evidence.at("run"), evidence.at("report").at("statement")
    alpha = fraction(run.text("alpha"))
    observations = evidence.each("observations")
    undecided = [entry for entry in observations if entry.text("verdict") in _ORDER[:2]]
    rows = tuple(_row(entry) for entry in observations)
    tables = tuple(
        Table("Checks, one by one" + (" (continued)" if start else ""), _HEAD, rows[start : start + _ROWS])
        for start in range(0, len(rows), _ROWS)
    )
    return Conformity(
        sentence=statement.text("sentence"),
        verdict=verdict(statement.text("verdict")),
        decision_rule=run.text("decision_rule"),
        confidence=percent(1 - alpha, 0 if (100 * alpha).denominator == 1 else 2),
        alpha=str(alpha),
        open_checks=_open(undecided),
        checks=tables,
        planned=len(run.each("plan")),
    )


_HEAD = columns("Check:22", "Expected:29", "Observed:32", "Verdict:17")


def _row(entry: Node) -> tuple[Cell, ...]:
    observed = entry.text("observed", "")
    reason = entry.text("reason", "")
    subject = entry.text("subject", "")
    title = entry.text("title") + (f" ({subject})" if subject else "")
    seen = "; ".join(part for part in (observed, reason) if part) or "–"
    return (
        Cell(title, detail=entry.text("check")),
        note(entry.text("expected", "") or "–"),
        note(seen),
        judged(entry.text("verdict")),
    )


def _open(entries: list[Node]) -> Table | None:
    rows = tuple(
        (
            mono(entry.text("check")),
            Cell(entry.text("title")),
            note(entry.text("reason", "") or entry.text("observed", "")),
            judged(entry.text("verdict")),
        )
        for entry in entries
    )
    return (
        Table("Checks that are not satisfied", columns("Id", "Check", "Why", "Verdict:17"), rows)
        if rows
        else None
    )

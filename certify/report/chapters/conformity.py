"""The statement of conformity and every check behind it."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.formats import fraction, percent
from certify.report.layout import Cell, Table, Verdict, columns, judged, mono, note, verdict
from certify.report.node import Node

_ORDER = ("not satisfied", "inconclusive", "satisfied", "not applicable")
_ROWS = 90


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
    rows = _rows(observations)
    tables = tuple(
        Table(
            "Checks, one by one" + (" (continued)" if start else ""),
            _HEAD,
            rows[start : start + _ROWS],
            sortable=False,
        )
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


_HEAD = columns("Check:35", "Expected:24", "Observed:26", "Verdict:15")


def _rows(observations: tuple[Node, ...]) -> tuple[tuple[Cell, ...], ...]:
    """Returns one row per observation; the title of a check stands once, before its subjects."""
    rows = []
    previous = ""
    for entry in observations:
        check, subject = entry.text("check"), entry.text("subject", "")
        if check == previous and subject:
            name = Cell(subject, "subject")
        else:
            name = Cell(
                entry.text("title"), "strong", detail=" · ".join(part for part in (check, subject) if part)
            )
        previous = check
        seen = "; ".join(part for part in (entry.text("observed", ""), entry.text("reason", "")) if part)
        rows.append(
            (name, note(entry.text("expected", "") or "–"), note(seen or "–"), judged(entry.text("verdict")))
        )
    return tuple(rows)


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

"""The clause matrix: one table per standard, with how sure we are of each reference."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import RenderError
from certify.report.layout import Cell, Table, columns, judged, mono, note
from certify.report.node import Node

_CERTAINTY = {"V": "read in the standard", "P": "read in part", "S": "secondary reference"}


@dataclass(frozen=True, slots=True)
class Clauses:
    """One table per standard."""

    tables: tuple[Table, ...]


def clauses(evidence: Node) -> Clauses | None:
    """Returns the chapter, or nothing where no clause was selected.

    Raises:
        RenderError: A clause is printed as satisfied whose number nobody read in the standard, or an
            unverified clause is to be printed at all.
    """
    standards: dict[str, list[Node]] = {}
    for clause in evidence.each("clauses"):
        name = f"{clause.text('standard')} {clause.text('edition', '')}".strip()
        standards.setdefault(name, []).append(clause)
    tables = tuple(
        Table(name, _HEAD, tuple(_row(clause) for clause in chosen), dense=True)
        for name, chosen in standards.items()
    )
    return Clauses(tables) if tables else None


_HEAD = columns("Clause:11", "Requirement, paraphrased:37", "How it was answered:35", "Status:17")


def _row(clause: Node) -> tuple[Cell, ...]:
    certainty, status = clause.text("certainty"), clause.text("status")
    number = clause.text("number")
    if certainty not in _CERTAINTY:
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: an unverified clause may not be printed"
        )
    if status == "satisfied" and certainty != "V":
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: only clauses read verbatim may be satisfied"
        )
    checks = ", ".join(check.plain() for check in clause.each("checks"))
    parts = [clause.text("method", ""), f"checks {checks}" if checks else "", clause.text("note", "")]
    if certainty != "V":
        parts.append(_CERTAINTY[certainty])
    answer = "; ".join(part for part in parts if part)
    return mono(number), Cell(clause.text("paraphrase")), note(answer), judged(status)

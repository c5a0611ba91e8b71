"""Scope: rules with their provenance, readings adopted, what stays open, what falls to the operator."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.layout import Cell, Table, columns, mono, note
from certify.report.node import Node

_PROVENANCES = (
    ("printed", "Printed: read in the source."),
    ("adopted", "Adopted: a reading, see the scope."),
    (
        "recovered",
        "Recovered: inferred from a printed return; a value marked not unique is one of several that fit.",
    ),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a silent or contradictory passage was read."""

    id: str
    question: str
    adopted: str
    because: str
    alternatives: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the report rests on and what it leaves open."""

    readings: tuple[Reading, ...]
    not_established: tuple[str, ...]
    obligations: Table | None


def scope(evidence: Node) -> Scope:
    """Returns the chapter."""
    readings = tuple(
        Reading(
            entry.text("id"),
            entry.text("question"),
            entry.text("adopted"),
            entry.text("because", ""),
            tuple(other.plain() for other in entry.each("alternatives")),
        )
        for entry in evidence.each("readings")
    )
    open_points = tuple(entry.sentence("text") for entry in evidence.each("not_established"))
    rows = tuple(
        (mono(entry.text("clause")), Cell(entry.text("text"))) for entry in evidence.each("obligations")
    )
    table = (
        Table(
            "Obligations passed to the operator",
            columns("Clause:27", "What the operator must do"),
            rows,
            dense=True,
        )
        if rows
        else None
    )
    return Scope(readings, open_points, table)


def origin(node: Node) -> Cell:
    """Returns where a value comes from, with the warning that a recovered value need not be the only one."""
    provenance = node.text("provenance", "printed")
    by = node.text("by", "")
    text = f"{provenance}: {by}" if by else provenance
    if provenance == "recovered":
        text += " · unique" if node.flag("unique") else " · not unique"
    return note(text)


def rules(evidence: Node) -> Table | None:
    """Tabulates the rules of play with their provenance."""
    rows = tuple(
        (Cell(rule.text("title")), Cell(rule.text("value")), origin(rule)) for rule in evidence.each("rules")
    )
    kinds = {rule.text("provenance", "printed") for rule in evidence.each("rules")}
    remark = " ".join(words for kind, words in _PROVENANCES if kind in kinds)
    return (
        Table("Rules of play", columns("Rule:38", "Value:24", "Provenance"), rows, remark) if rows else None
    )

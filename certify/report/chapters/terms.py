"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.chapters.recovery import described
from certify.report.layout import Cell, Fact, Table, columns, judged, note
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Terms:
    """What the terms promise and what the round did."""

    facts: tuple[Fact, ...]
    printed: tuple[Fact, ...]
    situations: Table | None


def terms(evidence: Node) -> Terms | None:
    """Returns the chapter, or nothing where no terms were submitted."""
    node = evidence.at("terms")
    if not node and not evidence.at("rounds"):
        return None
    facts = tuple(
        Fact(_label(name), Cell(described(value)))
        for name, value in node.items()
        if name != "printed" and value.value is not None
    )
    printed = tuple(
        Fact(_label(name), Cell(f"“{text.plain()}”")) for name, text in node.at("printed").items() if text
    )
    rows = tuple(
        (
            Cell(situation.text("situation")),
            note(situation.text("expected")),
            note(situation.text("observed")),
            judged(situation.text("verdict")),
        )
        for situation in evidence.at("rounds").each("situations")
    )
    head = columns("Situation:28", "Expected:27", "Observed:28", "Verdict:17")
    return Terms(facts, printed, Table("Situations exercised", head, rows) if rows else None)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()

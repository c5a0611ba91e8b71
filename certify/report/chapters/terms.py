"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.chapters.recovery import described
from certify.report.formats import prose
from certify.report.layout import Cell, Table, columns, judged, note
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Terms:
    """What the terms promise and what the round did."""

    promises: Table | None
    situations: Table | None


def terms(evidence: Node) -> Terms | None:
    """Returns the chapter, or nothing where no terms were submitted."""
    node = evidence.at("terms")
    if not node and not evidence.at("rounds"):
        return None
    printed = {name: f"“{text.plain()}”" for name, text in node.at("printed").items() if text}
    adopted = {
        name: described(value)
        for name, value in node.items()
        if name != "printed" and value.value is not None
    }
    promises = tuple(
        (Cell(_label(name)), Cell(adopted.get(name, "–")), Cell(printed.get(name, "–")))
        for name in dict.fromkeys((*adopted, *printed))
    )
    rows = tuple(
        (
            Cell(situation.text("situation")),
            note(prose(situation.text("expected"))),
            note(prose(situation.text("observed"))),
            judged(situation.text("verdict")),
        )
        for situation in evidence.at("rounds").each("situations")
    )
    head = columns("Situation:28", "Expected:27", "Observed:28", "Verdict:17")
    table = Table("Situations exercised", head, rows, dense=True) if rows else None
    terms_head = columns("Term:28", "Taken as:14", "As printed")
    return Terms(Table("Terms of a round", terms_head, promises) if promises else None, table)


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()

"""Terms of the game: malfunction, voiding after 90 days, interruption, exercised one by one."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell, translated
from certify.report.chapters.recovery import described
from certify.report.formats import prose
from certify.report.layout import Cell, Table, columns, judged, note
from certify.report.node import Node


@dataclass(frozen=True, slots=True)
class Terms:
    """What the terms promise and what the round did."""

    promises: Table | None
    policy: Table | None
    situations: Table | None
    recalled: Table | None


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
        (
            Cell(_label(name)),
            Cell(adopted.get(name, "–")),
            *((Cell(printed.get(name, "–")),) if printed else ()),
        )
        for name in dict.fromkeys((*adopted, *printed))
    )
    rows = tuple(
        (
            Cell(situation.sentence("situation")),
            note(prose(situation.sentence("expected"))),
            note(prose(situation.sentence("observed"))),
            judged(situation.text("verdict"), f"situation/{situation.text('id')}"),
        )
        for situation in evidence.at("rounds").each("situations")
    )
    head = columns("situation:24", "expected:26", "observed:34", "verdict:16")
    table = Table(tell("terms.situations-exercised"), head, rows, dense=True) if rows else None
    terms_head = columns(
        "term:28", "taken-as:14" if printed else "taken-as", *(("as-printed",) if printed else ())
    )
    return Terms(
        Table(tell("terms.terms-of-a-round"), terms_head, promises, dense=True) if promises else None,
        _policy(evidence.at("rounds").at("policy")),
        table,
        _recalled(evidence.at("rounds").each("recalled")),
    )


def _policy(policy: Node) -> Table | None:
    """Tabulates the choices that the terms leave open, as the jurisdictions make them, in two groups."""
    pairs = [(_label(name), value.said()) for name, value in policy.items()]
    head = columns("choice:28", "made:22", "choice:28", "made:22")
    return (
        Table(tell("terms.choices-under-which-the-rounds"), head, _paired(pairs), dense=True)
        if pairs
        else None
    )


def _recalled(records: tuple[Node, ...]) -> Table | None:
    """Tabulates one recorded round as recall shows it, in two groups."""
    if not records:
        return None
    pairs = [(_label(name), prose(value.said())) for name, value in records[0].items()]
    head = columns("field:15", "content:35", "field:15", "content:35")
    remark = tell("terms.the-first-of-records-that", records=len(records))
    caption = tell("terms.a-recorded-round-as-recall")
    return Table(caption, head, _paired(pairs), remark, sortable=False, dense=True)


def _paired(pairs: list[tuple[str, str]]) -> tuple[tuple[Cell, ...], ...]:
    """Returns names and values in two groups side by side."""
    half = -(-len(pairs) // 2)
    cells = [(Cell(name), note(value)) for name, value in pairs] + [(Cell(""), Cell(""))] * (len(pairs) % 2)
    return tuple((*cells[place], *cells[half + place]) for place in range(half))


def _label(name: str) -> str:
    return translated(name.replace("_", " ").capitalize())

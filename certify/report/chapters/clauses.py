"""The clause matrix: one table per standard, with how sure we are of each reference."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import RenderError
from certify.messages import said_of, statements, tell, translated
from certify.report.formats import fraction, grouped, percent, prose, sentence
from certify.report.layout import PageCell, PageTable, columns, digest, judged, mono, note
from certify.report.node import Node
from certify.report.words import clause_number

_EVERY, _NONE = "every game", "not applicable"
_CERTAINTIES = ("V", "P", "S")


@dataclass(frozen=True, slots=True)
class Clauses:
    """Under which jurisdictions the clauses were chosen, from which catalogues, and one table per standard."""

    jurisdictions: PageTable | None
    catalogues: PageTable | None
    tables: tuple[PageTable, ...]


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
    named: dict[str, list[str]] = {}
    for finding in evidence.each("findings"):
        for one in finding.each("clauses"):
            named.setdefault(one.plain(), []).append(finding.text("id"))
    head = columns("clause:12", "requirement-and-answer", "status:18")
    tables = tuple(
        PageTable(
            name,
            head,
            tuple(
                _row(clause, named.get(clause.text("id", ""), []))
                for clause in chosen
                if clause.text("status") != _NONE
            ),
            _not_applicable([clause for clause in chosen if clause.text("status") == _NONE]),
            dense=True,
        )
        for name, chosen in standards.items()
    )
    regime = evidence.at("regime")
    return Clauses(_jurisdictions(regime), _catalogues(regime), tables) if tables else None


def _not_applicable(chosen: list[Node]) -> str:
    """Returns the clauses that do not apply to the game, by their reason, in one sentence."""
    by_reason: dict[str, list[str]] = {}
    for clause in chosen:
        by_reason.setdefault(_why_not(clause), []).append(clause_number(clause.text("number")))
    told = (said_of(", ".join(numbers), reason) for reason, numbers in by_reason.items())
    return tell("clauses.not-applicable", clauses=statements(told)) if chosen else ""


def _why_not(clause: Node) -> str:
    """Returns why a clause does not apply: it asks something of other games, or what its note says."""
    applies = clause.text("applies", _EVERY)
    if applies != _EVERY:
        return tell("clauses.asked-of", games=translated(applies))
    return clause.sentence("note", "").rstrip(".")


def _jurisdictions(regime: Node) -> PageTable | None:
    rows = tuple(
        (
            PageCell(entry.sentence("title")),
            note(", ".join(name.plain() for name in entry.each("catalogues"))),
            PageCell(
                "", "note", lines=tuple(_limit(name, limit) for name, limit in entry.at("limits").items())
            ),
            note(entry.sentence("note", "")),
        )
        for entry in regime.each("jurisdictions")
    )
    head = columns("jurisdiction:25", "catalogues:25", "limits-of-its-own:27", "remark")
    return (
        PageTable(tell("clauses.jurisdictions-whose-requirements-were-chosen"), head, rows, dense=True)
        if rows
        else None
    )


def _limit(name: str, limit: Node) -> str:
    """Returns a limit that a jurisdiction sets itself, with its source and how sure it is."""
    exact = fraction(limit.text("value"))
    value = (
        tell("clauses.1-in", denominator=grouped(exact.denominator))
        if exact.numerator == 1
        else percent(exact, 0)
    )
    certainty = limit.text("certainty")
    sure = "" if certainty == "V" else f", {_certainty(certainty)}"
    return f"{translated(name.replace('_', ' '))}: {value} ({limit.text('source')}{sure})"


def _certainty(letter: str) -> str:
    """Returns how sure we are of a reference."""
    return tell(f"certainty.{letter}")


def _catalogues(regime: Node) -> PageTable | None:
    rows = tuple(
        (
            mono(entry.text("id")),
            PageCell(f"{entry.text('name')}, {entry.text('edition')}"),
            digest(entry.text("sha256")),
        )
        for entry in regime.each("catalogues")
    )
    head = columns("catalogue", "standard", "sha-256")
    return PageTable(tell("clauses.catalogues-of-clauses-used"), head, rows, dense=True) if rows else None


def _row(clause: Node, findings: list[str]) -> tuple[PageCell, ...]:
    """Returns a clause with its answer, the findings that are about it, and its status."""
    certainty, status = clause.text("certainty"), clause.text("status")
    number = clause.text("number")
    if certainty not in _CERTAINTIES:
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: an unverified clause may not be printed"
        )
    if status == "satisfied" and certainty != "V":
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: only clauses read verbatim may be satisfied"
        )
    checks = ", ".join(check.plain() for check in clause.each("checks"))
    applies = clause.text("applies", _EVERY)
    parts = [
        translated(clause.text("method", "")).capitalize(),
        tell("clauses.applies-to", games=translated(applies)) if applies != _EVERY else "",
        tell("clauses.checks", checks=checks) if checks else "",
        _certainty(certainty) if certainty != "V" else "",
    ]
    told = sentence(clause.sentence("note", ""))
    answer = ". ".join(part for part in (statements(part for part in parts if part), told) if part)
    shown = tuple(tell(f"item.short.{item.plain()}") for item in clause.each("shown_on"))
    seen = tell("clauses.shown-on", items=shown) if shown else ""
    # What was shown on the reference alone is one finding over all such clauses, which their status says already.
    told_by = tuple(findings) if status != "shown on the reference" else ()
    about = tell("clauses.see-findings", findings=told_by) if told_by else ""
    return (
        mono(clause_number(number)),
        PageCell(
            prose(clause.sentence("paraphrase")),
            detail=". ".join(part for part in (answer.rstrip("."), seen, about) if part),
        ),
        judged(status, f"clause/{clause.text('id', number)}"),
    )

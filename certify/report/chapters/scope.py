"""Scope: rules with their provenance, readings adopted, what stays open, what falls to the operator."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass

from certify.clauses.references import NOT_KNOWN, references
from certify.messages import said_of, tell, translated
from certify.report.formats import grouped
from certify.report.layout import PageCell, PageTable, columns, mono, note, number
from certify.report.node import Node
from certify.report.order import clause_names

_PROVENANCES = ("printed", "adopted", "recovered")


@dataclass(frozen=True, slots=True)
class ReadingView:
    """How a silent or contradictory passage was read."""

    id: str
    question: str
    adopted: str
    because: str
    alternatives: tuple[str, ...]
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What the report rests on and what it leaves open."""

    readings: tuple[ReadingView, ...]
    not_established: tuple[str, ...]
    obligations: PageTable | None
    references: PageTable
    declarations: tuple[str, ...]
    source_review: str
    deviations: tuple[str, ...]
    recommendation: str


def scope(evidence: Node) -> Scope:
    """Returns the chapter."""
    cited = clause_names(evidence)
    readings = tuple(
        ReadingView(
            entry.text("id"),
            entry.sentence("question"),
            entry.sentence("adopted"),
            entry.sentence("because", ""),
            tuple(other.said() for other in entry.each("alternatives")),
            tuple(cited.get(clause.plain(), clause.plain()) for clause in entry.each("clauses")),
        )
        for entry in evidence.each("readings")
    )
    open_points = tuple(entry.sentence("text") for entry in evidence.each("not_established"))
    noted = {clause.text("note", "") for clause in evidence.each("clauses")}
    rows = tuple(
        (mono(entry.text("clause")), PageCell(entry.sentence("text")))
        for entry in evidence.each("obligations")
        if entry.text("text") not in noted
    )
    table = (
        PageTable(
            tell("scope.obligations-passed-to-the-operator"),
            columns("clause:27", "what-the-operator-must-do"),
            rows,
            dense=True,
        )
        if rows
        else None
    )
    engagement = evidence.at("report").at("engagement")
    return Scope(
        readings,
        open_points,
        table,
        _references(evidence),
        tuple(entry.plain() for entry in engagement.each("declarations")),
        engagement.text("source_review", ""),
        tuple(entry.plain() for entry in engagement.each("deviations")),
        engagement.text("recommendation", ""),
    )


def _references(evidence: Node) -> PageTable:
    """Tabulates what the report cites: title, edition and date, and how many clauses of each are answered."""
    told = json.dumps(evidence.value, ensure_ascii=False)
    clauses = Counter(clause.text("standard") for clause in evidence.each("clauses"))
    editions = {clause.text("standard"): clause.text("edition", "") for clause in evidence.each("clauses")}
    cited = [
        one for one in references() if one.short in clauses or not one.catalogue or one.is_cited_in(told)
    ]
    rows = tuple(
        (
            PageCell(one.short, "strong"),
            PageCell(one.title),
            PageCell(translated(editions.get(one.short, "")) or _known(one.edition)),
            PageCell(_known(one.published)),
            number(grouped(clauses[one.short]) if one.short in clauses else "–"),
        )
        for one in sorted(cited, key=lambda one: (one.short not in clauses, not one.catalogue))
    )
    head = columns("standard:18", "title:42", "edition:17", "date:12", "#clauses-cited:11")
    return PageTable(tell("scope.normative-references"), head, rows, tell("scope.what-is-cited"), dense=True)


def _known(text: str) -> str:
    return tell("scope.not-known") if text == NOT_KNOWN else text


def origin(node: Node) -> PageCell:
    """Returns where a value comes from, with the warning that a recovered value need not be the only one."""
    provenance = node.text("provenance", "printed")
    by = node.sentence("by", "")
    word = tell(f"provenance.{provenance}")
    text = said_of(word, by) if by else word
    if provenance == "recovered":
        text += f" · {tell('scope.unique') if node.flag('unique') else tell('scope.not-unique')}"
    return note(text)


def rules(evidence: Node) -> PageTable | None:
    """Tabulates the rules of play with their provenance."""
    rows = tuple(
        (PageCell(rule.sentence("title")), PageCell(rule.sentence("value")), origin(rule))
        for rule in evidence.each("rules")
    )
    kinds = {rule.text("provenance", "printed") for rule in evidence.each("rules")}
    remark = " ".join(tell(f"provenance.{kind}-is") for kind in _PROVENANCES if kind in kinds)
    return (
        PageTable(tell("scope.rules-of-play"), columns("rule:38", "value:24", "provenance"), rows, remark)
        if rows
        else None
    )

"""Findings, data files, reproduction, authorisation and the history of the report."""

from __future__ import annotations

from dataclasses import dataclass

from certify.messages import tell, terms_of
from certify.report.chapters.front import action_of, stated
from certify.report.chapters.front import issuer as issuer_name
from certify.report.formats import day, grouped, prose
from certify.report.layout import Fact, PageCell, PageTable, VerdictMark, columns, note, number, severity
from certify.report.node import Node
from certify.report.order import clause_names, findings_in_order


@dataclass(frozen=True, slots=True)
class FindingView:
    """One finding in full."""

    id: str
    severity: VerdictMark
    title: str
    detail: str
    clauses: tuple[str, ...]
    reproduce: str
    status: str
    action: str
    check: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to get the same numbers again."""

    command: str
    seed: str
    profile: str


@dataclass(frozen=True, slots=True)
class Authorisation:
    """Who stands for the report."""

    facts: tuple[Fact, ...]


def findings(evidence: Node) -> tuple[FindingView, ...]:
    """Returns the register of findings, the gravest first."""
    cited = clause_names(evidence)
    return tuple(
        FindingView(
            entry.text("id"),
            severity(entry.text("severity")),
            prose(entry.sentence("title")),
            prose(entry.sentence("detail", "")),
            tuple(cited.get(clause.plain(), clause.plain()) for clause in entry.each("clauses")),
            entry.text("reproduce", ""),
            tell(f"finding.status.{entry.text('status', 'open')}"),
            action_of(entry),
            entry.text("check", ""),
        )
        for entry in findings_in_order(evidence)
    )


def files(evidence: Node) -> PageTable | None:
    """Tabulates the data files that belong to the report."""
    rows = tuple(
        (
            PageCell(file.text("name"), "mono", detail=file.text("sha256")),
            note(file.sentence("description", "")),
            number(grouped(file.integer("bytes"))),
        )
        for file in evidence.each("files")
    )
    head = columns("file-and-its-sha-256:56", "what-it-holds:33", "#bytes:11")
    return PageTable(tell("closing.data-files-bound-by-this"), head, rows, dense=True) if rows else None


def reproduction(evidence: Node) -> Reproduction:
    """Returns the command and the seed."""
    run = evidence.at("run")
    return Reproduction(run.text("command"), run.text("seed"), evidence.at("report").text("profile"))


def glossary() -> PageTable:
    """Tabulates the terms of the report and of the family of the game, by the alphabet of the language."""
    terms = sorted(terms_of("glossary"), key=lambda term: term[0].casefold())
    rows = tuple((PageCell(name, "strong"), note(meaning)) for name, meaning in terms)
    return PageTable(tell("glossary.terms"), columns("term:28", "meaning"), rows, dense=True)


def authorisation(evidence: Node) -> Authorisation:
    """Returns the facts beside the signature."""
    report = evidence.at("report")
    issuer, engagement = report.at("issuer"), report.at("engagement")
    return Authorisation(
        (
            Fact(tell("fact.issuer"), PageCell(issuer_name(report))),
            Fact(tell("fact.tested-by"), PageCell(stated(engagement.text("tested_by", "")))),
            Fact(tell("fact.reviewed-by"), PageCell(stated(engagement.text("reviewed_by", "")))),
            Fact(tell("fact.authorised-by"), PageCell(stated(report.text("authorised_by", "")))),
            Fact(tell("fact.signature-of"), PageCell(tell("closing.to-be-signed"))),
            Fact(
                tell("fact.accreditation"),
                PageCell(engagement.text("accreditation", "") or tell("closing.no-accreditation")),
            ),
            Fact(tell("fact.address"), PageCell(stated(issuer.text("address", "")))),
            Fact(tell("fact.date-of-issue"), PageCell(day(report.text("issued")))),
            Fact(tell("fact.form-of-signature"), PageCell(tell("closing.pades-signature"))),
            Fact(tell("fact.later-changes"), PageCell(tell("closing.none-permitted-docmdp-level-1"))),
        )
    )


def revisions(evidence: Node) -> PageTable:
    """Tabulates the revisions of this report; the first one stands alone."""
    report = evidence.at("report")
    entries = report.each("revisions")
    rows = tuple(
        (
            number(entry.text("revision")),
            PageCell(day(entry.text("issued"))),
            PageCell(entry.sentence("change")),
        )
        for entry in entries
    )
    if not rows:
        change = (
            tell("closing.first-issue")
            if report.text("revision") == "1"
            else tell("closing.replaces-the-earlier-revisions-of")
        )
        rows = ((number(report.text("revision")), PageCell(day(report.text("issued"))), PageCell(change)),)
    return PageTable(tell("closing.revision-history"), columns("#revision:14", "issued:26", "change"), rows)

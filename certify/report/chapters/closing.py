"""Findings, data files, reproduction, authorisation and the history of the report."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.document import Evidence
from certify.evidence.report import NOTHING_STATED
from certify.messages import tell, terms_of, translated
from certify.report.chapters.front import action_of, stated
from certify.report.chapters.front import issuer as issuer_name
from certify.report.formats import day, grouped, prose
from certify.report.layout import (
    Fact,
    PageCell,
    PageTable,
    VerdictMark,
    columns,
    fact,
    note,
    number,
    severity,
    tabled,
)
from certify.report.order import clause_names, findings_in_order
from certify.report.words import said


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


def findings(evidence: Evidence) -> tuple[FindingView, ...]:
    """Returns the register of findings, the gravest first."""
    cited = clause_names(evidence)
    return tuple(
        FindingView(
            entry.id,
            severity(entry.severity),
            prose(said(entry, "title")),
            prose(said(entry, "detail")),
            tuple(cited.get(clause, clause) for clause in entry.clauses),
            entry.reproduce,
            tell(f"finding.status.{entry.status}"),
            action_of(entry),
            entry.check,
        )
        for entry in findings_in_order(evidence)
    )


def files(evidence: Evidence) -> PageTable | None:
    """Tabulates the data files that belong to the report."""
    rows = tuple(
        (
            PageCell(file.name, "mono", detail=file.sha256),
            note(translated(file.description)),
            number(grouped(file.bytes_)),
        )
        for file in evidence.files
    )
    head = columns("file-and-its-sha-256:56", "what-it-holds:33", "#bytes:11")
    return tabled(tell("closing.data-files-bound-by-this"), head, rows, dense=True)


def reproduction(evidence: Evidence) -> Reproduction:
    """Returns the command and the seed."""
    run = evidence.run
    return Reproduction(run.command, run.seed, evidence.report.profile)


def glossary() -> PageTable:
    """Tabulates the terms of the report and of the family of the game, by the alphabet of the language."""
    terms = sorted(terms_of("glossary"), key=lambda term: term[0].casefold())
    rows = tuple((PageCell(name, "strong"), note(meaning)) for name, meaning in terms)
    return PageTable(tell("glossary.terms"), columns("term:28", "meaning"), rows, dense=True)


def authorisation(evidence: Evidence) -> Authorisation:
    """Returns the facts beside the signature."""
    report = evidence.report
    issuer, engagement = report.issuer, report.engagement or NOTHING_STATED
    return Authorisation(
        (
            fact("fact.issuer", issuer_name(report)),
            fact("fact.tested-by", stated(engagement.tested_by)),
            fact("fact.reviewed-by", stated(engagement.reviewed_by)),
            fact("fact.authorised-by", stated(report.authorised_by or "")),
            fact("fact.signature-of", tell("closing.to-be-signed")),
            fact("fact.accreditation", engagement.accreditation or tell("closing.no-accreditation")),
            fact("fact.address", stated(issuer.address)),
            fact("fact.date-of-issue", day(report.issued)),
            fact("fact.form-of-signature", tell("closing.pades-signature")),
            fact("fact.later-changes", tell("closing.none-permitted-docmdp-level-1")),
        )
    )


def revisions(evidence: Evidence) -> PageTable:
    """Tabulates this revision of the report, and whether it replaces earlier ones."""
    report = evidence.report
    first = report.revision == 1
    change = tell("closing.first-issue" if first else "closing.replaces-the-earlier-revisions-of")
    row = (number(str(report.revision)), PageCell(day(report.issued)), PageCell(change))
    return PageTable(tell("closing.revision-history"), columns("#revision:14", "issued:26", "change"), (row,))

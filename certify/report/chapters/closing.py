"""Findings, data files, reproduction, authorisation and the history of the report."""

from __future__ import annotations

from dataclasses import dataclass

from certify.evidence.document import Evidence
from certify.evidence.report import NOTHING_STATED
from certify.messages import tell, terms_of
from certify.report.chapters.front import action_of, stated
from certify.report.chapters.front import issuer as issuer_name
from certify.report.formats import day, prose
from certify.report.layout import Fact, PageTable, VerdictMark, fact, listed, severity
from certify.report.words import clause_names, findings_in_order, said


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
    return listed(
        tell("closing.data-files-bound-by-this"),
        "file-and-its-sha-256:56=name+sha256!mono what-it-holds:33=description:translated!note "
        "#bytes:11=bytes_:grouped",
        evidence.files,
        dense=True,
    )


def reproduction(evidence: Evidence) -> Reproduction:
    """Returns the command and the seed."""
    run = evidence.run
    return Reproduction(run.command, run.seed, evidence.report.profile)


def glossary() -> PageTable | None:
    """Tabulates the terms of the report and of the family of the game, by the alphabet of the language."""
    terms = sorted(terms_of("glossary"), key=lambda term: term[0].casefold())
    return listed(tell("glossary.terms"), "term:28!strong meaning!note", terms, dense=True)


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


def revisions(evidence: Evidence) -> PageTable | None:
    """Tabulates this revision of the report, and whether it replaces earlier ones."""
    report = evidence.report
    change = tell(f"closing.{'first-issue' if report.revision == 1 else 'replaces-the-earlier-revisions-of'}")
    row = (report.revision, day(report.issued), change)
    return listed(tell("closing.revision-history"), "#revision:14 issued:26 change", (row,))

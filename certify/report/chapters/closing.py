"""Findings, data files, reproduction, authorisation and the history of the report."""

from __future__ import annotations

from dataclasses import dataclass

from certify.report.chapters.front import issuer as issuer_name
from certify.report.chapters.front import stated
from certify.report.formats import day, grouped, prose
from certify.report.layout import Cell, Fact, Table, Verdict, columns, note, number, severity
from certify.report.node import Node
from certify.report.order import findings_in_order


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding in full."""

    id: str
    severity: Verdict
    title: str
    detail: str
    clauses: tuple[str, ...]
    reproduce: str
    status: str


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


def findings(evidence: Node) -> tuple[Finding, ...]:
    """Returns the register of findings, the gravest first."""
    cited = {
        clause.text("id"): f"{clause.text('standard')} {clause.text('number')}"
        for clause in evidence.each("clauses")
        if clause.has("id")
    }
    return tuple(
        Finding(
            entry.text("id"),
            severity(entry.text("severity")),
            prose(entry.text("title")),
            prose(entry.text("detail", "")),
            tuple(cited.get(clause.plain(), clause.plain()) for clause in entry.each("clauses")),
            entry.text("reproduce", ""),
            entry.text("status", "open"),
        )
        for entry in findings_in_order(evidence)
    )


def files(evidence: Node) -> Table | None:
    """Tabulates the data files that belong to the report."""
    rows = tuple(
        (
            Cell(file.text("name"), "mono", detail=file.text("sha256")),
            note(file.text("description", "")),
            number(grouped(file.integer("bytes"))),
        )
        for file in evidence.each("files")
    )
    head = columns("File, and its SHA-256:56", "What it holds:33", "#Bytes:11")
    return Table("Data files bound by this report", head, rows, dense=True) if rows else None


def reproduction(evidence: Node) -> Reproduction:
    """Returns the command and the seed."""
    run = evidence.at("run")
    return Reproduction(run.text("command"), run.text("seed"), evidence.at("report").text("profile"))


def authorisation(evidence: Node) -> Authorisation:
    """Returns the facts beside the signature."""
    report = evidence.at("report")
    issuer = report.at("issuer")
    return Authorisation(
        (
            Fact("Issuer", Cell(issuer_name(report))),
            Fact("Authorised by", Cell(stated(report.text("authorised_by", "")))),
            Fact("Address", Cell(stated(issuer.text("address", "")))),
            Fact("Date of issue", Cell(day(report.text("issued")))),
            Fact("Form of signature", Cell("PAdES, certification signature")),
            Fact("Later changes", Cell("none permitted (DocMDP level 1)")),
        )
    )


def revisions(evidence: Node) -> Table:
    """Tabulates the revisions of this report; the first one stands alone."""
    report = evidence.at("report")
    entries = report.each("revisions")
    rows = tuple(
        (number(entry.text("revision")), Cell(day(entry.text("issued"))), Cell(entry.text("change")))
        for entry in entries
    )
    if not rows:
        change = (
            "First issue."
            if report.text("revision") == "1"
            else "Replaces the earlier revisions of the same number."
        )
        rows = ((number(report.text("revision")), Cell(day(report.text("issued"))), Cell(change)),)
    return Table("Revision history", columns("#Revision:14", "Issued:26", "Change"), rows)

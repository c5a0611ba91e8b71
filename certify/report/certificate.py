"""The certificate: two pages, made from the evidence of the report and signed as the report is."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from certify.evidence import NOTHING_STATED, Evidence, schedule_digest
from certify.messages import ENGLISH, tell
from certify.report.chapters import front
from certify.report.chapters.closing import authorisation
from certify.report.chapters.configurations import accepted
from certify.report.chapters.scope import items, schedule
from certify.report.formats import day, grouped, instant
from certify.report.layout import PageCell, PageParts, digest, fact, overall_mark
from certify.report.markup import render_markup
from certify.report.pdf import finish, typeset
from certify.report.view import evidence_in
from certify.report.words import said

TEMPLATE: Final = "certificate.html.j2"

MOST: Final = 8
"""Configurations, and files of the product, that the certificate shows: the report and its data have all of them."""


def render_certificate(evidence: Mapping[str, object], *, issued: datetime, language: str = ENGLISH) -> bytes:
    """Renders the certificate as an unsigned PDF with a signature field named ``Issuer``.

    Args:
        evidence: The evidence object, of the present schema.
        issued: Time of issue, aware; it becomes every date in the file.
        language: Language of the report.

    Returns:
        The file's bytes, the same for the same arguments and the same libraries.

    Raises:
        RenderError: The renderer warned, or something that must be printed is missing.
        MissingPartError: A native library is missing; the message names the command that installs it.
    """
    moment = issued.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with evidence_in(language, evidence) as (read, sha256):
        return typeset(render_markup(certificate(read, sha256), "print", moment, TEMPLATE), {}, finish, [])


def certificate(evidence: Evidence, sha256: str) -> PageParts:
    """Returns the view model, in the language in use.

    Args:
        evidence: The evidence.
        sha256: SHA-256 of its canonical form.
    """
    report, item = evidence.report, evidence.item
    engagement, issuer = report.engagement or NOTHING_STATED, front.issuer(report)
    files = evidence.brought.files
    unstated = tell("front.not-stated")
    return PageParts(
        number=report.number,
        game=item.title,
        version=item.version,
        issuer_named=issuer if front.named(report) else tell("report.issuer-unnamed", issuer=issuer),
        classification=said(report, "classification"),
        demonstration=report.demonstration_key,
        verdict=overall_mark(report.statement, report.statement.verdict),
        sentence=said(report.statement, "sentence"),
        facts=(
            fact(
                "fact.report-number",
                tell("front.revision", number=report.number, revision=str(report.revision)),
            ),
            fact("fact.issued", instant(report.issued)),
            fact("fact.client", front.stated(report.client)),
            fact("fact.supplier", item.supplier),
            fact("fact.requirements", front.standards(evidence)),
            fact("fact.generator-report", engagement.generator_report or unstated),
            fact(
                "fact.valid-until",
                day(f"{engagement.valid_until}T00:00:00Z") if engagement.valid_until else unstated,
            ),
            fact("fact.evidence-sha-256", digest(sha256)),
            fact(
                "fact.critical-files",
                PageCell(unstated)
                if files is None
                else PageCell(
                    schedule_digest(files),
                    "hash",
                    detail=tell("certificate.files", files=grouped(len(files))),
                ),
            ),
        ),
        items=items(evidence),
        files=schedule(evidence, MOST),
        configurations=accepted(evidence, MOST),
        conditions=front.conditions(evidence),
        validity=(
            tell("certificate.items"),
            tell("certificate.changes"),
            tell("certificate.report", number=report.number),
            tell("certificate.register"),
        ),
        authorisation=authorisation(evidence),
    )

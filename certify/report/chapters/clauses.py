"""The clause matrix: one table per standard, with how sure we are of each reference."""

from __future__ import annotations

from dataclasses import dataclass

from certify.errors import RenderError
from certify.evidence.conclusions import ClauseStatus
from certify.evidence.document import Evidence
from certify.messages import said_of, statements, tell, translated
from certify.model.clause import Applicability, Certainty, Limit, Status
from certify.report.formats import grouped, percent, prose, sentence
from certify.report.layout import PageCell, PageTable, columns, judged, listed, mono
from certify.report.words import clause_number

_CERTAINTIES = (Certainty.VERBATIM, Certainty.PARTIAL, Certainty.SECONDARY)


@dataclass(frozen=True, slots=True)
class Clauses:
    """Under which jurisdictions the clauses were chosen, from which catalogues, and one table per standard."""

    jurisdictions: PageTable | None
    catalogues: PageTable | None
    tables: tuple[PageTable, ...]


def clauses(evidence: Evidence) -> Clauses | None:
    """Returns the chapter, or nothing where no clause was selected.

    Raises:
        RenderError: A clause is printed as satisfied whose number nobody read in the standard, or an
            unverified clause is to be printed at all.
    """
    standards: dict[str, list[ClauseStatus]] = {}
    for clause in evidence.clauses:
        name = f"{clause.standard} {clause.edition}".strip()
        standards.setdefault(name, []).append(clause)
    named: dict[str, list[str]] = {}
    for finding in evidence.findings:
        for one in finding.clauses:
            named.setdefault(one, []).append(finding.id)
    head = columns("clause:12", "requirement-and-answer", "status:18")
    tables = tuple(
        PageTable(
            name,
            head,
            tuple(
                _row(clause, named.get(clause.id, []))
                for clause in chosen
                if clause.status is not Status.NOT_APPLICABLE
            ),
            _not_applicable([clause for clause in chosen if clause.status is Status.NOT_APPLICABLE]),
            dense=True,
        )
        for name, chosen in standards.items()
    )
    regime = evidence.regime
    return (
        Clauses(
            _jurisdictions(evidence),
            listed(
                tell("clauses.catalogues-of-clauses-used"),
                "catalogue!mono standard sha-256!hash",
                ((one.id, f"{one.name}, {one.edition}", one.sha256) for one in regime.catalogues),
                dense=True,
            ),
            tables,
        )
        if tables
        else None
    )


def _not_applicable(chosen: list[ClauseStatus]) -> str:
    """Returns the clauses that do not apply to the game, by their reason, in one sentence."""
    by_reason: dict[str, list[str]] = {}
    for clause in chosen:
        by_reason.setdefault(_why_not(clause), []).append(clause_number(clause.number))
    told = (said_of(", ".join(numbers), reason) for reason, numbers in by_reason.items())
    return tell("clauses.not-applicable", clauses=statements(told)) if chosen else ""


def _why_not(clause: ClauseStatus) -> str:
    """Returns why a clause does not apply: it asks something of other games, or what its note says."""
    if clause.applies != Applicability.EVERY_GAME:
        return tell("clauses.asked-of", games=translated(clause.applies))
    return translated(clause.note).rstrip(".")


def _jurisdictions(evidence: Evidence) -> PageTable | None:
    own = evidence.report.statement.jurisdictions or {}
    return listed(
        tell("clauses.jurisdictions-whose-requirements-were-chosen"),
        "jurisdiction:18:translated catalogues:20!note limits-of-its-own:24 remark:translated!note verdict:17",
        (
            (
                one.title,
                ", ".join(one.catalogues),
                PageCell("", "note", lines=tuple(_limit(name, limit) for name, limit in one.limits.items())),
                one.note,
                judged(own[one.name], f"jurisdiction/{one.name}") if one.name in own else "",
            )
            for one in evidence.regime.jurisdictions
        ),
        dense=True,
    )


def _limit(name: str, limit: Limit) -> str:
    """Returns a limit that a jurisdiction sets itself, with its source and how sure it is."""
    exact = limit.value
    value = (
        tell("clauses.1-in", denominator=grouped(exact.denominator))
        if exact.numerator == 1
        else percent(exact, 0)
    )
    sure = "" if limit.read else f", {_certainty(limit.certainty)}"
    return f"{translated(name.replace('_', ' '))}: {value} ({limit.source}{sure})"


def _certainty(letter: str) -> str:
    """Returns how sure we are of a reference."""
    return tell(f"certainty.{letter}")


def _row(clause: ClauseStatus, findings: list[str]) -> tuple[PageCell, ...]:
    """Returns a clause with its answer, the findings that are about it, and its status."""
    certainty, status = clause.certainty, clause.status
    number = clause.number
    if certainty not in _CERTAINTIES:
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: an unverified clause may not be printed"
        )
    if status is Status.SATISFIED and certainty != Certainty.VERBATIM:
        raise RenderError(
            f"clause {number} has certainty {certainty!r}: only clauses read verbatim may be satisfied"
        )
    checks = ", ".join(clause.checks)
    applies = clause.applies
    parts = [
        translated(clause.method).capitalize(),
        tell("clauses.applies-to", games=translated(applies)) if applies != Applicability.EVERY_GAME else "",
        tell("clauses.checks", checks=checks) if checks else "",
        _certainty(certainty) if certainty != Certainty.VERBATIM else "",
    ]
    told = sentence(translated(clause.note))
    answer = ". ".join(part for part in (statements(part for part in parts if part), told) if part)
    shown = tuple(tell(f"item.short.{item}") for item in clause.shown_on)
    seen = tell("clauses.shown-on", items=shown) if shown else ""
    # What was shown on the reference alone is one finding over all such clauses, which their status says already.
    told_by = tuple(findings) if status is not Status.REFERENCE else ()
    about = tell("clauses.see-findings", findings=told_by) if told_by else ""
    return (
        mono(clause_number(number)),
        PageCell(
            prose(translated(clause.paraphrase)),
            detail=". ".join(part for part in (answer.rstrip("."), seen, about) if part),
        ),
        judged(status, f"clause/{clause.id}"),
    )

"""The statement of conformity and every check behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from certify.errors import RenderError
from certify.evidence.document import ClauseStatus, Evidence
from certify.messages import said_of, statements, tell, translated
from certify.model import Applicability, Certainty, Limit, Observation, Status, Verdict, answer_of
from certify.report.formats import grouped, percent, prose, sentence
from certify.report.layout import (
    PageCell,
    PageTable,
    VerdictMark,
    columns,
    judged,
    listed,
    mono,
    verdict,
)
from certify.report.words import clause_number, file_of, said, without_samples

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
                _clause_row(clause, named.get(clause.id, []))
                for clause in chosen
                if clause.status is not Status.NOT_APPLICABLE
            ),
            _clauses_left_out([clause for clause in chosen if clause.status is Status.NOT_APPLICABLE]),
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


def _clauses_left_out(chosen: list[ClauseStatus]) -> str:
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
        "jurisdiction:15:translated catalogues:15!note limits-of-its-own!note verdict:33",
        (
            (
                one.title,
                ", ".join(one.catalogues),
                PageCell(
                    "",
                    "note",
                    lines=(
                        *(_limit(name, limit) for name, limit in one.limits.items()),
                        translated(one.note),
                    ),
                ),
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


def _clause_row(clause: ClauseStatus, findings: list[str]) -> tuple[PageCell, ...]:
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
    explained_by = tuple(findings) if status is not Status.REFERENCE else ()
    about = tell("clauses.see-findings", findings=explained_by) if explained_by else ""
    return (
        mono(clause_number(number)),
        PageCell(
            prose(translated(clause.paraphrase)),
            detail=". ".join(part for part in (answer.rstrip("."), seen, about) if part),
        ),
        judged(status, f"clause/{clause.id}"),
    )


_UNDECIDED = (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE)
_SHORT = 130
_LIST = "data/observations.csv"


@dataclass(frozen=True, slots=True)
class Conformity:
    """The statement, the rule it was decided by, and the checks.

    Args:
        sentence: The statement.
        verdict: The same as a verdict.
        decision_rule: How every check was decided.
        checks: All checks, one row each.
        planned: How many checks were planned before anything was looked at.
        results: How many results the checks came to, by verdict.
    """

    sentence: str
    verdict: VerdictMark
    decision_rule: str
    checks: PageTable | None
    planned: int
    results: str


def conformity(evidence: Evidence) -> Conformity:
    """Returns the chapter."""
    run, statement = evidence.run, evidence.report.statement
    return Conformity(
        sentence=said(statement, "sentence"),
        verdict=verdict(statement.verdict),
        decision_rule=said(run, "decision_rule"),
        checks=_checks(evidence),
        planned=len(run.plan),
        results=_results(statement.checks),
    )


def _results(counted: Mapping[str, int]) -> str:
    """Returns how many results the checks came to, by verdict."""
    parts = tuple(
        tell("conformity.result", count=grouped(count), word=verdict(word).label)
        for word, count in counted.items()
        if count
    )
    return tell("conformity.results", parts=parts)


def _own(evidence: Evidence) -> frozenset[str]:
    """Returns the checks that ran although no clause asks for them: the harness's own."""
    asked = {
        check
        for clause in evidence.clauses
        if clause.status is not Status.NOT_APPLICABLE
        for check in clause.checks
    }
    return frozenset(check.check for check in evidence.run.plan) - asked


def _checks(evidence: Evidence) -> PageTable | None:
    """Tabulates the checks, one row each; subjects by name only where they are few or were not satisfied."""
    observations, own = evidence.observations, _own(evidence)
    by_check: dict[str, list[Observation]] = {}
    for entry in observations:
        by_check.setdefault(entry.check, []).append(entry)
    if not by_check:
        return None
    where = f"{_LIST}, " if file_of(evidence, _LIST) else ""
    remark = tell(
        "conformity.results-in-checks-every-one",
        observations=grouped(len(observations)),
        by_check=grouped(len(by_check)),
        without=grouped(sum(_not_applicable(entry) for entry in observations)),
        whole=grouped(sum(all(map(_not_applicable, seen)) for seen in by_check.values())),
        where=where,
    )
    head = columns("check:43", "expected-and-observed", "verdict:17")
    # What is not satisfied comes first, in full.
    ordered = sorted(by_check.items(), key=lambda entry: _answer(entry[1]) not in _UNDECIDED)
    rows = tuple(_row(check, seen, own) for check, seen in ordered)
    return PageTable(tell("conformity.checks"), head, rows, remark, sortable=False, dense=True)


def _row(check: str, seen: list[Observation], own: frozenset[str]) -> tuple[PageCell, ...]:
    named = tell("conformity.own") if check in own else ""
    subjects = [translated(entry.subject) for entry in seen]
    about = subjects[0] if len(seen) == 1 else ""
    return (
        PageCell(
            prose(translated(seen[0].title)),
            "strong",
            detail=" · ".join(part for part in (check, named, prose(about), _looked_at(seen)) if part),
        ),
        PageCell(
            "",
            "note",
            lines=(
                # What was expected of a check that holds is its title.
                *(
                    _told(seen, "conformity.expected", [translated(entry.expected) for entry in seen])
                    if _answer(seen) in _UNDECIDED
                    else ()
                ),
                *_told(seen, "conformity.observed", [_observed(entry) for entry in seen]),
            ),
        ),
        replace(judged(found := _answer(seen), f"check/{check}"), detail=_share(seen, found)),
    )


def _observed(entry: Observation) -> str:
    observed = translated(without_samples(entry.observed))
    return statements(part for part in dict.fromkeys((observed, translated(entry.reason))) if part)


def _not_applicable(entry: Observation) -> bool:
    return entry.verdict is Verdict.NOT_APPLICABLE


def _answer(seen: list[Observation]) -> Verdict:
    return answer_of((entry.item, entry.verdict) for entry in seen)


def _looked_at(seen: list[Observation]) -> str:
    """Returns the items that a check looked at."""
    items = dict.fromkeys(entry.item for entry in seen)
    return tell("conformity.looked-at", items=tuple(tell(f"item.short.{item}") for item in items))


def _share(seen: list[Observation], worst: Verdict) -> str:
    """Returns for how many of several subjects a verdict was reached."""
    reached = sum(entry.verdict == worst for entry in seen)
    return (
        tell("conformity.of-subjects", reached=grouped(reached), seen=grouped(len(seen)))
        if len(seen) > 1
        else ""
    )


def _told(seen: list[Observation], message: str, texts: list[str]) -> tuple[str, ...]:
    """Returns what was expected or observed: once if it is always the same, by subject if that is short.

    Of many subjects one is reported as an example; every one that is not satisfied is reported by its name.
    """
    if len(set(texts)) == 1:
        told = [texts[0] or "–"]
    else:
        told = [
            said_of(subject, text) if (subject := _subject(entry)) else text
            for entry, text in zip(seen, texts, strict=True)
        ]
        if sum(map(len, told)) > _SHORT:
            failed = [text for entry, text in zip(seen, told, strict=True) if entry.verdict in _UNDECIDED]
            applies = (text for entry, text in zip(seen, told, strict=True) if not _not_applicable(entry))
            told = failed or [tell("conformity.for-example", told=next(applies, told[0]))]
    return (tell(message, told=prose(statements(told))),)


def _subject(entry: Observation) -> str:
    """Returns the subject of an observation; empty where it has none."""
    subject = translated(entry.subject)
    if subject == entry.subject:  # A wager and a strategy have no sentence together: each may have a word.
        subject = ", ".join(map(translated, subject.split(", ")))
    return subject

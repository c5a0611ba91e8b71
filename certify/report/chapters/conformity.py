"""The statement of conformity and every check behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from certify.evidence.document import Evidence
from certify.messages import said_of, statements, tell, translated
from certify.model.clause import Status
from certify.model.finding import Observation, Verdict, answer_of
from certify.report.formats import grouped, prose
from certify.report.layout import PageCell, PageTable, VerdictMark, columns, judged, listed, note, verdict
from certify.report.words import file_of, said, without_samples

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
        open_checks: Checks that are not satisfied or undecided, in full.
        checks: All checks, one row each.
        planned: How many checks were planned before anything was looked at.
        results: How many results the checks came to, by verdict.
    """

    sentence: str
    verdict: VerdictMark
    decision_rule: str
    open_checks: PageTable | None
    checks: PageTable | None
    planned: int
    results: str


def conformity(evidence: Evidence) -> Conformity:
    """Returns the chapter."""
    run, statement = evidence.run, evidence.report.statement
    observations = evidence.observations
    return Conformity(
        sentence=said(statement, "sentence"),
        verdict=verdict(statement.verdict),
        decision_rule=said(run, "decision_rule"),
        open_checks=listed(
            tell("conformity.checks-that-are-not-satisfied"),
            "check:44 why verdict:16!judged",
            (
                (
                    PageCell(
                        prose(translated(entry.title)),
                        "strong",
                        detail=entry.check,
                        lines=(prose(translated(entry.subject)),) if entry.subject else (),
                    ),
                    _why(entry),
                    entry.verdict,
                )
                for entry in observations
                if entry.verdict in _UNDECIDED
            ),
            dense=True,
        ),
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
    rows = tuple(_row(check, seen, own) for check, seen in by_check.items())
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
                *_told(seen, "conformity.expected", [translated(entry.expected) for entry in seen]),
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

    Of many subjects one is told as an example; every one that is not satisfied is told by its name.
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


def _why(entry: Observation) -> PageCell:
    """Returns why a check is not satisfied: its reason, or what was expected beside what was observed."""
    if entry.reason:
        return note(prose(translated(entry.reason)))
    told = (("conformity.expected", entry.expected), ("conformity.observed", entry.observed))
    lines = tuple(tell(message, told=prose(translated(text))) for message, text in told)
    return PageCell("", "note", lines=lines)

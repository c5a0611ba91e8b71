"""The statement of conformity and every check behind it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from certify.messages import said_of, statements, tell, translated
from certify.model.finding import answer_of
from certify.report.formats import grouped, prose
from certify.report.layout import PageCell, PageTable, VerdictMark, columns, judged, note, verdict
from certify.report.node import Node
from certify.report.words import without_samples

_ORDER = ("not satisfied", "inconclusive")
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


def conformity(evidence: Node) -> Conformity:
    """Returns the chapter."""
    run, statement = evidence.at("run"), evidence.at("report").at("statement")
    observations = evidence.each("observations")
    undecided = [entry for entry in observations if entry.text("verdict") in _ORDER]
    return Conformity(
        sentence=statement.sentence("sentence"),
        verdict=verdict(statement.text("verdict")),
        decision_rule=run.sentence("decision_rule"),
        open_checks=_open(undecided),
        checks=_checks(observations, evidence.each("files"), _own(evidence)),
        planned=len(run.each("plan")),
        results=_results(statement.at("checks")),
    )


def _results(counted: Node) -> str:
    """Returns how many results the checks came to, by verdict."""
    parts = tuple(
        tell("conformity.result", count=grouped(counted.integer(word)), word=verdict(word).label)
        for word, _ in counted.items()
        if counted.integer(word)
    )
    return tell("conformity.results", parts=parts)


def _own(evidence: Node) -> frozenset[str]:
    """Returns the checks that ran although no clause asks for them: the harness's own."""
    asked = {
        check.plain()
        for clause in evidence.each("clauses")
        if clause.text("status") != "not applicable"
        for check in clause.each("checks")
    }
    return frozenset(check.text("check") for check in evidence.at("run").each("plan")) - asked


def _checks(observations: tuple[Node, ...], files: tuple[Node, ...], own: frozenset[str]) -> PageTable | None:
    """Tabulates the checks, one row each; subjects by name only where they are few or were not satisfied."""
    by_check: dict[str, list[Node]] = {}
    for entry in observations:
        by_check.setdefault(entry.text("check"), []).append(entry)
    if not by_check:
        return None
    listed = any(file.text("name") == _LIST for file in files)
    where = f"{_LIST}, " if listed else ""
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


def _row(check: str, seen: list[Node], own: frozenset[str]) -> tuple[PageCell, ...]:
    named = tell("conformity.own") if check in own else ""
    subjects = [entry.sentence("subject", "") for entry in seen]
    about = subjects[0] if len(seen) == 1 else ""
    return (
        PageCell(
            prose(seen[0].sentence("title")),
            "strong",
            detail=" · ".join(part for part in (check, named, prose(about), _looked_at(seen)) if part),
        ),
        PageCell(
            "",
            "note",
            lines=(
                *_told(seen, "conformity.expected", [entry.sentence("expected", "") for entry in seen]),
                *_told(seen, "conformity.observed", [_observed(entry) for entry in seen]),
            ),
        ),
        replace(judged(found := _answer(seen), f"check/{check}"), detail=_share(seen, found)),
    )


def _observed(entry: Node) -> str:
    observed = translated(without_samples(entry.text("observed", "")))
    return statements(part for part in dict.fromkeys((observed, entry.sentence("reason", ""))) if part)


def _not_applicable(entry: Node) -> bool:
    return entry.text("verdict") == "not applicable"


def _answer(seen: list[Node]) -> str:
    return answer_of((entry.text("item"), verdict(entry.text("verdict")).word) for entry in seen)


def _looked_at(seen: list[Node]) -> str:
    """Returns the items that a check looked at."""
    items = dict.fromkeys(entry.text("item") for entry in seen)
    return tell("conformity.looked-at", items=tuple(tell(f"item.short.{item}") for item in items))


def _share(seen: list[Node], worst: str) -> str:
    """Returns for how many of several subjects a verdict was reached."""
    reached = sum(entry.text("verdict") == worst for entry in seen)
    return (
        tell("conformity.of-subjects", reached=grouped(reached), seen=grouped(len(seen)))
        if len(seen) > 1
        else ""
    )


def _told(seen: list[Node], message: str, texts: list[str]) -> tuple[str, ...]:
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
            failed = [text for entry, text in zip(seen, told, strict=True) if entry.text("verdict") in _ORDER]
            applies = (text for entry, text in zip(seen, told, strict=True) if not _not_applicable(entry))
            told = failed or [tell("conformity.for-example", told=next(applies, told[0]))]
    return (tell(message, told=prose(statements(told))),)


def _subject(entry: Node) -> str:
    """Returns the subject of an observation; empty where it has none."""
    subject, plain = entry.sentence("subject", ""), entry.text("subject", "")
    if subject == plain:  # A wager and a strategy have no sentence together: each may have a word.
        subject = ", ".join(translated(part) for part in plain.split(", "))
    return subject


def _why(entry: Node) -> PageCell:
    """Returns why a check is not satisfied: its reason, or what was expected beside what was observed."""
    if entry.text("reason", ""):
        return note(prose(entry.sentence("reason")))
    told = (("conformity.expected", "expected"), ("conformity.observed", "observed"))
    return PageCell(
        "", "note", lines=tuple(tell(message, told=prose(entry.sentence(key, ""))) for message, key in told)
    )


def _open(entries: list[Node]) -> PageTable | None:
    rows = tuple(
        (
            PageCell(
                prose(entry.sentence("title")),
                "strong",
                detail=entry.text("check"),
                lines=(prose(entry.sentence("subject")),) if entry.text("subject", "") else (),
            ),
            _why(entry),
            judged(entry.text("verdict")),
        )
        for entry in entries
    )
    return (
        PageTable(
            tell("conformity.checks-that-are-not-satisfied"),
            columns("check:44", "why", "verdict:16"),
            rows,
            dense=True,
        )
        if rows
        else None
    )

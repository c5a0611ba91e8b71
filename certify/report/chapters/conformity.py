"""The statement of conformity and every check behind it."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from certify.by_key import gathered
from certify.errors import RenderError
from certify.evidence import ClauseStatus, Evidence
from certify.messages import said_of, statements, tell, translated
from certify.model import Applicability, Certainty, Limit, Observation, Status, Verdict, answer_of
from certify.report.formats import grouped, percent, prose, sentence
from certify.report.layout import PageCell, PageParts, PageTable, columns, judged, listed, verdict
from certify.report.words import clause_number, file_of, names, said, without_samples

_CERTAINTIES = (Certainty.VERBATIM, Certainty.PARTIAL, Certainty.SECONDARY)


def conformity(evidence: Evidence) -> PageParts:
    """Returns the chapter.

    Raises:
        RenderError: A clause is printed as satisfied whose number nobody read in the standard, or an
            unverified clause is to be printed at all.
    """
    return PageParts(
        # How every check was decided.
        decision_rule=said(evidence.run, "decision_rule"),
        # How many results the checks came to, by verdict.
        results=_results(evidence.report.statement.checks),
        # Whether any clause was chosen.
        asked=bool(evidence.clauses),
        # Under which jurisdictions the clauses were chosen.
        jurisdictions=_jurisdictions(evidence),
        # One table for each standard, and one of the checks that no clause asks for.
        tables=tuple(_tables(evidence)),
    )


def catalogues(evidence: Evidence) -> PageTable | None:
    """Tabulates the catalogues of clauses that were used, with their digests."""
    return listed(
        tell("clauses.catalogues-of-clauses-used"),
        "catalogue!mono standard sha-256!hash",
        ((one.id, f"{one.name}, {one.edition}", one.sha256) for one in evidence.regime.catalogues),
        dense=True,
    )


def _tables(evidence: Evidence) -> Iterator[PageTable]:
    """Yields a table for each standard: under each clause the checks that it is the first to ask for; then the rest."""
    titles = names(evidence)
    checks = gathered((entry.check, _named(entry, titles)) for entry in evidence.observations)
    named = gathered((one, finding.id) for finding in evidence.findings for one in finding.clauses)
    standards = gathered((f"{one.standard} {one.edition}".strip(), one) for one in evidence.clauses)
    head = columns("requirement-and-answer", "status:18")
    left = dict(checks)
    for name, chosen in standards.items():
        rows: list[tuple[PageCell, ...]] = []
        for clause in chosen:
            if clause.status is not Status.NOT_APPLICABLE:
                firsts = [check for check in clause.checks if left.pop(check, None)]
                rows.append(_clause_row(clause, named.get(clause.id, []), firsts))
                rows += [_check_row(check, checks[check]) for check in firsts]
        apart = [clause for clause in chosen if clause.status is Status.NOT_APPLICABLE]
        yield PageTable(name, head, tuple(rows), _clauses_left_out(apart), sortable=False, dense=True)
    if checks:
        yield PageTable(
            tell("conformity.own"),
            head,
            tuple(_check_row(check, seen) for check, seen in left.items()),
            _counted(evidence, checks),
            sortable=False,
            dense=True,
        )


def _clauses_left_out(chosen: list[ClauseStatus]) -> str:
    """Returns the clauses that do not apply to the game, by their reason, in one sentence."""
    by_reason = gathered((_why_not(clause), clause_number(clause.number)) for clause in chosen)
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


def _clause_row(clause: ClauseStatus, findings: list[str], firsts: list[str]) -> tuple[PageCell, ...]:
    """Returns a clause with its answer, the checks that stand under an earlier clause, its findings and its status."""
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
    checks = ", ".join(check for check in clause.checks if check not in firsts)
    parts = [
        translated(clause.method).capitalize(),
        tell("clauses.checks", checks=checks) if checks else "",
        _certainty(certainty) if certainty != Certainty.VERBATIM else "",
    ]
    told = sentence(translated(clause.note))
    answer = ". ".join(part for part in (statements(part for part in parts if part), told) if part)
    shown = tuple(tell(f"item.short.{item}") for item in clause.shown_on)
    seen = tell("clauses.shown-on", items=shown) if shown and not firsts else ""
    # What was shown on the reference alone is one finding over all such clauses, which their status says already.
    explained_by = tuple(findings) if status is not Status.REFERENCE else ()
    about = tell("clauses.see-findings", findings=explained_by) if explained_by else ""
    return (
        PageCell(
            said_of(clause_number(number), prose(translated(clause.paraphrase))),
            "clause",
            detail=". ".join(part for part in (answer.rstrip("."), seen, about) if part),
        ),
        judged(status, f"clause/{clause.id}"),
    )


_UNDECIDED = (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE)
_SHORT = 130
_LIST = "data/observations.csv"


def _results(counted: Mapping[str, int]) -> str:
    """Returns how many results the checks came to, by verdict."""
    parts = tuple(
        tell("conformity.result", count=grouped(count), word=verdict(word).label)
        for word, count in counted.items()
        if count
    )
    return tell("conformity.results", parts=parts)


def _counted(evidence: Evidence, checks: Mapping[str, list[Observation]]) -> str:
    """Returns how many results there are, how many of them do not apply, and where all of them are."""
    where = f"{_LIST}, " if file_of(evidence, _LIST) else ""
    return tell(
        "conformity.results-in-checks-every-one",
        observations=grouped(len(evidence.observations)),
        by_check=grouped(len(checks)),
        without=grouped(sum(map(_not_applicable, evidence.observations))),
        whole=grouped(sum(all(map(_not_applicable, seen)) for seen in checks.values())),
        where=where,
    )


def _check_row(check: str, seen: list[Observation]) -> tuple[PageCell, PageCell]:
    """Returns what a check found, by its title; what was expected where it does not hold; and its verdict."""
    about = seen[0].subject if len(seen) == 1 else ""
    found = _answer(seen)
    title, observed = prose(translated(seen[0].title)), _told(seen, [_observed(entry) for entry in seen])
    detail = " · ".join(part for part in (f"· {check}", prose(about), _looked_at(seen)) if part)
    # What was expected of a check that holds is its title.
    expected = [translated(entry.expected) for entry in seen] if found in _UNDECIDED else []
    lines = (tell("conformity.expected", told=_told(seen, expected)),) if expected else ()
    return (
        PageCell(said_of(title, observed), "subject", detail=detail, lines=lines),
        replace(judged(found, f"check/{check}"), detail=_share(seen, found)),
    )


def _observed(entry: Observation) -> str:
    observed = translated(without_samples(entry.observed))
    return statements(part for part in dict.fromkeys((observed, translated(entry.reason))) if part)


def _not_applicable(entry: Observation) -> bool:
    return entry.verdict is Verdict.NOT_APPLICABLE


def _answer(seen: list[Observation]) -> Verdict:
    return answer_of((entry.item, entry.verdict) for entry in seen)


def _looked_at(seen: list[Observation]) -> str:
    """Returns the items that a check looked at, and how often; of several subjects, how often at least."""
    items = dict.fromkeys(entry.item for entry in seen)
    shown = tuple(tell(f"item.short.{item}") for item in items)
    tried = {entry.tried or 0 for entry in seen if not _not_applicable(entry)} or {0}
    return tell(
        "conformity.looked-at", items=shown, tried=f"{'≥ ' if len(tried) > 1 else ''}{grouped(min(tried))}"
    )


def _share(seen: list[Observation], worst: Verdict) -> str:
    """Returns for how many of several subjects a verdict was reached."""
    reached = sum(entry.verdict == worst for entry in seen)
    return (
        tell("conformity.of-subjects", reached=grouped(reached), seen=grouped(len(seen)))
        if len(seen) > 1
        else ""
    )


def _told(seen: list[Observation], texts: list[str]) -> str:
    """Returns what was expected or observed: once if it is always the same, by subject if that is short.

    Of many subjects one is reported as an example; every one that is not satisfied is reported by its name.
    """
    if len(set(texts)) == 1:
        told = [texts[0] or "–"]
    else:
        told = [
            said_of(entry.subject, text) if entry.subject else text
            for entry, text in zip(seen, texts, strict=True)
        ]
        if sum(map(len, told)) > _SHORT:
            failed = [text for entry, text in zip(seen, told, strict=True) if entry.verdict in _UNDECIDED]
            # What decided the answer is the example, not what was seen on another item.
            shown = (text for entry, text in zip(seen, told, strict=True) if entry.verdict is _answer(seen))
            told = failed or [tell("conformity.for-example", told=next(shown, told[0]))]
    return prose(statements(told))


def _named(entry: Observation, titles: Mapping[str, str]) -> Observation:
    """Returns an observation with its subject in words: a wager or a configuration by its name, not by its id."""
    first, *others = entry.subject.split(", ")
    if first in titles:
        return replace(entry, subject=", ".join((titles[first], *map(translated, others))))
    subject = translated(entry.subject)
    if subject == entry.subject:  # What has no sentence together may have a word for each.
        subject = ", ".join(map(translated, (first, *others)))
    return replace(entry, subject=subject)

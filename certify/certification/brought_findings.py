"""Findings on what an operator brought: one for each item, whatever many checks saw of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from certify.clauses.results import ExactResults
from certify.clauses.status import applicabilities, clauses_about
from certify.evidence.operator import Brought, Output, RoundSystem
from certify.messages import say
from certify.model.finding import FindingDraft, Observation, Severity, Verdict, Who
from certify.model.item import OPERATOR, UnderTest
from certify.model.message import Message

_MOST_LINES = 12
"""Lines of a story that a finding tells; the chapter tells all of them."""


def of_brought(
    results: ExactResults, observations: Sequence[Observation], brought: Brought
) -> Iterator[FindingDraft]:
    """Yields what is wrong with each item that the operator brought, and what could not be decided of it.

    Args:
        results: What follows from the submission.
        observations: What the checks saw.
        brought: What the operator brought.
    """
    seen = [one for one in observations if one.item in OPERATOR]
    for output in brought.outputs:
        own = [one for one in seen if one.subject.partition(", ")[0] == output.name]
        if output.verdict is not Verdict.SATISFIED:
            yield _of_output(output, _clauses(results, own, output.verdict), own)
    system = brought.system
    if system is not None and system.broken is not None:
        own = [one for one in seen if one.item is UnderTest.OPERATOR_ROUNDS]
        yield _of_system(system, _clauses(results, own, Verdict.NOT_SATISFIED), own)


def _clauses(results: ExactResults, observations: Iterable[Observation], verdict: Verdict) -> tuple[str, ...]:
    """Returns the clauses that the checks with a verdict answer, and those that it leaves undecided."""
    checks = {one.check for one in observations if one.verdict in (verdict, Verdict.INCONCLUSIVE)}
    applies = applicabilities(results.game)
    return tuple(
        dict.fromkeys(
            clause.id
            for check in sorted(checks)
            for clause in clauses_about(results.regime.catalogues, applies, check=check, matters=())
        )
    )


def _first(observations: Sequence[Observation], verdict: Verdict) -> str:
    return next((one.check for one in observations if one.verdict is verdict), "")


def _of_output(output: Output, clauses: tuple[str, ...], seen: Sequence[Observation]) -> FindingDraft:
    """Returns that output was rejected, or too little to decide: the worst of its p-values, how many, and where."""
    failed = output.verdict is Verdict.NOT_SATISFIED
    kind = "rejected" if failed else "undecided"
    return FindingDraft(
        Severity.MAJOR if failed else Severity.MINOR,
        say(f"finding.output-{kind}.title", name=output.name),
        (
            say("finding.output.sample", count=output.count, kind=output.kind, sampling=(_sampling(output),)),
            *((say("finding.output.breaks"),) if failed else ()),
            say("finding.output.reasons", reasons=output.reasons),
            say("finding.output.files"),
        ),
        reproduce="{run}",
        check=_first(seen, output.verdict),
        action=say(f"finding.output-{kind}.action"),
        who=Who.OPERATOR,
        clauses=clauses,
    )


def _sampling(output: Output) -> Message:
    record = output.sampling
    if record is None:
        return say("finding.output.as-handed-in")
    return say(
        "finding.output.attested", by=record.taken_by, on=record.taken_on, attested_by=record.attested_by
    )


def _of_system(system: RoundSystem, clauses: tuple[str, ...], seen: Sequence[Observation]) -> FindingDraft:
    """Returns that a round system broke a promise, by the shortest story, and what nobody knows after it."""
    broken = system.broken
    if broken is None:
        raise ValueError("a broken promise was looked for")
    undecided = len({one.check for one in seen if one.verdict is Verdict.INCONCLUSIVE})
    lines = broken.script[:_MOST_LINES]
    left = len(broken.script) - len(lines)
    return FindingDraft(
        Severity.MAJOR,
        say("finding.promise-broken.title", promise=broken.promise, target=system.target),
        (
            say("finding.failed.detail", expected=broken.expected, observed=broken.observed),
            say("finding.promise-broken.story", lines=lines),
            *((say("finding.promise-broken.more", count=left),) if left else ()),
            *((say("finding.promise-broken.undecided", count=undecided),) if undecided else ()),
        ),
        reproduce="{run}",
        check=_first(seen, Verdict.NOT_SATISFIED),
        action=say("finding.promise-broken.action"),
        who=Who.OPERATOR,
        clauses=clauses,
    )

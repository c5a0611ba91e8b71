"""From observations to the status of every clause and the statement over all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from certify.clauses.registry import Check
from certify.clauses.results import Results
from certify.errors import NothingCheckedError
from certify.evidence.report import Statement
from certify.messages import say, worded
from certify.model.clause import Applicability, Catalogue, Certainty, Clause, Method
from certify.model.finding import Finding, Observation, Overall, Severity, Verdict
from certify.model.item import OPERATOR, UnderTest
from certify.model.message import Message, Messages, Parameter


@dataclass(frozen=True, slots=True)
class ClauseStatus:
    """What was found about one clause.

    Args:
        standard: Short name of the standard.
        edition: Its edition.
        clause: The clause.
        status: A verdict, or ``operator`` where the duty is not ours to test.
        shown_on: Items that its checks looked at, where they had something to look at.
    """

    standard: str
    edition: str
    clause: Clause
    status: str
    shown_on: tuple[UnderTest, ...] = ()


def observe(checks: Mapping[str, Check], results: Results) -> list[Observation]:
    """Returns the observations of all checks, in the order of the register.

    Raises:
        NothingCheckedError: There is no check: an empty plan is never a pass.
    """
    if not checks:
        raise NothingCheckedError("the plan is empty: expected at least one check")
    return [observation for check in checks.values() for observation in check.observe(results)]


WORST_FIRST: Final = (
    Verdict.NOT_SATISFIED,
    Verdict.INCONCLUSIVE,
    Verdict.FITTED,
    Verdict.REFERENCE,
    Verdict.SATISFIED,
    Verdict.NOT_APPLICABLE,
)
"""Which verdict decides a group: neither what was fitted nor what was shown on a reference ever ends as satisfied."""


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Returns the worst of several verdicts; nothing at all is inconclusive, never a pass.

    >>> worst([Verdict.SATISFIED, Verdict.INCONCLUSIVE]).value
    'inconclusive'
    >>> worst([Verdict.SATISFIED, Verdict.REFERENCE]).value
    'shown on the reference'
    """
    seen = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in seen), Verdict.INCONCLUSIVE)


def clause_statuses(
    catalogues: Sequence[Catalogue],
    observations: Sequence[Observation],
    applies: Collection[Applicability] = tuple(Applicability),
) -> tuple[ClauseStatus, ...]:
    """Returns the status of every clause.

    Only a clause whose number and text were read verbatim may be printed as satisfied, and only where each of its
    checks looked at the submission or at something that the operator brought.

    Args:
        catalogues: The catalogues, in the order of the report.
        observations: What the checks saw.
        applies: Kinds of games that the game belongs to; all of them where left out.
    """
    by_check: dict[str, list[Observation]] = {}
    for observation in observations:
        by_check.setdefault(observation.check, []).append(observation)
    return tuple(
        ClauseStatus(
            catalogue.title,
            catalogue.edition,
            clause,
            _status(clause, by_check) if clause.applies in applies else str(Verdict.NOT_APPLICABLE),
            _shown_on(clause, by_check) if clause.applies in applies else (),
        )
        for catalogue in catalogues
        for clause in catalogue.clauses
        if clause.certainty is not Certainty.UNVERIFIED
    )


def answer_of(observations: Sequence[Observation]) -> Verdict:
    """Returns what the observations of one check come to.

    What the operator's own item showed counts for more than what was shown on the reference beside it; a failure
    counts wherever it was seen.
    """
    brought = any(one.item in OPERATOR and one.verdict is Verdict.SATISFIED for one in observations)
    return worst(one.verdict for one in observations if not (brought and one.verdict is Verdict.REFERENCE))


def _shown_on(clause: Clause, by_check: Mapping[str, list[Observation]]) -> tuple[UnderTest, ...]:
    """Returns the items that the checks of a clause looked at, in the order of the list of items."""
    if clause.method is not Method.TEST:
        return ()
    seen = {
        one.item
        for check in clause.checks
        for one in by_check.get(check, [])
        if one.verdict is not Verdict.NOT_APPLICABLE
    }
    return tuple(item for item in UnderTest if item in seen)


def _status(clause: Clause, by_check: Mapping[str, list[Observation]]) -> str:
    """Returns the status of one clause from the observations of its checks."""
    if clause.method is not Method.TEST:
        return str(clause.method)
    verdict = worst(answer_of(by_check.get(check, [])) for check in clause.checks)
    if verdict is Verdict.SATISFIED and clause.certainty is not Certainty.VERBATIM:
        return "secondary reference"
    return str(verdict)


def state(observations: Sequence[Observation], findings: Sequence[Finding], title: str) -> Statement:
    """Returns the statement over all observations and findings."""
    counts = Counter(str(observation.verdict) for observation in observations)
    open_findings = [finding for finding in findings if finding.status == "open"]
    serious = [finding for finding in open_findings if finding.severity >= Severity.MAJOR]
    conditions = sum(finding.status == "condition" for finding in findings)
    overall = _overall(observations, bool(serious), bool(conditions))
    checked = sum(counts[str(kind)] for kind in Verdict if kind is not Verdict.NOT_APPLICABLE)
    decided = {o.check for o in observations if o.verdict is not Verdict.NOT_APPLICABLE}
    over: dict[str, Parameter] = {"checks": len(decided), "title": title, "checked": checked}
    if overall is Overall.NOT_SATISFIED:
        failed = counts[str(Verdict.NOT_SATISFIED)]
        first = say("statement.not-satisfied", failed=failed, serious=_serious_words(serious), **over)
    elif overall is Overall.INCONCLUSIVE:
        undecided = counts[str(Verdict.INCONCLUSIVE)]
        first = say("statement.inconclusive", undecided=undecided, **over)
    else:
        first = say("statement.none-against", **over)
    further = _further(len(open_findings) - len(serious), len(findings) - len(open_findings) - conditions)
    return Statement(
        verdict=overall,
        checks={str(kind): counts[str(kind)] for kind in Verdict},
        **worded(sentence=(first, *_conditions(conditions), *further)),
    )


def _overall(observations: Sequence[Observation], serious: bool, conditions: bool) -> Overall:
    """Returns the statement: the worst of what was seen, then what somebody else must still confirm."""
    verdict = worst(observation.verdict for observation in observations)
    if serious or verdict is Verdict.NOT_SATISFIED:
        return Overall.NOT_SATISFIED
    if verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE):
        return Overall.INCONCLUSIVE
    return Overall.ON_CONDITIONS if conditions else Overall.SATISFIED


def _serious_words(serious: Sequence[Finding]) -> tuple[Message, ...]:
    """Returns how many open findings are critical and how many are major."""
    counted = [
        (severity, sum(finding.severity is severity for finding in serious))
        for severity in (Severity.CRITICAL, Severity.MAJOR)
    ]
    parts = tuple(
        say(f"statement.{severity.name.lower()}", count=count) for severity, count in counted if count
    )
    return parts or (say("statement.none-major"),)


def _conditions(count: int) -> Messages:
    """Returns how many conditions somebody else must still confirm, nothing without any."""
    if not count:
        return ()
    return (say("statement.one-condition") if count == 1 else say("statement.conditions", count=count),)


def _further(minor: int, information: int) -> Messages:
    """Returns the sentence that counts the findings which decide nothing, or nothing where there are none."""
    parts = (
        *((say("statement.minor", count=minor),) if minor else ()),
        *((say("statement.information", count=information),) if information else ()),
    )
    return (say("statement.further", parts=parts),) if parts else ()

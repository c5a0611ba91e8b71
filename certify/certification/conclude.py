"""From observations to the one conclusion that everything else is read from: statuses, findings, statement."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from certify.certification.findings import (
    drafts_of,
    nobody_vouches,
    not_tried,
    numbered,
    owed_by_operator,
    resting_on,
)
from certify.clauses import Check, ExactResults, Results, applicabilities, clause_statuses, planned
from certify.errors import NothingCheckedError
from certify.evidence import (
    Brought,
    ClauseStatus,
    Statement,
    overall_by_jurisdiction,
    overall_of,
    product_shown,
)
from certify.messages import say, worded
from certify.model import (
    CONDITION,
    OPERATOR,
    Finding,
    Message,
    Messages,
    Observation,
    Overall,
    Parameter,
    Severity,
    Status,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What follows from the results: findings, matrix, summary, cover, terminal and files are read from this alone.

    Args:
        checks: The checks that ran, by id.
        observations: What they saw.
        clauses: Every clause of the chosen catalogues and its status.
        findings: What a reader must know, worst first.
        statement: The statement over all of it.
    """

    checks: Mapping[str, Check]
    observations: tuple[Observation, ...]
    clauses: tuple[ClauseStatus, ...]
    findings: tuple[Finding, ...]
    statement: Statement


def checks_for(results: ExactResults) -> Mapping[str, Check]:
    """Returns the checks that run: those that the chosen catalogues ask of the game, and the harness's own."""
    return planned(results.regime.catalogues, applicabilities(results.game))


def observe(checks: Mapping[str, Check], results: Results) -> list[Observation]:
    """Returns the observations of all checks, in the order of the register.

    Raises:
        NothingCheckedError: There is no check: an empty plan is never a pass.
    """
    if not checks:
        raise NothingCheckedError("the plan is empty: expected at least one check")
    return [observation for check in checks.values() for observation in check.observe(results)]


def conclude(
    results: ExactResults,
    observations: Sequence[Observation],
    game_file: str,
    *,
    demonstration: bool,
    command: str = "certify run game.toml --out pack",
    brought: Brought = Brought(),  # noqa: B008 (frozen)
) -> Conclusion:
    """Returns everything that follows from what the checks saw.

    Args:
        results: What follows from the submission.
        observations: What the checks saw.
        game_file: Name of the submitted file, for the commands of findings.
        demonstration: Whether the report is signed with a demonstration key, which is a finding.
        command: The command that makes the same report again, with all its options.
        brought: What the operator submitted.
    """
    applies = applicabilities(results.game)
    checks = checks_for(results)
    drafts = drafts_of(results, observations, checks, brought)
    clauses = clause_statuses(
        results.regime.catalogues, observations, applies, resting_on(results.game, drafts)
    )
    unsigned = [nobody_vouches()] if demonstration else []
    owed = owed_by_operator(clauses, observations, brought)
    findings = numbered(
        [*drafts, *not_tried(clauses, brought), *owed, *unsigned], results, game_file, command
    )
    return Conclusion(
        checks=checks,
        observations=tuple(observations),
        clauses=clauses,
        findings=findings,
        statement=state(observations, findings, clauses, results.game.title, results.regime.standards),
    )


def state(
    observations: Sequence[Observation],
    findings: Sequence[Finding],
    clauses: Sequence[ClauseStatus],
    title: str,
    standards: Mapping[str, Collection[str]],
) -> Statement:
    """Returns the statement over all observations, findings and clauses, and that for each jurisdiction.

    Args:
        observations: What the checks saw.
        findings: What a reader must know.
        clauses: Every clause and its status.
        title: Name of the game.
        standards: Titles of the standards that each jurisdiction reads, by its name.
    """
    results = Counter(str(observation.verdict) for observation in observations)
    counted = Counter(one.status for one in clauses)
    open_findings = [finding for finding in findings if finding.status == "open"]
    serious = [finding for finding in open_findings if finding.severity >= Severity.MAJOR]
    conditions = sum(finding.status == CONDITION for finding in findings)
    overall = overall_of(observations, findings, clauses)
    checked = sum(results[str(kind)] for kind in Verdict if kind is not Verdict.NOT_APPLICABLE)
    decided = {o.check for o in observations if o.verdict is not Verdict.NOT_APPLICABLE}
    over: dict[str, Parameter] = {"checks": len(decided), "title": title, "checked": checked}
    if overall is Overall.NOT_SATISFIED:
        failed = results[str(Verdict.NOT_SATISFIED)]
        first = say("statement.not-satisfied", failed=failed, serious=_serious_words(serious), **over)
    elif overall is Overall.INCONCLUSIVE:
        undecided = results[str(Verdict.INCONCLUSIVE)]
        first = say("statement.inconclusive", undecided=undecided, **over)
    else:
        first = say("statement.none-against", **over)
    further = _further(len(open_findings) - len(serious), len(findings) - len(open_findings) - conditions)
    return Statement(
        verdict=overall,
        clauses={str(status): counted[status] for status in Status},
        checks={str(kind): results[str(kind)] for kind in Verdict},
        **worded(
            sentence=(
                first,
                *_conditions(conditions),
                *_not_shown(observations, counted[Status.REFERENCE], product_shown(clauses)),
                *further,
            ),
            counted=_counted(counted),
        ),
        jurisdictions=overall_by_jurisdiction(standards, observations, findings, clauses),
    )


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


def _not_shown(observations: Sequence[Observation], on_reference: int, shown: bool) -> Messages:
    """Returns what was not shown on the product: how many clauses, and whether anything of the operator's was there."""
    brought = any(one.item in OPERATOR and one.verdict is not Verdict.NOT_APPLICABLE for one in observations)
    whole = (
        ()
        if shown
        else (say("statement.product-brought-in-part" if brought else "statement.nothing-brought"),)
    )
    return (*whole, *((say("statement.on-reference", count=on_reference),) if on_reference else ()))


def _counted(statuses: Mapping[Status, int]) -> Message:
    """Returns how many clauses have which status, those without any left out."""
    parts = tuple(
        say(f"statement.clause.{status.replace(' ', '-')}", count=statuses[status])
        for status in Status
        if statuses.get(status)
    )
    return say("statement.clauses", count=sum(statuses.values()), parts=parts)


def _further(minor: int, information: int) -> Messages:
    """Returns the sentence that counts the findings which decide nothing, or nothing where there are none."""
    parts = (
        *((say("statement.minor", count=minor),) if minor else ()),
        *((say("statement.information", count=information),) if information else ()),
    )
    return (say("statement.further", parts=parts),) if parts else ()

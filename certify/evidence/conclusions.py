"""By what the item was judged, and what was concluded of each clause."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from certify.model.clause import Limit, Matter, Status
from certify.model.finding import (
    CONDITION,
    OPERATOR,
    Finding,
    Observation,
    Overall,
    Severity,
    UnderTest,
    Verdict,
    worst,
)
from certify.model.form import Sha256, origins


@origins()
@dataclass(frozen=True, slots=True)
class StatedJurisdiction:
    """A jurisdiction that the report is made for.

    Args:
        name: Its name on the command line.
        title: Its title.
        catalogues: Ids of the catalogues of its clauses.
        limits: Limits that it sets itself, by name.
        note: A remark; may be empty.
    """

    name: str
    title: str
    catalogues: tuple[str, ...]
    limits: Mapping[str, Limit]
    note: str


@origins()
@dataclass(frozen=True, slots=True)
class StatedCatalogue:
    """A catalogue of clauses.

    Args:
        id: Its id.
        standard: Short name of the standard.
        name: Full name of the standard.
        edition: Edition of the standard.
        sha256: Digest of the catalogue.
    """

    id: str
    standard: str
    name: str
    edition: str
    sha256: Sha256


@origins()
@dataclass(frozen=True, slots=True)
class StatedRegime:
    """By what the item was judged.

    Args:
        jurisdictions: The jurisdictions.
        catalogues: Their catalogues.
        policy: The terms as parameters, by name.
    """

    jurisdictions: tuple[StatedJurisdiction, ...]
    catalogues: tuple[StatedCatalogue, ...]
    policy: Mapping[str, str]


@origins()
@dataclass(frozen=True, slots=True)
class ClauseStatus:
    """One clause and its status.

    Args:
        standard: Short name of the standard.
        edition: Its edition.
        id: Id of the clause.
        number: Number of the clause.
        paraphrase: What it asks, in our words.
        status: What was concluded of it: a verdict, a condition, or who answers for it where no check does.
        checks: Ids of the checks that answer it.
        method: How it is answered.
        certainty: How sure we are of its number.
        applies: What kind of games it applies to.
        note: A remark; may be empty.
        shown_on: Items that its checks looked at.
        rests_on: What of the submission its answer rests on.
    """

    standard: str
    edition: str
    id: str
    number: str
    paraphrase: str
    status: Status
    checks: tuple[str, ...]
    method: str
    certainty: str
    applies: str
    note: str
    shown_on: tuple[UnderTest, ...]
    rests_on: tuple[Matter, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Obligation:
    """A duty that passes to the operator.

    Args:
        clause: The clause.
        text: The duty.
    """

    clause: str
    text: str


@origins()
@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file of the pack.

    Args:
        name: Its name.
        sha256: Digest of its bytes.
        bytes_: Number of its bytes.
        description: What it holds.
    """

    name: str
    sha256: Sha256
    bytes_: int
    description: str


def product_shown(clauses: Sequence[ClauseStatus]) -> bool:
    """Tells whether each of the operator's items satisfies a clause: without both the product is not shown."""
    satisfying = {item for one in clauses if one.status is Status.SATISFIED for item in one.shown_on}
    return satisfying >= OPERATOR


def overall_of(
    observations: Sequence[Observation], findings: Sequence[Finding], clauses: Sequence[ClauseStatus]
) -> Overall:
    """Returns the verdict: the worst that was seen, then what somebody must confirm, then what was not shown."""
    verdict = worst(observation.verdict for observation in observations)
    if verdict is Verdict.NOT_SATISFIED or any(
        one.status == "open" and one.severity >= Severity.MAJOR for one in findings
    ):
        return Overall.NOT_SATISFIED
    if verdict in (Verdict.INCONCLUSIVE, Verdict.NOT_APPLICABLE):
        return Overall.INCONCLUSIVE
    if any(one.status == CONDITION for one in findings):
        return Overall.ON_CONDITIONS
    return Overall.SATISFIED if product_shown(clauses) else Overall.MATHEMATICS


def overall_by_jurisdiction(
    standards: Mapping[str, Collection[str]],
    observations: Sequence[Observation],
    findings: Sequence[Finding],
    clauses: Sequence[ClauseStatus],
) -> dict[str, Overall]:
    """Returns the verdict for each jurisdiction by itself: what only others ask for does not count against it.

    Args:
        standards: Titles of the standards that each jurisdiction reads, by its name.
        observations: What the checks saw; those that no clause asks for count for every jurisdiction.
        findings: What a reader must know; those about no clause count for every jurisdiction.
        clauses: Every clause and its status.
    """
    found = {}
    for name, read in standards.items():
        own = [clause for clause in clauses if clause.standard in read]
        ids, asked = {one.id for one in own}, {check for one in own for check in one.checks}
        others = {check for one in clauses for check in one.checks} - asked
        found[name] = overall_of(
            [one for one in observations if one.check not in others],
            [one for one in findings if not one.clauses or not ids.isdisjoint(one.clauses)],
            own,
        )
    return found

"""Observations of checks and the findings that follow from them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Final

from certify.model.clause import Matter
from certify.model.form import Message, Messages, origins


class UnderTest(StrEnum):
    """The items that a check can be made on."""

    SUBMISSION = "submission"
    FAMILY = "family-code"
    REFERENCE_GENERATOR = "reference-generator"
    REFERENCE_ROUNDS = "reference-round-machine"
    OPERATOR_OUTPUT = "operator-generator-output"
    OPERATOR_ROUNDS = "operator-round-system"
    TESTS = "tests-themselves"


REFERENCE: Final = frozenset({UnderTest.REFERENCE_GENERATOR, UnderTest.REFERENCE_ROUNDS})
"""Items of this software: what is shown on them is never satisfied by the product."""

OPERATOR: Final = frozenset({UnderTest.OPERATOR_OUTPUT, UnderTest.OPERATOR_ROUNDS})
"""Items that an operator submits: what is shown on them can satisfy a clause."""


class Verdict(StrEnum):
    """The ways a check can end; what could not be decided is never a pass.

    Two of them are no pass either: a figure that was used to recover pays agrees with them by construction (fitted),
    and what was tried on an item of this software alone says nothing about the product (shown on the reference).
    """

    SATISFIED = "satisfied"
    NOT_SATISFIED = "not satisfied"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"
    FITTED = "fitted"
    REFERENCE = "shown on the reference"


WORST_FIRST: Final = (
    Verdict.NOT_SATISFIED,
    Verdict.INCONCLUSIVE,
    Verdict.FITTED,
    Verdict.REFERENCE,
    Verdict.SATISFIED,
    Verdict.NOT_APPLICABLE,
)
"""Which verdict decides a group: neither what was fitted nor what was shown on a reference ever ends as satisfied."""


def worst(verdicts: Iterable[str]) -> Verdict:
    """Returns the worst of several verdicts; nothing at all is inconclusive, never a pass.

    >>> worst([Verdict.SATISFIED, Verdict.INCONCLUSIVE]).value
    'inconclusive'
    >>> worst(["satisfied", "shown on the reference"]).value
    'shown on the reference'
    """
    seen = set(verdicts)
    return next((verdict for verdict in WORST_FIRST if verdict in seen), Verdict.INCONCLUSIVE)


def answer_of(seen: Iterable[tuple[str, str]]) -> Verdict:
    """Returns what a check comes to, from the items that it looked at and the verdict on each.

    What the operator's own item showed counts for more than what was shown on the reference next to it; a failure
    counts wherever it was seen.

    >>> answer_of([("reference-generator", "shown on the reference"), ("operator-generator-output", "satisfied")]).value
    'satisfied'
    """
    pairs = list(seen)
    brought = any(item in OPERATOR and verdict == Verdict.SATISFIED for item, verdict in pairs)
    return worst(verdict for _, verdict in pairs if not (brought and verdict == Verdict.REFERENCE))


class Overall(StrEnum):
    """The statements that a report can make."""

    SATISFIED = "satisfied"
    ON_CONDITIONS = "satisfied on conditions"
    MATHEMATICS = "mathematics satisfied, product not shown"
    NOT_SATISFIED = "not satisfied"
    INCONCLUSIVE = "inconclusive"


class Severity(IntEnum):
    """How much a finding matters, lowest first."""

    NOTE = 0
    MINOR = 1
    MAJOR = 2
    CRITICAL = 3


class Who(StrEnum):
    """Who must do what a finding asks for, or confirm what a condition names."""

    SUPPLIER = "supplier"
    OPERATOR = "operator"
    LABORATORY = "laboratory"
    ISSUER = "issuer"


@origins()
@dataclass(frozen=True, slots=True)
class SeenSubject:
    """What was seen of one subject.

    Args:
        verdict: How it ended.
        expected: What was expected, with its numbers.
        observed: What was seen, with its numbers.
        subject: What it is about (a wager, a term, a test); empty for the whole game.
        reason: Why it is inconclusive or not applicable.
        evidence: Pointers into the evidence (JSON pointers or file names).
    """

    verdict: Verdict
    expected: str
    observed: str
    subject: str = ""
    reason: str = ""
    evidence: tuple[str, ...] = ()


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Observation(SeenSubject):
    """What one check saw.

    Args:
        check: Id of the check.
        title: What was checked, one sentence.
        item: The item that was looked at.
        tried: How many things were looked at, such as stakes, rows or trials; none in evidence older than that.
    """

    check: str
    title: str
    item: UnderTest = UnderTest.SUBMISSION
    tried: int | None = None


@origins()
@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader of the report must know.

    Args:
        id: Stable id of the finding, such as ``F-03``.
        severity: How much it matters.
        title: One sentence.
        detail: What was found, with its numbers.
        clauses: Ids of the clauses of the chosen catalogues that it is about, as these say.
        reproduce: Command that shows it again.
        status: ``open``, ``condition`` (what somebody else must still confirm), ``fixed`` or ``information``.
        required_action: What has to be done about it, one sentence.
        who: Who has to do it.
        check: Id of the check that it tells the end of; empty where there is none.
        messages: The messages of title, detail and required action, by their names.
    """

    id: str
    severity: Severity
    title: str
    detail: str
    clauses: tuple[str, ...] = ()
    reproduce: str = ""
    status: str = "open"
    required_action: str = ""
    who: str = ""
    check: str = ""
    messages: Mapping[str, tuple[Message, ...]] = field(default_factory=dict)


CONDITION: Final = "condition"
"""Status of a finding that somebody else must still confirm."""

STRATEGY: Final = "condition.strategy"
"""What a draft names as its check where it tells which strategy the printed returns rest on."""

Words = str | Message | Messages
"""A text, or the messages that make it in any language."""


@dataclass(frozen=True, slots=True)
class FindingDraft:
    """A finding before it has a number.

    Args:
        severity: How much it matters.
        title: The finding in one sentence.
        detail: The finding with its numbers.
        matters: What it is about; the catalogues say which clauses rest on that, next to those that its check answers.
        reproduce: Command that shows it again, ``{game}`` standing for the submitted file.
        status: ``open``, ``condition`` or ``information``.
        check: Id of the check whose failure it tells with more than the check knows; empty where there is none.
        action: What has to be done about it, one sentence.
        who: Who has to do it.
        clauses: Ids of the clauses themselves, where it is about their status.
    """

    severity: Severity
    title: Words
    detail: Words
    matters: tuple[Matter, ...] = ()
    reproduce: str = ""
    status: str = "open"
    check: str = ""
    action: Words = ""
    who: Who | str = ""
    clauses: tuple[str, ...] = ()

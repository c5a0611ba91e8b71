"""The head of a report: its number, who issues it for whom and when, and the overall statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from certify.evidence.encode import Worded
from certify.model.finding import Overall
from certify.model.form import Day, Moment, ReportNumber, origins


@origins()
@dataclass(frozen=True, slots=True)
class Statement:
    """The overall statement.

    Args:
        verdict: The worst of all that was checked, findings and conditions included.
        sentence: The same in sentences.
        counted: How many clauses have which status, in a sentence.
        clauses: Number of clauses by status.
        checks: Number of observations by verdict.
        messages: The messages of its texts, by their names.
    """

    verdict: Overall
    sentence: str
    counted: str
    clauses: Mapping[str, int]
    checks: Mapping[str, int]
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class Issuer:
    """Who issues the report.

    Args:
        name: Name.
        address: Postal address; empty where it was not stated.
    """

    name: str
    address: str


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Engagement:
    """What a laboratory's report tells beside its results; each part is empty where it was not stated.

    Args:
        client_address: Postal address of the client.
        tested_by: Name and function of who tested.
        reviewed_by: Name and function of who reviewed.
        received: Day on which the item was received, such as ``2026-11-20``.
        place: Where it was tested.
        accreditation: Who accredited the laboratory, under which number, for what.
        source_review: What of the product's source was reviewed, by whom; empty where none was.
        declarations: What the client declares of the item, each in its own words.
        deviations: Deviations from the methods that the normative references prescribe, each with its reason.
        recommendation: What the laboratory recommends.
    """

    client_address: str = ""
    tested_by: str = ""
    reviewed_by: str = ""
    received: Day = ""
    place: str = ""
    accreditation: str = ""
    source_review: str = ""
    declarations: tuple[str, ...] = ()
    deviations: tuple[str, ...] = ()
    recommendation: str = ""


NOTHING_STATED: Final = Engagement()
"""What a report tells beside its results where nothing was stated."""


@origins(stated=("tested_from", "issuer", "client", "authorised_by", "engagement"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Number, dates and parties of the report.

    Args:
        number: Number of the report.
        revision: Revision of the report, from 1.
        issued: Time of issue.
        tested_from: Start of the tests.
        tested_to: End of the tests.
        profile: How much was computed.
        classification: What kind of assessment this is.
        demonstration_key: Whether the report is signed with a demonstration key.
        issuer: Who issues the report.
        client: Who asked for it.
        authorised_by: Who stands for the report; may be left open.
        engagement: What a laboratory's report tells beside its results; none where none of it was stated.
        messages: The messages of its texts, by their names.
    """

    number: ReportNumber
    revision: int
    issued: Moment
    tested_from: Moment
    tested_to: Moment
    profile: str
    classification: str
    demonstration_key: bool
    issuer: Issuer
    client: str
    authorised_by: str | None = None
    engagement: Engagement | None = None
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Head):
    """Number, dates, parties and statement of the report.

    Args:
        statement: The overall statement.
    """

    statement: Statement

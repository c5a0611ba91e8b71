"""The head of a report: its number, who issues it for whom and when, and the overall statement.

What changed since an earlier pack a run computes again; it takes over nothing from that pack.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.evidence.encode import Messaged
from certify.model import Day, Filled, Overall, ReportNumber, Seed, Sha256, Timestamp, origins


@origins(stated=("signer", "established"))
@dataclass(frozen=True, slots=True)
class EarlierReport:
    """The earlier report, whose pack was verified before the run began.

    Args:
        number: Its number.
        issued: Its time of issue.
        version: Version of the game that it certifies.
        submission_sha256: Digest of the submission in it.
        evidence_sha256: Digest of its evidence, which is among the data of this pack.
        software: Name and version of the software that computed it.
        source_sha256: Digest of the sources of that software.
        signer: Subject of the certificate that signed it.
        established: Whether that certificate leads to a root that the issuer of this report trusts.
        demonstration_key: Whether it was signed with a demonstration key.
    """

    number: ReportNumber
    issued: Timestamp
    version: str
    submission_sha256: Sha256
    evidence_sha256: Sha256
    software: str
    source_sha256: Sha256
    signer: str
    established: bool
    demonstration_key: bool


@origins()
@dataclass(frozen=True, slots=True)
class Change:
    """Something that is stated otherwise than in the earlier pack.

    Args:
        kind: Kind of the change, as the gate names it.
        subject: What it is about, by ids.
        before: What was stated; none where nothing was.
        after: What is stated; none where nothing is.
    """

    kind: str
    subject: str
    before: str | None
    after: str | None


@origins()
@dataclass(frozen=True, slots=True)
class Digested:
    """A part of both packs, by its digests.

    Args:
        of: ``basis`` for what figures rest on, ``evidence`` for a part of the evidence, ``file`` for a data file.
        name: Its name.
        before: SHA-256 in the earlier pack; none where it has no such part.
        after: SHA-256 in this one; none where it has no such part.
    """

    of: str
    name: str
    before: Sha256 | None
    after: Sha256 | None

    @property
    def same(self) -> bool:
        """Whether both packs have it, byte for byte."""
        return self.before == self.after


@origins()
@dataclass(frozen=True, slots=True)
class Moved:
    """An exact figure that is otherwise than in the earlier pack.

    Args:
        at: Where it is in the evidence, by keys and ids.
        before: The figure before; none where there was none.
        after: The figure now; none where there is none.
        difference: How far it moved; none where there is nothing to compare.
        near: Before or after it is between bounds; left out where both are exact.
        off: How far before, after and the difference may be off at most; left out where both are exact.
    """

    at: tuple[str, ...]
    before: Fraction | None
    after: Fraction | None
    difference: Fraction | None
    near: bool | None = None
    off: tuple[Fraction, ...] | None = None


@origins()
@dataclass(frozen=True, slots=True)
class Since(Messaged):
    """What changed since an earlier certified pack.

    Args:
        earlier: The earlier report.
        text: The result in a few sentences.
        changes: What is stated otherwise: the submission first, then code, software, clauses, and what was requested.
        statuses: Statement, clauses and printed figures that ended otherwise.
        compared: Number of exact figures compared.
        moved: How many of them are otherwise.
        figures: Those of them that a report prints; all of them are in the table of the pack.
        digests: Parts of both packs, by their digests.
    """

    earlier: EarlierReport
    text: str
    changes: tuple[Change, ...]
    statuses: tuple[Change, ...]
    compared: int
    moved: int
    figures: tuple[Moved, ...]
    digests: tuple[Digested, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Profile:
    """Sample sizes of a run; the exact figures are the same in all of them.

    Args:
        name: ``quick``, ``standard`` or ``full``.
        rounds: Rounds of the campaign under the main strategy.
        further_rounds: Rounds of the campaign under every further strategy.
        twin_rounds: Rounds on which reference engine, kernel and twin are compared.
        decks: Decks given to the card tests.
        streams: Bit streams given to the tests of SP 800-22.
        stream_bits: Bits in each of them.
        exercise_decks: Decks on which the terms are exercised.
        replays: Rounds dealt and played again from their record.
        reference_rounds: Rounds of each campaign where the reference round itself is played, step by step.
        most_rounds: Rounds up to which a campaign is made longer, so that it shows the returns read from it.
        text_rounds: Rounds really dealt on which the two texts of a game are compared.
    """

    name: str
    rounds: int
    further_rounds: int
    twin_rounds: int
    decks: int
    streams: int
    stream_bits: int
    exercise_decks: int
    replays: int
    reference_rounds: int
    most_rounds: int = 0
    text_rounds: int = 0

    @property
    def thorough(self) -> bool:
        """Whether changed games are counted too: every changed pay and rule is a game of its own."""
        return self.name != "quick"


@origins()
@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check of the plan.

    Args:
        check: Id of the check.
        title: What is checked, in one sentence.
        own: Why the harness runs it itself, whatever was chosen; empty where it runs for clauses alone.
    """

    check: str
    title: str
    own: str


@origins()
@dataclass(frozen=True, slots=True)
class PlannedRun(Messaged):
    """What was planned before anything was computed.

    Args:
        plan: The checks in their order.
        alpha: Probability of a false rejection that is allowed over each family of tests.
        decision_rule: How verdicts are reached, in words.
    """

    plan: tuple[PlannedCheck, ...]
    alpha: Fraction
    decision_rule: str


@origins()
@dataclass(frozen=True, slots=True)
class Run(PlannedRun):
    """What was run, with its plan.

    Args:
        command: Command that computes everything again.
        seed: Master seed.
        profile: Sample sizes.
    """

    command: str
    seed: Seed
    profile: Profile


@origins()
@dataclass(frozen=True, slots=True)
class Statement(Messaged):
    """The overall statement.

    Args:
        verdict: The worst of all that was checked, findings and conditions included.
        sentence: The same in sentences.
        counted: How many clauses have which status, in a sentence.
        clauses: Number of clauses by status.
        checks: Number of observations by verdict.
        jurisdictions: The verdict by itself for each jurisdiction, by its name; none in evidence older than that.
    """

    verdict: Overall
    sentence: str
    counted: str
    clauses: Mapping[str, int]
    checks: Mapping[str, int]
    jurisdictions: Mapping[str, Overall] | None = None


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
    """What a laboratory's report states next to its results; each part is empty where it was not stated.

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
        generator_report: Number of the report on the product's generator; left out where none was stated.
        valid_until: Last day of the certificate; left out where none was stated.
    """

    client_address: str = ""
    tested_by: str = ""
    reviewed_by: str = ""
    received: Day = ""
    place: str = ""
    accreditation: str = ""
    source_review: str = ""
    declarations: tuple[Filled, ...] = ()
    deviations: tuple[Filled, ...] = ()
    recommendation: str = ""
    generator_report: Filled | None = None
    valid_until: Day | None = None


NOTHING_STATED: Final = Engagement()
"""What a report states next to its results where nothing was stated."""


@origins(stated=("tested_from", "issuer", "client", "authorised_by", "engagement"))
@dataclass(frozen=True, slots=True, kw_only=True)
class Head(Messaged):
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
        client: Who requested it.
        authorised_by: Who is responsible for the report; may be left open.
        engagement: What a laboratory's report states next to its results; none where none of it was stated.
    """

    number: ReportNumber
    revision: int
    issued: Timestamp
    tested_from: Timestamp
    tested_to: Timestamp
    profile: str
    classification: str
    demonstration_key: bool
    issuer: Issuer
    client: str
    authorised_by: str | None = None
    engagement: Engagement | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Report(Head):
    """Number, dates, parties and statement of the report.

    Args:
        statement: The overall statement.
    """

    statement: Statement

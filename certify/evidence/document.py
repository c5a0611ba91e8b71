"""The whole evidence: one object from which the report is made and every figure can be traced."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Final, TypeVar

from certify.evidence.analysis import (
    Edge,
    Sensitivity,
    StatedAnalysis,
    StatedConfiguration,
    StrategyClass,
    SupplementaryTable,
)
from certify.evidence.encode import Said
from certify.evidence.judged import EvaluatedReading, JudgedTables, ReadingCombinations, Recovery
from certify.evidence.life import Rounds
from certify.evidence.operator import Brought, ItemUnderTest
from certify.evidence.par import Band, FrontierPiece, JointFigures, ParSheet
from certify.evidence.randomness import Randomness, StatedGenerator
from certify.evidence.report import Report, Run, Since
from certify.evidence.simulation import Agreement, DeckAudit, Simulation, StatedRound
from certify.evidence.submitted import FamilyCode, Item, Rule, StatedClaim, StatedWager, Texts, Tool
from certify.model import (
    CONDITION,
    HEADS,
    OPERATOR,
    Base64,
    Clause,
    Exposure,
    Finding,
    Form,
    Limit,
    Observation,
    Overall,
    Reading,
    Severity,
    Sha256,
    Status,
    TableLayout,
    Terms,
    UnderTest,
    Verdict,
    Witness,
    origins,
    worst,
)


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
        base64: The file itself, where it is none that this software holds; left out of the others.
    """

    id: str
    standard: str
    name: str
    edition: str
    sha256: Sha256
    base64: Base64 | None = None


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

    @property
    def standards(self) -> dict[str, set[str]]:
        """Short names of the standards that each jurisdiction reads, by its name."""
        return {
            one.name: {each.standard for each in self.catalogues if each.id in one.catalogues}
            for one in self.jurisdictions
        }


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseStatus(Clause):
    """One clause and its status.

    Args:
        standard: Short name of the standard.
        edition: Its edition.
        status: What was concluded of it: a verdict, a condition, or who answers for it where no check does.
        shown_on: Items that its checks looked at.
    """

    standard: str
    edition: str
    status: Status
    shown_on: tuple[UnderTest, ...]


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


SCHEMA: Final = "certify-evidence/3"
"""Id of the form that this software writes."""

Held = TypeVar("Held")


@origins()
@dataclass(frozen=True, slots=True)
class Sections:
    """What only some games have: who has the edge, readings, printed tables, the frontier of a side stake, questions.

    Args:
        edge: Who has the edge.
        evaluated_readings: The game under every reading of its rules.
        reading_combinations: The game under every combination of readings.
        judged_tables: Printed tables of counts and outcomes, judged.
        frontier: Where best play changes as a side stake grows, by side bet.
        supplementary_tables: Figures of the family next to the returns, table by table.
    """

    edge: Edge | None = None
    evaluated_readings: tuple[EvaluatedReading, ...] | None = None
    reading_combinations: ReadingCombinations | None = None
    judged_tables: JudgedTables | None = None
    frontier: Mapping[str, tuple[FrontierPiece, ...]] | None = None
    supplementary_tables: tuple[SupplementaryTable, ...] | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class ExactPart(Sections):
    """What follows from the submission alone: computed by a run, and again by verification.

    Args:
        rules: The rules as submitted.
        readings: How silent or contradictory passages are read.
        terms: Promises about the life of a round.
        wagers: Wagers and paytables.
        claims: Printed returns next to the exact ones.
        recovery: Recovery of lost pays, by wager.
        analysis: Exact figures, by strategy.
        strategy_of: Strategy under which each wager's printed return is read.
        counted: Returns counted in a further exact way, by strategy and wager.
        exposure: The most that one round can cost.
        joint: All wagers together, by strategy.
        par: PAR sheets, by wager.
        strategy_classes: What simpler strategies cost.
        sensitivity: How returns move when one thing is otherwise, where the profile counts that.
        witnesses: A deal for every row of every paytable.
        not_established: What the report does not establish.
        layout: What is drawn from, and which draws win each wager; none in evidence older than that.
        configurations: Every wagering configuration by itself; none in evidence older than that.
        configuration_bands: PAR bands of the configurations that are played by themselves, by id, without what meters
            pay; left out without any.
    """

    rules: tuple[Rule, ...]
    readings: tuple[Reading, ...]
    terms: Terms
    wagers: tuple[StatedWager, ...]
    claims: tuple[StatedClaim, ...]
    recovery: Mapping[str, Recovery]
    analysis: Mapping[str, StatedAnalysis]
    strategy_of: Mapping[str, str]
    counted: Mapping[str, Mapping[str, Fraction]]
    exposure: Exposure
    joint: Mapping[str, JointFigures]
    par: Mapping[str, ParSheet]
    strategy_classes: tuple[StrategyClass, ...]
    sensitivity: tuple[Sensitivity, ...] | None = None
    witnesses: tuple[Witness, ...]
    not_established: tuple[Said, ...]
    layout: TableLayout | None = None
    configurations: tuple[StatedConfiguration, ...] | None = None
    configuration_bands: Mapping[str, tuple[Band, ...]] | None = None


@origins(stated=("brought",))
@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(ExactPart):
    """The whole evidence of one certification.

    Args:
        schema: Id of this form.
        report: Number, dates, parties, statement.
        tool: What computed.
        family: The code that plays the game.
        run: What was run.
        item: The game submitted, with its bytes.
        items: The items that checks were made on, with version and digest.
        brought: What the operator submitted, tested.
        simulation: Play-through next to its exact expectation.
        agreement: Implementations compared on the same decks.
        texts: The texts of the game and how far they agree; none where it is not written in stages.
        deck_audit: What was found in the dealt decks.
        played_rounds: Rounds with everything needed to play them again.
        rng: What was established about the generator.
        randomness: Statistical tests of what was dealt.
        rounds: The terms exercised, and rounds recalled.
        observations: What every check saw.
        regime: By what the item was judged.
        clauses: Every clause and its status.
        obligations: Duties that pass to the operator.
        findings: What a reader must know, worst first.
        files: Data files of the pack.
        since: What changed since an earlier certified pack; none where the run was not compared with one.
    """

    schema: Annotated[str, Form(SCHEMA, SCHEMA)] = SCHEMA
    report: Report
    tool: Tool
    family: FamilyCode
    run: Run
    item: Item
    items: tuple[ItemUnderTest, ...]
    brought: Brought
    simulation: Simulation
    agreement: Agreement
    texts: Texts | None = None
    deck_audit: DeckAudit
    played_rounds: tuple[StatedRound, ...]
    rng: StatedGenerator
    randomness: Randomness
    rounds: Rounds
    observations: tuple[Observation, ...]
    regime: StatedRegime
    clauses: tuple[ClauseStatus, ...]
    obligations: tuple[Obligation, ...]
    findings: tuple[Finding, ...]
    files: tuple[DataFile, ...]
    since: Since | None = None


def by_strategy(held: Mapping[str, Held]) -> tuple[tuple[str, Held], ...]:
    """Returns what is held by strategy, the one that is best for the first wager at the head.

    Canonical JSON sorts its keys: whoever reads evidence has them in this order, whoever wrote it too.
    """
    return tuple(sorted(held.items(), key=lambda entry: (entry[0] not in HEADS, entry[0])))


def by_wager(evidence: Evidence, held: Mapping[str, Held]) -> tuple[tuple[str, Held], ...]:
    """Returns what is held by wager, in the order in which the submission lists its wagers."""
    return listed_first(held, (wager.id for wager in evidence.wagers))


def listed_first(held: Mapping[str, Held], listed: Iterable[str]) -> tuple[tuple[str, Held], ...]:
    """Returns what is held by name, in the order of a list, and what is not listed after it."""
    places = {name: place for place, name in enumerate(listed)}
    return tuple(sorted(held.items(), key=lambda entry: (places.get(entry[0], len(places)), entry[0])))


def product_shown(clauses: Sequence[ClauseStatus]) -> bool:
    """Returns whether each of the operator's items satisfies a clause: without both the product is not shown."""
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

"""The register of checks: each is a function from results to observations; catalogues say which clauses it answers."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from certify.clauses.catalogue import Regime, regime_of
from certify.evidence import (
    Agreement,
    Brought,
    DeckAudit,
    Exercise,
    Randomness,
    Sections,
    StatedCampaign,
    StatedGenerator,
    Texts,
    ToldRound,
    WagerAgreement,
)
from certify.families import FindingBasis
from certify.model import (
    REFERENCE,
    Analysis,
    Applicability,
    Catalogue,
    Exposure,
    Game,
    Method,
    Observation,
    SeenSubject,
    Severity,
    UnderTest,
    Verdict,
    Witness,
    keywords,
)
from certify.rounds import RoundRecord

if TYPE_CHECKING:
    from certify.simulation import Campaign


@dataclass(frozen=True, slots=True)
class PlannedCampaign:
    """Rounds that are to be played.

    Args:
        game: The game.
        analysis: The exact figures, with the strategy.
        purpose: Registered use of randomness.
        rounds: Number of rounds.
        configuration: Id of the wagering configuration that is played; empty where it is the round as submitted.
    """

    game: Game
    analysis: Analysis
    purpose: str
    rounds: int
    configuration: str = ""


@dataclass(frozen=True, slots=True)
class PlayThrough:
    """One campaign with the exact figures it is compared with, and the comparison.

    Args:
        planned: What was to be played.
        campaign: What was played, or what evidence says of it.
        agreements: The comparison, wager by wager.
        first: The borderline campaign that this fresh one decides about, if there was one.
    """

    planned: PlannedCampaign
    campaign: "Campaign | StatedCampaign"
    agreements: tuple[WagerAgreement, ...]
    first: "PlayThrough | None" = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One round on which the legs do not agree about a wager.

    Args:
        deck_index: Index of the deck among those compared.
        deck: The deck, card ids in dealing order.
        wager: Id of the wager.
        outcomes: What each leg says, by the name of the leg.
    """

    deck_index: int
    deck: tuple[int, ...]
    wager: str
    outcomes: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Returns the difference as a sentence."""
        said = ", ".join(f"{leg}: {outcome}" for leg, outcome in self.outcomes)
        return f"deck {self.deck_index}, {self.wager}: {said}"


@dataclass(frozen=True, slots=True)
class LegAgreement:
    """Whether several implementations settle the same decks in the same way.

    Args:
        decks: Number of decks compared.
        legs: Names of the implementations.
        compared: Ids of the wagers compared.
        differences: Every disagreement, by deck and wager.
    """

    decks: int
    legs: tuple[str, ...]
    compared: tuple[str, ...]
    differences: tuple[Difference, ...]

    def evidence(self) -> Agreement:
        """Returns the agreement as a noun of the evidence, with up to twenty differences in words."""
        return Agreement(
            decks=self.decks,
            legs=self.legs,
            compared=self.compared,
            differences=len(self.differences),
            listed=tuple(str(difference) for difference in self.differences[:20]),
        )


@dataclass(frozen=True, slots=True)
class RngFacts:
    """What was established about the generator itself, and what it was seen to refuse.

    Args:
        stated: What the evidence states of it.
        reseed_interval: Requests after which the generator demands fresh entropy.
        reseed_refused: Whether the generator refused to go on past its interval without entropy.
        unregistered_refused: Whether an unregistered use was refused.
    """

    stated: StatedGenerator
    reseed_interval: int
    reseed_refused: bool
    unregistered_refused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactResults(FindingBasis):
    """Everything that follows from the submission alone.

    Args:
        exposure: Highest joint win.
        witnesses: A round for every paytable row.
        counted: Returns by direct counting, by strategy and wager.
        regime: The jurisdictions that the report is made for.
        sections: Further objects of the evidence: the edge, and what the family adds, such as judged tables.
        thorough: Whether changed games were counted too.
    """

    exposure: Exposure
    witnesses: tuple[Witness, ...]
    counted: Mapping[str, Mapping[str, Fraction]]
    regime: Regime = field(default_factory=regime_of)
    sections: Sections = field(default_factory=Sections)
    thorough: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Results(ExactResults):
    """Everything computed in one run.

    Args:
        playthroughs: Campaigns with their comparisons.
        agreement: Reference engine, kernel and twin on the same decks.
        texts: The texts of the game and how far they agree.
        deck_audit: What was found in the dealt decks.
        randomness: Statistical tests of what was dealt, and what they came to.
        rng: Facts about the generator.
        exercise: The terms exercised.
        recalled: Rounds played on a ledger and recalled from it, each replayed bit for bit on the way.
        brought: What an operator submitted, tested.
        told: A voided and an expired round, reported in full.
    """

    playthroughs: tuple[PlayThrough, ...]
    agreement: LegAgreement
    deck_audit: DeckAudit
    randomness: Randomness
    rng: RngFacts
    exercise: Exercise
    recalled: tuple[RoundRecord, ...] = ()
    brought: Brought = field(default_factory=Brought)
    told: tuple[ToldRound, ...] = ()
    texts: Texts | None = None


CheckFunction = Callable[[Results], Iterable["Answer"]]
ExactFunction = Callable[[ExactResults], Iterable["Answer"]]


@dataclass(frozen=True, slots=True)
class Answer(SeenSubject):
    """What a check says about one subject.

    Args:
        item: The item that was looked at, where it is not the one of the check.
        tried: How many things were looked at, such as stakes, rows or trials: without any, nothing is satisfied.
    """

    item: UnderTest | None = None
    tried: int = 0


@dataclass(frozen=True, slots=True)
class Check:
    """A registered check.

    Args:
        id: Its id, as the clauses name it.
        title: What it checks, one sentence.
        function: The code.
        own: Why the harness runs it itself, whatever catalogues were chosen; empty where it runs for clauses alone.
        severity: Severity of the finding where it is not satisfied.
        item: The item that it looks at; single answers may name another.
    """

    id: str
    title: str
    function: CheckFunction
    own: str = ""
    severity: Severity = Severity.MAJOR
    item: UnderTest = UnderTest.SUBMISSION

    def observe(self, results: Results) -> list[Observation]:
        """Returns the observations of this check; a check that says nothing is inconclusive."""
        nothing = Answer(Verdict.INCONCLUSIVE, "at least one observation", "none", reason=NOT_TRIED)
        return [self._observation(answer) for answer in list(self.function(results)) or [nothing]]

    def _observation(self, answer: Answer) -> Observation:
        item = answer.item or self.item
        if not answer.tried and answer.verdict is Verdict.SATISFIED:
            answer = replace(answer, verdict=Verdict.INCONCLUSIVE, reason=NOT_TRIED)
        return Observation(
            check=self.id,
            title=self.title,
            **keywords(answer) | {"verdict": on_item(answer.verdict, item), "item": item},
        )


NOT_TRIED: Final = "nothing was checked"
"""Why a check decides nothing that had nothing to look at."""

_CHECKS: Final[dict[str, Check]] = {}


def exact_check(
    check_id: str,
    title: str,
    *,
    own: str = "",
    severity: Severity = Severity.MAJOR,
) -> Callable[[ExactFunction], ExactFunction]:
    """Registers a check that looks at nothing but what follows from the submission.

    Verification computes its observations again.

    Raises:
        ValueError: The id is taken.
    """

    def register(function: ExactFunction) -> ExactFunction:
        _register(Check(check_id, title, function, own, severity))
        return function

    return register


def check(
    check_id: str,
    title: str,
    item: UnderTest,
    *,
    own: str = "",
    severity: Severity = Severity.MAJOR,
) -> Callable[[CheckFunction], CheckFunction]:
    """Registers a check under its id, with the item that it looks at.

    Raises:
        ValueError: The id is taken.
    """

    def register(function: CheckFunction) -> CheckFunction:
        _register(Check(check_id, title, function, own, severity, item=item))
        return function

    return register


def _register(entry: Check) -> None:
    if entry.id in _CHECKS:
        raise ValueError(f"the check {entry.id} is registered twice")
    _CHECKS[entry.id] = entry


def checks() -> Mapping[str, Check]:
    """Returns all checks by id, in the order of the report, whichever module was imported first."""
    from certify.clauses.checks import ORDER, load_all

    load_all()
    place = {f"certify.clauses.checks.{name}": number for number, name in enumerate(ORDER)}
    ordered = sorted(_CHECKS.values(), key=lambda check: place.get(check.function.__module__, len(place)))
    return {check.id: check for check in ordered}


def planned(catalogues: Iterable[Catalogue], applies: Collection[Applicability]) -> Mapping[str, Check]:
    """Returns the checks that run: those that the catalogues' clauses ask of the game, and the harness's own.

    Args:
        catalogues: The catalogues that were chosen.
        applies: Kinds of games that the game belongs to.
    """
    asked = {
        check
        for catalogue in catalogues
        for clause in catalogue.clauses
        if clause.method is Method.TEST and clause.applies in applies
        for check in clause.checks
    }
    return {name: check for name, check in checks().items() if name in asked or check.own}


def on_item(verdict: Verdict, item: UnderTest) -> Verdict:
    """Returns a verdict as it may be stated about an item: what holds on a reference is shown there, not satisfied.

    >>> on_item(Verdict.SATISFIED, UnderTest.REFERENCE_ROUNDS).value
    'shown on the reference'
    >>> on_item(Verdict.NOT_SATISFIED, UnderTest.REFERENCE_ROUNDS).value
    'not satisfied'
    """
    return Verdict.REFERENCE if verdict is Verdict.SATISFIED and item in REFERENCE else verdict


def verdict_of(holds: bool) -> Verdict:
    """Returns the verdict of something that either holds or does not."""
    return Verdict.SATISFIED if holds else Verdict.NOT_SATISFIED

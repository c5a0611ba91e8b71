"""Everything a certification run has computed, as the checks receive it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from certify.clauses.jurisdiction import Regime, regime_of
from certify.evidence.document import Sections
from certify.evidence.life import Exercise, ToldRound
from certify.evidence.operator import Brought
from certify.evidence.randomness import Randomness, StatedGenerator
from certify.evidence.simulation import Agreement, DeckAudit, StatedCampaign, WagerAgreement
from certify.evidence.submitted import Texts
from certify.families.port import FindingBasis
from certify.model.figures import Analysis
from certify.model.round import Exposure, Witness
from certify.rounds.recall import RoundRecord
from certify.simulation import Campaign


@dataclass(frozen=True, slots=True)
class PlayThrough:
    """One campaign with the exact figures it is compared with, and the comparison.

    Args:
        campaign: What was played, or what evidence says of it.
        analysis: The exact figures.
        agreements: The comparison, wager by wager.
        first: The borderline campaign that this fresh one decides about, if there was one.
    """

    campaign: Campaign | StatedCampaign
    analysis: Analysis
    agreements: tuple[WagerAgreement, ...]
    first: PlayThrough | None = None


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
    """Whether several implementations settle the same decks alike.

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
        brought: What an operator brought, tested.
        told: A voided and an expired round, told in full.
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

"""Play-through: what campaigns counted, next to what was exactly expected."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.evidence.encode import Messaged
from certify.model import Count, Seed, Sha256, Verdict, origins


@origins()
@dataclass(frozen=True, slots=True)
class ComparedLegs:
    """Several implementations that settled the same decks.

    Args:
        decks: Number of decks compared.
        legs: Names of the implementations.
        compared: Ids of the wagers compared.
    """

    decks: int
    legs: tuple[str, ...]
    compared: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Agreement(ComparedLegs):
    """Whether several implementations settle the same decks in the same way.

    Args:
        differences: Number of disagreements.
        listed: Some of them, in words.
    """

    differences: int
    listed: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class DeckAudit:
    """What was found when every dealt deck of a sample was looked at.

    Args:
        decks: Decks looked at.
        broken: Decks that do not hold every card once.
        stake_runs: Rounds replayed with other stakes, players and histories.
        stake_differences: Rounds whose cards or outcomes changed with them.
        replays: Rounds dealt and played again from their record.
        replay_differences: Rounds that did not end as recorded.
    """

    decks: int
    broken: int
    stake_runs: int
    stake_differences: int
    replays: int
    replay_differences: int


@origins()
@dataclass(frozen=True, slots=True)
class StatedRound:
    """A round with everything needed to deal and play it again.

    Args:
        seed: Master seed.
        purpose: Registered use of randomness.
        stream: Index of the stream.
        deck: Place of the deck in the stream.
        hands: What each holder was dealt, as ids.
        decisions: What was decided.
        outcomes: How each wager ended.
        net: Net result of each wager per unit of initial stake.
        trace_sha256: Digest of the trace.
        trace: The round step by step, in words.
    """

    seed: Seed
    purpose: str
    stream: int
    deck: int
    hands: Mapping[str, tuple[int, ...]]
    decisions: tuple[str, ...]
    outcomes: Mapping[str, str]
    net: Mapping[str, Fraction]
    trace_sha256: Sha256
    trace: tuple[str, ...]


@origins(counted=("count",))
@dataclass(frozen=True, slots=True)
class Cell:
    """How often one outcome came.

    Args:
        outcome: Id of the outcome.
        count: How often it came.
        frequency: The same per round.
        probability: Its exact probability.
        expected: How often it was expected.
        residual: Standardised residual of the count; none where it is not finite.
    """

    outcome: str
    count: Count
    frequency: float
    probability: Fraction
    expected: float
    residual: float | None

    @property
    def distance(self) -> float:
        """The residual; infinite where what cannot be, or cannot fail to be, was counted otherwise."""
        if self.residual is not None:
            return self.residual
        return math.inf if self.probability == 0 else -math.inf


@origins()
@dataclass(frozen=True, slots=True)
class Mean:
    """The observed return next to the exact one.

    Args:
        return_: Observed return.
        exact_return: Exact return.
        standard_error: Its standard error, from the exact variance.
        z: Difference in standard errors; none where it is not finite.
        p_value: Probability of a difference as great.
        interval_99: Interval of 99 % confidence.
    """

    return_: float
    exact_return: Fraction
    standard_error: float
    z: float | None
    p_value: float
    interval_99: tuple[float, float]

    @property
    def distance(self) -> float:
        """The difference in standard errors; infinite where a wager without spread returned something else."""
        return math.copysign(math.inf, self.return_ - self.exact_return) if self.z is None else self.z


@origins()
@dataclass(frozen=True, slots=True)
class Equivalence(Messaged):
    """Whether the return was shown to lie within a margin of the exact one.

    Args:
        margin: The margin, per unit staked, fixed before the first round.
        reason: Why the margin is this one, in words.
        rounds_needed: Rounds that show an agreement that is there with a probability of 99 %.
        asked: Whether equivalence was requested here, or is reported for information.
        interval_98: Interval whose ends decide it.
        equivalent: Whether it is within the margin.
    """

    margin: Fraction
    reason: str
    rounds_needed: int
    asked: bool
    interval_98: tuple[float, float]
    equivalent: bool


@origins()
@dataclass(frozen=True, slots=True)
class ChiSquare:
    """The test over all outcomes together.

    Args:
        statistic: The statistic.
        degrees_of_freedom: Its degrees of freedom.
        p_value: The p-value.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float


@origins(counted=("times", "contribution"))
@dataclass(frozen=True, slots=True)
class AwardSeen:
    """How often one row won, where one round wins many times: for information, next to what is exactly expected.

    Args:
        row: Row of the paytable, or of a feature.
        part: Part of the game in which it wins.
        times: How often it won.
        expected: How often it was expected.
        contribution: What it added to the observed return.
        exact_contribution: What it adds to the exact one.
    """

    row: str
    part: str
    times: Count
    expected: float
    contribution: float
    exact_contribution: Fraction


@origins(counted=("variance", "highest"))
@dataclass(frozen=True, slots=True)
class Summed:
    """What rounds came to, where outcomes are classes of rounds whose net result varies.

    Args:
        variance: Observed variance of the net result.
        exact_variance: Exact variance.
        highest: The highest net result that came.
        awards: How often each row won.
    """

    variance: float
    exact_variance: Fraction
    highest: Fraction
    awards: tuple[AwardSeen, ...]


@origins()
@dataclass(frozen=True, slots=True)
class WagerAgreement:
    """One wager of a campaign next to its exact figures.

    Args:
        wager: Id of the wager.
        outcomes: Its outcomes.
        mean: Its return.
        equivalence: Whether the return was shown to be the exact one within a margin.
        adjusted_p: Adjusted p-values by test.
        verdict: Whether play-through and counting agree.
        reasons: Why not, in words.
        chi_square: The test over all outcomes; none where there is only one.
        summed: What rounds came to, where the net result varies within outcomes.
    """

    wager: str
    outcomes: tuple[Cell, ...]
    mean: Mean
    equivalence: Equivalence
    adjusted_p: Mapping[str, float]
    verdict: Verdict
    reasons: tuple[str, ...]
    chi_square: ChiSquare | None = None
    summed: Summed | None = None


@origins(counted=("return_",))
@dataclass(frozen=True, slots=True)
class PointReturn:
    """The observed return of one wager at one point of a campaign.

    Args:
        return_: Observed return.
        half_width_99: Half the width of its interval of 99 % confidence.
    """

    return_: float
    half_width_99: float


@origins()
@dataclass(frozen=True, slots=True)
class ConvergencePoint:
    """What was counted up to one point of a campaign.

    Args:
        rounds: Rounds up to here.
        wagers: Observed returns by wager.
    """

    rounds: int
    wagers: Mapping[str, PointReturn]


@origins(counted=("covariance",))
@dataclass(frozen=True, slots=True)
class ObservedCovariance:
    """Observed covariance of the net results of two wagers.

    Args:
        wagers: The two wagers.
        covariance: Covariance per unit staked on each.
    """

    wagers: tuple[str, str]
    covariance: float


@origins()
@dataclass(frozen=True, slots=True)
class StatedCampaign(Messaged):
    """Rounds played under one strategy.

    Args:
        strategy: Name of the strategy.
        rounds: Number of rounds.
        seed: Master seed.
        purpose: Registered use of randomness.
        streams: Number of streams that were drawn from.
        chunk_rounds: Rounds played from each stream.
        configuration_sha256: Digest of everything that decides the result.
        kernel_twin_rounds: Rounds on which the kernel was compared with its plain twin.
        decision_rule: How agreement is judged, in words.
        wagers: What was counted, wager by wager.
        convergence: The observed return as the campaign went on.
        covariances: Observed covariances of all pairs of wagers.
        configuration: Id of the wagering configuration that was played by itself; left out where it is the round as
            submitted.
    """

    strategy: str
    rounds: int
    seed: Seed
    purpose: str
    streams: int
    chunk_rounds: int
    configuration_sha256: Sha256
    kernel_twin_rounds: int
    decision_rule: str
    wagers: tuple[WagerAgreement, ...]
    convergence: tuple[ConvergencePoint, ...]
    covariances: tuple[ObservedCovariance, ...]
    configuration: str | None = None


SHARED_CODE: Final = (
    "the strategy (what is seen, with what is decided then)",
    "the nouns of certify.model: equipment, ids of what it shows, rules as parameters, paytables",
)
"""All that play-through shares with enumeration, where a family has both."""

DERIVED: Final = (
    "rules and settlement: the implementation of the game, from which the table that is played was made"
)
"""What play-through shares in addition, where it is derived."""


@origins()
@dataclass(frozen=True, slots=True)
class Simulation(Messaged):
    """All campaigns, and what their code shares with the exact figures.

    Args:
        campaigns: The campaigns.
        borderline_rule: What happens where a campaign is borderline, in words.
        borderline_first: Campaigns that were borderline and gave way to a fresh one.
        shared_code: What play-through and exact figures share.
        independent_code: What the play-through does by itself.
        configurations: Campaigns of wagering configurations that are played by themselves; left out without any.
    """

    campaigns: tuple[StatedCampaign, ...]
    borderline_rule: str
    borderline_first: tuple[StatedCampaign, ...]
    shared_code: tuple[str, ...]
    independent_code: tuple[str, ...]
    configurations: tuple[StatedCampaign, ...] | None = None

"""What a campaign showed, as a noun of the evidence, which ``certify simulate`` prints too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from certify.evidence import simulation as evidence
from certify.messages import say, worded
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.simulation.inference import Cell, WagerAgreement, decision_rule, exact_return, net_pay
from certify.simulation.tally import Axes, Campaign, Point, marginal


def campaign_evidence(
    campaign: Campaign,
    agreements: Sequence[WagerAgreement],
    game: Game,
    analysis: Analysis,
    *,
    kernel_twin_rounds: int = 0,
) -> evidence.Campaign:
    """Returns a campaign as a noun of the evidence.

    Args:
        campaign: What was played.
        agreements: What :func:`certify.simulation.inference.compare` concluded.
        game: The game.
        analysis: The exact figures it was compared with.
        kernel_twin_rounds: Rounds on which the kernel was compared with its plain twin.
    """
    return evidence.Campaign(
        strategy=campaign.strategy,
        rounds=campaign.rounds,
        seed=campaign.seed,
        purpose=campaign.purpose,
        streams=campaign.streams,
        chunk_rounds=campaign.chunk_rounds,
        configuration_sha256=campaign.configuration,
        kernel_twin_rounds=kernel_twin_rounds,
        **worded(decision_rule=decision_rule()),
        wagers=tuple(_wager(agreement, campaign.rounds) for agreement in agreements),
        convergence=tuple(_point(point, campaign.axes, game, analysis) for point in campaign.points),
        covariances=covariances(campaign, game, [figures.wager for figures in analysis.wagers]),
    )


def covariances(
    campaign: Campaign, game: Game, wagers: Sequence[str]
) -> tuple[evidence.ObservedCovariance, ...]:
    """Returns the observed covariance of the net results of each two wagers, per unit staked on each."""
    pairs = [(a, b) for index, a in enumerate(wagers) for b in wagers[index + 1 :]]
    return tuple(
        evidence.ObservedCovariance((a, b), float(covariance(campaign, game, a, b))) for a, b in pairs
    )


def covariance(campaign: Campaign, game: Game, first: str, second: str) -> Fraction:
    """Returns the covariance of the net results of two wagers over the rounds counted, exactly.

    Args:
        campaign: What was played.
        game: The game, for its pays.
        first: Id of a wager.
        second: Id of a wager.
    """
    axes = campaign.axes
    wagers = [wager for wager, _ in axes]
    a, b = wagers.index(first), wagers.index(second)
    product_sum = Fraction(0)
    for count, ids in zip(campaign.joint, product(*(outcomes for _, outcomes in axes)), strict=True):
        if count:
            product_sum += count * net_pay(game, first, ids[a]) * net_pay(game, second, ids[b])
    means = [exact_return(game, wager, campaign.counts(wager)) - 1 for wager in (first, second)]
    return product_sum / sum(campaign.joint) - means[0] * means[1]


def _wager(agreement: WagerAgreement, rounds: int) -> evidence.WagerAgreement:
    chi, mean, equivalence = agreement.chi_square, agreement.mean, agreement.equivalence
    return evidence.WagerAgreement(
        wager=agreement.wager,
        outcomes=tuple(_cell(cell, rounds) for cell in agreement.cells),
        mean=evidence.Mean(
            return_=mean.mean,
            exact_return=mean.exact,
            standard_error=mean.standard_error,
            z=_finite(mean.z),
            p_value=mean.p_value,
            interval_99=mean.interval,
        ),
        equivalence=evidence.Equivalence(
            margin=equivalence.margin.value,
            **worded(reason=say(f"simulation.margin-{equivalence.margin.reason}")),
            rounds_needed=equivalence.rounds_needed,
            asked=agreement.asked,
            interval_98=equivalence.interval,
            equivalent=equivalence.equivalent,
        ),
        adjusted_p=dict(agreement.adjusted),
        verdict=agreement.verdict,
        reasons=agreement.reasons,
        chi_square=None
        if chi is None
        else evidence.ChiSquare(chi.statistic, chi.degrees_of_freedom, chi.p_value),
    )


def _cell(cell: Cell, rounds: int) -> evidence.Cell:
    return evidence.Cell(
        outcome=cell.outcome,
        count=str(cell.count),
        frequency=cell.count / rounds,
        probability=cell.probability,
        expected=cell.expected,
        residual=_finite(cell.residual),
    )


def _finite(value: float) -> float | None:
    """Returns a number, or None for one that JSON cannot say."""
    return value if math.isfinite(value) else None


def _point(point: Point, axes: Axes, game: Game, analysis: Analysis) -> evidence.ConvergencePoint:
    from scipy.special import ndtri

    z = float(ndtri(0.995))
    return evidence.ConvergencePoint(
        rounds=point.rounds,
        wagers={
            figures.wager: evidence.PointReturn(
                return_=float(exact_return(game, figures.wager, marginal(point.joint, figures.wager, axes))),
                half_width_99=z * figures.standard_deviation / math.sqrt(point.rounds),
            )
            for figures in analysis.wagers
        },
    )

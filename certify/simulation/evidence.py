"""What a campaign showed, as a noun of the evidence, which ``certify simulate`` prints too."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from certify.evidence import simulation as evidence
from certify.exact import means_and_covariances
from certify.messages import worded
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.simulation.inference import decision_rule, exact_return, net_pay
from certify.simulation.tally import Campaign, PlayedPoint


def campaign_evidence(
    campaign: Campaign,
    agreements: Sequence[evidence.WagerAgreement],
    game: Game,
    analysis: Analysis,
    *,
    kernel_twin_rounds: int = 0,
) -> evidence.StatedCampaign:
    """Returns a campaign as a noun of the evidence.

    Args:
        campaign: What was played.
        agreements: What :func:`certify.simulation.inference.compare` concluded.
        game: The game.
        analysis: The exact figures it was compared with.
        kernel_twin_rounds: Rounds on which the kernel was compared with its plain twin.
    """
    return evidence.StatedCampaign(
        strategy=campaign.strategy,
        rounds=campaign.rounds,
        seed=campaign.seed,
        purpose=campaign.purpose,
        streams=campaign.streams,
        chunk_rounds=campaign.chunk_rounds,
        configuration_sha256=campaign.configuration,
        kernel_twin_rounds=kernel_twin_rounds,
        **worded(decision_rule=decision_rule()),
        wagers=tuple(agreements),
        convergence=tuple(_point(point, game, analysis) for point in campaign.points),
        covariances=covariances(campaign, game, [figures.wager for figures in analysis.wagers]),
    )


def covariances(
    campaign: Campaign, game: Game, wagers: Sequence[str]
) -> tuple[evidence.ObservedCovariance, ...]:
    """Returns the observed covariance of the net results of each two wagers, per unit staked on each.

    Of two wagers whose outcomes are classes of rounds, none is observed: sums of each do not hold their products.
    """
    vary = {totals.wager for totals in campaign.joint.totals}
    found = means_and_covariances(*_played(campaign, game, wagers))[1].items()
    pairs = [((wagers[one], wagers[other]), value) for (one, other), value in found if one != other]
    return tuple(
        evidence.ObservedCovariance(pair, float(value)) for pair, value in pairs if not {*pair} <= vary
    )


def covariance(campaign: Campaign, game: Game, first: str, second: str) -> Fraction:
    """Returns the covariance of the net results of two wagers over the rounds counted, exactly.

    Args:
        campaign: What was played.
        game: The game, for its pays.
        first: Id of a wager.
        second: Id of a wager.
    """
    return means_and_covariances(*_played(campaign, game, (first, second)))[1][0, 1]


def _played(
    campaign: Campaign, game: Game, wagers: Sequence[str]
) -> tuple[tuple[int, ...], list[tuple[Fraction, ...]]]:
    """Returns how often each joint outcome occurred, and for each wager the net result of each."""
    place = {wager: number for number, (wager, _) in enumerate(campaign.axes)}
    occurred = tuple(campaign.joint.outcomes())
    counts = tuple(count for _, count in occurred)
    nets: list[tuple[Fraction, ...]] = []
    for wager in wagers:
        totals = campaign.joint.totals_of(wager)
        if totals is not None:
            # Within a cell a second wager has one net result, so that the mean of the cell is all that matters.
            paired = zip(totals.cells, counts, strict=True)
            nets.append(tuple(Fraction(one.total, totals.unit * count) for one, count in paired))
            continue
        column = [ended[place[wager]] for ended, _ in occurred]
        price = {outcome: net_pay(game, wager, outcome) for outcome in set(column)}
        nets.append(tuple(price[outcome] for outcome in column))
    return counts, nets


def _point(point: PlayedPoint, game: Game, analysis: Analysis) -> evidence.ConvergencePoint:
    from scipy.special import ndtri

    z = float(ndtri(0.995))
    return evidence.ConvergencePoint(
        rounds=point.rounds,
        wagers={
            figures.wager: evidence.PointReturn(
                return_=float(exact_return(game, figures.wager, point.joint)),
                half_width_99=z * figures.standard_deviation / math.sqrt(point.rounds),
            )
            for figures in analysis.wagers
        },
    )

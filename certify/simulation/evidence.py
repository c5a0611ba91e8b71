"""What a campaign showed, as a noun of the evidence, which ``certify simulate`` prints too."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, zip_longest

from certify.errors import InputError
from certify.evidence import simulation as evidence
from certify.exact import means_and_covariances
from certify.messages import worded
from certify.model import Analysis, Game
from certify.simulation.campaign import PlayChunk
from certify.simulation.inference import decision_rule, exact_return, net_pay
from certify.simulation.store import Campaign, PlayedPoint


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
        **worded(decision_rule=decision_rule(analysis)),
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
    returns = {one.wager: float(exact_return(game, one.wager, point.joint)) for one in analysis.wagers}
    return _point_of(point.rounds, returns, analysis)


def _point_of(rounds: int, returns: Mapping[str, float], analysis: Analysis) -> evidence.ConvergencePoint:
    """Returns one point of a campaign with how far its returns may stray."""
    from scipy.special import ndtri

    z = float(ndtri(0.995))
    return evidence.ConvergencePoint(
        rounds=rounds,
        wagers={
            figures.wager: evidence.PointReturn(
                return_=returns[figures.wager],
                half_width_99=z * figures.standard_deviation / math.sqrt(rounds),
            )
            for figures in analysis.wagers
        },
    )


def campaign_again(stated: evidence.StatedCampaign, play: PlayChunk) -> evidence.StatedCampaign:
    """Returns a campaign as evidence states it, of the rounds, streams and wagers that it was planned to have.

    Args:
        stated: What the evidence says of it.
        play: What plays it.

    Raises:
        InputError: The evidence counts sums of a wager that has none, or none of one that has.
    """
    # One round tells for which wagers sums are counted: those whose outcomes are classes of rounds.
    vary = {one.wager for one in play.deal.rounds(0, 1).count(play.counter, 1).totals}
    for wager in stated.wagers:
        if (wager.summed is not None) is not (wager.wager in vary):
            raise InputError(f"{wager.wager}, {stated.strategy}: sums of rounds are counted where they vary")
    return replace(
        stated,
        rounds=play.rounds,
        seed=play.deal.seed,
        purpose=play.deal.purpose,
        streams=play.number,
        chunk_rounds=play.chunk_rounds,
        configuration_sha256=play.digest,
        # Rounds alone: what was counted at each point is put next to them with the figures.
        convergence=tuple(
            evidence.ConvergencePoint(rounds, {} if told is None else told.wagers)
            for rounds, told in zip_longest(play.points, stated.convergence[: len(play.points)])
        ),
    )


def figures_again(
    campaign: evidence.StatedCampaign,
    agreements: Sequence[evidence.WagerAgreement],
    game: Game,
    analysis: Analysis,
) -> evidence.StatedCampaign:
    """Returns a campaign with everything that follows from what it counted.

    Args:
        campaign: What :func:`campaign_again` returned.
        agreements: What follows of each wager.
        game: The game.
        analysis: The exact figures.
    """
    vary = {one.wager for one in agreements if one.summed is not None}
    pairs = combinations((one.wager for one in agreements), 2)
    observed = {one.wagers: one.covariance for one in campaign.covariances}
    *before, last = campaign.convergence
    means = {one.wager: one.mean.return_ for one in agreements}
    counted = [
        {wager: told[wager].return_ if wager in told else 0.0 for wager in means}
        for told in (one.wagers for one in before)
    ]
    return replace(
        campaign,
        **worded(decision_rule=decision_rule(analysis)),
        wagers=tuple(agreements),
        convergence=tuple(
            _point_of(point.rounds, returns, analysis)
            for point, returns in zip((*before, last), (*counted, means), strict=True)
        ),
        covariances=tuple(
            evidence.ObservedCovariance(pair, observed.get(pair, 0.0))
            for pair in pairs
            if not {*pair} <= vary
        ),
    )

"""What a campaign showed, as plain objects for the evidence and for ``certify simulate``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from certify.exact import fraction_text
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.simulation.inference import DECISION_RULE, Cell, WagerAgreement, exact_return, net_pay
from certify.simulation.tally import Axes, Campaign, Point, marginal


def campaign_json(
    campaign: Campaign,
    agreements: Sequence[WagerAgreement],
    game: Game,
    analysis: Analysis,
    *,
    kernel_twin_rounds: int = 0,
) -> dict[str, Any]:
    """Returns one entry of ``simulation.campaigns`` in the evidence.

    Args:
        campaign: What was played.
        agreements: What :func:`certify.simulation.inference.compare` concluded.
        game: The game.
        analysis: The exact figures it was compared with.
        kernel_twin_rounds: Rounds on which the kernel was compared with its plain twin.
    """
    return {
        "strategy": campaign.strategy,
        "rounds": campaign.rounds,
        "seed": campaign.seed,
        "purpose": campaign.purpose,
        "streams": campaign.streams,
        "chunk_rounds": campaign.chunk_rounds,
        "configuration_sha256": campaign.configuration,
        "kernel_twin_rounds": kernel_twin_rounds,
        "decision_rule": DECISION_RULE,
        "wagers": [_wager(agreement, campaign.rounds) for agreement in agreements],
        "convergence": [_point(point, campaign.axes, game, analysis) for point in campaign.points],
        "covariances": covariances(campaign, game, [figures.wager for figures in analysis.wagers]),
    }


def covariances(campaign: Campaign, game: Game, wagers: Sequence[str]) -> list[dict[str, Any]]:
    """Returns the observed covariance of the net results of each two wagers, per unit staked on each."""
    pairs = [(a, b) for index, a in enumerate(wagers) for b in wagers[index + 1 :]]
    return [{"wagers": [a, b], "covariance": float(covariance(campaign, game, a, b))} for a, b in pairs]


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


def _wager(agreement: WagerAgreement, rounds: int) -> dict[str, Any]:
    chi, mean, equivalence = agreement.chi_square, agreement.mean, agreement.equivalence
    entry: dict[str, Any] = {
        "wager": agreement.wager,
        "outcomes": [_cell(cell, rounds) for cell in agreement.cells],
        "mean": {
            "return": mean.mean,
            "exact_return": fraction_text(mean.exact),
            "standard_error": mean.standard_error,
            "z": _finite(mean.z),
            "p_value": mean.p_value,
            "interval_99": list(mean.interval),
        },
        "equivalence": {
            "margin": equivalence.margin,
            "interval_98": list(equivalence.interval),
            "equivalent": equivalence.equivalent,
        },
        "adjusted_p": dict(agreement.adjusted),
        "verdict": str(agreement.verdict),
        "reasons": list(agreement.reasons),
    }
    if chi is not None:
        entry["chi_square"] = {
            "statistic": chi.statistic,
            "degrees_of_freedom": chi.degrees_of_freedom,
            "p_value": chi.p_value,
        }
    return entry


def _cell(cell: Cell, rounds: int) -> dict[str, Any]:
    return {
        "outcome": cell.outcome,
        "count": str(cell.count),
        "frequency": cell.count / rounds,
        "probability": fraction_text(cell.probability),
        "expected": cell.expected,
        "residual": _finite(cell.residual),
    }


def _finite(value: float) -> float | None:
    """Returns a number, or None for one that JSON cannot say."""
    return value if math.isfinite(value) else None


def _point(point: Point, axes: Axes, game: Game, analysis: Analysis) -> dict[str, Any]:
    from scipy.special import ndtri

    z = float(ndtri(0.995))
    return {
        "rounds": point.rounds,
        "wagers": {
            figures.wager: {
                "return": float(
                    exact_return(game, figures.wager, marginal(point.joint, figures.wager, axes))
                ),
                "half_width_99": z * figures.standard_deviation / math.sqrt(point.rounds),
            }
            for figures in analysis.wagers
        },
    }

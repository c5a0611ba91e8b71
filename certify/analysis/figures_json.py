"""The figures of an analysis as JSON, in the shape that scripts of auditors read."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from certify.analysis.identification import RETURN_METRIC
from certify.analysis.par_sheet import top_award_json
from certify.exact import format_odds, fraction_text, percent_text
from certify.model.figures import VOLATILITY_Z, Analysis, Decision, Outcome, WagerFigures
from certify.model.game import Claim, Game


def analysis_json(analysis: Analysis, game: Game) -> dict[str, Any]:
    """Returns an analysis as a JSON object: exact fractions as text, with decimals beside them."""
    return {
        "game": analysis.game,
        "strategy": analysis.strategy.name,
        "strategy_class": analysis.strategy.strategy_class,
        "wagers": {figures.wager: wager_json(figures, game) for figures in analysis.wagers},
        "decisions": [decision_json(decision) for decision in analysis.decisions],
    }


def wager_json(figures: WagerFigures, game: Game) -> dict[str, Any]:
    """Returns the figures of one wager as a JSON object."""
    return {
        "return": fraction_text(figures.return_to_player),
        "return_percent": percent_text(figures.return_to_player),
        **_on_total_wagered(figures),
        "house_edge": fraction_text(figures.house_edge),
        "house_edge_percent": percent_text(figures.house_edge),
        "outcomes": [_outcome_json(outcome) for outcome in figures.outcomes],
        "net": [
            {"net": fraction_text(net), "probability": fraction_text(probability)}
            for net, probability in figures.net
        ],
        "hit_frequency": fraction_text(figures.hit_frequency),
        "hit_frequency_percent": percent_text(figures.hit_frequency),
        "win_frequency": fraction_text(figures.win_frequency),
        "win_frequency_percent": percent_text(figures.win_frequency),
        "variance": fraction_text(figures.variance),
        "standard_deviation": figures.standard_deviation,
        "volatility_index": {label: figures.volatility_index(z) for label, z in VOLATILITY_Z},
        "top_award": top_award_json(figures),
        "claims": [claim_json(claim, figures) for claim in game.claims_on(figures.wager)],
    }


def _on_total_wagered(figures: WagerFigures) -> dict[str, str]:
    """Returns the return per unit of everything staked, where the player may add to the stake."""
    if figures.total_wagered is None or figures.return_on_total_wagered is None:
        return {}
    return {
        "return_on_total_wagered": fraction_text(figures.return_on_total_wagered),
        "return_on_total_wagered_percent": percent_text(figures.return_on_total_wagered),
        "total_wagered": fraction_text(figures.total_wagered),
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    return {
        "outcome": outcome.id,
        "pays": format_odds(outcome.pays) if outcome.pays >= 0 else None,
        "net": fraction_text(outcome.pays),
        "probability": fraction_text(outcome.probability),
        "probability_percent": percent_text(outcome.probability),
        "contribution": fraction_text((1 + outcome.pays) * outcome.probability),
    }


def claim_json(claim: Claim, figures: WagerFigures) -> dict[str, Any]:
    """Returns whether a printed figure holds, with the interval that it stands for."""
    low, high = claim.printed.interval
    exact = figures.return_to_player
    entry: dict[str, Any] = {"printed": claim.text, "metric": claim.metric, "source": claim.source}
    if claim.metric != RETURN_METRIC:
        return entry | {"holds": None}
    return entry | {
        "interval": [fraction_text(low), fraction_text(high)],
        "exact": fraction_text(exact),
        "holds": claim.printed.stands_for(exact),
        "distance_to_low": fraction_text(exact - low),
        "distance_to_high": fraction_text(high - exact),
    }


def costs(values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Returns what each decision costs against the best one, in units of the deciding stake.

    >>> costs({"stand": Fraction(-1, 4), "hit": Fraction(-1, 5)})
    {'stand': Fraction(1, 20), 'hit': Fraction(0, 1)}
    """
    best = max(values.values())
    return {choice: best - value for choice, value in values.items()}


def decision_json(decision: Decision) -> dict[str, Any]:
    """Returns one decision as a JSON object."""
    return {
        "hand": decision.hand,
        "composition": list(decision.composition),
        "first": decision.first,
        "dealer": decision.dealer,
        "best": decision.best,
        "chosen": decision.chosen,
        "values": {choice: fraction_text(value) for choice, value in decision.values.items()},
        "reachable": decision.reachable,
        "probability": fraction_text(decision.probability),
        "costs": {choice: fraction_text(cost) for choice, cost in costs(decision.values).items()},
        "cost_of_deviation": fraction_text(decision.cost_of_deviation),
    }

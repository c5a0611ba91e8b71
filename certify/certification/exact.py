"""What follows from a submission alone: computed by a run, and again by verification."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from certify.analysis import (
    MAIN_OPTIMAL,
    analysed_strategies,
    analysis_json,
    analyze,
    exposure,
    identification_json,
    identify,
    plan_of,
)
from certify.analysis.edge import edge_json
from certify.certification.figures import further_figures
from certify.certification.plan import strategy_of
from certify.certification.submitted import (
    all_witnesses,
    claims_evidence,
    exposure_evidence,
    submitted_evidence,
    witnesses_evidence,
)
from certify.certification.texts import not_established
from certify.clauses.jurisdiction import Regime
from certify.clauses.results import ExactResults
from certify.exact import fraction_text
from certify.families.registry import family_of
from certify.model.figures import Analysis
from certify.model.game import Game


def exact_results(game: Game, regime: Regime) -> ExactResults:
    """Returns everything about a game that nothing has to be dealt for.

    Args:
        game: The submission.
        regime: The jurisdictions that it is judged by.

    Raises:
        InputError: No run is written for the family of the game.
    """
    plan = plan_of(game)
    analyses = {name: analyze(game, name) for name in analysed_strategies(game)}
    return ExactResults(
        game=game,
        analyses=analyses,
        strategy_of=strategy_of(game, analyses),
        identifications={
            claim.wager: identify(game, claim.wager)
            for claim in game.claims
            if game.wager(claim.wager).pays_are_recovered
        },
        exposure=exposure(game),
        witnesses=all_witnesses(game),
        counted={name: _counted(game, analyses[name]) for name in plan.played},
        regime=regime,
        sections=_sections(game, analyses),
    )


def _sections(game: Game, analyses: Mapping[str, Analysis]) -> Mapping[str, Any]:
    """Returns the objects of the evidence that the family adds; who has the edge is said of every game."""
    added = family_of(game).sections
    best = analyses[MAIN_OPTIMAL]
    edge = {"edge": edge_json(best.wagers[0], MAIN_OPTIMAL, game.banked_by)}
    return edge | dict(added.evidence(game, analyses) if added is not None else {})


def _counted(game: Game, analysis: Analysis) -> Mapping[str, Fraction]:
    """Returns the returns that the family counts in a further exact way, none where it has no such way."""
    further = family_of(game).counting
    return further.counted(game, analysis.strategy) if further is not None else {}


def exact_evidence(exact: ExactResults, *, sensitivity: bool) -> dict[str, Any]:
    """Returns every object of the evidence that follows from the submission alone.

    Args:
        exact: What was computed.
        sensitivity: Whether the profile counts the game anew for every changed pay and rule.
    """
    game, analyses, best = exact.game, exact.analyses, exact.strategy_of
    return {
        **submitted_evidence(game),
        "claims": claims_evidence(game, analyses, best, exact.identifications),
        "recovery": {wager: identification_json(found) for wager, found in exact.identifications.items()},
        "analysis": {name: analysis_json(analysis, game) for name, analysis in analyses.items()},
        "strategy_of": dict(best),
        "counted": {
            name: {wager: fraction_text(value) for wager, value in counted.items()}
            for name, counted in exact.counted.items()
        },
        "exposure": exposure_evidence(exact.exposure, game),
        **further_figures(game, analyses, best, sensitivity=sensitivity),
        **exact.sections,
        "witnesses": witnesses_evidence(game, exact.witnesses),
        "not_established": list(not_established(game)),
    }

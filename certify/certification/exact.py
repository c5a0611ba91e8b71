"""What follows from a submission alone: computed by a run, and again by verification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.analysis import analysis_json, analyze, identification_json, identify, open_card_json
from certify.certification.figures import further_figures
from certify.certification.programme import MAIN_OPTIMAL, programme_of, strategy_of
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
from certify.families.open_card.rules import OpenCardRules
from certify.families.sette_e_mezzo.counting import counted_returns
from certify.families.sette_e_mezzo.exact.exposure import exposure
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
    programme = programme_of(game)
    analyses = {name: analyze(game, name) for name in programme.strategies}
    return ExactResults(
        game=game,
        analyses=analyses,
        strategy_of=strategy_of(game, analyses),
        identifications={claim.wager: identify(game, claim.wager) for claim in game.claims},
        exposure=exposure(game),
        witnesses=all_witnesses(game),
        counted={name: counted_returns(game, analyses[name].strategy) for name in programme.played},
        regime=regime,
        open_card=_open_card(game, analyses[MAIN_OPTIMAL]),
    )


def _open_card(game: Game, analysis: Analysis) -> Mapping[str, Any] | None:
    """Returns edge, readings and judged tables of a game with an open dealer's card, None for others."""
    return open_card_json(game, analysis) if isinstance(game.rules, OpenCardRules) else None


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
        **({} if exact.open_card is None else {"open_card": dict(exact.open_card)}),
        "witnesses": witnesses_evidence(game, exact.witnesses),
        "not_established": list(not_established(game)),
    }

"""The figures of an analysis as nouns of the evidence, which are also what scripts of auditors read."""

from __future__ import annotations

from fractions import Fraction

from certify.analysis.claim_status import claim_status
from certify.analysis.par_sheet import top_award_evidence
from certify.evidence import analysis as evidence
from certify.exact import format_odds
from certify.mathematics.possible import NOT_FOUND, possible
from certify.model.bounded import ends_of
from certify.model.claims import claimed_figure, prints_as
from certify.model.figures import (
    VOLATILITY_Z,
    Analysis,
    Outcome,
    WagerFigures,
)
from certify.model.finding import Verdict
from certify.model.game import Claim, Game


def analysis_evidence(analysis: Analysis, game: Game) -> evidence.StatedAnalysis:
    """Returns the figures of an analysis, with decimals beside the exact fractions."""
    return evidence.StatedAnalysis(
        game=analysis.game,
        strategy=analysis.strategy.name,
        strategy_class=analysis.strategy.strategy_class,
        wagers={figures.wager: wager_evidence(figures, game) for figures in analysis.wagers},
        decisions=analysis.decisions,
    )


def wager_evidence(figures: WagerFigures, game: Game) -> evidence.StatedFigures:
    """Returns the figures of one wager."""
    on_all = figures.return_on_total_wagered
    return evidence.StatedFigures(
        return_=figures.return_to_player,
        house_edge=figures.house_edge,
        outcomes=tuple(_outcome(outcome) for outcome in figures.outcomes),
        net=tuple(evidence.NetResult(net, probability) for net, probability in figures.listed),
        hit_frequency=figures.hit_frequency,
        win_frequency=figures.win_frequency,
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
        volatility_index={label: figures.volatility_index(z) for label, z in VOLATILITY_Z},
        top_award=top_award_evidence(figures),
        claims=tuple(claim_evidence(claim, figures, game) for claim in game.claims_on(figures.wager)),
        # Said only where the player may add to the stake.
        return_on_total_wagered=on_all,
        total_wagered=None if on_all is None else figures.total_wagered,
        bracket=figures.bracket,
        awards=figures.awards or None,
        net_rest=None
        if figures.all_listed
        else 1 - sum((chance for _, chance in figures.listed), Fraction(0)),
        near=figures.near or None,
        off={
            "probability": figures.off,
            "hit_frequency": figures.off,
            "win_frequency": figures.off,
            "variance": figures.variance_off,
            "total_wagered": figures.total_wagered_off,
            "return_on_total_wagered": figures.on_total_off,
        }
        if figures.near
        else None,
    )


def _outcome(outcome: Outcome) -> evidence.StatedOutcome:
    return evidence.StatedOutcome(
        outcome=outcome.id,
        pays=format_odds(outcome.pays) if outcome.pays >= 0 else None,
        net=outcome.pays,
        probability=outcome.probability,
        contribution=(1 + outcome.pays) * outcome.probability,
        variance=outcome.variance if outcome.varies else None,
        least=outcome.lowest if outcome.varies else None,
        most=outcome.highest if outcome.varies else None,
        near=outcome.near or None,
        off={"probability": outcome.off, "contribution": abs(1 + outcome.pays) * outcome.off}
        if outcome.near
        else None,
    )


def claim_evidence(claim: Claim, figures: WagerFigures, game: Game) -> evidence.JudgedClaim:
    """Returns whether a printed figure holds, with the interval that it stands for, and whether any play reaches it."""
    low, high = claim.printed.interval
    exact = claimed_figure(claim, figures, game.wager(claim.wager).limits)
    holds, ends = prints_as(claim, exact), ends_of(exact)
    status = claim_status(claim, game.wager(claim.wager), exact)
    able = NOT_FOUND if holds else possible(game, claim)
    return evidence.JudgedClaim(
        printed=claim.text,
        metric=claim.metric,
        source=claim.source,
        holds=holds,
        status=None if status is Verdict.NOT_SATISFIED else status,
        interval=(low, high),
        exact=exact,
        distance_to_low=ends[0] - low,
        distance_to_high=high - ends[1],
        row=claim.row or None,
        impossible=None if able is NOT_FOUND else able.excludes(claim),
        lowest=able.lowest,
        highest=able.highest,
    )

"""The further exact figures of a report: wagers together, where play changes, PAR sheets, sensitivity."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.analysis.par_sheet import par_sheet_evidence
from certify.evidence.analysis import Sensitivity, StrategyClass
from certify.evidence.joint import JointFigures
from certify.evidence.par import ParSheet
from certify.mathematics import (
    joint_figures,
    pay_sensitivities,
    rule_sensitivities,
    strategy_classes,
)
from certify.model.figures import Analysis
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class FurtherFigures:
    """Exact figures beside the analyses.

    Args:
        joint: All wagers together, by strategy.
        par: PAR sheets, by wager.
        strategy_classes: What simpler strategies cost.
        sensitivity: How returns move when one thing is otherwise; none where that was not asked for.
    """

    joint: Mapping[str, JointFigures]
    par: Mapping[str, ParSheet]
    strategy_classes: tuple[StrategyClass, ...]
    sensitivity: tuple[Sensitivity, ...] | None


def further_figures(
    game: Game, analyses: Mapping[str, Analysis], strategy_of: Mapping[str, str], *, sensitivity: bool
) -> FurtherFigures:
    """Returns the exact figures beside the analyses.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        strategy_of: The strategy under which each wager's printed return is read.
        sensitivity: Whether to count the game anew for every changed pay and rule.
    """
    return FurtherFigures(
        joint={name: joint_figures(game, name) for name in analyses},
        par={
            wager: par_sheet_evidence(analyses[name].wager(wager), name)
            for wager, name in strategy_of.items()
        },
        strategy_classes=strategy_classes(game),
        sensitivity=(*pay_sensitivities(game), *rule_sensitivities(game)) if sensitivity else None,
    )

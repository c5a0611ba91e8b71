"""The further exact figures of a report: wagers together, where play changes, PAR sheets, sensitivity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.analysis import (
    ClassReturn,
    joint_figures,
    joint_json,
    par_sheet_json,
    pay_sensitivities,
    rule_sensitivities,
    sensitivity_json,
    strategy_classes,
)
from certify.exact import fraction_text, percent_text
from certify.model.figures import Analysis
from certify.model.game import Game

THOROUGH: Final = frozenset({"standard", "full"})
"""The profiles that count sensitivity: every changed pay and rule is a game of its own."""


def further_figures(
    game: Game, analyses: Mapping[str, Analysis], strategy_of: Mapping[str, str], *, sensitivity: bool
) -> dict[str, Any]:
    """Returns the optional exact objects of the evidence.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        strategy_of: The strategy under which each wager's printed return is read.
        sensitivity: Whether to count the game anew for every changed pay and rule.
    """
    figures: dict[str, Any] = {
        "joint": {name: joint_json(joint_figures(game, name)) for name in analyses},
        "par": {
            wager: par_sheet_json(analyses[name].wager(wager)) | {"strategy": name}
            for wager, name in strategy_of.items()
        },
        "strategy_classes": [_class_json(entry) for entry in strategy_classes(game)],
    }
    if sensitivity:
        figures["sensitivity"] = sensitivity_json((*pay_sensitivities(game), *rule_sensitivities(game)))
    return figures


def _class_json(entry: ClassReturn) -> dict[str, str]:
    return {
        "strategy": entry.strategy,
        "strategy_class": entry.strategy_class,
        "main_return": fraction_text(entry.main),
        "main_return_percent": percent_text(entry.main),
        "cost": fraction_text(entry.cost),
        "cost_percent": percent_text(entry.cost),
    }

"""Objects of the evidence that 7 e Mezzo has beside the common ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from certify.analysis.edge import edge_json
from certify.families.sette_e_mezzo.exact.frontier import frontier, frontier_json
from certify.families.seven_and_a_half.strategy_names import MAIN_OPTIMAL
from certify.model.figures import Analysis
from certify.model.game import Game


class SetteEMezzoSections:
    """Where the best decision changes as a side stake grows."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, Any]:
        """Returns nothing: the common figures say it all."""
        return {}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Mapping[str, Any]:
        """Returns the edge of the main wager, and the frontier of each side bet."""
        return {
            "edge": edge_json(analyses[MAIN_OPTIMAL].wagers[0], MAIN_OPTIMAL, game.banked_by),
            "frontier": {side.id: frontier_json(frontier(game, side.id)) for side in game.wagers[1:]},
        }

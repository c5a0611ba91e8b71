"""Parts of the evidence that 7 e Mezzo has beside the common ones."""

from __future__ import annotations

from collections.abc import Mapping

from certify.evidence.document import Sections
from certify.families.sette_e_mezzo.exact.frontier import frontier, frontier_evidence
from certify.model.figures import Analysis
from certify.model.game import Game


class SetteEMezzoSections:
    """Where the best decision changes as a side stake grows."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns nothing: the common figures say it all."""
        return {}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the frontier of each side bet."""
        return Sections(
            frontier={side.id: frontier_evidence(frontier(game, side.id)) for side in game.wagers[1:]}
        )

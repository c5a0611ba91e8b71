"""Returns of 7 e Mezzo found again by walking its text: a second exact way, beside the family's own counting."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from certify.analysis.engine.exact import EngineExact
from certify.families.sette_e_mezzo.text import text
from certify.families.staged import StagedRound
from certify.model.game import Game
from certify.model.strategy import Strategy

_WALK: Final = EngineExact(lambda game: StagedRound(text(game)), str)


class SetteEMezzoCounting:
    """Every draw and decision of the text followed, equal moments once."""

    def counted(self, game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
        """Returns the exact return of each wager, by wager."""
        figures = _WALK.analyze_table(game, strategy).wagers
        return {one.wager: one.return_to_player for one in figures}

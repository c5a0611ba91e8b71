"""Returns of 7 e Mezzo found again by walking its text: a second exact way, beside the family's own counting."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from certify.analysis.engine.exact import EngineExact
from certify.families.registry import Staged
from certify.families.sette_e_mezzo.text import text
from certify.model.game import Game
from certify.model.strategy import Strategy

_WALK: Final = EngineExact(Staged(text))


def counted(game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
    """Returns the exact return of each wager, by wager: every draw and decision followed, equal moments once."""
    figures = _WALK.analyze_table(game, strategy).wagers
    return {one.wager: one.return_to_player for one in figures}

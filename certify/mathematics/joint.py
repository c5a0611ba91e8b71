"""All wagers of one round together, whichever family the game is of."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from certify.analysis.joint import figures_together
from certify.evidence.par import JointFigures
from certify.mathematics.of_game import analyze, exact_of
from certify.model.game import Game, checked_stakes, unit_stakes
from certify.model.strategy import MAIN_OPTIMAL


def joint_figures(
    game: Game, strategy: str = MAIN_OPTIMAL, stakes: Mapping[str, Fraction] | None = None
) -> JointFigures:
    """Returns the exact figures of all wagers together.

    Args:
        game: The submission.
        strategy: Name of the strategy.
        stakes: Units on each wager; one on each where left out.
    """
    placed = checked_stakes(game, stakes if stakes is not None else unit_stakes(game))
    joint = exact_of(game).joint(game, strategy, placed)
    analysis = analyze(game, strategy, placed if len(game.wagers) > 1 else None)
    return figures_together(joint, analysis, placed)

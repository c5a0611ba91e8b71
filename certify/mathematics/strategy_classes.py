"""What it costs to play by a simpler strategy: a return is only claimed with its strategy class."""

from __future__ import annotations

from certify.evidence.analysis import StrategyClass
from certify.mathematics.of_game import analyze, head_of, plan_of
from certify.model.game import Game


def strategy_classes(game: Game) -> tuple[StrategyClass, ...]:
    """Returns the first wager under the best play and under every simpler strategy of the game's plan."""
    found = [analyze(game, name) for name in (head_of(game), *plan_of(game).simpler(game))]
    highest = found[0].wagers[0].return_to_player
    return tuple(
        StrategyClass(
            analysis.strategy.name,
            analysis.strategy.strategy_class,
            analysis.wagers[0].return_to_player,
            highest - analysis.wagers[0].return_to_player,
        )
        for analysis in found
    )

"""What it costs to play by a simpler strategy: a return is only claimed with its strategy class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.mathematics.of_game import analyze, head_of, plan_of
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class ClassReturn:
    """The return of the first wager under one strategy, and what it costs against the best of all.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        main: Return of the first wager, per unit of its initial stake.
        cost: Return of optimal play less this one.
    """

    strategy: str
    strategy_class: str
    main: Fraction
    cost: Fraction


def strategy_classes(game: Game) -> tuple[ClassReturn, ...]:
    """Returns the first wager under the best play and under every simpler strategy of the game's plan."""
    found = [analyze(game, name) for name in (head_of(game), *plan_of(game).simpler(game))]
    highest = found[0].wagers[0].return_to_player
    return tuple(
        ClassReturn(
            analysis.strategy.name,
            analysis.strategy.strategy_class,
            analysis.wagers[0].return_to_player,
            highest - analysis.wagers[0].return_to_player,
        )
        for analysis in found
    )

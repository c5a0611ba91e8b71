"""What it costs to play by a simpler strategy: the same return is only claimed with its strategy class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.analyze import named_strategy, outcome_pays, play, tree_of
from certify.analysis.joint_optimal import WAGERS
from certify.analysis.settlement import MAIN
from certify.analysis.strategies import MAIN_OPTIMAL, MIMIC_DEALER, STAND_ON, TIME_OUT
from certify.exact import format_half_points
from certify.model.figures import StrategyTable
from certify.model.game import Game


@dataclass(frozen=True, slots=True)
class ClassReturn:
    """The return of main under one strategy, and what it costs against the best of all.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        main: Return of the main wager.
        cost: Return of optimal play less this one.
    """

    strategy: str
    strategy_class: str
    main: Fraction
    cost: Fraction


def strategy_classes(game: Game) -> tuple[ClassReturn, ...]:
    """Returns main under optimal play, the best total to stand on, the dealer's rule, and a time-out."""
    best = named_strategy(game, MAIN_OPTIMAL)
    highest = _main(game, best)
    totals = sorted({total for hand, total in tree_of(game).hands.totals.items() if _decides(game, hand)})
    thresholds = [named_strategy(game, f"{STAND_ON}{format_half_points(total)}") for total in totals]
    tables = (
        best,
        max(thresholds, key=lambda table: _main(game, table)),
        named_strategy(game, MIMIC_DEALER),
        named_strategy(game, TIME_OUT),
    )
    return tuple(
        ClassReturn(table.name, table.strategy_class, _main(game, table), highest - _main(game, table))
        for table in tables
    )


def _decides(game: Game, hand: tuple[int, ...]) -> bool:
    return tree_of(game).hands.is_decision(hand)


def _main(game: Game, table: StrategyTable) -> Fraction:
    paytable = game.wager(MAIN).paytable
    marginal = play(game, table).distribution.marginal(WAGERS.index(MAIN))
    return 1 + sum((outcome_pays(paytable, end) * chance for end, chance in marginal.items()), Fraction(0))

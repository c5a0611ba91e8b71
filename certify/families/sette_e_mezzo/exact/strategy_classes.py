"""What it costs to play by a simpler strategy: a return is only claimed with its strategy class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.exact import format_half_points
from certify.families.open_card.exact.own_card import decides_once
from certify.families.open_card.exact.tree import tree_of_open_card
from certify.families.sette_e_mezzo.exact.analyze import analyze, named_strategy, outcome_pays, play, tree_of
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.settlement import MAIN
from certify.families.sette_e_mezzo.exact.strategies import (
    MAIN_OPTIMAL,
    MIMIC_DEALER,
    OWN_CARD,
    STAND_ON,
    THRESHOLDS,
    TIME_OUT,
)
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.model.figures import WagerFigures
from certify.model.game import Game
from certify.model.rules import SEVEN_AND_A_HALF, OpenCardRules


@dataclass(frozen=True, slots=True)
class ClassReturn:
    """The return of the first wager under one strategy, and what it costs against the best of all.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        main: Return of the first wager, ``main`` or ``ante``, per unit of its initial stake.
        cost: Return of optimal play less this one.
    """

    strategy: str
    strategy_class: str
    main: Fraction
    cost: Fraction


def strategy_classes(game: Game) -> tuple[ClassReturn, ...]:
    """Returns the first wager under optimal play, the best totals to stand on, the dealer's rule, and a time-out.

    Against an open dealer's card there are more of the second kind: one total for each open card; the best by the
    own card alone, where the first decision is the only one; and the best single total whatever lies open, with
    the lowest final bet.
    """
    if isinstance(game.rules, OpenCardRules):
        return _against_open_card(game)
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


def _against_open_card(game: Game) -> tuple[ClassReturn, ...]:
    names = [f"{STAND_ON}{format_half_points(total)}" for total in range(1, SEVEN_AND_A_HALF)]
    single = max(names, key=lambda name: _first(game, name).return_to_player)
    own = (OWN_CARD,) if decides_once(tree_of_open_card(game)) else ()
    highest = _first(game, MAIN_OPTIMAL).return_to_player
    found = []
    for name in (MAIN_OPTIMAL, THRESHOLDS, *own, single, MIMIC_DEALER, TIME_OUT):
        returned = _first(game, name).return_to_player
        strategy_class = analyze(game, name).strategy.strategy_class
        found.append(ClassReturn(name, strategy_class, returned, highest - returned))
    return tuple(found)


def _first(game: Game, name: str) -> WagerFigures:
    return analyze(game, name).wagers[0]


def _decides(game: Game, hand: tuple[int, ...]) -> bool:
    return tree_of(game).hands.is_decision(hand)


def _main(game: Game, table: HitTable) -> Fraction:
    paytable = game.wager(MAIN).paytable
    marginal = play(game, table).distribution.marginal(WAGERS.index(MAIN))
    return 1 + sum((outcome_pays(paytable, end) * chance for end, chance in marginal.items()), Fraction(0))

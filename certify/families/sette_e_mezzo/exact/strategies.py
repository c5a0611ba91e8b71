"""Strategies by name: each one a complete table of what the player does on every hand."""

from __future__ import annotations

from collections.abc import Callable

from certify.exact import format_half_points
from certify.families.sette_e_mezzo.exact.distribution import Draws
from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.joint_optimal import JointSolution
from certify.families.sette_e_mezzo.exact.optimal import MainSolution
from certify.families.sette_e_mezzo.exact.sidebets import rank_of_type
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.families.seven_and_a_half.counting import Hand
from certify.families.seven_and_a_half.strategy_names import (
    ALWAYS_SECOND_CARD,
    COMPOSITION,
    FIRST_CARD,
    MIMIC_DEALER,
    STAND_ON,
    TIME_OUT,
    TOTAL,
)
from certify.model.strategy import JOINTLY_OPTIMAL, MAIN_OPTIMAL


def _table(name: str, strategy_class: str, tree: GameTree, draws: Callable[[Hand], bool]) -> HitTable:
    hands = tree.hands
    drawn = frozenset(hand for hand in hands.totals if hands.is_decision(hand) and draws(hand))
    return HitTable(name, strategy_class, drawn)


def main_optimal(tree: GameTree, solution: MainSolution) -> HitTable:
    """Returns the strategy that is best for the main wager, whatever else is bet."""
    return _table(MAIN_OPTIMAL, COMPOSITION, tree, solution.hits.__contains__)


def always_second_card(tree: GameTree, solution: MainSolution) -> HitTable:
    """Returns the strategy that always takes a second card and then plays best for the main wager."""
    return _table(ALWAYS_SECOND_CARD, COMPOSITION, tree, lambda hand: sum(hand) == 1 or hand in solution.hits)


def stand_on(tree: GameTree, total: int, name: str | None = None) -> HitTable:
    """Returns the strategy that stands on a total, in half points, and above."""
    label = name or f"{STAND_ON}{format_half_points(total)}"
    return _table(label, TOTAL, tree, lambda hand: tree.hands.totals[hand] < total)


def mimic_dealer(tree: GameTree) -> HitTable:
    """Returns the strategy that plays by the dealer's rule against a player below 7½, its forced draw included.

    Where the dealer draws on a first face card and the player need not, the player who mimics draws as the dealer
    does. The other reading, that only the dealer's total is copied, is ``stand-on`` with that total.
    """
    rule, totals = tree.dealer.rule, tree.hands.totals
    return _table(MIMIC_DEALER, TOTAL, tree, lambda hand: rule.draws(hand, totals[hand], 0))


def time_out(tree: GameTree) -> HitTable:
    """Returns what a platform decides for a player who is gone: no further card.

    Source: GLI-19 v3.0, 4.16.3(c): decisions that a platform takes for a player are recorded and disclosed.
    """
    return _table(TIME_OUT, TOTAL, tree, lambda hand: False)


def jointly_optimal(solution: JointSolution) -> HitTable:
    """Returns the strategy that is best for all stakes together.

    It may depend on which card came first, since only the first card can pair with the dealer's.
    """
    hits = {(rank_of_type(state.first), state.same, state.hand) for state in solution.hits}
    stands = {state.hand for state in solution.stand if state in solution.draw and state not in solution.hits}
    always = frozenset({hand for _, _, hand in hits} - stands)
    if {hand for _, _, hand in hits} == always:
        return HitTable(JOINTLY_OPTIMAL, COMPOSITION, always)
    return HitTable(JOINTLY_OPTIMAL, FIRST_CARD, always, True, frozenset(hits))


def draws_of(table: HitTable) -> Draws:
    """Returns a strategy table as a decision: (rank of the first card, hand, further cards of that rank)."""
    if table.looks_at_first_card:
        return lambda first, hand, same: (first, same, hand) in table.draws_by_first
    return lambda first, hand, same: hand in table.draws

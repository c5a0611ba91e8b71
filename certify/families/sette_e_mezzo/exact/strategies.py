"""Strategies by name: each one a complete table of what the player does on every hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from certify.analysis.totals.counting import Hand
from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.sette_e_mezzo.exact.distribution import Draws
from certify.families.sette_e_mezzo.exact.game_tree import GameTree
from certify.families.sette_e_mezzo.exact.joint_optimal import JointSolution
from certify.families.sette_e_mezzo.exact.optimal import Solution
from certify.families.sette_e_mezzo.exact.sidebets import rank_of_type
from certify.families.sette_e_mezzo.strategy import HitTable
from certify.model.rules import SEVEN_AND_A_HALF

MAIN_OPTIMAL = "main-optimal"
JOINTLY_OPTIMAL = "jointly-optimal"
ALWAYS_SECOND_CARD = "always-second-card"
MIMIC_DEALER = "mimic-dealer"
TIME_OUT = "time-out"
STAND_ON = "stand-on:"
THRESHOLDS = "stand-on-by-open-card"
OWN_CARD = "best-by-own-card"
FILE = "file:"

COMPOSITION = "composition-dependent"
FIRST_CARD = "composition-dependent with first card"
TOTAL = "total-dependent"
PRINTED_CARD = "printed card"
ONE_TOTAL = "one total"
OWN_FIRST_CARD = "own card alone"
FIXED = "fixed"
LOWEST_BET = ": always the lowest final bet, never a fold"
"""Added to the class of a strategy that leaves nothing to choose about the final bet."""


_NAMES = (
    MAIN_OPTIMAL,
    JOINTLY_OPTIMAL,
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    TIME_OUT,
    THRESHOLDS,
    OWN_CARD,
)


@dataclass(frozen=True, slots=True)
class StrategyName:
    """A strategy name as on the command line, taken apart.

    Args:
        kind: Name up to a colon.
        total: Total to stand on in half points, for ``stand-on``.
        path: File of the table, for ``file``.
    """

    kind: str
    total: int = 0
    path: str = ""


def parse_strategy_name(name: str) -> StrategyName:
    """Returns a strategy name taken apart.

    Raises:
        InputError: No such strategy.

    >>> parse_strategy_name("stand-on:4.5")
    StrategyName(kind='stand-on:', total=9, path='')
    """
    if name == "optimal":
        return StrategyName(MAIN_OPTIMAL)
    if name.startswith(STAND_ON):
        text = name.removeprefix(STAND_ON)
        points = text[: -len(".5")] + "½" if text.endswith(".5") else text
        total = parse_half_points(points.removeprefix("0") if len(points) > 1 else points)
        if total > SEVEN_AND_A_HALF:
            raise InputError(f"{name}: no hand stands above 7½, expected a total up to that")
        return StrategyName(STAND_ON, total)
    if name.startswith(FILE):
        return StrategyName(FILE, path=name.removeprefix(FILE))
    if name in _NAMES:
        return StrategyName(name)
    raise InputError(
        f"no strategy {name!r}: expected {MAIN_OPTIMAL}, {JOINTLY_OPTIMAL}, {ALWAYS_SECOND_CARD}, "
        f"{MIMIC_DEALER}, {TIME_OUT}, {THRESHOLDS}, {OWN_CARD}, {STAND_ON}TOTAL such as {STAND_ON}4.5, or "
        f"{FILE}PATH.toml"
    )


def _table(name: str, strategy_class: str, tree: GameTree, draws: Callable[[Hand], bool]) -> HitTable:
    hands = tree.hands
    drawn = frozenset(hand for hand in hands.totals if hands.is_decision(hand) and draws(hand))
    return HitTable(name, strategy_class, drawn)


def main_optimal(tree: GameTree, solution: Solution) -> HitTable:
    """Returns the strategy that is best for the main wager, whatever else is bet."""
    return _table(MAIN_OPTIMAL, COMPOSITION, tree, solution.hits.__contains__)


def always_second_card(tree: GameTree, solution: Solution) -> HitTable:
    """Returns the strategy that always takes a second card and then plays best for the main wager."""
    return _table(ALWAYS_SECOND_CARD, COMPOSITION, tree, lambda hand: sum(hand) == 1 or hand in solution.hits)


def stand_on(tree: GameTree, total: int, name: str | None = None) -> HitTable:
    """Returns the strategy that stands on a total, in half points, and above."""
    label = name or f"{STAND_ON}{format_half_points(total)}"
    return _table(label, TOTAL, tree, lambda hand: tree.hands.totals[hand] < total)


def mimic_dealer(tree: GameTree) -> HitTable:
    """Returns the strategy that plays by the dealer's rule against a player below 7½."""
    return stand_on(tree, tree.dealer_stands_on, MIMIC_DEALER)


def time_out(tree: GameTree) -> HitTable:
    """Returns what a platform decides for a player who is gone: no further card.

    Source: GLI-19 v3.0, 4.16.3(c): decisions that a platform takes for a player are recorded and disclosed.
    """
    return _table(TIME_OUT, TOTAL, tree, lambda hand: False)


def jointly_optimal(tree: GameTree, solution: JointSolution) -> HitTable:
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

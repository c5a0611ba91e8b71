"""The exact figures of 7 e Mezzo behind the port of the families."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from certify.analysis.explanation import Explanation
from certify.exact import format_half_points
from certify.families.port import StrategyPlan
from certify.families.sette_e_mezzo.exact.analyze import (
    analyze,
    analyze_table,
    parse_strategy,
    play_named,
    solution_of,
    tree_of,
)
from certify.families.sette_e_mezzo.exact.explain import explain
from certify.families.sette_e_mezzo.exact.exposure import exposure
from certify.families.sette_e_mezzo.exact.joint_optimal import WAGERS
from certify.families.sette_e_mezzo.exact.optimal import value_of
from certify.families.sette_e_mezzo.exact.strategies import stand_on
from certify.families.seven_and_a_half.strategy_names import (
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    STAND_ON,
    TIME_OUT,
)
from certify.model.figures import Analysis, Joint
from certify.model.game import Game
from certify.model.round import Exposure
from certify.model.strategy import FILE, JOINTLY_OPTIMAL, MAIN_OPTIMAL, Strategy


def read_card(game: Game, text: str, source: str) -> Strategy:
    """Returns the strategy that a printed card states, in the form of a strategy file."""
    return parse_strategy(text, source, tree_of(game))


class SetteEMezzoExact:
    """Exact figures by counting orders of the deck."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy."""
        return analyze(game, strategy, stakes)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        return analyze_table(game, strategy)

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the three wagers under a named strategy."""
        played = play_named(game, strategy, stakes)
        found = played.distribution.probabilities
        return Joint(played.strategy.name, played.strategy.strategy_class, WAGERS, found)

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house."""
        return exposure(game)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind one decision."""
        return explain(game, text)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of 7 e Mezzo."""
    return StrategyPlan(
        names=(
            MAIN_OPTIMAL,
            JOINTLY_OPTIMAL,
            ALWAYS_SECOND_CARD,
            MIMIC_DEALER,
            TIME_OUT,
            f"{STAND_ON}TOTAL",
            f"{FILE}PATH.toml",
        ),
        analysed=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD, JOINTLY_OPTIMAL),
        played=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD),
        simpler=simpler,
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the best total to stand on, the dealer's rule, and what a platform decides for a player who is gone."""
    tree = tree_of(game)
    totals = sorted({total for hand, total in tree.hands.totals.items() if tree.hands.is_decision(hand)})
    solution = solution_of(game)
    best = max(totals, key=lambda total: value_of(solution, tree.hands, stand_on(tree, total).draws))
    return (f"{STAND_ON}{format_half_points(best)}", MIMIC_DEALER, TIME_OUT)

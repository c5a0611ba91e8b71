"""The exact figures of the games with an open dealer's card behind the port of the families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.analysis.explanation import Explanation
from certify.analysis.identification import Identification
from certify.analysis.pay_bounds import PayBounds
from certify.analysis.strategy_file import strategy_text
from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.open_card.exact.explain import explain_open_card
from certify.families.open_card.exact.exposure import open_exposure
from certify.families.open_card.exact.figures import analyze_open_card, analyze_open_table
from certify.families.open_card.exact.first_card_strategy import decides_once
from certify.families.open_card.exact.identify import identify
from certify.families.open_card.exact.sensitivity import raised_pays, variants
from certify.families.open_card.exact.strategy_file import parse_open_strategy
from certify.families.open_card.exact.tree import tree_of_open_card
from certify.families.open_card.strategy import open_card_table
from certify.families.port import StrategyPlan, Variant
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.strategy_names import (
    ALWAYS_SECOND_CARD,
    MIMIC_DEALER,
    OWN_CARD,
    STAND_ON,
    THRESHOLDS,
    TIME_OUT,
    parse_strategy_name,
)
from certify.model.figures import Analysis, Exposure, Joint, joint_of_one_wager
from certify.model.game import Game
from certify.model.strategy import FILE, MAIN_OPTIMAL, Strategy


class OpenCardExact:
    """Exact figures by counting orders of the deck."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the ante under a named strategy; stakes change nothing for one wager."""
        path = parse_strategy_name(strategy).path
        if path:
            # A file may change between two calls, so that its table is the key of what is kept, not its name.
            text = strategy_text(Path(path))
            return analyze_open_table(game, parse_open_strategy(text, path, tree_of_open_card(game)))
        return analyze_open_card(game, strategy)

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the ante under a strategy."""
        return analyze_open_table(game, open_card_table(strategy))

    def read_card(self, game: Game, text: str, source: str) -> Strategy:
        """Returns the strategy that a printed card states, in the form of a strategy file."""
        return parse_open_strategy(text, source, tree_of_open_card(game))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost whoever banks."""
        return open_exposure(game)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind one decision, such as ``3 against 4``."""
        return explain_open_card(game, text)

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay raised by one unit to 1."""
        return raised_pays(game, wager)

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game with one reading or one rule of the dealer otherwise."""
        return variants(game)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of a game with an open dealer's card."""
    return StrategyPlan(
        names=(
            MAIN_OPTIMAL,
            ALWAYS_SECOND_CARD,
            THRESHOLDS,
            *_by_own_card(game),
            MIMIC_DEALER,
            TIME_OUT,
            f"{STAND_ON}TOTAL",
            f"{FILE}PATH.toml",
        ),
        analysed=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD, MIMIC_DEALER),
        played=(MAIN_OPTIMAL, ALWAYS_SECOND_CARD),
        simpler=simpler,
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the simpler strategies, the best of each kind.

    They are one total for each open card; the best by the own card alone, where the first decision is the only one;
    the best single total whatever lies open, with the lowest final bet; the dealer's rule; and a time-out.
    """
    names = [f"{STAND_ON}{format_half_points(total)}" for total in range(1, SEVEN_AND_A_HALF)]
    single = max(names, key=lambda name: analyze_open_card(game, name).wagers[0].return_to_player)
    return (THRESHOLDS, *_by_own_card(game), single, MIMIC_DEALER, TIME_OUT)


def _by_own_card(game: Game) -> tuple[str, ...]:
    return (OWN_CARD,) if decides_once(tree_of_open_card(game)) else ()


class OpenCardIdentify:
    """Recovery of lost readings and pays."""

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Identification:
        """Returns the readings and pays that reproduce the printed return of a wager."""
        return identify(game, wager, bounds)

    def together(
        self, game: Game, stakes: Mapping[str, Fraction] | None, bounds: PayBounds
    ) -> Mapping[str, Any]:
        """Returns the readings and pays under which one player has all printed returns at once."""
        raise InputError(f"{game.id} has one wager: its printed return is searched for by itself")

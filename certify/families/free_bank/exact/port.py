"""The exact figures of the games with a free bank behind the port of the families."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from certify.analysis.explanation import Explanation
from certify.errors import InputError
from certify.families.free_bank.exact.explain import explain
from certify.families.free_bank.exact.exposure import exposure
from certify.families.free_bank.exact.figures import analyze_pair
from certify.families.free_bank.exact.names import conduct, proven_value, split_name
from certify.families.free_bank.strategy import Pair
from certify.model.figures import Analysis, Bracket, Joint, joint_of_one_wager
from certify.model.game import Game
from certify.model.strategy import EQUILIBRIUM, Strategy
from certify.model.witness import Exposure


class FreeBankExact:
    """Exact figures by counting ordered deals."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the bet for a named pair; stakes change nothing for one wager.

        Raises:
            InputError: No such strategy on one of the sides.
        """
        player, bank = split_name(strategy)
        pair = conduct(game, player, bank)
        if player != EQUILIBRIUM or bank != EQUILIBRIUM:
            return analyze_pair(game, pair)
        proven = proven_value(game)
        return analyze_pair(game, pair, Bracket(1 + proven.lower, 1 + proven.upper))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the bet for a pair."""
        if not isinstance(strategy, Pair):
            raise InputError(
                f"strategy {strategy.name!r} is of another family: expected a player's and a bank's"
            )
        return analyze_pair(game, strategy)

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round of one seat can cost whoever banks."""
        return exposure(game)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind one decision, such as ``3 A`` or ``3 A against stand-on:5``."""
        return explain(game, text)

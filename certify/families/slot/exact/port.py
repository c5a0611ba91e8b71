"""Exact figures of slots, as the port asks for them: nothing is decided, so every name plays the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.errors import InputError
from certify.families.port import StrategyPlan, Variant
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import SlotRules, rules_of
from certify.model.figures import Analysis, Exposure, Joint, joint_of_one_wager
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL, Strategy

if TYPE_CHECKING:
    from certify.analysis.explanation import Explanation


@dataclass(frozen=True, slots=True)
class NoDecisions:
    """The strategy of a game in which nothing is decided."""

    name: str = MAIN_OPTIMAL
    strategy_class: str = "no decisions"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the first option: none is ever asked for that changes what the round comes to."""
        return options[0]

    def table(self) -> object:
        """Returns nothing: nothing is decided."""
        return []


def plan(game: Game) -> StrategyPlan:
    """Returns the one strategy."""
    return StrategyPlan(names=(MAIN_OPTIMAL,), analysed=(MAIN_OPTIMAL,), played=(MAIN_OPTIMAL,))


class SlotExact:
    """Exact figures of slots by complete counting."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the round.

        Raises:
            InputError: No such strategy, or the game cannot be counted within bounds.
        """
        return self.analyze_table(game, _strategy(strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the round; no strategy changes them."""
        wager = game.wagers[0].id
        return Analysis(game.id, strategy, (round_figures(rules_of(game), wager),), ())

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the outcomes of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy, stakes))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost, where there is a most.

        Raises:
            InputError: A series of free games has no end, so that there is no most.
        """
        wager = game.wagers[0]
        (figures,) = self.analyze(game, MAIN_OPTIMAL).wagers
        highest = [one.highest for one in figures.outcomes if one.probability]
        if None in highest:
            raise InputError(
                "free games begin free games without a limit: there is no most that a round can cost"
            )
        most = max(one for one in highest if one is not None)
        amount = int(most * wager.limits.maximum)
        return Exposure(
            amount, wager.limits.currency, ((wager.id, amount),), (), (), ((wager.id, wager.limits.maximum),)
        )

    def explain(self, game: Game, text: str) -> Explanation:
        """Refuses: nothing is decided.

        Raises:
            InputError: Always.
        """
        raise InputError(f"nothing is decided in {game.id}: there is no decision {text!r} to explain")

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay of a row raised by one coin."""
        rules = rules_of(game)
        for n, row in enumerate(rules.line_pays):
            for count, pays in enumerate(row.pays):
                if pays:
                    more = replace(row, pays=(*row.pays[:count], pays + 1, *row.pays[count + 1 :]))
                    rows = (*rules.line_pays[:n], more, *rules.line_pays[n + 1 :])
                    changed = replace(game, rules=replace(rules, line_pays=rows))
                    yield Variant(f"{row.id}-{count + 1}", "pays one coin more", changed)

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game on the strips of each certified variant."""
        rules = rules_of(game)
        for one in rules.variants:
            yield Variant(
                one.id, f"on the strips of {one.title}", replace(game, rules=variant_rules(rules, one.id))
            )


def variant_rules(rules: SlotRules, variant: str) -> SlotRules:
    """Returns the rules of a variant: the same game on its strips.

    Raises:
        InputError: There is no such variant.
    """
    found = next((one for one in rules.variants if one.id == variant), None)
    if found is None:
        known = ", ".join(one.id for one in rules.variants) or "none"
        raise InputError(f"no variant {variant!r}: expected one of {known}")
    strips = dict(found.strips)
    return replace(
        rules,
        stages=tuple(replace(stage, strips=strips.get(stage.id, stage.strips)) for stage in rules.stages),
    )


def _strategy(name: str) -> Strategy:
    if name != MAIN_OPTIMAL:
        raise InputError(f"no strategy {name!r}: nothing is decided, expected {MAIN_OPTIMAL}")
    return NoDecisions()

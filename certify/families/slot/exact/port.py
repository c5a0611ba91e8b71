"""Exact figures of slots, as the port asks for them: nothing is decided, so every name plays the same."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from certify.errors import InputError
from certify.families.certified import Configuration, ConfigurationKind
from certify.families.port import StrategyPlan, Variant
from certify.families.slot.exact.branching import Moments, branching
from certify.families.slot.exact.ends import highest_win, longest_coins
from certify.families.slot.exact.limited import limited_feature
from certify.families.slot.exact.meters import level_rules, paid_at
from certify.families.slot.exact.prizes import prize_law
from certify.families.slot.exact.round import round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.purchases import Purchase
from certify.families.slot.random_elements import bonuses_held, games_of
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import BASE, SlotRules, rules_of
from certify.model.figures import Analysis, Joint, joint_of_one_wager
from certify.model.game import Game
from certify.model.round import Exposure
from certify.model.strategy import MAIN_OPTIMAL, Strategy

if TYPE_CHECKING:
    from certify.analysis.explanation import Explanation


def configurations(game: Game) -> Iterator[Configuration]:
    """Yields every way of staking but the round as it is submitted, those of each variant among them."""
    rules, wager = rules_of(game), game.wagers[0].id
    yield from _of(replace(rules, variants=()), wager, "")
    for one in rules.variants:
        own = variant_rules(rules, one.id)
        returned = round_figures(own, wager).return_to_player
        yield Configuration(one.id, ConfigurationKind.VARIANT, returned)
        yield from _of(replace(own, variants=()), wager, f"{one.id}/")


def _of(rules: SlotRules, wager: str, variant: str) -> Iterator[Configuration]:
    returned = round_figures(rules, wager).return_to_player
    for level in rules.bet_levels:
        own = round_figures(level_rules(rules, level), wager)
        yield Configuration(variant + level.id, ConfigurationKind.BET_LEVEL, own.return_to_player)
    for one in rules.purchases:
        mean, _ = purchased(rules, one)
        share = mean / (one.price * rules.cost)
        yield Configuration(variant + one.id, ConfigurationKind.PURCHASE, share)
    if rules.jackpots:
        awards = round_figures(rules, wager).awards
        seed = now = returned
        for meter in rules.jackpots:
            times = sum((award.times for award in awards if award.row == meter.row), Fraction(0))
            seed += paid_at(meter, meter.seed, times)
            now += paid_at(meter, meter.seed if meter.meter is None else meter.meter, times)
        named = variant + "+".join(meter.id for meter in rules.jackpots)
        yield Configuration(named, ConfigurationKind.SEED, seed)
        if any(meter.meter is not None for meter in rules.jackpots):
            yield Configuration(named, ConfigurationKind.METER, now)
    if rules.gamble is not None:
        step = rules.gamble.chance * rules.gamble.multiplies
        ends = {step, step**rules.gamble.steps}
        yield Configuration(f"{variant}gamble", ConfigurationKind.GAMBLE, min(ends), max(ends))


def purchased(rules: SlotRules, one: Purchase) -> Moments:
    """Returns mean and variance in coins of what a purchase starts."""
    place = [feature.id for feature in rules.features].index(one.feature)
    if rules.most is None:
        return branching(rules).feature(rules.stage(BASE), place, one.starts)
    paid = limited_feature(rules, place, one.starts).paid(())
    mean = sum((coins * chance for coins, chance in paid.items()), Fraction(0))
    return mean, sum((coins**2 * chance for coins, chance in paid.items()), Fraction(0)) - mean**2


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
        """Returns the most that one round can cost, or a number above it.

        A series without a limit is taken as long as a row of draws lets it be: no row of draws holds a longer one, and
        a round that would need it ends the play-through. Its probability is below 10^-15 only where that many games
        are fewer than the most that a row holds; no win of such a game is the highest.
        """
        wager, rules = game.wagers[0], rules_of(game)
        known = highest_win(rules)
        coins = (known.coins if known else longest_coins(rules)) or most_coins(rules)
        # Broken minor units count in the player's favour: an upper bound is asked.
        amount = math.ceil((Fraction(coins, rules.cost) - 1) * wager.limits.maximum)
        stakes = ((wager.id, wager.limits.maximum),)
        return Exposure(amount, wager.limits.currency, ((wager.id, amount),), (), (), stakes)

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


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game on the strips of each certified variant."""
    rules = rules_of(game)
    for one in rules.variants:
        yield Variant(
            one.id, f"on the strips of {one.title}", replace(game, rules=variant_rules(rules, one.id))
        )


def most_coins(rules: SlotRules) -> int:
    """Returns coins that no round exceeds: the highest spin of each stage as often as a row of draws holds it."""
    coins = max(win for wins in spin_law(rules, BASE).wins.values() for win in wins)
    for stage in dict.fromkeys(name for one in rules.free_games for name, _ in one.stages):
        coins += games_of(rules, stage) * max(
            win for wins in spin_law(rules, stage).wins.values() for win in wins
        )
    for bonus in rules.bonuses:
        begun, (_, held) = bonuses_held(rules, bonus), bonus.begun(max(bonus.trigger.starts))
        multiplier = max(stage.multiplier for stage in rules.stages) if bonus.multiplied else 1
        coins += math.ceil(begun * max(prize_law(bonus, held)) * award_unit(rules, bonus.per) * multiplier)
    return coins if rules.most is None else min(coins, math.ceil(rules.most * rules.cost))


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

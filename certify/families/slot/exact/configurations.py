"""Every way of staking on a slot, each with its exact return: variants, bet levels, purchases, meters, gambles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from certify.families.certified import Configuration, ConfigurationKind
from certify.families.slot.exact.branching import Moments, branching
from certify.families.slot.exact.levels import level_rules
from certify.families.slot.exact.limited import limited_feature
from certify.families.slot.exact.meters import paid_at
from certify.families.slot.exact.port import variant_rules
from certify.families.slot.exact.round import round_figures
from certify.families.slot.purchases import Purchase
from certify.families.slot.rules import BASE, SlotRules, rules_of
from certify.model.game import Game


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

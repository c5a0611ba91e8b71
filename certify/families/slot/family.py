"""The family of slots."""

from collections.abc import Hashable
from dataclasses import replace
from typing import Final

from certify.families.port import (
    Certified,
    Configuration,
    ConfigurationKind,
    Family,
    FamilyAlternatives,
    FamilyForm,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
)
from certify.families.slot.exact.port import SlotExact, configurations, plan, played, variant_rules, variants
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import BASE, FAMILY_ID, SlotRules, SpinKind, rules_of
from certify.families.slot.second import settle
from certify.families.slot.sheets import SlotSections, SlotSheets
from certify.families.slot.submitted import SUBMITTED
from certify.families.slot.volume.port import SlotVolume
from certify.families.slot.witnesses import PacedRound
from certify.model import RETURN, Claim, Game, Reels, parse_claim


def certified(game: Game) -> tuple[Certified, ...]:
    """Returns the slot as it is submitted, then each variant that is certified next to it."""
    rules = rules_of(game)
    own = Certified("", game.title, game, plays(rules))
    made = [own]
    for one in rules.variants:
        other = variant_rules(rules, one.id)
        claims: tuple[Claim, ...] = ()
        if one.printed:
            wager = game.wagers[0].id
            claims = (Claim(wager, RETURN, one.printed, parse_claim(RETURN, one.printed), ""),)
        made.append(Certified(one.id, one.title, replace(game, rules=other, claims=claims), plays(other)))
    return tuple(made)


def plays(rules: SlotRules) -> Hashable:
    """Returns what a round depends on: two slots that agree in it are one, whatever their strips are called."""
    strips = tuple(replace(rules.strip_set(stage.strips), id=stage.id) for stage in rules.stages)
    stages = tuple(replace(stage, strips=stage.id) for stage in rules.stages)
    return replace(rules, strip_sets=strips, stages=stages, variants=())


def reels_of(game: Game) -> tuple[Reels, ...]:
    """Returns each strip set that a stage is played on; of the paid spin also the lines."""
    rules = rules_of(game)
    stages: dict[str, SpinKind] = {}
    for stage in (rules.stage(BASE), *rules.stages):
        stages.setdefault(stage.strips, stage)
    return tuple(_reels(rules, stage) for stage in stages.values())


def _reels(rules: SlotRules, stage: SpinKind) -> Reels:
    strips = rules.strip_set(stage.strips)
    return Reels(
        strips.id,
        tuple(strip.symbols for strip in strips.reels),
        tuple(strip.weights for strip in strips.reels),
        tuple(max(one.rows for one in heights) for heights in strips.heights),
        tuple(tuple(row + 1 for row in line) for line in rules.lines) if stage.id == BASE else (),
    )


def staked(game: Game, one: Configuration) -> tuple[Game, PacedRound] | None:
    """Returns a configuration as a table stakes it: what a round costs is put on the wager, its price included.

    A gamble is a decision of the round. No row of draws says when a meter that must hit by an amount is won: the round
    wins it at what it holds.
    """
    if one.kind is ConfigurationKind.GAMBLE:
        return None
    rules, apart = rules_of(game), played(game, one)
    variant = one.id.rpartition("/")[0]
    if apart is not None:
        rules = rules_of(apart[0])
    elif variant:
        rules = variant_rules(rules, variant)
    meters = tuple(
        (
            meter,
            meter.meter if one.kind is ConfigurationKind.METER and meter.meter is not None else meter.seed,
        )
        for meter in rules.jackpots
    )
    wager = game.wagers[0]
    reference = PacedRound(rules, wager.id, None if apart is None else apart[1].bought, meters)
    limits = wager.limits.priced(one.price)
    if not limits.stakes:
        return None
    return replace(
        game, rules=rules, equipment=reference.equipment, wagers=(replace(wager, limits=limits),)
    ), reference


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Slots: reels with lines, ways, wilds, scatters and features, described in the submission alone",
    rules=SUBMITTED,
    reference=SlotRound.of,
    exact=SlotExact(),
    volume=SlotVolume(),
    second=settle,
    strategies=FamilyStrategies(plan=plan),
    sources=FamilySources(sheets=SlotSheets()),
    alternatives=FamilyAlternatives(
        variants=variants,
        certified=certified,
        configurations=configurations,
        played=played,
        staked=staked,
    ),
    pages=FamilyPages(sections=SlotSections(), reels=reels_of),
    form=FamilyForm(machine=True, derives=frozenset({"equipment", "paytable"})),
)

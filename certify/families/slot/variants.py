"""The same slot on other strips, as certified beside it; games that play alike, whatever their strips are called."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from certify.families.port import Certified
from certify.families.slot.exact.port import variant_rules
from certify.families.slot.rules import SlotRules, rules_of
from certify.model.claims import RETURN, parse_claim
from certify.model.game import Claim, Game


def certified(game: Game) -> tuple[Certified, ...]:
    """Returns the slot as it is submitted, then each variant that is certified beside it."""
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

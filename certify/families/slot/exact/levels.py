"""Ways of betting: the same game with fewer lines, more coins, or pays of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from certify.families.slot.purchases import BetLevel
from certify.families.slot.rules import Per, SlotRules


def level_rules(rules: SlotRules, level: BetLevel) -> SlotRules:
    """Returns the rules at a bet level: its lines and cost, every pay of a line in coins in all."""
    own = dict(level.pays)

    def pays(row: str, coins: Sequence[int], times: int) -> tuple[int, ...]:
        return tuple(own.get(f"{row}-{count}", each * times) for count, each in enumerate(coins, start=1))

    return replace(
        rules,
        lines=rules.lines[: level.lines],
        line_bet=1,
        cost=level.cost,
        line_pays=tuple(replace(one, pays=pays(one.id, one.pays, level.coins)) for one in rules.line_pays),
        patterns=tuple(replace(one, pays=own.get(one.id, one.pays * level.coins)) for one in rules.patterns),
        scatter_pays=tuple(
            replace(one, pays=pays(one.id, one.pays, 1 if one.per is Per.BET else level.coins))
            for one in rules.scatter_pays
        ),
        bet_levels=(),
    )

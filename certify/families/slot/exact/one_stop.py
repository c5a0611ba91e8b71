"""Which change of one stop explains a printed return: the mean of a line is linear in what each reel shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.lines import line_table
from certify.families.slot.exact.windows import Shown, wilds_in
from certify.families.slot.rules import BASE, Fill, SlotRules, Trigger
from certify.model.game import Printed


@dataclass(frozen=True, slots=True)
class OneStop:
    """One stop otherwise.

    Args:
        reel: Reel, from 1.
        stop: Stop, from 1.
        stated: Symbol that is submitted there.
        instead: Symbol that stands there instead.
        returned: The exact return then.
    """

    reel: int
    stop: int
    stated: str
    instead: str
    returned: Fraction


def explained_by(rules: SlotRules, printed: Printed) -> Iterator[OneStop]:
    """Yields every change of one stop of the base game under which the return prints as printed.

    Looked at are games of lines whose wilds neither cover their reel nor draw their factor; symbols that are counted
    over the window (scatters, triggers) stay where they are.
    """
    stage = rules.stage(BASE)
    strips, wilds = rules.strip_set(stage.strips), wilds_in(rules, stage)
    plain = all(not one.expands and len(one.multiplies) == 1 for one in wilds)
    if rules.ways or not rules.lines or not plain or strips.fill is not Fill.STRIP or rules.most is not None:
        return
    factor = {one.symbol: one.multiplies[0][0] for one in wilds}
    fixed = {name for scatter in rules.scatter_pays for name in scatter.symbols}
    fixed |= {name for trigger in _triggers(rules) for name in trigger.symbols}
    symbols = [name for name in rules.symbols if any(name in reel.symbols for reel in strips.reels)]
    cells = [Shown(name, factor.get(name, 1)) for name in symbols]
    table = line_table(rules, stage, [cells] * len(strips.reels), []).coins
    weights = [
        [
            sum(reel.weight(stop) for stop, name in enumerate(reel.symbols) if name == symbol)
            for symbol in symbols
        ]
        for reel in strips.reels
    ]
    cycle = prod(reel.total for reel in strips.reels)
    if cycle * max(1, int(table.max(initial=0))) >= 1 << 62:
        return
    now = branching(rules).spins[BASE][0] / rules.cost
    for reel, strip in enumerate(strips.reels):
        # What the reel adds to a line by each symbol, the other reels as they are.
        worth = table
        for place in range(len(strips.reels) - 1, -1, -1):
            if place != reel:
                worth = np.tensordot(worth, np.array(weights[place], dtype=np.int64), axes=(place, 0))
        unit = Fraction(len(rules.lines), cycle * rules.cost)
        for stop, (at, new) in product(range(len(strip.symbols)), enumerate(symbols)):
            stated = strip.symbols[stop]
            if new == stated or fixed & {new, stated}:
                continue
            change = int(worth[at]) - int(worth[symbols.index(stated)])
            returned = now + unit * strip.weight(stop) * change
            if change and printed.stands_for(returned):
                yield OneStop(reel + 1, stop + 1, stated, new, returned)


def _triggers(rules: SlotRules) -> Iterator[Trigger]:
    yield from (one.trigger for one in rules.free_games)
    yield from (one.trigger for one in rules.bonuses)

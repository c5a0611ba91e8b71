"""What is counted over the whole window, reel after reel: scatters, triggers, reels that hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from certify.families.slot.exact.windows import Window, speaks_of, wilds_in
from certify.families.slot.rows import award_unit
from certify.families.slot.rules import Per, ScatterPay, SlotRules, SpinKind, SymbolCount, Trigger

Counts = tuple[int, ...]
"""What was counted so far, by counter; a run that has ended is kept as minus one less than its length."""


@dataclass(frozen=True, slots=True)
class WindowTally:
    """One thing that is counted.

    Args:
        symbols: Symbols that count, wilds among them where they do.
        counted: What of them.
        most: A count above which nothing changes any more.
        reel: The one reel, from 0, that it is counted on; all where below nothing.
    """

    symbols: frozenset[str]
    counted: SymbolCount
    most: int
    reel: int = -1


def tally_of(rules: SlotRules, stage: SpinKind, one: ScatterPay | Trigger, most: int) -> WindowTally:
    """Returns what a scatter pay or a trigger counts in a stage."""
    symbols = set(one.symbols)
    if one.wilds:
        symbols |= {wild.symbol for wild in wilds_in(rules, stage) if set(wild.replaces) & symbols}
    return WindowTally(frozenset(symbols), one.counted, most)


def scatters_in(rules: SlotRules, stage: SpinKind) -> tuple[ScatterPay, ...]:
    """Returns the scatter pays of a stage; a symbol that expands pays its line pay on every line."""
    rows = tuple(one for one in rules.scatter_pays if speaks_of(one.stages, stage))
    if not stage.expanding:
        return rows
    paid = next((one.pays for one in rules.line_pays if one.symbols == (stage.expanding,)), (0,))
    name = f"{stage.expanding.lower()}-expanded"
    return (*rows, ScatterPay(name, (stage.expanding,), paid, SymbolCount.REELS, Per.LINES))


def scatter_coins(rules: SlotRules, stage: SpinKind, one: ScatterPay, count: int) -> int:
    """Returns the coins that so many scatters pay in a stage."""
    if count < 1:
        return 0
    pays = one.pays[min(count, len(one.pays)) - 1]
    return pays * award_unit(rules, one.per) * (stage.multiplier if one.multiplied else 1)


def at(values: Sequence[int], count: int) -> int:
    """Returns the entry for a count, the last one for more, nothing for none."""
    return values[min(count, len(values)) - 1] if count >= 1 and values else 0


def seen(tally: WindowTally, window: Window) -> int:
    """Returns what one reel adds to a count."""
    number = sum(name in tally.symbols for name in window.stopped)
    return number if tally.counted is SymbolCount.SYMBOLS else min(number, 1)


def added(tallies: Sequence[WindowTally], before: Counts, more: Counts, reel: int) -> Counts:
    """Returns the counts after one more reel, from 0; a run goes on only where every reel so far showed the symbol."""
    made = []
    for tally, count, plus in zip(tallies, before, more, strict=True):
        goes_on = (tally.counted is not SymbolCount.RUN or count == reel) and tally.reel in (-1, reel)
        made.append(min(count + plus, tally.most) if goes_on else count)
    return tuple(made)

"""Which change of one stop explains a printed return: the mean is linear in what each reel shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.lines import line_table
from certify.families.slot.exact.round import expected_spins
from certify.families.slot.exact.ways import shown_to, ways_rows
from certify.families.slot.exact.windows import Shown, Window, reel_windows, wilds_in, windows_of
from certify.families.slot.rules import BASE, Fill, ScatterPay, SlotRules, SpinKind, Strip, StripSet, Trigger


@dataclass(frozen=True, slots=True)
class OneStop:
    """One stop otherwise.

    Args:
        strips: Id of the strip set.
        reel: Reel, from 1.
        stop: Stop, from 1.
        stated: Symbol that is submitted there.
        instead: Symbol that stands there instead.
        returned: The exact return then.
    """

    strips: str
    reel: int
    stop: int
    stated: str
    instead: str
    returned: Fraction


class PrintedReturns(Protocol):
    """A printed return, or several of one wager together."""

    def stands_for(self, exact: Fraction) -> bool:
        """Tells whether an exact return prints so."""
        ...


class StopPay(Protocol):
    """What a spin of one stage pays otherwise where one stop shows another symbol."""

    def change(self, reel: int, stop: int, symbol: str) -> Fraction:
        """Returns the change of its mean, in coins."""
        ...


def explained_by(rules: SlotRules, printed: PrintedReturns) -> Iterator[OneStop]:
    """Yields every change of one stop of a strip set under which the return prints as printed.

    Symbols that are counted over the window (scatters, triggers) stay where they are, so that features begin as often.
    Strip sets of lines on which a wild covers its reel or draws its factor, and of cells drawn by themselves, are not
    looked at.

    Args:
        rules: Rules of the slot.
        printed: The printed return.
    """
    if rules.most is not None:
        return
    now, fixed = branching(rules).spins[BASE][0] / rules.cost, _fixed(rules)
    spins = expected_spins(rules)
    for strips in rules.strip_sets:
        stages = [rules.stage(name) for name in spins if rules.stage(name).strips == strips.id]
        worths = [_worth(rules, stage) for stage in stages]
        if not stages or any(one is None for one in worths):
            continue
        known = [(spins[stage.id], one) for stage, one in zip(stages, worths, strict=True) if one is not None]
        symbols = [name for name in rules.symbols if any(name in reel.symbols for reel in strips.reels)]
        for reel, strip in enumerate(strips.reels):
            for stop, stated in enumerate(strip.symbols):
                for new in symbols:
                    if new == stated or fixed & {new, stated}:
                        continue
                    change = sum((many * one.change(reel, stop, new) for many, one in known), Fraction(0))
                    returned = now + change / rules.cost
                    if change and printed.stands_for(returned):
                        yield OneStop(strips.id, reel + 1, stop + 1, stated, new, returned)


def _fixed(rules: SlotRules) -> frozenset[str]:
    """Returns the symbols that stay where they are: what is counted over the window, wilds with it where they count."""
    counted: list[ScatterPay | Trigger] = [*rules.scatter_pays, *_triggers(rules)]
    fixed = {name for one in counted for name in one.symbols}
    fixed |= {stage.expanding for stage in rules.stages if stage.expanding}
    if any(one.wilds for one in counted):
        fixed |= {wild.symbol for wild in rules.wilds}
    return frozenset(fixed)


def _triggers(rules: SlotRules) -> Iterator[Trigger]:
    yield from (one.trigger for one in rules.free_games)
    yield from (one.trigger for one in rules.bonuses)


def _worth(rules: SlotRules, stage: SpinKind) -> StopPay | None:
    """Returns what a spin is worth stop by stop, none where that is not linear in the stops alone."""
    strips, wilds = rules.strip_set(stage.strips), wilds_in(rules, stage)
    if strips.fill is not Fill.STRIP:
        return None
    if rules.ways:
        return _Ways(rules, stage, strips)
    if not rules.lines or any(one.expands or len(one.multiplies) > 1 for one in wilds):
        return None
    made = _Lines(rules, stage, strips)
    return made if made.counts_whole else None


class _Lines:
    """Lines: what each reel adds to a line by each symbol, the other reels as they are."""

    def __init__(self, rules: SlotRules, stage: SpinKind, strips: StripSet) -> None:
        factor = {one.symbol: one.multiplies[0][0] for one in wilds_in(rules, stage)}
        self.strips = strips
        self.symbols = [name for name in rules.symbols if any(name in reel.symbols for reel in strips.reels)]
        cells = [Shown(name, factor.get(name, 1)) for name in self.symbols]
        self.table = line_table(rules, stage, [cells] * len(strips.reels), []).coins
        self.cycle = prod(reel.total for reel in strips.reels)
        self.counts_whole = self.cycle * max(1, int(self.table.max(initial=0))) < 1 << 62
        # Where all stops come as often, every row of the window shows the same; else each line has its own.
        self.lines: dict[tuple[int, ...], int] = {}
        for line in rules.lines if self.counts_whole else ():
            rows = tuple(row if reel.weights else 0 for row, reel in zip(line, strips.reels, strict=True))
            self.lines[rows] = self.lines.get(rows, 0) + 1
        self.worth = {rows: self._by_reel(rows) for rows in self.lines}

    def _by_reel(self, rows: Sequence[int]) -> list[NDArray[Any]]:
        """Returns for each reel what a line of these rows pays by its symbol there, times the weight of the others."""
        shown = [
            np.array(
                [
                    sum(
                        strip.weight((stop - row) % len(strip.symbols))
                        for stop, name in enumerate(strip.symbols)
                        if name == symbol
                    )
                    for symbol in self.symbols
                ],
                dtype=np.int64,
            )
            for row, strip in zip(rows, self.strips.reels, strict=True)
        ]
        made = []
        for reel in range(len(shown)):
            worth: NDArray[Any] = self.table
            for place in range(len(shown) - 1, -1, -1):
                if place != reel:
                    worth = np.tensordot(worth, shown[place], axes=(place, 0))
            made.append(worth)
        return made

    def change(self, reel: int, stop: int, symbol: str) -> Fraction:
        """Returns the change of the mean, in coins."""
        strip = self.strips.reels[reel]
        at, new = self.symbols.index(strip.symbols[stop]), self.symbols.index(symbol)
        coins = 0
        for rows, times in self.lines.items():
            worth = self.worth[rows][reel]
            weight = strip.weight((stop - rows[reel]) % len(strip.symbols))
            coins += times * weight * (int(worth[new]) - int(worth[at]))
        return Fraction(coins, self.cycle)


Triple = tuple[int, int, int]
"""Of one reel and row: cells that count, wilds among them, and windows without any, by weight."""


class _Ways:
    """Ways: each row is a product over the reels, and so linear in what one reel shows it."""

    def __init__(self, rules: SlotRules, stage: SpinKind, strips: StripSet) -> None:
        self.rules, self.stage, self.strips = rules, stage, strips
        self.rows = ways_rows(rules, stage)
        self.faces: dict[tuple[Shown, ...], tuple[tuple[int, int], ...]] = {}
        self.reels = windows_of(rules, stage)
        self.total = prod(reel.total for reel in self.reels)
        self.now = [self._triples(reel.windows) for reel in self.reels]
        self.slopes = [
            [self._slope(reel, row) for row in range(len(self.rows.rows))] for reel in range(len(self.reels))
        ]

    def _triples(self, windows: Sequence[Window]) -> list[Triple]:
        sums = [[0, 0, 0] for _ in self.rows.rows]
        for window in windows:
            face = self.faces.get(window.cells)
            if face is None:
                face = self.faces[window.cells] = shown_to(self.rules, self.stage, self.rows, window.cells)
            for one, (count, wild) in zip(sums, face, strict=True):
                one[0] += window.weight * count
                one[1] += window.weight * wild
                one[2] += 0 if count else window.weight
        return [(one[0], one[1], one[2]) for one in sums]

    def _slope(self, reel: int, row: int) -> Triple:
        """Returns what one unit of each part of a reel's triple adds to the coins, times the whole cycle."""
        slope = [0, 0, 0]
        totals = [one.total for one in self.reels]
        pays = self.rows.pays[row]
        for length in range(1, min(len(totals), len(pays) - 1) + 1):
            if not pays[length] or reel > length:
                continue
            rest = prod(totals[length + 1 :])
            before = [place for place in range(length) if place != reel]
            some = prod(self.now[place][row][0] for place in before)
            wild = 0 if self.rows.alone else prod(self.now[place][row][1] for place in before)
            if reel < length:
                ends = self.now[length][row][2] if length < len(totals) else 1
                slope[0] += pays[length] * some * ends * rest
                slope[1] -= pays[length] * wild * ends * rest
            else:
                slope[2] += pays[length] * (some - wild) * rest
        return slope[0], slope[1], slope[2]

    def change(self, reel: int, stop: int, symbol: str) -> Fraction:
        """Returns the change of the mean, in coins."""
        strip = self.strips.reels[reel]
        shown = Strip((*strip.symbols[:stop], symbol, *strip.symbols[stop + 1 :]), strip.weights)
        reels = (*self.strips.reels[:reel], shown, *self.strips.reels[reel + 1 :])
        changed = reel_windows(replace(self.strips, reels=reels), reel, wilds_in(self.rules, self.stage))
        coins = 0
        for row, after in enumerate(self._triples(changed.windows)):
            before, slope = self.now[reel][row], self.slopes[reel][row]
            coins += sum(by * (new - old) for by, new, old in zip(slope, after, before, strict=True))
        return Fraction(coins, self.total)

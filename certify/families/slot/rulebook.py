"""What a window wins, row by row as a player would find it: lines, ways, scatters; and what it starts.

Plain Python, one window at a time: the implementation that plays a slot. Exact figures, play-through and second
implementation each have their own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import takewhile
from math import prod
from typing import NamedTuple

from certify.families.slot.random_elements import counted_as
from certify.families.slot.rules import (
    Adjacency,
    Direction,
    LinePay,
    LineWins,
    PatternPay,
    ScatterPay,
    SlotRules,
    SpinKind,
    SymbolCount,
    Trigger,
    WildProduct,
    scatters_in,
    speaks_of,
    starts_in,
    unit_in,
    wilds_in,
)


class WindowCell(NamedTuple):
    """What one cell of the window shows.

    Args:
        symbol: The symbol.
        factor: What a wild here multiplies wins by that it helps to make.
        covers: Symbol at which the reel stopped here, where a wild has covered it.
    """

    symbol: str
    factor: int = 1
    covers: str = ""


Window = tuple[tuple[WindowCell, ...], ...]
"""Cells reel by reel from the left, each from the top."""


@dataclass(frozen=True, slots=True)
class Win:
    """One win of a spin.

    Args:
        row: Id of the row of the paytable.
        line: Number of the line, from 1; 0 where it is no win of a line.
        coins: What it pays.
        times: How often it is won at once: more than once only in ways.
        run: Whether a line or ways pay it, which is what windows multiply.
    """

    row: str
    line: int
    coins: int
    times: int = 1
    run: bool = True


def wins_of(rules: SlotRules, stage: SpinKind, window: Window) -> tuple[Win, ...]:
    """Returns everything that a window wins by itself.

    Args:
        rules: Rules of the slot.
        stage: The stage that is played.
        window: What the reels show, wilds expanded already.
    """
    on_lines = (
        Win(row, number, coins)
        for number, line in enumerate(rules.lines, start=1)
        for row, coins in line_wins(
            rules, stage, tuple(reel[row] for reel, row in zip(window, line, strict=True))
        )
    )
    ways = _ways(rules, stage, window) if rules.ways else ()
    return (*ways, *on_lines, *_scatter_wins(rules, stage, window))


# --- lines -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Found:
    """A row that a line shows, with its coins, whether it was counted from the right, and on how many reels."""

    row: str
    coins: int
    right: bool = False
    reels: int = 0


@lru_cache(maxsize=1 << 18)
def line_wins(
    rules: SlotRules, stage: SpinKind, shown: tuple[WindowCell, ...]
) -> tuple[tuple[str, int], ...]:
    """Returns the rows that one line is paid for, with their coins.

    Args:
        rules: Rules of the slot.
        stage: The stage that is played.
        shown: What the line shows from the left.
    """
    found = [one for one in _shown_rows(rules, stage, shown) if one.coins]
    if rules.line_wins is LineWins.ALL:
        return tuple((one.row, one.coins) for one in found)
    sides = ((False,), (True,)) if rules.line_wins.by_end else ((False, True),)
    shown_on = [[one for one in found if one.right in side] for side in sides]
    # Of equal ones the first as printed.
    best = [max(here, key=lambda one: one.coins) for here in shown_on if here]
    if rules.line_wins is LineWins.UNLESS_WHOLE and best and best[0].reels == len(shown):
        del best[1:]
    return tuple((one.row, one.coins) for one in best)


def _shown_rows(rules: SlotRules, stage: SpinKind, shown: Sequence[WindowCell]) -> Iterator[_Found]:
    for pay in rules.line_pays:
        if speaks_of(pay.stages, stage):
            yield from _of_a_kind(rules, stage, shown, pay)
    for pattern in rules.patterns:
        if speaks_of(pattern.stages, stage):
            yield _pattern(rules, stage, shown, pattern)


def _of_a_kind(
    rules: SlotRules, stage: SpinKind, shown: Sequence[WindowCell], pay: LinePay
) -> Iterator[_Found]:
    unit = rules.line_bet * (stage.multiplier if pay.multiplied else 1)
    if pay.anywhere:
        helping = [one for one in (_part(rules, stage, cell, pay.symbols) for cell in shown) if one]
        yield _priced(rules, stage, pay, unit, helping)
        return
    if rules.direction is Direction.ADJACENT:
        runs = [_run(rules, stage, shown[first:], pay.symbols) for first in range(len(shown))]
        yield max((_priced(rules, stage, pay, unit, run) for run in runs), key=lambda one: one.coins)
        return
    if rules.direction is not Direction.RIGHT:
        yield _priced(rules, stage, pay, unit, _run(rules, stage, shown, pay.symbols))
    if rules.direction is not Direction.LEFT:
        run = _run(rules, stage, shown[::-1], pay.symbols)
        # A run over all reels is one win, counted from the left.
        if rules.direction is Direction.RIGHT or len(run) < len(shown):
            yield _priced(rules, stage, pay, unit, run, right=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one cell adds to a run: how many, whether as a wild, and with which factor."""

    count: int
    wild: bool = False
    factor: int = 1


def _part(rules: SlotRules, stage: SpinKind, cell: WindowCell, symbols: Sequence[str]) -> _Part | None:
    if cell.symbol in symbols:
        return _Part(1)
    for doubled in rules.doubled:
        if doubled.symbol == cell.symbol and doubled.stands_for in symbols:
            return _Part(doubled.times)
    for wild in wilds_in(rules, stage):
        if wild.symbol == cell.symbol and any(symbol in wild.replaces for symbol in symbols):
            return _Part(1, wild=True, factor=cell.factor)
    return None


def _run(
    rules: SlotRules, stage: SpinKind, shown: Sequence[WindowCell], symbols: Sequence[str]
) -> list[_Part]:
    parts = (_part(rules, stage, cell, symbols) for cell in shown)
    return [part for part in takewhile(bool, parts) if part is not None]


def _priced(
    rules: SlotRules, stage: SpinKind, pay: LinePay, unit: int, run: Sequence[_Part], *, right: bool = False
) -> _Found:
    count = sum(part.count for part in run)
    paid = 0 < count <= len(pay.pays) and pay.pays[count - 1]
    alone = all(wild.alone for wild in wilds_in(rules, stage))
    if not paid or not (alone or any(not part.wild for part in run)):
        return _Found("", 0, right)
    coins = paid * unit * _together(rules, stage, [part.factor for part in run if part.wild])
    return _Found(f"{pay.id}-{count}", coins, right, len(run))


def _together(rules: SlotRules, stage: SpinKind, factors: Sequence[int]) -> int:
    """Returns what wilds in one win multiply it by."""
    factors = [factor for factor in factors if factor > 1]
    if not factors:
        return 1
    multiplying = (wild for wild in wilds_in(rules, stage) if wild.multiplies != ((1, Fraction(1)),))
    how = next((wild.together for wild in multiplying), WildProduct.ONCE)
    if how is WildProduct.ONCE:
        return max(factors)
    return prod(factors) if how is WildProduct.MULTIPLY else sum(factors)


def _pattern(rules: SlotRules, stage: SpinKind, shown: Sequence[WindowCell], pattern: PatternPay) -> _Found:
    parts = [_part(rules, stage, cell, fits) for cell, fits in zip(shown, pattern.cells, strict=True) if fits]
    helping = [part for part in parts if part is not None]
    alone = all(wild.alone for wild in wilds_in(rules, stage))
    if len(helping) < len(parts) or not (alone or any(not part.wild for part in helping)):
        return _Found("", 0)
    unit = rules.line_bet * (stage.multiplier if pattern.multiplied else 1)
    factors = [part.factor for part in helping if part.wild]
    return _Found(pattern.id, pattern.pays * unit * _together(rules, stage, factors), reels=len(shown))


# --- ways and scatters -------------------------------------------------------------------------------------


def _ways(rules: SlotRules, stage: SpinKind, window: Window) -> Iterator[Win]:
    alone = all(wild.alone for wild in wilds_in(rules, stage))
    for pay in rules.line_pays:
        if not speaks_of(pay.stages, stage):
            continue
        ways, of_wilds, length = 1, 1, 0
        for reel in window:
            parts = [part for part in (_part(rules, stage, cell, pay.symbols) for cell in reel) if part]
            if not parts:
                break
            standing = sum(part.factor for part in parts if part.wild)
            ways *= standing + sum(part.count for part in parts if not part.wild)
            of_wilds *= standing
            length += 1
        won = ways - (0 if alone else of_wilds)
        if length and length <= len(pay.pays) and pay.pays[length - 1] and won:
            unit = rules.line_bet * (stage.multiplier if pay.multiplied else 1)
            yield Win(f"{pay.id}-{length}", 0, pay.pays[length - 1] * unit * won, won)


def _scatter_wins(rules: SlotRules, stage: SpinKind, window: Window) -> Iterator[Win]:
    for pay in scatters_in(rules, stage):
        count = min(counted(rules, stage, window, pay), len(pay.pays))
        if count and pay.pays[count - 1]:
            yield Win(f"{pay.id}-{count}", 0, pay.pays[count - 1] * unit_in(rules, pay, stage), run=False)


def counted(rules: SlotRules, stage: SpinKind, window: Window, what: ScatterPay | Trigger) -> int:
    """Returns how many of the symbols of a scatter pay, or of a trigger, a window stopped at, as they are counted."""
    symbols = counted_as(rules, stage, what)
    shown = [sum((cell.covers or cell.symbol) in symbols for cell in reel) for reel in window]
    if what.counted is SymbolCount.SYMBOLS:
        return sum(shown)
    if what.counted is SymbolCount.REELS:
        return sum(map(bool, shown))
    return next((place for place, number in enumerate(shown) if not number), len(shown))


# --- what starts -------------------------------------------------------------------------------------------


def starts_of(rules: SlotRules, stage: SpinKind, window: Window) -> tuple[tuple[str, int], ...]:
    """Returns the features that a window starts: the id of each, and how often (of free games: how many games)."""
    started = (
        (feature.id, _started(rules, stage, window, feature.trigger, grants))
        for feature in rules.features
        if (grants := starts_in(feature, stage))
    )
    return tuple((name, times) for name, times in started if times)


def _started(
    rules: SlotRules, stage: SpinKind, window: Window, trigger: Trigger, grants: tuple[int, ...]
) -> int:
    if not trigger.on_line:
        return _entry(grants, counted(rules, stage, window, trigger))
    total = 0
    for line in rules.lines:
        shown = [reel[row] for reel, row in zip(window, line, strict=True)]
        left = _starting(rules, stage, shown, trigger)
        right = _starting(rules, stage, shown[::-1], trigger)
        if rules.direction in (Direction.LEFT, Direction.BOTH):
            total += _entry(grants, sum(part.count for part in left))
        if rules.direction is Direction.RIGHT or (
            rules.direction is Direction.BOTH and len(right) < len(shown)
        ):
            total += _entry(grants, sum(part.count for part in right))
    return total


def _starting(
    rules: SlotRules, stage: SpinKind, shown: Sequence[WindowCell], trigger: Trigger
) -> list[_Part]:
    """Returns the run that starts a feature; where wilds do not count it ends at the first one."""
    run = _run(rules, stage, shown, trigger.symbols)
    wild = next((place for place, part in enumerate(run) if part.wild), len(run))
    return run if trigger.wilds else run[:wild]


# --- windows that pay again ------------------------------------------------------------------------------------


def held_by(rules: SlotRules, stage: SpinKind, window: Window) -> frozenset[int]:
    """Returns the reels, from 0, that a symbol of the window holds."""
    respin = rules.respin(stage.id)
    if respin is None:
        return frozenset()
    return frozenset(
        reel - 1 for reel in respin.reels if any(cell.symbol == respin.symbol for cell in window[reel - 1])
    )


def times_of(rules: SlotRules, stage: SpinKind, window: Window, falls: int) -> int:
    """Returns what a window multiplies its line wins by: its full reels, and the falls that it came by."""
    cascade, full = rules.cascade(stage.id), rules.full(stage.id)
    times = 1 if cascade is None else cascade.multipliers[min(falls, len(cascade.multipliers) - 1)]
    if full is None:
        return times
    standing = {wild.symbol: wild.replaces for wild in wilds_in(rules, stage)} if full.wilds else {}
    most = 0
    for symbol in full.symbols:
        filled = [
            all(cell.symbol == symbol or symbol in standing.get(cell.symbol, ()) for cell in reel)
            for reel in window
        ]
        first = len(filled) // 2 if full.counted is Adjacency.MIDDLE else 0
        run = [*takewhile(bool, filled[first:]), *[*takewhile(bool, filled[first::-1])][1:]]
        most = max(most, sum(filled if full.counted is Adjacency.ANYWHERE else run))
    return times * (full.times[min(most, len(full.times)) - 1] if most else 1)


def struck_by(rules: SlotRules, stage: SpinKind, window: Window) -> frozenset[tuple[int, int]]:
    """Returns the cells, by reel and row, whose symbols vanish where wins fall: those of each win and each trigger."""
    if rules.cascade(stage.id) is None:
        return frozenset()
    struck: set[tuple[int, int]] = set()
    counting: list[ScatterPay | Trigger] = []
    for win in wins_of(rules, stage, window):
        if win.line:
            # Lines are counted from the left: a row of so many of a kind is on so many reels.
            line, number = rules.lines[win.line - 1], int(win.row.rpartition("-")[2])
            struck |= {(reel, line[reel]) for reel in range(number)}
        elif win.run:
            struck |= {*_in_ways(rules, stage, window, win.row)}
        counting += [
            one for one in rules.scatter_pays if not win.run and one.id == win.row.rpartition("-")[0]
        ]
    begun = {name for name, _ in starts_of(rules, stage, window)}
    counting += [one.trigger for one in rules.features if one.id in begun]
    for what in counting:
        symbols = counted_as(rules, stage, what)
        # Of reels from the left those further on are no part of the win, and vanish all the same.
        struck |= {
            (reel, row)
            for reel, cells in enumerate(window)
            for row, cell in enumerate(cells)
            if cell.symbol in symbols
        }
    return frozenset(struck)


def _in_ways(rules: SlotRules, stage: SpinKind, window: Window, row: str) -> Iterator[tuple[int, int]]:
    """Returns the cells that a row is won with in ways: all that count for it on so many reels from the left."""
    name, _, number = row.rpartition("-")
    pay = next(one for one in rules.line_pays if one.id == name and speaks_of(one.stages, stage))
    return (
        (reel, place)
        for reel, cells in enumerate(window[: int(number)])
        for place, cell in enumerate(cells)
        if _part(rules, stage, cell, pay.symbols) is not None
    )


def fallen(
    rules: SlotRules, stage: SpinKind, window: Window, tops: Sequence[int], struck: frozenset[tuple[int, int]]
) -> tuple[Window, list[int]]:
    """Returns the window after symbols vanished, and the stop of each reel's highest symbol that came last."""
    strips = rules.strip_set(stage.strips)
    factors = {one.symbol: one.multiplies[0][0] for one in wilds_in(rules, stage)}
    made, heights = [], []
    for reel, cells in enumerate(window):
        strip = strips.reels[reel].symbols
        kept = [cell for row, cell in enumerate(cells) if (reel, row) not in struck]
        missing = len(cells) - len(kept)
        top = (tops[reel] - missing) % len(strip)
        new = [strip[(top + row) % len(strip)] for row in range(missing)]
        made.append((*(WindowCell(name, factors.get(name, 1)) for name in new), *kept))
        heights.append(top)
    return tuple(made), heights


def _entry(grants: tuple[int, ...], count: int) -> int:
    """Returns the entry for a count, the last one for more, nothing for none."""
    return grants[min(count, len(grants)) - 1] if count else 0

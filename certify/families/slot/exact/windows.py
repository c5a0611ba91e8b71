"""What one reel can show in one stage: every different window with its weight, wilds drawn out.

Then what windows multiply whose reels are full of one symbol.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import lcm, prod

from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.families.slot.rules import (
    Adjacency,
    Fill,
    FullReels,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    SymbolCount,
    Trigger,
    Wild,
    unit_in,
    wilds_in,
)

Full = frozenset[str]
"""Symbols that a reel is full of: several where it shows wilds alone."""


def full_of(rules: SlotRules, stage: SpinKind, full: FullReels, window: "Window") -> Full:
    """Returns the symbols that a window of a reel is full of."""
    standing = {one.symbol: set(one.replaces) for one in wilds_in(rules, stage) if full.wilds}
    fits = [{cell.symbol} | standing.get(cell.symbol, set()) for cell in window.cells]
    return frozenset(full.symbols).intersection(*fits)


def multiplier(full: FullReels, reels: Sequence[Full]) -> int:
    """Returns what line wins are multiplied by, by the symbols that each reel is full of.

    >>> kings = FullReels(("king",), (1, 1, 3))
    >>> multiplier(kings, [frozenset({"king"})] * 3), multiplier(kings, [frozenset({"king"}), *[frozenset()] * 2])
    (3, 1)
    """
    count = max(_count(full, [symbol in one for one in reels]) for symbol in full.symbols)
    return full.times[min(count, len(full.times)) - 1] if count else 1


def _count(full: FullReels, reels: Sequence[bool]) -> int:
    if full.counted is Adjacency.ANYWHERE:
        return sum(reels)
    if full.counted is Adjacency.LEFT:
        return [*reels, False].index(False)
    middle = len(reels) // 2
    right, left = reels[middle:], reels[middle::-1]
    return max(0, [*right, False].index(False) + [*left, False].index(False) - 1)


def multiplied(
    rules: SlotRules, stage: SpinKind, full: FullReels, reels: "Sequence[ReelWindows]"
) -> Iterator[tuple[int, tuple[tuple[int, ...], ...]]]:
    """Yields sets of windows whose line wins are multiplied: by what, and the windows of each reel by their places.

    The sets share no combination; whatever is in none of them is multiplied by one.
    """
    groups = [
        gathered((full_of(rules, stage, full, window), place) for place, window in enumerate(reel.windows))
        for reel in reels
    ]
    for some in product(*groups):
        times = multiplier(full, some)
        if times > 1:
            yield times, tuple(tuple(group[one]) for group, one in zip(groups, some, strict=True))


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


def scatter_coins(rules: SlotRules, stage: SpinKind, one: ScatterPay, count: int) -> int:
    """Returns the coins that so many scatters pay in a stage."""
    if count < 1:
        return 0
    pays = one.pays[min(count, len(one.pays)) - 1]
    return pays * unit_in(rules, one, stage)


def at(values: Sequence[int], count: int) -> int:
    """Returns the entry for a count, the last one for more, nothing for none."""
    return values[min(count, len(values)) - 1] if count >= 1 and values else 0


def seen(tally: WindowTally, window: "Window") -> int:
    """Returns what one reel adds to a count."""
    number = sum(name in tally.symbols for name in window.stopped)
    return number if tally.counted is SymbolCount.SYMBOLS else min(number, 1)


def added(tallies: Sequence[WindowTally], before: Counts, more: Counts, reel: int) -> Counts:
    """Returns the counts after one more reel, from 0; a run goes on only where every reel so far showed the symbol."""
    goes_on = (
        (tally.counted is not SymbolCount.RUN or count == reel) and tally.reel in (-1, reel)
        for tally, count in zip(tallies, before, strict=True)
    )
    return tuple(
        min(count + plus, tally.most) if goes else count
        for tally, count, plus, goes in zip(tallies, before, more, goes_on, strict=True)
    )


MOST_WINDOWS = 200_000
"""Different windows of one reel, at most."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a cell shows: a symbol, and of a multiplying wild its factor on this spin."""

    symbol: str
    factor: int = 1


@dataclass(frozen=True, slots=True)
class Window:
    """One window of a reel.

    Args:
        cells: What its cells count as on lines and in ways, from the top.
        stopped: Symbols at which the reel stopped, on which scatters and triggers are counted.
        weight: How often it comes, relative to the others.
    """

    cells: tuple[Shown, ...]
    stopped: tuple[str, ...]
    weight: int


@dataclass(frozen=True, slots=True)
class ReelWindows:
    """The different windows of one reel.

    Args:
        windows: The windows; weights are whole and sum to ``total``.
        total: Sum of the weights.
    """

    windows: tuple[Window, ...]
    total: int


def windows_of(
    rules: SlotRules, stage: SpinKind, held: frozenset[int] = frozenset(), by: str = ""
) -> tuple[ReelWindows, ...]:
    """Returns for each reel its different windows in a stage.

    Args:
        rules: Rules of the slot.
        stage: The stage.
        held: Reels, from 0, that are held and covered.
        by: The symbol that covers them.
    """
    strips = rules.strip_set(stage.strips)
    wilds = wilds_in(rules, stage)
    return tuple(
        _covered(strips, place, by) if place in held else reel_windows(strips, place, wilds)
        for place in range(len(strips.reels))
    )


def _covered(strips: StripSet, place: int, by: str) -> ReelWindows:
    rows = strips.heights[place][0].rows
    return ReelWindows((Window((Shown(by),) * rows, (by,) * rows, 1),), 1)


def reel_windows(strips: StripSet, place: int, wilds: Sequence[Wild]) -> ReelWindows:
    """Returns the different windows of one reel, counted from 0."""
    reel, heights = strips.reels[place], strips.heights[place]
    # Heights are drawn first: each is expanded to the same number of ways of stopping.
    ways = {
        height: reel.total if strips.fill is Fill.STRIP else reel.total**height.rows for height in heights
    }
    common = lcm(*ways.values())
    factors = lcm(*(chance.denominator for wild in wilds for _, chance in wild.multiplies)) if wilds else 1
    found: dict[tuple[tuple[Shown, ...], tuple[str, ...]], int] = {}
    for height in heights:
        scale = height.weight * (common // ways[height])
        for cells, weight in _raw(reel, height.rows, strips.fill):
            for shown, chance in _drawn_out(cells, wilds):
                part = Fraction(factors) ** len(wilds) * chance
                found[shown, cells] = found.get((shown, cells), 0) + weight * scale * int(part)
        if len(found) > MOST_WINDOWS:
            raise InputError(
                f"reel {place + 1} of {strips.id!r} has more than {MOST_WINDOWS:,} different windows"
            )
    windows = tuple(Window(shown, cells, weight) for (shown, cells), weight in found.items())
    return ReelWindows(windows, sum(found.values()))


def _raw(reel: Strip, rows: int, fill: Fill) -> Iterator[tuple[tuple[str, ...], int]]:
    if fill is Fill.STRIP:
        size = len(reel.symbols)
        for stop in range(size):
            yield tuple(reel.symbols[(stop + row) % size] for row in range(rows)), reel.weight(stop)
        return
    weights = summed((name, reel.weight(stop)) for stop, name in enumerate(reel.symbols))
    if len(weights) ** rows > MOST_WINDOWS:
        raise InputError(
            f"{len(weights)} symbols in {rows} cells drawn by themselves: more than {MOST_WINDOWS:,} windows"
        )
    for cells in product(weights, repeat=rows):
        yield cells, prod(weights[name] for name in cells)


def _drawn_out(cells: tuple[str, ...], wilds: Sequence[Wild]) -> Iterator[tuple[tuple[Shown, ...], Fraction]]:
    """Yields the cells as they count: a wild that expands covers them, and each wild has a factor for the reel."""
    here = [wild for wild in wilds if wild.symbol in cells]
    cover = next((wild for wild in here if wild.expands), None)
    if cover is not None:
        cells, here = (cover.symbol,) * len(cells), [cover]
    if not here:
        yield tuple(Shown(name) for name in cells), Fraction(1)
        return
    for drawn in product(*(wild.multiplies for wild in here)):
        by = {wild.symbol: factor for wild, (factor, _) in zip(here, drawn, strict=True)}
        chance = prod((part for _, part in drawn), start=Fraction(1))
        yield tuple(Shown(name, by.get(name, 1)) for name in cells), chance

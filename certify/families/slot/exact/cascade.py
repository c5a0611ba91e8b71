"""The complete cycle of a spin whose wins fall: every combination of stops, each played on until nothing more is won.

The strip goes on above the symbols that it showed, so a combination of stops says everything that follows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Final, NamedTuple

import numpy as np

from certify.array_types import Whole
from certify.by_key import summed_pairs
from certify.errors import InputError
from certify.families.slot.exact.cycle import added, listed, tallies
from certify.families.slot.exact.lines import LineTable, line_table
from certify.families.slot.exact.ways import WaysRows, shown_to, ways_rows
from certify.families.slot.exact.windows import Shown
from certify.families.slot.rows import MULTIPLIED
from certify.families.slot.rules import Cascade, SlotRules, SpinKind, SymbolCount, number_of, wilds_in
from certify.kernels import njit

MOST_COMBINATIONS: Final = 10**10
"""Combinations of stops that are walked, at most."""

MOST_FALLS: Final = 200
"""Windows of one spin, at most: strips on which more follow each other may win for ever."""

DENSE: Final = 1 << 20
"""Wins up to which a spin that starts nothing is counted in a dense table."""

LEFT, MIDDLE, ANYWHERE = 0, 1, 2
SYMBOLS, REELS, RUN = 0, 1, 2
"""Words of the rules by their places: see ``number_of``."""


@dataclass(frozen=True, slots=True)
class CountedWin:
    """A scatter pay, or what starts a feature, counted in every window of a spin.

    Args:
        row: Id of the row; empty for a feature.
        symbols: Symbols that count.
        counted: What of them.
        gives: Coins for none, one, two …, or how often these start the feature; the last for more.
        feature: Place of the feature.
    """

    row: str
    symbols: frozenset[str]
    counted: SymbolCount
    gives: tuple[int, ...]
    feature: int = -1


Fallen = tuple[dict[tuple[int, ...], dict[int, int]], dict[str, tuple[int, int]]]
"""Weight of every win over the complete cycle, by what it starts; and how often each row is won, with its coins."""


class _Tables(NamedTuple):
    """What the walk reads: symbols are numbered reel by reel.

    Args:
        sizes: Stops of each reel.
        rows: Rows of each reel's window.
        stops: [reel, stop]: its symbol; the first stops again behind the last, so that no window is cut.
        weights: [reel, stop]
        kinds: Symbols of each reel.
        lines: [line, reel]: row.
        coins: What a line pays, by its symbols.
        begins: Whether a line may pay that begins with such symbols on its first two reels.
        struck: Reels from the left on which its symbols win.
        result: What it is called among the results.
        counts: [seen, reel, symbol]: whether it counts.
        counted: [seen]: how.
        pays: [seen, count]: coins.
        starts: [seen, count]: starts, as one number.
        falls: Multipliers of the first window, the second …
        full: [reel, symbol]: bits of the symbols that it may fill a reel with.
        beside: How full reels are counted.
        times: Multipliers by number of full reels.
        ways: [row, reels]: coins of one way on so many reels; no row where lines are paid.
        fits: [row, reel, symbol, 2]: what it counts for in ways, and what of that as a wild.
        ways_at: Where ways begin among the results.
        alone: Whether wilds alone win in ways.
    """

    sizes: Whole
    rows: Whole
    stops: Whole
    weights: Whole
    kinds: Whole
    lines: Whole
    coins: Whole
    begins: Whole
    struck: Whole
    result: Whole
    counts: Whole
    counted: Whole
    pays: Whole
    starts: Whole
    falls: Whole
    full: Whole
    beside: int
    times: Whole
    ways: Whole
    fits: Whole
    ways_at: int
    alone: bool


class _Found(NamedTuple):
    """What the walk fills.

    Args:
        dense: Weight of each win of a spin that starts nothing.
        results: Weight of each result of a line, then times of each row and number of reels in ways.
        seen: [seen, count]: weight.
        multiplied: Times and coins of multiplied windows.
    """

    dense: Whole
    results: Whole
    seen: Whole
    multiplied: Whole


def fall(rules: SlotRules, stage: SpinKind, cascade: Cascade, seen: list[CountedWin]) -> Fallen:
    """Returns the complete cycle of a spin whose wins fall.

    Args:
        rules: Rules of the slot.
        stage: The stage.
        cascade: How its wins fall.
        seen: Scatter pays and triggers of the stage.

    Raises:
        InputError: It cannot be counted within bounds, or its strips may win for ever.
    """
    strips = rules.strip_set(stage.strips)
    total = prod(reel.total for reel in strips.reels)
    if prod(len(reel.symbols) for reel in strips.reels) > MOST_COMBINATIONS or total >= 1 << 40:
        raise InputError(f"{total:,} stops from which wins fall: expected at most {MOST_COMBINATIONS:,}")
    factors = {one.symbol: one.multiplies[0][0] for one in wilds_in(rules, stage)}
    symbols = [list(dict.fromkeys(reel.symbols)) for reel in strips.reels]
    cells = [[Shown(name, factors.get(name, 1)) for name in reel] for reel in symbols]
    ways = ways_rows(rules, stage) if rules.ways else WaysRows((), (), alone=True)
    most = prod(heights[0].rows * max([1, *factors.values()]) for heights in strips.heights)
    if rules.ways and total * most >= 1 << 62:
        raise InputError(f"{total:,} stops from which wins of up to {most:,} ways fall: too many to add up")
    table = LineTable((), (), (1,) * len(cells)) if rules.ways else line_table(rules, stage, cells, [])
    called, result = _results(table)
    ways_at = len(called)
    called += [
        [(f"{row.id}-{reels}", pays[reels])] if reels < len(pays) else []
        for row, pays in zip(ways.rows, ways.pays, strict=True)
        for reels in range(1, len(cells) + 1)
    ]
    # Starts of all features are one number; no spin starts one as often as the base says.
    base = MOST_FALLS * max([1, *(max(one.gives) for one in seen if one.feature >= 0)]) + 1
    if base ** max(1, len(rules.features)) >= 1 << 62:
        raise InputError(
            f"{len(rules.features)} features together with wins that fall: too many to count together"
        )
    tables = _tables(rules, stage, cascade, seen, symbols, table, result, base)._replace(
        ways=np.array(
            [[*pays, *[0] * (len(cells) + 1 - len(pays))] for pays in ways.pays], dtype=np.int64
        ).reshape(-1, len(cells) + 1),
        fits=_fits(rules, stage, ways, cells),
        ways_at=ways_at,
        alone=ways.alone,
    )
    filled = _Found(
        np.zeros(DENSE, dtype=np.int64),
        np.zeros(len(called), dtype=np.int64),
        np.zeros(tables.pays.shape, dtype=np.int64),
        np.zeros(2, dtype=np.int64),
    )
    spilled = _walk(tables, filled, tallies())
    if not len(spilled):
        raise InputError(
            f"wins of {stage.id!r} fall more than {MOST_FALLS} times from one stop: its strips may win for ever"
        )
    nothing = (0,) * len(rules.features)
    wins = {nothing: {win: int(filled.dense[win]) for win in np.flatnonzero(filled.dense).tolist()}}
    for code, win, weight in listed(spilled):
        starts = tuple(code // base**n % base for n in range(len(rules.features)))
        wins.setdefault(starts, {})[win] = weight
    rows = [
        (row, (int(number), int(number * coins)))
        for won, number in zip(called, filled.results.tolist(), strict=True)
        for row, coins in (won if number else ())
    ]
    rows += [
        (f"{one.row}-{most}", (number, number * one.gives[most]))
        for one, counted in zip(seen, filled.seen.tolist(), strict=False)
        for count, number in enumerate(counted)
        for most in (min(count, len(one.gives) - 1),)
        if one.row and number and one.gives[most]
    ]
    wins = {starts: some for starts, some in wins.items() if some}
    return wins, summed_pairs([*rows, (MULTIPLIED, tuple(filled.multiplied.tolist()))])


def _results(table: LineTable) -> tuple[list[list[tuple[str, int]]], Whole]:
    """Returns what a line may win, (row, coins) each, and the place of it for every row of symbols."""
    columns = [np.where(part.coins > 0, part.which, 0) for part in table.paid]
    columns += [part.coins for part in table.paid]
    flat = (
        np.stack([one.reshape(-1) for one in columns], axis=1)
        if columns
        else np.zeros((prod(table.shape), 0))
    )
    kept, places = np.unique(flat, axis=0, return_inverse=True)
    parts = len(table.paid)
    called = [
        [(part.rows[one[n]], one[parts + n]) for n, part in enumerate(table.paid) if one[n]]
        for one in kept.tolist()
    ]
    return called, places.reshape(-1).astype(np.int64)


def _tables(
    rules: SlotRules,
    stage: SpinKind,
    cascade: Cascade,
    seen: list[CountedWin],
    symbols: list[list[str]],
    table: LineTable,
    result: Whole,
    base: int,
) -> _Tables:
    strips, full = rules.strip_set(stage.strips), rules.full(stage.id)
    sizes, wide = [len(reel.symbols) for reel in strips.reels], max(map(len, symbols))
    struck = np.zeros(table.shape, dtype=np.int64)
    for part in table.paid:
        # Lines are counted from the left: a row of so many of a kind is on so many reels.
        reels = np.array([int(row.rpartition("-")[2]) if row else 0 for row in part.rows])
        struck = np.maximum(struck, np.where(part.coins > 0, reels[part.which], 0))
    rows = [heights[0].rows for heights in strips.heights]
    stops, weights = np.zeros((2, len(sizes), max(sizes) + max(rows)), dtype=np.int64)
    fills = np.zeros((len(sizes), wide), dtype=np.int64)
    counts = np.zeros((max(1, len(seen)), len(sizes), wide), dtype=np.int64)
    standing = {one.symbol: one.replaces for one in wilds_in(rules, stage) if full and full.wilds}
    for reel, (strip, names) in enumerate(zip(strips.reels, symbols, strict=True)):
        shown = [names.index(name) for name in strip.symbols]
        stops[reel, : sizes[reel] + rows[reel]] = [
            shown[stop % len(shown)] for stop in range(len(shown) + rows[reel])
        ]
        weights[reel, : sizes[reel]] = [strip.weight(stop) for stop in range(sizes[reel])]
        for place, name in enumerate(names):
            counts[: len(seen), reel, place] = [name in one.symbols for one in seen]
            fits = (name, *standing.get(name, ()))
            fills[reel, place] = sum(
                1 << n for n, one in enumerate(full.symbols if full else ()) if one in fits
            )
    pays, starts = np.zeros((2, len(counts), max([1, *(len(one.gives) for one in seen)])), dtype=np.int64)
    for place, one in enumerate(seen):
        gives = np.array([*one.gives, *[one.gives[-1]] * (pays.shape[1] - len(one.gives))])
        pays[place] = gives if one.feature < 0 else 0
        starts[place] = gives * base**one.feature if one.feature >= 0 else 0
    times = (1, *full.times) if full else (1,)
    return _Tables(
        np.array(sizes, dtype=np.int64),
        np.array(rows, dtype=np.int64),
        stops,
        weights,
        np.array([len(names) for names in symbols], dtype=np.int64),
        np.array(rules.lines, dtype=np.int64).reshape(-1, len(sizes)),
        table.coins.reshape(-1),
        table.coins.any(axis=tuple(range(2, table.coins.ndim))).reshape(-1).astype(np.int64),
        struck.reshape(-1),
        result,
        counts,
        np.array([number_of(one.counted) for one in seen] or [0], dtype=np.int64),
        pays,
        starts,
        np.array(cascade.multipliers, dtype=np.int64),
        fills,
        number_of(full.counted) if full else LEFT,
        np.array(times, dtype=np.int64),
        np.zeros((0, 0), dtype=np.int64),
        np.zeros((0, 0, 0, 2), dtype=np.int64),
        0,
        True,
    )


def _fits(rules: SlotRules, stage: SpinKind, ways: WaysRows, cells: Sequence[Sequence[Shown]]) -> Whole:
    """Returns for each row that ways pay, each reel and symbol what it counts for, and what of that as a wild."""
    made = np.zeros((len(ways.rows), len(cells), max(map(len, cells)), 2), dtype=np.int64)
    for reel, names in enumerate(cells):
        for place, cell in enumerate(names):
            made[:, reel, place] = shown_to(rules, stage, ways, [cell]) or np.zeros((0, 2))
    return made


# Called by compiled code alone: without counts of references and as part of what calls it, since a call with two dozen
# arrays costs more than what it does.
_inner: Any = njit(
    cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False, forceinline=True
)


@_inner  # type: ignore[untyped-decorator]
def _full(bit: int, reel: int, grid: Whole, tables: _Tables) -> bool:
    """Returns whether a reel is full of a symbol."""
    shown = bit
    for row in range(tables.rows[reel]):
        shown &= tables.full[reel, grid[reel, row]]
    return shown > 0


@_inner  # type: ignore[untyped-decorator]
def _multiplier(grid: Whole, tables: _Tables) -> int:
    """Returns what full reels multiply line wins by."""
    reels, best, bit = len(tables.sizes), 0, 1
    middle = reels // 2 if tables.beside == MIDDLE else 0
    while bit <= tables.full.max():
        count = 0
        if tables.beside == ANYWHERE:
            for reel in range(reels):
                count += _full(bit, reel, grid, tables)
        else:
            reel = middle
            while reel < reels and _full(bit, reel, grid, tables):
                reel += 1
            count = reel - middle
            reel = middle - 1
            while count > 0 and reel >= 0 and _full(bit, reel, grid, tables):
                reel -= 1
                count += 1
        best = max(best, count)
        bit <<= 1
    return int(tables.times[min(best, len(tables.times) - 1)])


@_inner  # type: ignore[untyped-decorator]
def _count(tally: int, grid: Whole, tables: _Tables) -> int:
    """Returns how many of some symbols a window shows, as they are counted."""
    total = 0
    for reel in range(len(tables.sizes)):
        more = 0
        for row in range(tables.rows[reel]):
            more += tables.counts[tally, reel, grid[reel, row]]
        if more == 0 and tables.counted[tally] == RUN:
            break
        total += more if tables.counted[tally] == SYMBOLS else min(more, 1)
    return int(min(total, tables.pays.shape[1] - 1))


@_inner  # type: ignore[untyped-decorator]
def _ways(grid: Whole, weight: int, struck: Whole, tables: _Tables, found: _Found) -> int:
    """Returns the coins of all ways of a window; marks the symbols that won, and counts what did."""
    reels, coins = len(tables.sizes), 0
    for pay in range(len(tables.ways)):
        ways, wild, length = 1, 1, 0
        while length < reels:
            some, standing = 0, 0
            for row in range(tables.rows[length]):
                some += tables.fits[pay, length, grid[length, row], 0]
                standing += tables.fits[pay, length, grid[length, row], 1]
            if some == 0:
                break
            ways, wild, length = ways * some, wild * standing, length + 1
        won = ways if tables.alone else ways - wild
        if won == 0 or tables.ways[pay, length] == 0:
            continue
        coins += won * tables.ways[pay, length]
        found.results[tables.ways_at + pay * reels + length - 1] += weight * won
        for reel in range(length):
            for row in range(tables.rows[reel]):
                if tables.fits[pay, reel, grid[reel, row], 0]:
                    struck[reel, row] = 1
    return coins


@_inner  # type: ignore[untyped-decorator]
def _window(
    grid: Whole, window: int, weight: int, struck: Whole, tables: _Tables, found: _Found
) -> tuple[int, int, bool]:
    """Returns the coins of a window, its starts and whether anything falls; marks what won, and counts it."""
    reels, coins, starts = len(tables.sizes), 0, 0
    for line in range(len(tables.lines)):
        place, reel = 0, 0
        while reel < reels and (reel != 2 or tables.begins[place]):
            place = place * tables.kinds[reel] + grid[reel, tables.lines[line, reel]]
            reel += 1
        if reel == reels and tables.coins[place]:
            coins += tables.coins[place]
            found.results[tables.result[place]] += weight
            for won in range(tables.struck[place]):
                struck[won, tables.lines[line, won]] = 1
    if len(tables.ways):
        coins += _ways(grid, weight, struck, tables, found)
    falls = coins > 0
    if falls:
        times = tables.falls[min(window, len(tables.falls) - 1)]
        times *= _multiplier(grid, tables) if len(tables.times) > 1 else 1
        if times > 1:
            found.multiplied[0] += weight
            found.multiplied[1] += weight * coins * (times - 1)
            coins *= times
    for tally in range(len(tables.counted)):
        count = _count(tally, grid, tables)
        if tables.pays[tally, count] or tables.starts[tally, count]:
            falls, coins = True, coins + tables.pays[tally, count]
            starts += tables.starts[tally, count]
            found.seen[tally, count] += weight
            for reel in range(reels):
                for row in range(tables.rows[reel]):
                    if tables.counts[tally, reel, grid[reel, row]]:
                        struck[reel, row] = 1
    return coins, starts, falls


@_inner  # type: ignore[untyped-decorator]
def _chain(
    places: Whole, top: Whole, weight: int, grid: Whole, struck: Whole, tables: _Tables, found: _Found
) -> tuple[int, int]:
    """Returns the coins and starts of a spin from its stops to the last window; coins below nothing: without an end."""
    reels, coins, starts = len(tables.sizes), 0, 0
    for reel in range(reels):
        top[reel] = places[reel]
        for row in range(tables.rows[reel]):
            grid[reel, row] = tables.stops[reel, places[reel] + row]
    for window in range(MOST_FALLS):
        struck[:] = 0
        won, begun, falls = _window(grid, window, weight, struck, tables, found)
        coins, starts = coins + won, starts + begun
        if not falls:
            return coins, starts
        for reel in range(reels):
            into = tables.rows[reel] - 1
            for row in range(tables.rows[reel] - 1, -1, -1):
                if not struck[reel, row]:
                    grid[reel, into] = grid[reel, row]
                    into -= 1
            while into >= 0:
                top[reel] = (top[reel] if top[reel] else tables.sizes[reel]) - 1
                grid[reel, into] = tables.stops[reel, top[reel]]
                into -= 1
    return -1, 0


@njit(cache=True, nogil=True)
def _walk(tables: _Tables, found: _Found, spilled: Whole) -> Whole:
    """Walks all stops; returns wins with starts and those beyond the dense table, nothing if one comes to no end."""
    reels, lines, last = len(tables.sizes), len(tables.lines), len(tables.sizes) - 1
    places, top = np.zeros(reels, dtype=np.int64), np.zeros(reels, dtype=np.int64)
    high, wide = tables.rows.max(), tables.kinds.max()
    grid, struck = np.zeros((reels, high), dtype=np.int64), np.zeros((reels, high), dtype=np.int64)
    sums = np.zeros((high, wide), dtype=np.int64)
    tallied = len(tables.counted)
    while True:
        # Stops of all reels but the last are set: what each symbol of the last one wins, row by row.
        weight = 1
        for reel in range(last):
            weight *= tables.weights[reel, places[reel]]
            for row in range(tables.rows[reel]):
                grid[reel, row] = tables.stops[reel, places[reel] + row]
        sums[:] = 0
        for line in range(lines):
            place = 0
            for reel in range(last):
                place = place * tables.kinds[reel] + grid[reel, tables.lines[line, reel]]
            for symbol in range(tables.kinds[last]):
                sums[tables.lines[line, last], symbol] += tables.coins[place * tables.kinds[last] + symbol]
        for stop in range(tables.sizes[last]):
            wins = len(tables.ways) > 0
            for row in range(tables.rows[last]):
                grid[last, row] = tables.stops[last, stop + row]
                wins |= sums[row, grid[last, row]] > 0
            for tally in range(tallied):
                if not wins:
                    count = _count(tally, grid, tables)
                    wins |= tables.pays[tally, count] + tables.starts[tally, count] > 0
            much, coins, starts = weight * tables.weights[last, stop], 0, 0
            if wins:
                places[last] = stop
                coins, starts = _chain(places, top, much, grid, struck, tables, found)
                if coins < 0:
                    return spilled[:0]
                # The window of the next stop is on the same reels.
                for reel in range(last):
                    for row in range(tables.rows[reel]):
                        grid[reel, row] = tables.stops[reel, places[reel] + row]
            if starts == 0 and coins < len(found.dense):
                found.dense[coins] += much
            else:
                spilled = added(spilled, starts, coins, much)
        reel = last - 1
        while reel >= 0:
            places[reel] += 1
            if places[reel] < tables.sizes[reel]:
                break
            places[reel] = 0
            reel -= 1
        if reel < 0:
            return spilled

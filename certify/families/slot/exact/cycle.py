"""The complete cycle of a spin whose lines pay: every combination of windows, compiled, in integers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from certify.array_types import Whole
from certify.errors import InputError
from certify.families.slot.exact.lines import LineAutomaton
from certify.kernels import njit

FIRST: Final = 1 << 10
"""Places of a table at first, a power of two; it doubles before more than half of them are taken."""


def tallies() -> Whole:
    """Returns an empty table: (first, second, how often) a place, and in its last row how many are taken."""
    return np.zeros((FIRST + 1, 3), dtype=np.int64)


@njit(cache=True, nogil=True)
def added(table: Whole, first: int, second: int, much: int) -> Whole:
    """Returns the table with a pair found so many times more, which are more than none."""
    places = len(table) - 1
    place = (first * 0x9E3779B97F4A7 + second) * 0xBF58476D1CE4F >> 24 & places - 1
    while table[place, 2] and (table[place, 0] != first or table[place, 1] != second):
        place = place + 1 & places - 1
    if table[place, 2] == 0:
        table[place, 0], table[place, 1] = first, second
        table[places, 0] += 1
    table[place, 2] += much
    if 2 * table[places, 0] <= places:
        return table
    wider = np.zeros((2 * places + 1, 3), dtype=np.int64)
    wider[2 * places, 0] = table[places, 0]
    for old in range(places):
        if table[old, 2]:
            one, other = table[old, 0], table[old, 1]
            to = (one * 0x9E3779B97F4A7 + other) * 0xBF58476D1CE4F >> 24 & 2 * places - 1
            while wider[to, 2]:
                to = to + 1 & 2 * places - 1
            wider[to] = table[old]
    return wider


def listed(table: Whole) -> list[list[int]]:
    """Returns what a table holds, in the order of its pairs: first, second, how often."""
    taken = table[:-1][table[:-1, 2] > 0]
    rows: list[list[int]] = taken[np.lexsort((taken[:, 1], taken[:, 0]))].tolist()
    return rows


MOST_COMBINATIONS: Final = 10**10
"""Different combinations of windows that are walked, at most: minutes of one core."""

DENSE: Final = 1 << 22
"""Places of the table of wins that is kept dense; higher wins go to a table that grows."""


@dataclass(frozen=True, slots=True)
class CycleReels:
    """The windows of all reels as arrays.

    Args:
        sizes: Number of different windows on each reel.
        cells: Symbol by (reel, window, row).
        weights: Weight by (reel, window).
        codes: What a window adds to the counts over the window, by (reel, window).
        steps: State of these counts after a reel, by (reel, state, code).
    """

    sizes: Whole
    cells: Whole
    weights: Whole
    codes: Whole
    steps: Whole

    def of(self, places: Sequence[Sequence[int]]) -> "CycleReels":
        """Returns the reels with some of their windows alone, by their places."""
        most = max(map(len, places))
        keep = np.array([[*one, *[0] * (most - len(one))] for one in places])
        sizes = np.array([len(one) for one in places], dtype=np.int64)
        reel = np.arange(len(places))[:, None]
        return CycleReels(
            sizes, self.cells[reel, keep], self.weights[reel, keep], self.codes[reel, keep], self.steps
        )


@njit(cache=True, nogil=True)
def _walk(
    sizes: Whole,
    cells: Whole,
    weights: Whole,
    codes: Whole,
    scatter: Whole,
    lines: Whole,
    steps: Whole,
    values: Whole,
    unit: int,
    radix: Whole,
    dense: Whole,
    spilled: Whole,
) -> Whole:
    """Walks all combinations; fills weights by (class, win), and returns the wins beyond the dense table."""
    reels, line_count, rows = sizes.shape[0], lines.shape[0], cells.shape[2]
    parts, symbols = values.shape[0], values.shape[2]
    stride = dense.shape[1]
    places = np.zeros(reels, dtype=np.int64)
    state = np.zeros((reels, line_count), dtype=np.int64)
    counted = np.zeros(reels, dtype=np.int64)
    weight = np.ones(reels, dtype=np.int64)
    sums = np.zeros((parts, rows, symbols), dtype=np.int64)
    last = reels - 1
    depth = 0
    places[0] = -1
    if last == 0:
        depth = -1
    while True:
        if depth >= 0 and depth < last:
            places[depth] += 1
            if places[depth] == sizes[depth]:
                depth -= 1
                if depth < 0:
                    break
                continue
            window = places[depth]
            for line in range(line_count):
                before = state[depth, line] if depth else 0
                state[depth + 1, line] = steps[depth, before, cells[depth, window, lines[line, depth]]]
            counted[depth + 1] = scatter[depth, counted[depth], codes[depth, window]]
            weight[depth + 1] = weight[depth] * weights[depth, window]
            depth += 1
            if depth < last:
                places[depth] = -1
                continue
        for part in range(parts):
            for row in range(rows):
                for symbol in range(symbols):
                    sums[part, row, symbol] = 0
        for line in range(line_count):
            row = lines[line, last]
            before = state[last, line]
            for part in range(parts):
                for symbol in range(symbols):
                    sums[part, row, symbol] += values[part, before, symbol]
        before_counts, before_weight = counted[last], weight[last]
        for window in range(sizes[last]):
            win = 0
            for row in range(rows):
                win += sums[0, row, cells[last, window, row]]
            win //= unit
            group = scatter[last, before_counts, codes[last, window]]
            for part in range(1, parts):
                starts = 0
                for row in range(rows):
                    starts += sums[part, row, cells[last, window, row]]
                group += starts * radix[part]
            much = before_weight * weights[last, window]
            if group < dense.shape[0] and win < stride:
                dense[group, win] += much
            else:
                spilled = added(spilled, group, win, much)
        depth -= 1
        if depth < 0:
            break
    return spilled


def count_cycle(
    reels: CycleReels, lines: Sequence[Sequence[int]], line: LineAutomaton, groups: int, radix: Sequence[int]
) -> dict[int, dict[int, int]]:
    """Returns the weight of every win, by class, over all combinations of windows: a class is counts and line starts.

    Args:
        reels: The windows.
        lines: Row of each line on each reel.
        line: What a line wins.
        groups: Number of states of the counts over the window.
        radix: Place value of the starts of each feature that lines start, in the number of a class.

    Raises:
        InputError: The cycle does not fit the integers it is counted in.
    """
    total = prod(int(weights[:size].sum()) for weights, size in zip(reels.weights, reels.sizes, strict=True))
    if total >= 1 << 62:
        raise InputError(f"a cycle of {total:,} combinations: more than can be counted here")
    different = prod(int(size) for size in reels.sizes)
    if different > MOST_COMBINATIONS:
        raise InputError(
            f"{different:,} different combinations of windows: expected at most {MOST_COMBINATIONS:,}"
        )
    unit = int(np.gcd.reduce(line.values[0], axis=None)) or 1
    most = len(lines) * int(line.values[0].max(initial=0)) // unit + 1
    dense = np.zeros((groups, max(1, min(most, DENSE // max(1, groups)))), dtype=np.int64)
    rows = max((step.shape[0] for step in line.steps), default=1)
    wide = max(part.shape[1] for part in (*line.steps, *line.values))
    steps = np.zeros((max(1, len(line.steps)), rows, wide), dtype=np.int64)
    for place, step in enumerate(line.steps):
        steps[place, : step.shape[0], : step.shape[1]] = step
    spilled = _walk(
        reels.sizes,
        reels.cells,
        reels.weights,
        reels.codes,
        reels.steps,
        np.array(lines, dtype=np.int64).reshape(len(lines), len(reels.sizes)),
        steps,
        np.stack(line.values),
        unit,
        np.array([0, *radix], dtype=np.int64),
        dense,
        tallies(),
    )
    wins: dict[int, dict[int, int]] = {}
    for group, win in zip(*np.nonzero(dense), strict=True):
        wins.setdefault(int(group), {})[int(win) * unit] = int(dense[group, win])
    for group, win, much in listed(spilled):
        wins.setdefault(group, {})[win * unit] = much
    return wins

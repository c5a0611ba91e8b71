"""One spin whose wins are ways: reel after reel, what no longer matters merged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeVar

import numpy as np

from certify.errors import InputError
from certify.families.slot.exact.many_ways import Face, Groups, ManyWays, States
from certify.families.slot.exact.windows import (
    Counts,
    ReelWindows,
    Shown,
    WindowTally,
    added,
    seen,
    speaks_of,
    wilds_in,
)
from certify.families.slot.rules import Direction, LinePay, SlotRules, SpinKind

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class WaysRows:
    """The rows of a stage that ways pay.

    Args:
        rows: The rows.
        pays: For each row the coins for a run of so many reels, multipliers of the stage counted.
        alone: Whether wilds alone win.
    """

    rows: tuple[LinePay, ...]
    pays: tuple[tuple[int, ...], ...]
    alone: bool


def ways_rows(rules: SlotRules, stage: SpinKind) -> WaysRows:
    """Returns the rows that ways pay in a stage."""
    rows = tuple(one for one in rules.line_pays if speaks_of(one.stages, stage))
    unit = rules.line_bet
    pays = tuple(
        tuple(unit * coins * (stage.multiplier if one.multiplied else 1) for coins in (0, *one.pays))
        for one in rows
    )
    return WaysRows(rows, pays, all(wild.alone for wild in wilds_in(rules, stage)))


def shown_to(
    rules: SlotRules, stage: SpinKind, rows: WaysRows, cells: Sequence[Shown]
) -> tuple[tuple[int, int], ...]:
    """Returns what a window shows each row: cells that count with their factors, and the wilds among them."""
    wilds = {one.symbol: one for one in wilds_in(rules, stage)}
    doubled = {one.symbol: one for one in rules.doubled}
    made = []
    for row in rows.rows:
        own = standing = 0
        for cell in cells:
            if cell.symbol in row.symbols:
                own += 1
            elif cell.symbol in doubled and doubled[cell.symbol].stands_for in row.symbols:
                own += doubled[cell.symbol].times
            elif cell.symbol in wilds and set(wilds[cell.symbol].replaces) & set(row.symbols):
                standing += cell.factor
        made.append((own + standing, standing))
    return tuple(made)


def count_ways(
    rules: SlotRules, stage: SpinKind, reels: Sequence[ReelWindows], tallies: Sequence[WindowTally]
) -> dict[Counts, dict[int, int]]:
    """Returns the weight of every win in coins, by what was counted over the window.

    Raises:
        InputError: More states are needed than are kept.
    """
    rows = ways_rows(rules, stage)
    if rules.direction is not Direction.LEFT:
        raise InputError("ways are counted from the left: expected direction left")
    every: list[dict[tuple[Shows, Counts], int]] = [
        _merged(
            (
                (shown_to(rules, stage, rows, window.cells), tuple(seen(one, window) for one in tallies)),
                window.weight,
            )
            for window in reel.windows
        )
        for reel in reels
    ]
    total = prod(sum(shown.values()) for shown in every)
    many = ManyWays(total, lambda row, length: _pay(rows, row, length), alone=rows.alone, reels=len(every))
    ids = tuple(range(len(rows.rows)))
    once, nothing = np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    groups: Groups = {
        ids: States([once] * len(ids) * (1 if rows.alone else 2), nothing, nothing, many.weights([1]))
    }
    counts: dict[Counts, int] = {(0,) * len(tallies): 0}
    for place, shown in enumerate(every):
        more = list(dict.fromkeys(one for _, one in shown))
        after: dict[Counts, int] = {}
        steps = np.array(
            [
                [after.setdefault(added(tallies, one, plus, place), len(after)) for plus in more]
                for one in counts
            ],
            dtype=np.int64,
        )
        faces = [Face(shows, more.index(plus), weight) for (shows, plus), weight in shown.items()]
        groups, counts = many.over(groups, place, faces, steps), after
    named = list(counts)
    found: dict[Counts, dict[int, int]] = {}
    for code, win, weight in many.ended(groups):
        found.setdefault(named[code], {})[win] = weight
    return found


Shows = tuple[tuple[int, int], ...]
"""What one window shows each row: cells that count with their factors, and the wilds among them."""


def _merged(pairs: Iterable[tuple[K, int]]) -> dict[K, int]:
    found: dict[K, int] = {}
    for key, weight in pairs:
        found[key] = found.get(key, 0) + weight
    return found


def _pay(rows: WaysRows, row: int, length: int) -> int:
    pays = rows.pays[row]
    return pays[length] if length < len(pays) else 0

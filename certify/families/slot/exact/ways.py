"""One spin whose wins are ways: reel after reel, what no longer matters merged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypeVar

import numpy as np

from certify.errors import InputError
from certify.families.slot.exact.many_ways import Face, Groups, ManyWays, States
from certify.families.slot.exact.scatters import Counts, Tally, added, seen
from certify.families.slot.exact.windows import ReelWindows, Shown, speaks_of, wilds_in
from certify.families.slot.rules import Direction, LinePay, SlotRules, Stage

K = TypeVar("K", bound=Hashable)

FEW: Final = 20_000
"""States between two reels up to which they are kept one by one; more are kept as arrays."""

Alive = tuple[tuple[int, int, int], ...]
"""Rows that may still be won: (place of the row, ways so far, ways of wilds alone so far)."""

State = tuple[Alive, int, Counts]
"""Rows that may still be won, coins won, and what was counted over the window."""


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


def ways_rows(rules: SlotRules, stage: Stage) -> WaysRows:
    """Returns the rows that ways pay in a stage."""
    rows = tuple(one for one in rules.line_pays if speaks_of(one.stages, stage))
    unit = rules.line_bet
    pays = tuple(
        tuple(unit * coins * (stage.multiplier if one.multiplied else 1) for coins in (0, *one.pays))
        for one in rows
    )
    return WaysRows(rows, pays, all(wild.alone for wild in wilds_in(rules, stage)))


def shown_to(
    rules: SlotRules, stage: Stage, rows: WaysRows, cells: Sequence[Shown]
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
    rules: SlotRules, stage: Stage, reels: Sequence[ReelWindows], tallies: Sequence[Tally]
) -> dict[Counts, dict[int, int]]:
    """Returns the weight of every win in coins, by what was counted over the window.

    Raises:
        InputError: More states are needed than are kept.
    """
    rows = ways_rows(rules, stage)
    if rules.direction is not Direction.LEFT:
        raise InputError("ways are counted from the left: expected direction left")
    states: dict[State, int] = {((), 0, (0,) * len(tallies)): 1}
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
    for place, shown in enumerate(every):
        if len(states) > FEW and place:
            return _as_arrays(states, place, every, rows, tallies)
        states = _reel(states, shown, rows, tallies, place)
    found: dict[Counts, dict[int, int]] = {}
    for (alive, won, counts), weight in states.items():
        win = won + sum(_pay(rows, row, len(reels)) * _ways(rows, ways, wild) for row, ways, wild in alive)
        group = found.setdefault(counts, {})
        group[win] = group.get(win, 0) + weight
    return found


Shows = tuple[tuple[int, int], ...]
"""What one window shows each row: cells that count with their factors, and the wilds among them."""


def _as_arrays(
    states: Mapping[State, int],
    done: int,
    every: Sequence[Mapping[tuple[Shows, Counts], int]],
    rows: WaysRows,
    tallies: Sequence[Tally],
) -> dict[Counts, dict[int, int]]:
    """Returns the weight of every win by counts, from the states after some reels on."""
    total = prod(sum(shown.values()) for shown in every)
    many = ManyWays(total, lambda row, length: _pay(rows, row, length), alone=rows.alone, reels=len(every))
    counts: dict[Counts, int] = {}
    parts: dict[tuple[int, ...], list[tuple[State, int]]] = {}
    for state, weight in states.items():
        counts.setdefault(state[2], len(counts))
        parts.setdefault(tuple(row for row, _, _ in state[0]), []).append((state, weight))
    groups: Groups = {}
    for ids, some in parts.items():
        ways = [[state[0][n][1] for state, _ in some] for n in range(len(ids))]
        if not rows.alone:
            ways += [[state[0][n][2] for state, _ in some] for n in range(len(ids))]
        groups[ids] = States(
            [np.array(one, dtype=np.int64) for one in ways],
            np.array([state[1] for state, _ in some], dtype=np.int64),
            np.array([counts[state[2]] for state, _ in some], dtype=np.int64),
            many.weights([weight for _, weight in some]),
        )
    for place in range(done, len(every)):
        more = list(dict.fromkeys(one for _, one in every[place]))
        after: dict[Counts, int] = {}
        steps = np.array(
            [
                [after.setdefault(added(tallies, one, plus, place), len(after)) for plus in more]
                for one in counts
            ],
            dtype=np.int64,
        )
        faces = [Face(shows, more.index(plus), weight) for (shows, plus), weight in every[place].items()]
        groups, counts = many.over(groups, place, faces, steps), after
    named = list(counts)
    found: dict[Counts, dict[int, int]] = {}
    for code, win, weight in many.ended(groups):
        found.setdefault(named[code], {})[win] = weight
    return found


def _merged(pairs: Iterable[tuple[K, int]]) -> dict[K, int]:
    found: dict[K, int] = {}
    for key, weight in pairs:
        found[key] = found.get(key, 0) + weight
    return found


def _pay(rows: WaysRows, row: int, length: int) -> int:
    pays = rows.pays[row]
    return pays[length] if length < len(pays) else 0


def _ways(rows: WaysRows, ways: int, wild: int) -> int:
    return ways if rows.alone else ways - wild


def _reel(
    states: Mapping[State, int],
    shown: Mapping[tuple[Shows, Counts], int],
    rows: WaysRows,
    tallies: Sequence[Tally],
    place: int,
) -> dict[State, int]:
    """Returns the states after one more reel; windows that show the rows still alive the same are one."""
    after: dict[State, int] = {}
    grouped: dict[tuple[int, ...], list[tuple[tuple[Shows, Counts], int]]] = {}
    everything = tuple((row, 1, 1) for row in range(len(rows.rows)))
    for (alive, won, counts), weight in states.items():
        before = alive if place else everything
        ids = tuple(row for row, _, _ in before)
        if ids not in grouped:
            told = (((tuple(face[row] for row in ids), more), much) for (face, more), much in shown.items())
            grouped[ids] = list(_merged(told).items())
        for (face, more), much in grouped[ids]:
            gain, kept = won, []
            for (row, ways, wild), (count, stands) in zip(before, face, strict=True):
                if count:
                    kept.append((row, ways * count, wild * stands))
                elif place:
                    gain += _pay(rows, row, place) * _ways(rows, ways, wild)
            key = (tuple(kept), gain, added(tallies, counts, more, place))
            after[key] = after.get(key, 0) + weight * much
    return after

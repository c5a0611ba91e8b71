"""One spin whose wins are ways: reel after reel, what no longer matters merged, its states as arrays.

Windows of six reels whose heights change have very many states.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final

import numpy as np

from certify.array_types import Whole
from certify.by_key import gathered, summed
from certify.errors import InputError
from certify.families.slot.exact.windows import (
    Counts,
    ReelWindows,
    Shown,
    WindowTally,
    added,
    seen,
)
from certify.families.slot.rules import Direction, LinePay, SlotRules, SpinKind, speaks_of, wilds_in

MOST_STATES: Final = 20_000_000
"""States between two reels, at most."""

PENDING: Final = 4_000_000
"""States of one set of rows that are merged at once, about."""

PRIMES: Final = (
    2147483647,
    2147483629,
    2147483587,
    2147483579,
    2147483563,
    2147483549,
    2147483543,
    2147483497,
)
"""Weights beyond 62 bits are kept by their remainders to so many of these as the total needs."""


@dataclass(frozen=True, slots=True)
class Face:
    """What windows of a reel show that are equal.

    Args:
        shows: For each row the cells that count with their factors, and the wilds among them.
        code: What they add to the counts over the window, as a number.
        weight: How often they come.
    """

    shows: tuple[tuple[int, int], ...]
    code: int
    weight: int


@dataclass(slots=True)
class States:
    """States that agree in the rows that may still be won.

    Args:
        ways: Ways of each of these rows, then those of wilds alone.
        won: Coins won.
        code: What was counted over the window, as a number.
        weights: Weights, or their remainders to each prime.
    """

    ways: list[Whole]
    won: Whole
    code: Whole
    weights: list[Whole]


Groups = dict[tuple[int, ...], States]
"""States by the rows that may still be won."""


class ManyWays:
    """Goes on over reels.

    Args:
        total: Sum of the weights of all combinations.
        paid: Coins of one way of a row, by reels: 0 where it does not pay.
        alone: Whether wilds alone win.
        reels: Number of reels.
    """

    def __init__(self, total: int, paid: Callable[[int, int], int], *, alone: bool, reels: int) -> None:
        self.paid, self.alone, self.reels = paid, alone, reels
        self.primes: tuple[int, ...] = ()
        if total >= 1 << 62:
            self.primes = next(
                (PRIMES[:n] for n in range(1, len(PRIMES) + 1) if prod(PRIMES[:n]) > total), ()
            )
            if not self.primes:
                raise InputError(f"{total:,} combinations: more than can be counted here")

    def weights(self, exact: Sequence[int]) -> list[Whole]:
        """Returns weights as they are kept."""
        if not self.primes:
            return [np.array(exact, dtype=np.int64)]
        return [np.array([one % prime for one in exact], dtype=np.int64) for prime in self.primes]

    def over(self, groups: Groups, place: int, faces: Sequence[Face], steps: Whole) -> Groups:
        """Returns the states after one more reel, counted from 0.

        Args:
            groups: The states before it.
            place: The reel.
            faces: What it can show.
            steps: Counts after it, by those before and by what a face adds.
        """
        waiting: dict[tuple[int, ...], list[States]] = {}
        size: dict[tuple[int, ...], int] = {}
        for ids, states in groups.items():
            for kept, some in _alike(ids, faces).items():
                made = self._stepped(ids, states, place, kept, some, steps)
                rows = () if place + 1 == self.reels else tuple(ids[n] for n in kept)
                waiting.setdefault(rows, []).append(made)
                size[rows] = size.get(rows, 0) + len(made.won)
                if size[rows] > PENDING and len(waiting[rows]) > 1:
                    waiting[rows] = [self._merged(waiting[rows])]
                    # What is left of it waits until as much has come again.
                    size[rows] = 0
            if sum(len(one.won) for some in waiting.values() for one in some) > MOST_STATES:
                raise InputError(
                    f"ways are in more than {MOST_STATES:,} states after reel {place + 1}: not counted"
                )
        return {rows: self._merged(some) for rows, some in waiting.items()}

    def ended(self, groups: Groups) -> Iterator[tuple[int, int, int]]:
        """Yields (code, win, weight) after the last reel."""
        states = groups[()]
        parts = [one.tolist() for one in states.weights]
        for code, win, *weights in zip(states.code.tolist(), states.won.tolist(), *parts, strict=True):
            yield code, win, self._whole(weights)

    def _whole(self, remainders: Sequence[int]) -> int:
        """Returns the weight of given remainders."""
        if not self.primes:
            return remainders[0]
        found, modulus = 0, 1
        for rest, prime in zip(remainders, self.primes, strict=True):
            found += modulus * ((rest - found) * pow(modulus, -1, prime) % prime)
            modulus *= prime
        return found

    def _stepped(
        self,
        ids: tuple[int, ...],
        states: States,
        place: int,
        kept: tuple[int, ...],
        some: Sequence[Face],
        steps: Whole,
    ) -> States:
        """Returns states after a reel that shows some faces, on which the same rows may still be won."""
        live, last = len(ids), place + 1 == self.reels
        won = states.won
        for n, row in enumerate(ids):
            if n not in kept and place and self.paid(row, place):
                ways = states.ways[n] if self.alone else states.ways[n] - states.ways[live + n]
                won = won + self.paid(row, place) * ways
        counts = np.array([[face.shows[ids[n]] for n in kept] for face in some], dtype=np.int64)
        counts = counts.reshape(len(some), len(kept), 2)
        new = [np.multiply.outer(states.ways[n], counts[:, at, 0]).ravel() for at, n in enumerate(kept)]
        wild = [
            np.multiply.outer(states.ways[live + n], counts[:, at, 1]).ravel()
            for at, n in enumerate(kept)
            if not self.alone
        ]
        won = np.repeat(won, len(some))
        if last:
            for at, n in enumerate(kept):
                won = won + self.paid(ids[n], place + 1) * (new[at] if self.alone else new[at] - wild[at])
            new = wild = []
        code = steps[states.code][:, [face.code for face in some]].ravel()
        weights = [
            np.multiply.outer(one, more).ravel()
            for one, more in zip(states.weights, self.weights([face.weight for face in some]), strict=True)
        ]
        return States([*new, *wild], won, code, self._kept(weights))

    def _merged(self, parts: Sequence[States]) -> States:
        """Returns states of which none is there twice."""
        columns = [
            np.concatenate(some)
            for some in zip(*([*one.ways, one.won, one.code] for one in parts), strict=True)
        ]
        weights = [np.concatenate(some) for some in zip(*(one.weights for one in parts), strict=True)]
        sizes = [int(one.max()) + 1 for one in columns]
        if prod(sizes) < 1 << 62:
            key = columns[0].copy()
            for column, size in zip(columns[1:], sizes[1:], strict=True):
                key *= size
                key += column
            order = np.argsort(key, kind="stable")
            fresh = np.flatnonzero(np.diff(key[order], prepend=-1))
        else:
            order = np.lexsort(columns)
            other = np.zeros(len(order), dtype=bool)
            other[:1] = True
            for column in columns:
                other[1:] |= np.diff(column[order]) != 0
            fresh = np.flatnonzero(other)
        first = order[fresh]
        *ways, won, code = (column[first] for column in columns)
        summed = [np.add.reduceat(one[order], fresh) for one in weights]
        return States(ways, won, code, self._kept(summed))

    def _kept(self, weights: list[Whole]) -> list[Whole]:
        """Returns weights as they are, or their remainders."""
        return (
            [one % prime for one, prime in zip(weights, self.primes, strict=True)] if self.primes else weights
        )


def _alike(ids: tuple[int, ...], faces: Sequence[Face]) -> Mapping[tuple[int, ...], list[Face]]:
    """Returns faces that differ for some rows, by which of these (their places) may still be won after them."""
    equal = gathered(((tuple(face.shows[row] for row in ids), face.code), face) for face in faces)
    return gathered(
        (
            tuple(n for n, (count, _) in enumerate(shows) if count),
            replace(some[0], weight=sum(face.weight for face in some)),
        )
        for (shows, _), some in equal.items()
    )


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
    pays = tuple(
        tuple(
            rules.line_bet * coins * (stage.multiplier if one.multiplied else 1) for coins in (0, *one.pays)
        )
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
        summed(
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


def _pay(rows: WaysRows, row: int, length: int) -> int:
    pays = rows.pays[row]
    return pays[length] if length < len(pays) else 0

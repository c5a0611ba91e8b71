"""What one line wins, for every row of symbols it can show; then as a small automaton, reel after reel."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import InputError
from certify.families.slot.exact.windows import Shown
from certify.families.slot.rules import (
    Direction,
    LinePay,
    LineWins,
    PatternPay,
    SlotRules,
    SpinKind,
    Trigger,
    WildProduct,
    speaks_of,
    wilds_in,
)

Ints = NDArray[np.int64]

MOST_LINE_CELLS: Final = 10_000_000
"""Rows of symbols that one line may show, at most."""


@dataclass(frozen=True, slots=True)
class Paid:
    """Rows of which a line is paid one at most, for every row of symbols that it can show; one axis a reel.

    Args:
        rows: Ids of the rows; the first, of no name, is no win.
        which: Place of the row that is paid.
        coins: What it pays.
    """

    rows: tuple[str, ...]
    which: NDArray[np.int16]
    coins: Ints


@dataclass(frozen=True, slots=True)
class LineTable:
    """What one line wins, by the symbols that it shows from the left.

    Args:
        paid: What is paid, in as many parts as a line wins times.
        triggers: For each feature that lines start: how often, for each row of symbols.
        shape: Number of different symbols on each reel.
    """

    paid: tuple[Paid, ...]
    triggers: tuple[Ints, ...]
    shape: tuple[int, ...]

    @property
    def coins(self) -> Ints:
        """Coins of all rows together."""
        return sum((part.coins for part in self.paid), np.zeros(self.shape, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class _Role:
    """What each symbol of each reel does for one row: counts by itself, by standing in, with which factor.

    A pattern leaves reels free, whatever they show.
    """

    natural: list[Ints]
    standing: list[Ints]
    factor: list[Ints]
    free: list[bool]


def line_table(
    rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]], triggers: Sequence[Trigger]
) -> LineTable:
    """Returns what a line wins for every row of symbols.

    Args:
        rules: Rules of the slot.
        stage: The stage.
        symbols: What each reel may show in one cell.
        triggers: Features that lines start, in the order in which they are counted.
    """
    shape = tuple(len(one) for one in symbols)
    cells = prod(shape)
    if cells > MOST_LINE_CELLS:
        raise InputError(f"a line can show {cells:,} rows of symbols: expected at most {MOST_LINE_CELLS:,}")
    started = tuple(_starts(rules, stage, symbols, one) for one in triggers)
    return LineTable(_paid(rules, _offers(rules, stage, symbols), shape), started, shape)


@dataclass(frozen=True, slots=True)
class _Offer:
    """Rows that share an end of the line: at most one of them is shown."""

    rows: tuple[str, ...]
    counts: Ints
    coins: Ints
    right: bool
    reels: Ints


def _role(
    rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]], cells: Sequence[Sequence[str]]
) -> _Role:
    made = _Role([], [], [], [not row for row in cells])
    for reel, row in zip(symbols, cells, strict=True):
        wilds = {one.symbol for one in wilds_in(rules, stage) if set(one.replaces) & set(row)}
        doubled = {one.symbol: one.times for one in rules.doubled if one.stands_for in row}
        own = [1 if cell.symbol in row else doubled.get(cell.symbol, 0) for cell in reel]
        stands = [int(not count and cell.symbol in wilds) for cell, count in zip(reel, own, strict=True)]
        factors = [cell.factor if one else 1 for cell, one in zip(reel, stands, strict=True)]
        made.natural.append(np.array(own, dtype=np.int64))
        made.standing.append(np.array(stands, dtype=np.int64))
        made.factor.append(np.array(factors, dtype=np.int64))
    return made


def _together(rules: SlotRules, stage: SpinKind) -> WildProduct:
    return next(
        (one.together for one in wilds_in(rules, stage) if one.multiplies != ((1, Fraction(1)),)),
        WildProduct.ONCE,
    )


def _axis(values: Ints, reel: int, reels: int) -> Ints:
    return values.reshape([-1 if place == reel else 1 for place in range(reels)])


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of symbols, for every row of symbols: how many, on how many reels, how many of their own, times what."""

    count: Ints
    reels: Ints
    own: Ints
    times: Ints


def _runs(role: _Role, reels: Sequence[int], together: WildProduct, *, broken: bool = True) -> _Run:
    """Returns the run over these reels in this order; ``broken``: it ends where a reel shows neither."""
    size = len(role.natural)
    shape = tuple(len(one) for one in role.natural)
    alive = np.ones(shape, dtype=np.int64)
    count, own = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    length = np.zeros(shape, dtype=np.int64)
    times = np.full(shape, 0 if together is WildProduct.ADD else 1, dtype=np.int64)
    for reel in reels:
        natural, standing = _axis(role.natural[reel], reel, size), _axis(role.standing[reel], reel, size)
        factor = _axis(role.factor[reel], reel, size)
        goes = ((natural + standing > 0) | role.free[reel]).astype(np.int64)
        alive = alive * goes if broken else np.broadcast_to(goes, shape)
        count = count + alive * (natural + standing)
        own = own + alive * natural
        length = length + alive
        helped = alive * (factor > 1)
        if together is WildProduct.ADD:
            times = times + helped * factor
        elif together is WildProduct.MULTIPLY:
            times = times * np.where(helped > 0, factor, 1)
        else:
            times = np.maximum(times, np.where(helped > 0, factor, 1))
    return _Run(count, length, own, np.maximum(times, 1))


def _ends(rules: SlotRules, reels: int) -> Iterator[tuple[list[int], bool]]:
    if rules.direction in (Direction.LEFT, Direction.BOTH):
        yield list(range(reels)), False
    if rules.direction in (Direction.RIGHT, Direction.BOTH):
        yield list(range(reels))[::-1], True


def _of_kind(
    rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]], one: LinePay
) -> Iterator[_Offer]:
    reels, together = len(symbols), _together(rules, stage)
    role = _role(rules, stage, symbols, [one.symbols] * reels)
    pays = np.zeros(max(len(one.pays), _longest(role)) + 1, dtype=np.int64)
    pays[1 : len(one.pays) + 1] = one.pays
    rows = ("", *(f"{one.id}-{count}" for count in range(1, len(pays))))
    if one.anywhere:
        found = [(_runs(role, range(reels), together, broken=False), False)]
    elif rules.direction is Direction.ADJACENT:
        found = [(_runs(role, range(first, reels), together), False) for first in range(reels)]
    else:
        found = [(_runs(role, order, together), right) for order, right in _ends(rules, reels)]
    offers = []
    for run, right in found:
        wins = _coins(rules, stage, run, pays[run.count], multiplied=one.multiplied)
        if right and rules.direction is Direction.BOTH:
            # A win over all reels is one win, counted from the left.
            wins = wins * (run.reels < reels)
        offers.append(_Offer(rows, run.count, wins, right, run.reels))
    yield from [_best(offers)] if rules.direction is Direction.ADJACENT else offers


def _longest(role: _Role) -> int:
    return int(
        sum(max(int((one + two).max()), 0) for one, two in zip(role.natural, role.standing, strict=True))
    )


def _coins(rules: SlotRules, stage: SpinKind, run: _Run, pays: Ints, *, multiplied: bool) -> Ints:
    """Returns the coins of runs that pay so much; nothing for wilds that do not win alone."""
    wins: Ints = pays * rules.line_bet * (stage.multiplier if multiplied else 1) * run.times
    return wins if all(one.alone for one in wilds_in(rules, stage)) else wins * (run.own > 0)


def _best(offers: Sequence[_Offer]) -> _Offer:
    """Returns the best of runs of neighbours anywhere on the line, the first of equals."""
    best = offers[0]
    for one in offers[1:]:
        counts = np.where(one.coins > best.coins, one.counts, best.counts)
        best = replace(one, counts=counts, coins=np.maximum(one.coins, best.coins))
    return best


def _pattern(
    rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]], one: PatternPay
) -> _Offer:
    reels = range(len(symbols))
    run = _runs(_role(rules, stage, symbols, one.cells), reels, _together(rules, stage))
    fits = (run.reels == len(symbols)).astype(np.int64)
    coins = _coins(rules, stage, run, fits * one.pays, multiplied=one.multiplied)
    return _Offer(("", one.id), fits, coins, False, run.reels)


def _offers(rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]]) -> Iterator[_Offer]:
    for pay in rules.line_pays:
        if speaks_of(pay.stages, stage):
            yield from _of_kind(rules, stage, symbols, pay)
    for pattern in rules.patterns:
        if speaks_of(pattern.stages, stage):
            yield _pattern(rules, stage, symbols, pattern)


def _paid(rules: SlotRules, offers: Iterable[_Offer], shape: tuple[int, ...]) -> tuple[Paid, ...]:
    """Returns what is paid of all that a line shows: the best of each group of rows, the first of equals."""
    names: dict[int, list[str]] = {}
    best: dict[int, Ints] = {}
    which: dict[int, NDArray[np.int16]] = {}
    whole = np.zeros(shape, dtype=bool)
    for place, offer in enumerate(offers):
        group = (
            int(offer.right) if rules.line_wins.by_end else place if rules.line_wins is LineWins.ALL else 0
        )
        if group not in best:
            names[group] = [""]
            best[group], which[group] = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int16)
        known = names[group]
        known += [row for row in offer.rows if row not in known]
        rows = np.array([known.index(row) for row in offer.rows], dtype=np.int16)
        better = offer.coins > best[group]
        which[group] = np.where(better, rows[offer.counts], which[group])
        best[group] = np.maximum(best[group], offer.coins)
        whole = whole if offer.right else np.where(better, offer.reels == len(shape), whole)
    if rules.line_wins is LineWins.UNLESS_WHOLE and 1 in best:
        best[1], which[1] = np.where(whole, 0, best[1]), np.where(whole, np.int16(0), which[1])
    return tuple(Paid(tuple(names[group]), which[group], best[group]) for group in best)


def _starts(rules: SlotRules, stage: SpinKind, symbols: Sequence[Sequence[Shown]], one: Trigger) -> Ints:
    """Returns how often a line starts a feature, by the symbols that it shows."""
    bare = [[Shown(cell.symbol) for cell in reel] for reel in symbols]
    role = _role(rules, stage, bare, [one.symbols] * len(bare))
    if not one.wilds:
        role = replace(role, standing=[np.zeros_like(part) for part in role.standing])
    starts = np.zeros(max(_longest(role), len(one.starts)) + 1, dtype=np.int64)
    starts[1 : len(one.starts) + 1] = one.starts
    starts[len(one.starts) + 1 :] = one.starts[-1]
    total = np.zeros(tuple(len(reel) for reel in symbols), dtype=np.int64)
    for order, right in _ends(rules, len(symbols)):
        run = _runs(role, order, WildProduct.ONCE)
        again = right and rules.direction is Direction.BOTH
        total = total + starts[run.count] * ((run.reels < len(symbols)) | (not again))
    return total


@dataclass(frozen=True, slots=True)
class LineAutomaton:
    """The line table, reel after reel: equal futures are one state.

    Args:
        steps: For each reel but the last the next state by (state, symbol).
        values: Coins by (state before the last reel, symbol of the last reel), and then the starts of each feature.
    """

    steps: tuple[Ints, ...]
    values: tuple[Ints, ...]


def automaton(table: LineTable) -> LineAutomaton:
    """Returns the smallest automaton, reel after reel, that gives the values of a table."""
    last = table.shape[-1]
    parts = [table.coins, *table.triggers]
    flat = np.concatenate([part.reshape(-1, last) for part in parts], axis=1)
    kept, place = np.unique(flat, axis=0, return_inverse=True)
    place = place.reshape(-1)
    values = tuple(np.ascontiguousarray(kept[:, n * last : (n + 1) * last]) for n in range(len(parts)))
    steps: list[Ints] = []
    for size in table.shape[-2::-1]:
        rows, place = np.unique(place.reshape(-1, size), axis=0, return_inverse=True)
        steps.append(np.ascontiguousarray(rows.astype(np.int64)))
        place = place.reshape(-1)
    return LineAutomaton(tuple(steps[::-1]), values)

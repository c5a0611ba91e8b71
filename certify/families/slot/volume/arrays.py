"""The tables of a slot as arrays, as the compiled play-through reads them; and its sums as nouns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.families.slot.random_elements import prize_piece
from certify.families.slot.rows import AND, LIMIT, MULTIPLIED
from certify.families.slot.rules import Adjacency, PrizeDraws, SlotRules, SymbolCount
from certify.families.slot.volume.kernel import ANYWHERE, DEEP, HOLD, LADDER, LEFT, MIDDLE, PICK, UNTIL, WHEEL
from certify.families.slot.volume.layout import Features, ReelTables, Room, RowLayout, Whole
from certify.families.slot.volume.program import (
    SlotTables,
    Spun,
    base_draws,
    coins_per,
    drawn_prizes,
    groups_of,
    program_of,
    stage_place,
)
from certify.model.equipment import Equipment
from certify.model.joint_counts import AwardTotal, CellTotal, Totals

MOST_OF_TWO: Final = 8_000_000
"""Entries up to which the paid spin is followed two reels at a time."""

_BESIDE: Final = {Adjacency.LEFT: LEFT, Adjacency.MIDDLE: MIDDLE, Adjacency.ANYWHERE: ANYWHERE}
_HOW: Final = {
    PrizeDraws.WHEEL: WHEEL,
    PrizeDraws.LADDER: LADDER,
    PrizeDraws.PICK: PICK,
    PrizeDraws.PICK_UNTIL: UNTIL,
    PrizeDraws.HOLD: HOLD,
}


@dataclass(frozen=True, eq=False)
class Arrays:
    """Everything that the compiled code reads.

    Args:
        program: The tables.
        draws: Pieces and words.
        tables: Stages.
        features: What follows a spin.
        rows: For each hit what it is: stage, row and its units each time; of a bonus or limit no units.
        width: Draws of a row.
    """

    program: SlotTables
    draws: RowLayout
    tables: ReelTables
    features: Features
    rows: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    width: int

    def room(self) -> Room:
        """Returns working arrays of one loop's own."""
        whole = np.int64
        boxes = max([1, *self.features.numbers.tolist()])
        return Room(
            np.zeros(self.width, dtype=whole),
            np.zeros(len(self.program.pieces), dtype=whole),
            np.zeros(self.tables.reels.shape[1], dtype=whole),
            np.zeros(max(1, self.tables.tallies.shape[1]), dtype=whole),
            np.zeros(len(self.program.features), dtype=whole),
            np.zeros((DEEP, 6), dtype=whole),
            np.zeros(self.tables.reels.shape[1], dtype=whole),
            np.zeros(self.tables.reels.shape[1], dtype=whole),
            np.zeros(boxes, dtype=whole),
            np.zeros(len(self.rows), dtype=whole),
        )

    def awards(self, hits: Whole) -> tuple[AwardTotal, ...]:
        """Returns what each row won, from how often each was hit."""
        summed: dict[tuple[str, str], tuple[int, int]] = {}
        place, counted = 0, hits.tolist()
        while place < len(counted):
            (stage, won), times = self.rows[place], counted[place]
            if times and won and won[0][1] < 0:
                summed[stage, won[0][0]] = (times, counted[place + 1])
            elif times:
                for row, units in (one for one in won if one[1]):
                    had = summed.get((stage, row), (0, 0))
                    summed[stage, row] = (had[0] + times, had[1] + times * units)
            place += 2 if won and won[0][1] < 0 else 1
        return tuple(AwardTotal(*key, *summed[key]) for key in sorted(summed))

    def totals(self, wager: str, sums: Whole, hits: Whole) -> Totals:
        """Returns what rounds came to."""
        cells = tuple(
            CellTotal(cell, total, low + (high << 32), highest)
            for cell, (count, total, low, high, highest) in enumerate(sums.tolist())
            if count
        )
        return Totals(wager, self.program.per_bet, cells, self.awards(hits))


@lru_cache(maxsize=8)
def arrays_of(rules: SlotRules) -> Arrays:
    """Returns the arrays of a slot."""
    program = program_of(rules)
    made = _Made(program)
    return Arrays(
        program,
        _draws(program.pieces, made.base_draws),
        made.tables(),
        _features(program),
        tuple(made.rows),
        sum(piece.supply for piece in program.pieces),
    )


def _draws(pieces: Sequence[Equipment], base: int) -> RowLayout:
    groups = groups_of(pieces)
    sizes = np.array([len(group) for group in groups], dtype=np.int64)
    products = [int(np.prod([int(bound) for bound in group], dtype=object)) for group in groups]
    shows = [np.array(piece.shows, dtype=np.int32) for piece in pieces]
    return RowLayout(
        _begins([piece.supply for piece in pieces]),
        np.array([piece.supply for piece in pieces], dtype=np.int64),
        _begins([len(one) for one in shows]),
        np.concatenate(shows),
        sizes,
        np.array(products, dtype=np.uint64),
        np.array([(1 << 64) % product for product in products], dtype=np.uint64),
        np.array([bound for group in groups for bound in group], dtype=np.uint64),
        int(np.searchsorted(np.cumsum(sizes), base)) + 1,
    )


def _begins(sizes: Sequence[int]) -> Whole:
    return np.array([0, *np.cumsum(sizes)[:-1]], dtype=np.int64)


class _Made:
    """Lays out the stages one after the other."""

    def __init__(self, program: SlotTables) -> None:
        self.program = program
        self.rows: list[tuple[str, tuple[tuple[str, int], ...]]] = []
        self.entries: list[int] = []
        self.base_draws = base_draws(program)

    def _entered(self, values: Sequence[int]) -> tuple[int, int]:
        self.entries += values
        return len(self.entries) - len(values), len(values)

    def tables(self) -> ReelTables:
        """Returns the tables of all stages."""
        stages = self.program.stages
        most = max(len(one.reels) for one in stages)
        high = max(len(reel.rows) for one in stages for reel in one.reels)
        features = len(self.program.features)
        reels = np.full((len(stages), most, 6), -1, dtype=np.int64)
        heights = np.zeros((len(stages), most, high, 2), dtype=np.int64)
        steps_at = np.zeros((len(stages), most, 2), dtype=np.int64)
        raw: list[list[int]] = []
        symbols: list[list[int]] = []
        tallies: list[list[int]] = []
        plain: list[list[tuple[int, int]]] = []
        moves: list[int] = []
        results: list[list[int]] = []
        begins, hits = [], []
        wide = max(1, *(len(one.tallies) for one in stages))
        pays = max(len(one.ways) for one in stages)
        falling = any(one.falls for one in stages)
        tall = max(max(reel.rows) for one in stages for reel in one.reels)
        covers, standing = np.full((2, len(stages), most), -1, dtype=np.int64)
        again, full, reach, holds, filled, marks, cells_of = [], [], [], [], [], [], []
        for at, spun in enumerate(stages):
            held = dict(spun.holds)
            for place, reel in enumerate(spun.reels):
                first, begin = len(symbols), len(raw)
                reels[at, place] = (
                    reel.piece,
                    reel.rows_piece,
                    len(reel.windows),
                    reel.cells,
                    reel.stops,
                    first,
                )
                shapes = [reel.stops**rows if reel.cells else reel.stops for rows in reel.rows]
                for shape, rows in enumerate(reel.rows):
                    heights[at, place, shape] = (rows, begin + sum(shapes[:shape]))
                for window, drawn in zip(reel.raw, reel.factors, strict=True):
                    flat = [number for pair in drawn[:2] for number in pair]
                    raw.append([first + window, *flat, *([-1] * (4 - len(flat)))])
                kinds = {kind: number for number, kind in enumerate(spun.kinds[place])}
                for number, (cells, stopped) in enumerate(zip(reel.windows, reel.stopped, strict=True)):
                    symbols.append([kinds[cells[line[place]]] for line in self.program.rules.lines])
                    counts = [tally.of(stopped) for tally in spun.tallies]
                    tallies.append([*counts, *([0] * (wide - len(counts)))])
                    ways = [pay.plain[place][number] for pay in spun.ways]
                    plain.append([*ways, *([(0, 0)] * (pays - len(ways)))])
                    holds.append(any(name == held.get(place) for name, _ in cells))
                    filled.append(spun.filled(cells))
                    if falling:
                        some, won = (
                            [
                                sum(1 << row for row, (name, _) in enumerate(cells) if name in one.symbols)
                                for one in counting
                            ]
                            for counting in (spun.tallies, spun.ways)
                        )
                        won += [0] * (pays - len(won))
                        marks.append([*some, *([0] * (wide - len(some))), *won])
                        shown = [kinds[cell] for cell in cells] if spun.falls else []
                        cells_of.append([*shown, *([0] * (tall - len(shown)))])
                if place in held:
                    covers[at, place] = len(symbols) - 1
                standing[at, place] = first + len(reel.raw)
                steps_at[at, place] = (len(moves), len(kinds))
                if spun.lines is not None:
                    moves += [then for state in spun.lines.steps[place] for then in state]
            again.append((len(spun.holds) > 0, len(spun.falls) > 0, *self._entered(spun.falls)))
            beside = _BESIDE[spun.full.counted] if spun.full else -1
            full.append((beside, *self._entered(spun.full.times if spun.full else ())))
            begins.append(len(results))
            lines = spun.lines.results if spun.lines is not None else ()
            for result in lines:
                started = dict(result.starts)
                reach.append(result.reach if spun.falls else 0)
                results.append([result.coins, *(started.get(name, 0) for name in self.program.features)])
            hits.append(self._hits(spun))
        self.rows += [("", ((LIMIT, -1),)), ("", ())]
        ways_at, scatters, triggers = self._counts(pays)
        none = np.zeros(0, dtype=np.int32)
        tables = ReelTables(
            reels,
            heights,
            np.array(raw, dtype=np.int64),
            np.array(symbols, dtype=np.int32).reshape(len(symbols), -1),
            np.array(tallies, dtype=np.int32),
            np.array(plain, dtype=np.int64).reshape(len(plain), pays, 2),
            np.array(moves or [0], dtype=np.int32),
            steps_at,
            np.array(results or [[0] * (1 + features)], dtype=np.int64),
            np.array(begins, dtype=np.int64),
            np.array(again, dtype=np.int64),
            covers,
            np.array(holds, dtype=np.int64),
            np.array(full, dtype=np.int64),
            np.array(filled, dtype=np.int64),
            np.array(reach or [0], dtype=np.int64),
            np.array(self.program.rules.lines, dtype=np.int64).reshape(-1, most),
            np.array(marks, dtype=np.int64).reshape(-1, wide + pays),
            standing,
            np.array(cells_of, dtype=np.int64).reshape(-1, tall),
            scatters,
            triggers,
            np.array(self.entries or [0], dtype=np.int64),
            self._runs(wide),
            ways_at,
            np.array([one.alone for one in stages], dtype=np.int64),
            np.array(hits, dtype=np.int64),
            none,
            none,
            none,
            none,
            none,
            none.reshape(0, 0),
            reels[0, :, [5, 2]].T.copy(),
            np.array([0], dtype=np.int64),
        )
        return tables._replace(**_of_two(self.program, tables))

    def _hits(self, spun: Spun) -> tuple[int, int, int, int, int]:
        """Numbers what a stage can hit; returns where lines, ways, scatters, bonuses and multiplied windows begin."""
        begin, unit = len(self.rows), self.program.unit
        for result in spun.lines.results if spun.lines is not None else ():
            self.rows.append((spun.stage, tuple((row, coins * unit) for row, coins in result.won)))
        ways = len(self.rows)
        for pay in spun.ways:
            self.rows += [(spun.stage, ((f"{pay.row}-{n}", one),)) for n, one in enumerate(pay.coins, 1)]
        scatters = len(self.rows)
        for _, name, coins in spun.scatters:
            self.rows += [(spun.stage, ((f"{name}-{n}", one),)) for n, one in enumerate(coins, 1)]
        bonuses = len(self.rows)
        for bonus in self.program.rules.bonuses:
            self.rows += [(spun.stage, ((bonus.id, -1),)), (spun.stage, ())]
        self.rows += [(spun.stage, ((MULTIPLIED, -1),)), (spun.stage, ())]
        return begin, ways, scatters, bonuses, len(self.rows) - 2

    def _counts(self, pays: int) -> tuple[Whole, Whole, Whole]:
        stages = self.program.stages
        ways = np.zeros((len(stages), pays, 2), dtype=np.int64)
        scatters = np.full(
            (len(stages), max(1, *(len(one.scatters) for one in stages)), 3), -1, dtype=np.int64
        )
        triggers = np.full(
            (len(stages), max(1, *(len(one.triggers) for one in stages)), 4), -1, dtype=np.int64
        )
        for at, spun in enumerate(stages):
            for place, pay in enumerate(spun.ways):
                ways[at, place] = self._entered(pay.coins)
            for place, (tally, _, coins) in enumerate(spun.scatters):
                scatters[at, place] = (tally, *self._entered(coins))
            for place, (tally, feature, starts) in enumerate(spun.triggers):
                triggers[at, place] = (tally, feature, *self._entered(starts))
        return ways, scatters, triggers

    def _runs(self, wide: int) -> Whole:
        made = np.zeros((len(self.program.stages), wide), dtype=np.int64)
        for at, spun in enumerate(self.program.stages):
            for place, tally in enumerate(spun.tallies):
                made[at, place] = tally.counted is SymbolCount.RUN
        return made


def _of_two(program: SlotTables, tables: ReelTables) -> dict[str, NDArray[Any]]:
    """Returns what the first two and the last two reels of the paid spin come to together.

    Nothing where that is large, where lines start features, or where a reel draws more than its stop.
    """
    spun = program.stages[0]
    drawn = any(reel.cells or reel.rows_piece >= 0 or any(reel.factors) for reel in spun.reels)
    starting = spun.lines is not None and any(result.starts for result in spun.lines.results)
    if (
        drawn
        or starting
        or not spun.once
        or [reel.piece for reel in spun.reels] != list(range(len(spun.reels)))
    ):
        return {}
    reels, lines = len(spun.reels), tables.symbols.shape[1]
    if spun.lines is None or reels < 4:
        return {}
    sizes = [len(one.windows) for one in spun.reels]
    pairs = (sizes[0] * sizes[1], sizes[-2] * sizes[-1])
    if max(pairs) * lines > MOST_OF_TWO:
        return {}
    step = [np.array(one, dtype=np.int32) for one in spun.lines.steps]
    seen = []
    for reel in range(reels):
        first = int(tables.reels[0, reel, 5])
        seen.append(tables.symbols[first : first + sizes[reel]])
    fore = step[1][step[0][0][seen[0]][:, None, :], seen[1][None, :, :]]
    # A state is open where some cells of the reels to come lead to a result; result 0 is nothing.
    may_win = np.asarray(step[-1].any(axis=1))
    for one in step[-2:1:-1]:
        may_win = np.asarray(may_win[one].any(axis=1))
    closed = np.logical_not(may_win[fore])
    order = np.argsort(closed, axis=2, kind="stable")
    fore = np.take_along_axis(fore, order, axis=2)
    kinds = step[-1].shape[1]
    aft = seen[-2][:, None, :] * kinds + seen[-1][None, :, :]
    last = step[-1][step[-2]]
    return {
        "fore": np.ascontiguousarray(fore, dtype=np.int32).ravel(),
        "open_lines": np.ascontiguousarray(order, dtype=np.int32).ravel(),
        "open_count": np.ascontiguousarray((~closed).sum(axis=2), dtype=np.int32).ravel(),
        "aft": np.ascontiguousarray(aft, dtype=np.int32).ravel(),
        "last": np.ascontiguousarray(last, dtype=np.int32).ravel(),
        "stops": _stops(program),
        "coins": np.array([result.coins for result in spun.lines.results], dtype=np.int64),
    }


def _stops(program: SlotTables) -> NDArray[np.int32]:
    """Returns the window of each item of the reels of the paid spin, counted from the first of its reel."""
    reels = program.stages[0].reels
    made = np.zeros((len(reels), max(program.pieces[reel.piece].size for reel in reels)), dtype=np.int32)
    for place, reel in enumerate(reels):
        shows = program.pieces[reel.piece].shows
        made[place, : len(shows)] = [reel.raw[face] for face in shows]
    return made


def _features(program: SlotTables) -> Features:
    rules, places = program.rules, {spun.stage: at for at, spun in enumerate(program.stages)}
    games = len(rules.free_games)
    most = max((len(one.stages) for one in rules.free_games), default=1)
    series = np.full((max(1, games), 4), -1, dtype=np.int64)
    stages = np.zeros((max(1, games), most), dtype=np.int64)
    own = np.full(len(program.stages), -1, dtype=np.int64)
    for at, one in enumerate(rules.free_games):
        series[at] = (stage_place(program, one), one.most_games, one.most_again, len(one.stages))
        for face, (name, _) in enumerate(one.stages):
            stages[at, face] = places[name]
            own[places[name]] = at
    return Features(
        series,
        stages,
        own,
        *_bonuses(program),
        np.array([rules.stage(spun.stage).multiplier for spun in program.stages], dtype=np.int64),
        games,
        0 if rules.most is None else int(rules.most * program.per_bet),
        np.array(program.edges, dtype=np.int64),
        np.array(list(_classes(program)), dtype=np.int64),
        program.unit,
    )


def _bonuses(program: SlotTables) -> tuple[Whole, Whole, Whole, Whole]:
    places = {piece.id: place for place, piece in enumerate(program.pieces)}
    bonuses: list[list[int]] = []
    pieces: list[int] = []
    pays: list[list[int]] = []
    numbers: list[int] = []
    for one in program.rules.bonuses:
        (listed, steps), each = drawn_prizes(one), coins_per(program.rules, one.per) * program.unit
        times = steps if one.draws in (PrizeDraws.LADDER, PrizeDraws.PICK_UNTIL) else one.times
        begins = [len(pieces), len(pays)]
        full = int(one.full * each)
        bonuses.append([_HOW[one.draws], times, int(one.multiplied), *begins, one.places, full])
        pieces += [places[prize_piece(one, step)] for step in range(steps)]
        for prize in listed:
            # Of a step of a ladder the face on which it is won: the first one, where it can be won at all.
            up = 0 if prize.chance > 0 else -1
            pays.append([int(prize.pays * each), up if one.draws is PrizeDraws.LADDER else int(prize.ends)])
        numbers.append(len(listed))
    return (
        np.array(bonuses, dtype=np.int64).reshape(-1, 7),
        np.array(pieces, dtype=np.int64),
        np.array(pays, dtype=np.int64).reshape(-1, 2),
        np.array(numbers, dtype=np.int64),
    )


def _classes(program: SlotTables) -> Iterator[int]:
    """Yields the outcome of each set of features begun, as bits; -1 for one that no paid spin begins."""
    places = {outcome: place for place, outcome in enumerate(program.outcomes)}
    yield 0
    for bits in range(1, 1 << len(program.features)):
        begun = AND.join(name for place, name in enumerate(program.features) if bits >> place & 1)
        yield places.get(begun, -1)

"""The rules of a slot as arrays, as the compiled play-through reads them; and what it counted as nouns."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.by_key import summed_pairs
from certify.errors import InputError
from certify.families.slot.purchases import Purchase
from certify.families.slot.random_elements import (
    boxes_of,
    factor_piece,
    pieces_of,
    prize_piece,
    reel_piece,
    rows_piece,
    stage_piece,
)
from certify.families.slot.rows import AND, BANDS, LIMIT, MULTIPLIED, outcome_ids
from certify.families.slot.rules import (
    BonusPrizes,
    Direction,
    Fill,
    Prize,
    PrizeDraws,
    ScatterPay,
    SlotRules,
    SpinKind,
    Trigger,
    Wild,
    WildProduct,
    award_unit,
    number_of,
    scatters_in,
    speaks_of,
    starts_in,
    wilds_in,
)
from certify.families.slot.volume import kernel, window
from certify.families.slot.volume.layout import Room, RowLayout, SlotProgram, Whole, begins, layout_of
from certify.model import AwardTotal, CellTotal, Equipment, Totals

MOST_SHOWN: Final = 16_000_000
"""Rows of symbols that the lines of one stage can show, at most."""

_ENDS: Final = {
    Direction.LEFT: (window.FROM_LEFT,),
    Direction.RIGHT: (window.FROM_RIGHT,),
    Direction.BOTH: (window.FROM_LEFT, window.FROM_RIGHT),
    Direction.ADJACENT: (window.NEIGHBOURS,),
}


@dataclass(frozen=True, eq=False)
class SlotTables:
    """Everything that the compiled code reads.

    Args:
        pieces: The equipment.
        draws: Pieces and words.
        program: The rules.
        named: For each hit the stage and the row.
        outcomes: Ids of all outcomes.
        per_bet: Units in what a round costs: one total bet, or the price of what is bought.
    """

    pieces: tuple[Equipment, ...]
    draws: RowLayout
    program: SlotProgram
    named: tuple[tuple[str, str], ...]
    outcomes: tuple[str, ...]
    per_bet: int

    def room(self) -> Room:
        """Returns working arrays of one loop's own."""
        slot, (lines, reels) = self.program, self.program.lines.shape
        tall, features = int(slot.heights.max()), slot.games + len(slot.bonuses)
        return Room(
            _zeros(int(self.draws.supply.sum())),
            _zeros(len(self.pieces) + 1),
            _zeros(reels),
            _zeros(reels, tall),
            _zeros(reels, tall),
            _zeros(reels),
            _zeros(reels),
            _zeros(reels),
            _zeros(2, 3),
            _zeros(lines),
            _zeros(len(slot.counted)),
            _zeros(features),
            _zeros(kernel.DEEP, 6),
            _zeros(int(slot.bonuses[:, 5].max(initial=1))),
            _zeros(len(slot.wins)),
            _zeros(len(self.named), 2),
        )

    def totals(self, wager: str, sums: Whole, room: Room) -> Totals:
        """Returns what rounds came to."""
        kernel.tell_lines(self.program, room)
        summed = summed_pairs(zip(self.named, room.hits.tolist(), strict=True))
        cells = tuple(
            CellTotal(cell, total, low + (high << 32), highest)
            for cell, (count, total, low, high, highest) in enumerate(sums.tolist())
            if count
        )
        awards = (AwardTotal(*key, *won) for key, won in sorted(summed.items()) if won[0])
        return Totals(wager, self.per_bet, cells, tuple(awards))


@lru_cache(maxsize=8)
def tables_of(rules: SlotRules, bought: Purchase | None = None) -> SlotTables:
    """Returns the tables of a slot, of which every round may buy a feature.

    Raises:
        InputError: Lines can show more rows of symbols than are held.
    """
    made = _Made(rules, bought)
    program = made.program()
    tables = SlotTables(
        made.pieces,
        layout_of(made.pieces),
        program,
        tuple(made.named),
        outcome_ids(rules) if bought is None else (bought.feature,),
        int(made.unit * rules.cost * made.price),
    )
    room = tables.room()
    kernel.line_wins(program, room)
    if not program.adds.size:
        return tables
    kernel.plain_stops(tables.draws, program, room)
    return replace(tables, program=program._replace(may=_may_win(program)))


def _may_win(slot: SlotProgram) -> NDArray[np.uint64]:
    """Returns which lines, or rows of ways, may win with each two stops of neighbouring reels among the first three."""
    shapes, reels = slot.shapes[0].tolist(), slot.lines.shape[1]
    firsts, pairs = [0, *np.cumsum(slot.sizes[0]).tolist()], min(2, reels - 1)
    paid = [[*(slot.values[at : at + most] > 0), True].index(True) for at, most in slot.rows[:, 2:4].tolist()]
    bits = np.uint64(1) << (np.arange(slot.adds.shape[1], dtype=np.uint64) % np.uint64(64))
    may = np.zeros((firsts[pairs], firsts[pairs + 1]), dtype=np.uint64)
    for reel in range(pairs):
        one, other = (slot.adds[firsts[at] : firsts[at + 1]] for at in (reel, reel + 1))
        if slot.ways:
            # A row that so few reels pay needs nothing of the next ones.
            both = ((one > 0) | (np.array(paid) < reel))[:, None] & ((other > 0) | (np.array(paid) <= reel))
        else:
            wins = slot.wins[: slot.lines_at[0, 1]].reshape(shapes) != 0
            can = wins.any(axis=tuple(at for at in range(reels) if at not in (reel, reel + 1)))
            both = can[one[:, None] // math.prod(shapes[reel + 1 :]), other // math.prod(shapes[reel + 2 :])]
        allowed = np.bitwise_or.reduce(np.where(both, bits, np.uint64(0)), axis=2)
        may[firsts[reel] : firsts[reel + 1], firsts[reel + 1] : firsts[reel + 2]] = allowed
    return may


def _zeros(*shape: int) -> Whole:
    return np.zeros(shape, dtype=np.int64)


def _padded(nested: Any, *shape: int, fill: int = 0) -> Whole:
    """Returns nested lists as an array, rows that are shorter filled up; of a shape without any."""
    if not shape:
        return np.array(nested, dtype=np.int64)
    made = np.full(shape, fill, dtype=np.int64)
    for place, one in enumerate(nested):
        part = _padded(one, *shape[1:], fill=fill)
        made[place, ...][tuple(map(slice, part.shape))] = part
    return made


class _Made:
    """Lays out the rules one after the other."""

    def __init__(self, rules: SlotRules, bought: Purchase | None) -> None:
        self.rules, self.pieces, self.bought = rules, pieces_of(rules), bought
        self.price = Fraction(1) if bought is None else bought.price
        names = dict.fromkeys(
            [rules.stages[0].id, *(name for one in rules.free_games for name, _ in one.stages)]
        )
        self.stages = [rules.stage(name) for name in names]
        self.places = {piece.id: place for place, piece in enumerate(self.pieces)}
        factors = [(wild.symbol, factor) for wild in rules.wilds for factor, _ in wild.multiplies]
        self.symbols = rules.symbols
        self.kinds = list(dict.fromkeys([*((name, 1) for name in self.symbols), *factors]))
        prizes = (
            (pays * award_unit(rules, one.per)).denominator
            for one in rules.bonuses
            for pays in (one.full, *(prize.pays for prize in one.prizes))
        )
        self.unit = math.lcm(*prizes, self.price.denominator)
        self.values: list[int] = [0]
        self.named: list[tuple[str, str]] = []
        self.rows: list[tuple[int, ...]] = []
        self.roles: list[list[list[int]]] = []
        self.free: list[list[bool]] = []
        self.counted: list[tuple[int, ...]] = []
        self.counts: list[list[bool]] = []

    def _wilds(self, stage: SpinKind) -> dict[str, Wild]:
        return {one.symbol: one for one in wilds_in(self.rules, stage)}

    def _entered(self, values: Sequence[int]) -> tuple[int, int]:
        self.values += values
        return len(self.values) - len(values), len(values)

    def _hits(self, stage: SpinKind, rows: Iterator[str] | Sequence[str]) -> int:
        """Numbers rows of a stage; returns the first."""
        first = len(self.named)
        self.named += [(stage.id, row) for row in rows]
        return first

    # --- rows of lines and ways ---

    def _stage_rows(self, stage: SpinKind) -> tuple[int, int]:
        """Adds what lines or ways win in a stage; returns the first of the rows, and the one after the last."""
        rules, begin, reels = self.rules, len(self.rows), len(self.rules.strip_sets[0].reels)
        unit = rules.line_bet * self.unit
        ends = _ENDS[rules.direction]
        for pay in rules.line_pays:
            if speaks_of(pay.stages, stage):
                each = unit * (stage.multiplier if pay.multiplied else 1)
                names = [f"{pay.id}-{count}" for count in range(1, len(pay.pays) + 1)]
                for how in (window.ON_THE_LINE,) if pay.anywhere else ends:
                    cells = [self._role(stage, pay.symbols)] * reels
                    self._row(stage, how, [each * one for one in pay.pays], cells, names)
        for pattern in rules.patterns:
            if speaks_of(pattern.stages, stage):
                each = unit * (stage.multiplier if pattern.multiplied else 1)
                cells = [self._role(stage, cell) for cell in pattern.cells]
                pays = [*[0] * (reels - 1), each * pattern.pays]
                self._row(stage, window.PATTERN, pays, cells, [pattern.id] * reels)
                self.free[-1] = [not cell for cell in pattern.cells]
        for place, feature in enumerate(rules.features):
            starts, start = starts_in(feature, stage), feature.trigger
            for how in ends if start.on_line and starts and rules.lines else ():
                cells = [self._role(stage, start.symbols, factors=False, wilds=start.wilds)] * reels
                if how != window.NEIGHBOURS:
                    self._row(stage, how, starts, cells, (), place)
        return begin, len(self.rows)

    def _row(
        self,
        stage: SpinKind,
        how: int,
        values: Sequence[int],
        roles: list[list[int]],
        names: Sequence[str],
        feature: int = -1,
    ) -> None:
        self.rows.append((how, feature, *self._entered(values), self._hits(stage, names)))
        self.roles.append(roles)
        self.free.append([False] * len(roles))

    def _role(
        self, stage: SpinKind, symbols: Sequence[str], *, factors: bool = True, wilds: bool = True
    ) -> list[int]:
        """Returns how often each kind counts for symbols, or below nothing by how much it multiplies as a wild."""
        there = self._wilds(stage) if wilds else {}
        doubled = {one.symbol: one.times for one in reversed(self.rules.doubled) if one.stands_for in symbols}
        made = []
        for name, factor in self.kinds:
            times = 1 if name in symbols else doubled.get(name, 0)
            if not times and name in there and set(there[name].replaces) & set(symbols):
                times = -factor if factors else -1
            made.append(times)
        return made

    # --- what is counted over the window ---

    def _stage_counts(self, stage: SpinKind) -> tuple[int, int]:
        """Adds what is counted over the window of a stage; returns the first of it, and what follows the last."""
        begin = len(self.counted)
        for pay in scatters_in(self.rules, stage):
            each = award_unit(self.rules, pay.per) * (stage.multiplier if pay.multiplied else 1) * self.unit
            names = [f"{pay.id}-{count}" for count in range(1, len(pay.pays) + 1)]
            self._count(stage, pay, [each * one for one in pay.pays], names)
        for place, feature in enumerate(self.rules.features):
            starts = starts_in(feature, stage)
            if starts and not feature.trigger.on_line:
                self._count(stage, feature.trigger, starts, (), place)
        return begin, len(self.counted)

    def _count(
        self,
        stage: SpinKind,
        what: ScatterPay | Trigger,
        values: Sequence[int],
        names: Sequence[str],
        feature: int = -1,
    ) -> None:
        role = self._role(stage, what.symbols, wilds=what.wilds)
        fits = [
            number != 0 and (number < 0 or name in what.symbols)
            for number, (name, _) in zip(role, self.kinds, strict=True)
        ]
        self.counts.append(fits)
        self.counted.append(
            (number_of(what.counted), feature, *self._entered(values), self._hits(stage, names))
        )

    # --- all of it ---

    def program(self) -> SlotProgram:
        """Returns the rules as arrays."""
        rules, stages = self.rules, self.stages
        many, reels = len(stages), len(rules.strip_sets[0].reels)
        sets = [rules.strip_set(stage.strips) for stage in stages]
        names = [
            [
                tuple(dict.fromkeys(reel.symbols)) if one.fill is Fill.CELLS else reel.symbols
                for reel in one.reels
            ]
            for one in sets
        ]
        number = {name: place for place, name in enumerate(self.symbols)}
        kind = {shown: place for place, shown in enumerate(self.kinds)}
        wilds = [list(self._wilds(stage).values()) for stage in stages]
        width = max(1, *map(len, wilds))
        widest = max([1, *(len(one.multiplies) for one in rules.wilds)])
        respins = [rules.respin(stage.id) for stage in stages]
        fulls = [rules.full(stage.id) for stage in stages]
        falls = [rules.cascade(stage.id) for stage in stages]
        rows_at = [self._stage_rows(stage) for stage in stages]
        counted_at = [self._stage_counts(stage) for stage in stages]
        hits = [self._hits(stage, [*(one.id for one in rules.bonuses), MULTIPLIED]) for stage in stages]
        self.named.append(("", LIMIT))
        shown = [
            [self._shown(at, reel, names[at][reel]) if rules.lines else [0] for reel in range(reels)]
            for at in range(many)
        ]
        sizes = [math.prod(map(len, one)) if rules.lines else 0 for one in shown]
        for stage, size in zip(stages, sizes, strict=True):
            if size > MOST_SHOWN:
                raise InputError(
                    f"lines of {stage.id!r} can show {size:,} rows of symbols: more than {MOST_SHOWN:,}"
                )
        places = _zeros(many, reels, len(self.kinds))
        for at, some in enumerate(shown):
            for reel, one in enumerate(some):
                for local, which in enumerate(one):
                    places[at, reel, which] = local * math.prod(map(len, some[reel + 1 :]))
        full_most = max([1, *(len(one.symbols) for one in rules.full_reels)])
        pieces = [
            [
                (self.places[reel_piece(stage.id, reel)], self.places.get(rows_piece(stage.id, reel), -1))
                for reel in range(reels)
            ]
            for stage in stages
        ]
        plain, stops = self._plain(), max(len(one) for some in names for one in some)
        begin = 0
        at_stop = []
        for reel in range(reels if plain else 0):
            at_stop.append([begin + face for face in self.pieces[reel].shows])
            begin += len(names[0][reel])
        tall = max(len(one) for some in sets for one in some.heights)
        kinds = len(self.kinds)
        return SlotProgram(
            _padded(pieces, many, reels, 2),
            _padded(
                [[[one.rows for one in reel] for reel in some.heights] for some in sets], many, reels, tall
            ),
            _padded([[[number[name] for name in one] for one in some] for some in names], many, reels, stops),
            _padded([list(map(len, some)) for some in names], many, reels),
            _padded([one.fill is Fill.CELLS for one in sets], many),
            _padded(
                [
                    [
                        (
                            number.get(one.symbol, -1),
                            self.places.get(factor_piece(stage.id, one.symbol), -1),
                            one.expands,
                        )
                        for one in some
                    ]
                    for stage, some in zip(stages, wilds, strict=True)
                ],
                many,
                width,
                3,
                fill=-1,
            ),
            _padded(
                [[[kind[one.symbol, by] for by, _ in one.multiplies] for one in some] for some in wilds],
                many,
                width,
                widest,
            ),
            _padded([number.get(name, -1) for name, _ in self.kinds], kinds),
            _padded(
                [
                    [number[one.symbol] if one and reel + 1 in one.reels else -1 for reel in range(reels)]
                    for one in respins
                ],
                many,
                reels,
            ),
            _padded([self._entered(one.multipliers if one else ()) for one in falls], many, 2),
            _padded(
                [
                    (number_of(one.counted) if one else -1, *self._entered(one.times if one else ()))
                    for one in fulls
                ],
                many,
                3,
            ),
            _padded(
                [
                    [self._filled(stage, one, wild=full.wilds) for one in full.symbols] if full else []
                    for stage, full in zip(stages, fulls, strict=True)
                ],
                many,
                full_most,
                kinds,
            ),
            np.array(rules.lines, dtype=np.int64).reshape(-1, reels),
            _padded(self.rows, len(self.rows), 5),
            _padded(rows_at, many, 2),
            _padded(self.roles, len(self.roles), reels, kinds),
            _padded(self.free, len(self.free), reels),
            _padded(self.counted, len(self.counted), 5),
            _padded(counted_at, many, 2),
            _padded(self.counts, len(self.counts), kinds),
            np.array(self.values, dtype=np.int64),
            _padded([all(one.alone for one in some) for some in wilds], many),
            _padded([self._together(some) for some in wilds], many),
            number_of(rules.line_wins),
            rules.direction is Direction.BOTH,
            rules.ways,
            places,
            _padded(shown, many, reels, max(len(one) for some in shown for one in some)),
            _padded([list(map(len, some)) for some in shown], many, reels),
            _padded(list(zip(begins(sizes).tolist(), sizes, strict=True)), many, 2),
            _zeros(sum(sizes)),
            _padded(hits, many),
            _padded(at_stop, len(at_stop), max(map(len, at_stop), default=0)),
            np.zeros((begin, len(self.rows) if rules.ways else len(rules.lines)), dtype=np.int32),
            np.zeros((0, 0), dtype=np.uint64),
            _zeros(begin, len(self.counted)),
            *self._features(),
        )

    def _plain(self) -> bool:
        """Tells whether a round begins with a paid spin that takes nothing but stops, and nothing on a line starts."""
        rules, base = self.rules, self.stages[0]
        strips = rules.strip_set(base.strips)
        drawn = any(len(wild.multiplies) > 1 for wild in self._wilds(base).values())
        again = rules.respin(base.id) or rules.cascade(base.id) or rules.full(base.id)
        started = any(one.trigger.on_line and starts_in(one, base) for one in rules.features)
        once = strips.fill is Fill.STRIP and all(len(one) == 1 for one in strips.heights)
        return bool(rules.lines or rules.ways) and once and not (drawn or again or started or self.bought)

    def _shown(self, at: int, reel: int, names: Sequence[str]) -> list[int]:
        """Returns the kinds that a cell of a reel can show."""
        wilds, respin = self._wilds(self.stages[at]), self.rules.respin(self.stages[at].id)
        some = [
            (name, by) for name in names for by, _ in (wilds[name].multiplies if name in wilds else ((1, 1),))
        ]
        some += [(respin.symbol, 1)] if respin and reel + 1 in respin.reels else []
        return [self.kinds.index(one) for one in dict.fromkeys(some)]

    def _filled(self, stage: SpinKind, symbol: str, *, wild: bool) -> list[bool]:
        wilds = self._wilds(stage) if wild else {}
        return [
            name == symbol or (name in wilds and symbol in wilds[name].replaces) for name, _ in self.kinds
        ]

    def _together(self, wilds: Sequence[Wild]) -> int:
        strong = (one.together for one in wilds if one.multiplies != ((1, Fraction(1)),))
        return number_of(next(strong, WildProduct.ONCE))

    def _features(self) -> tuple[Any, ...]:
        """Returns what follows a spin, as the last fields of the program."""
        rules, places = self.rules, {stage.id: at for at, stage in enumerate(self.stages)}
        series, stages, own = [], [], [-1] * len(places)
        for at, one in enumerate(rules.free_games):
            series.append((self.places.get(stage_piece(one.id), -1), one.most_games, one.most_again))
            stages.append([places[name] for name, _ in one.stages])
            for place in stages[-1]:
                own[place] = at
        bonuses: list[tuple[int, ...]] = []
        pieces: list[int] = []
        prizes: list[tuple[int, int]] = []
        for bonus in rules.bonuses:
            (listed, steps), each = drawn_prizes(bonus), award_unit(rules, bonus.per) * self.unit
            times = steps if bonus.draws in (PrizeDraws.LADDER, PrizeDraws.PICK_UNTIL) else bonus.times
            at_prizes = (len(pieces), len(prizes), len(listed), bonus.places, int(bonus.full * each))
            bonuses.append((number_of(bonus.draws), times, bonus.multiplied, *at_prizes))
            pieces += [self.places[prize_piece(bonus, step)] for step in range(steps)]
            for prize in listed:
                # Of a step of a ladder the face on which it is won: the first one, where it can be won at all.
                up = 0 if prize.chance > 0 else -1
                prizes.append(
                    (int(prize.pays * each), up if bonus.draws is PrizeDraws.LADDER else prize.ends)
                )
        per_bet, games = self.unit * rules.cost, len(rules.free_games)
        return (
            _padded(series, games, 3),
            _padded(stages, games, max(map(len, stages), default=0)),
            np.array(own, dtype=np.int64),
            _padded(bonuses, len(bonuses), 8),
            np.array(pieces, dtype=np.int64),
            _padded(prizes, len(prizes), 2),
            np.array([stage.multiplier for stage in self.stages], dtype=np.int64),
            games,
            0 if rules.most is None else int(rules.most * per_bet),
            np.array([0, 1, *(edge * per_bet for edge in BANDS)], dtype=np.int64),
            np.array([0 if self.bought else one for one in _classes(rules)], dtype=np.int64),
            self._buys(),
        )

    def _buys(self) -> tuple[int, int]:
        """Returns the place of the feature that every round buys, with how often it starts; none is -1."""
        if self.bought is None:
            return -1, 0
        return [one.id for one in self.rules.features].index(self.bought.feature), self.bought.starts


def drawn_prizes(bonus: BonusPrizes) -> tuple[tuple[Prize, ...], int]:
    """Returns the prizes of a bonus as they are drawn, and from how many pieces.

    Of hold and win the first prizes are those that a place may show that is held at first.
    """
    boxes, prizes = boxes_of(bonus), bonus.prizes
    return {
        PrizeDraws.WHEEL: (prizes, 1),
        PrizeDraws.PICK: (boxes, bonus.times),
        PrizeDraws.PICK_UNTIL: (boxes, len(boxes)),
        PrizeDraws.LADDER: (prizes, len(prizes)),
        PrizeDraws.HOLD: ((*(one for one in prizes if one.pays), *prizes), 2),
    }[bonus.draws]


def _classes(rules: SlotRules) -> Iterator[int]:
    """Yields the outcome of each set of features begun, as bits; -1 for one that no paid spin begins."""
    places = {outcome: place for place, outcome in enumerate(outcome_ids(rules))}
    names = [one.id for one in rules.features]
    yield 0
    for bits in range(1, 1 << len(names)):
        begun = AND.join(name for place, name in enumerate(names) if bits >> place & 1)
        yield places.get(begun, -1)

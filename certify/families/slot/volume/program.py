"""A slot as tables: for every stop what a reel shows, adds to counts, and how lines go on from it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING

from certify.errors import InputError
from certify.families.slot.random_elements import (
    boxes_of,
    factor_piece,
    pieces_of,
    reel_piece,
    rows_piece,
    stage_piece,
)
from certify.families.slot.rows import BANDS, outcome_ids
from certify.families.slot.rules import (
    BonusPrizes,
    Fill,
    FreeGames,
    FullReels,
    LinePay,
    Per,
    Prize,
    PrizeDraws,
    ScatterPay,
    SlotRules,
    SpinKind,
    SymbolCount,
    Trigger,
    Wild,
)
from certify.families.slot.volume.lines import Kind, PaylineAutomaton, automaton, grants, wilds_of
from certify.model.equipment import Equipment
from rng.draws import Integer, Product, Repetition, steps
from rng.uniform import together_below

if TYPE_CHECKING:
    from rng.words import WordSource


@dataclass(frozen=True, slots=True)
class Reel:
    """What one reel can show in one stage.

    Args:
        piece: Place of the piece that its stops are drawn from.
        rows_piece: Place of the piece that its height is drawn from; -1 where it has one height.
        rows: Its heights.
        cells: Symbols of its cells where each is drawn by itself; 0 where the reel stops on its strip.
        stops: Number of different stops, or of symbols of a cell.
        windows: Every window: what its cells show from the top.
        stopped: For each the symbols at which the reel stopped, as its cells show them but where a wild covers it.
        kinds: What a cell of it can show.
        raw: For each height and stop (or row of cells), the first of its windows.
        factors: For the same, the pieces of the factors that are then drawn, each with its number of faces.
    """

    piece: int
    rows_piece: int
    rows: tuple[int, ...]
    cells: bool
    stops: int
    windows: tuple[tuple[Kind, ...], ...]
    stopped: tuple[tuple[Kind, ...], ...]
    kinds: tuple[Kind, ...]
    raw: tuple[int, ...]
    factors: tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True)
class TalliedSymbol:
    """Something that is counted over the window.

    Args:
        symbols: Symbols that count.
        counted: What of them.
    """

    symbols: frozenset[str]
    counted: SymbolCount

    def of(self, window: Sequence[Kind]) -> int:
        """Returns what one reel adds."""
        number = sum(symbol in self.symbols for symbol, _ in window)
        return number if self.counted is SymbolCount.SYMBOLS else min(number, 1)


@dataclass(frozen=True, slots=True)
class WaysPay:
    """A row that ways pay.

    Args:
        row: Id of the row, completed by the number of reels.
        coins: Coins of one way, by number of reels.
        plain: For each reel and window, cells that count, and what wilds among them stand for.
        symbols: Symbols that count, wilds among them.
    """

    row: str
    coins: tuple[int, ...]
    plain: tuple[tuple[tuple[int, int], ...], ...]
    symbols: frozenset[str]


@dataclass(frozen=True, slots=True)
class Spun:
    """One kind of spin.

    Args:
        stage: Id of the stage.
        reels: Its reels.
        kinds: What a cell of each reel can show.
        lines: Lines cell by cell; none where there are no lines.
        ways: Rows that ways pay.
        alone: Whether wilds alone win.
        tallies: What is counted over the window.
        scatters: (Tally, row, coins by count) of each scatter pay.
        triggers: (Tally, feature, starts by count) of each feature that the window starts.
        holds: (Reel, symbol that holds it) of each reel that may be held.
        falls: What line wins of the first window, the second … are multiplied by, where wins fall.
        full: Reels of one symbol that multiply line wins.
        standing: Symbols that each wild stands for where it fills a reel.
    """

    stage: str
    reels: tuple[Reel, ...]
    kinds: tuple[tuple[Kind, ...], ...]
    lines: PaylineAutomaton | None
    ways: tuple[WaysPay, ...]
    alone: bool
    tallies: tuple[TalliedSymbol, ...]
    scatters: tuple[tuple[int, str, tuple[int, ...]], ...]
    triggers: tuple[tuple[int, int, tuple[int, ...]], ...]
    holds: tuple[tuple[int, str], ...] = ()
    falls: tuple[int, ...] = ()
    full: FullReels | None = None
    standing: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def once(self) -> bool:
        """Whether its first window is all there is, and multiplies nothing."""
        return not (self.holds or self.falls or self.full)

    def filled(self, window: Sequence[Kind]) -> int:
        """Returns the symbols that a window of a reel is full of, as bits."""
        as_well = dict(self.standing)
        return sum(
            1 << n
            for n, one in enumerate(self.full.symbols if self.full else ())
            if all(symbol == one or one in as_well.get(symbol, ()) for symbol, _ in window)
        )


MOST_STANDING = 200_000
"""Windows of one reel that may stand after a fall, at most."""


@dataclass(frozen=True, slots=True)
class SlotTables:
    """A slot as tables.

    Args:
        rules: The rules, for what is looked up once a round at most.
        pieces: The equipment.
        unit: Units in one coin: bonuses may pay parts of one.
        stages: Kinds of spins, the paid one first.
        features: Ids of free games, then of bonuses.
        outcomes: Ids of all outcomes.
    """

    rules: SlotRules
    pieces: tuple[Equipment, ...]
    unit: int
    stages: tuple[Spun, ...]
    features: tuple[str, ...]
    outcomes: tuple[str, ...]

    @property
    def per_bet(self) -> int:
        """Units in one total bet."""
        return self.unit * self.rules.cost

    @property
    def edges(self) -> tuple[int, ...]:
        """Units from which each band of wins begins, the second band with the least win there is."""
        return (0, 1, *(edge * self.per_bet for edge in BANDS))


def program_of(rules: SlotRules) -> SlotTables:
    """Returns the tables of a slot."""
    pieces = pieces_of(rules)
    places = {piece.id: place for place, piece in enumerate(pieces)}
    names = dict.fromkeys([rules.stages[0].id, *(name for one in rules.free_games for name, _ in one.stages)])
    unit = math.lcm(
        *(
            (pays * coins_per(rules, one.per)).denominator
            for one in rules.bonuses
            for pays in (one.full, *(prize.pays for prize in one.prizes))
        )
    )
    return SlotTables(
        rules,
        pieces,
        unit,
        tuple(_spun(rules, rules.stage(name), places, unit) for name in names),
        tuple(one.id for one in rules.features),
        outcome_ids(rules),
    )


def coins_per(rules: SlotRules, per: Per) -> int:
    """Returns the coins that one unit of a pay is."""
    if per is Per.BET:
        return rules.cost
    return rules.line_bet if per is Per.LINE else rules.line_bet * len(rules.lines)


def _spun(rules: SlotRules, stage: SpinKind, places: dict[str, int], unit: int) -> Spun:
    reels = tuple(_reels(rules, stage, places))
    kinds = tuple(reel.kinds for reel in reels)
    full = next((one for one in rules.full_reels if stage.id in (one.stages or (stage.id,))), None)
    tallies: dict[TalliedSymbol, int] = {}

    def tally(what: ScatterPay | Trigger) -> int:
        symbols = set(what.symbols)
        if what.wilds:
            symbols |= {name for name, wild in wilds_of(rules, stage).items() if set(wild.replaces) & symbols}
        return tallies.setdefault(TalliedSymbol(frozenset(symbols), what.counted), len(tallies))

    scatters = []
    for pay in _scatters(rules, stage):
        each = coins_per(rules, pay.per) * (stage.multiplier if pay.multiplied else 1) * unit
        scatters.append((tally(pay), pay.id, tuple(each * one for one in pay.pays)))
    triggers = []
    for place, feature in enumerate(rules.features):
        starts = grants(feature, stage)
        if starts and not feature.trigger.on_line:
            triggers.append((tally(feature.trigger), place, starts))
    return Spun(
        stage.id,
        reels,
        kinds,
        automaton(rules, stage, kinds) if rules.lines else None,
        tuple(_ways(rules, stage, reels, unit)) if rules.ways else (),
        all(wild.alone for wild in wilds_of(rules, stage).values()),
        tuple(tallies),
        tuple(scatters),
        tuple(triggers),
        tuple(
            (reel - 1, one.symbol) for one in rules.respins if stage.id in one.stages for reel in one.reels
        ),
        next((one.multipliers for one in rules.cascades if stage.id in one.stages), ()),
        full,
        tuple((name, wild.replaces) for name, wild in wilds_of(rules, stage).items() if full and full.wilds),
    )


def _scatters(rules: SlotRules, stage: SpinKind) -> Iterator[ScatterPay]:
    yield from (one for one in rules.scatter_pays if not one.stages or stage.id in one.stages)
    for pay in rules.line_pays:
        if stage.expanding and pay.symbols == (stage.expanding,):
            row = f"{stage.expanding.lower()}-expanded"
            yield ScatterPay(row, pay.symbols, pay.pays, SymbolCount.REELS, Per.LINES)
            return


def _reels(rules: SlotRules, stage: SpinKind, places: dict[str, int]) -> Iterator[Reel]:
    strips = rules.strip_set(stage.strips)
    wilds = wilds_of(rules, stage)
    for reel, strip in enumerate(strips.reels):
        heights = tuple(one.rows for one in strips.heights[reel])
        names = tuple(dict.fromkeys(strip.symbols)) if strips.fill is Fill.CELLS else strip.symbols
        windows: list[tuple[Kind, ...]] = []
        stopped: list[tuple[Kind, ...]] = []
        raw, factors = [], []
        for rows in heights:
            for shown in _shown(names, rows, strips.fill):
                stops = tuple((symbol, 1) for symbol in shown)
                here = [wild for wild in wilds.values() if wild.symbol in shown]
                cover = next((wild for wild in here if wild.expands), None)
                if cover is not None:
                    shown, here = (cover.symbol,) * rows, [cover]
                drawn = [wild for wild in here if len(wild.multiplies) > 1]
                raw.append(len(windows))
                factors.append(
                    tuple(
                        (places[factor_piece(stage.id, wild.symbol)], len(wild.multiplies)) for wild in drawn
                    )
                )
                for some in product(*(wild.multiplies for wild in here)):
                    by = {wild.symbol: factor for wild, (factor, _) in zip(here, some, strict=True)}
                    windows.append(tuple((symbol, by.get(symbol, 1)) for symbol in shown))
                    stopped.append(stops)
        height = places[rows_piece(stage.id, reel)] if len(heights) > 1 else -1
        if any(stage.id in one.stages for one in rules.respins):
            held = next(one.symbol for one in rules.respins if stage.id in one.stages)
            windows.append(((held, 1),) * heights[0])
        kinds = tuple(dict.fromkeys(kind for window in windows for kind in window))
        if any(stage.id in one.stages for one in rules.cascades):
            if len(kinds) ** heights[0] > MOST_STANDING:
                raise InputError(
                    f"{len(kinds)} symbols in {heights[0]} cells after a fall: more than {MOST_STANDING:,} windows"
                )
            windows += product(kinds, repeat=heights[0])
        yield Reel(
            places[reel_piece(stage.id, reel)],
            height,
            heights,
            strips.fill is Fill.CELLS,
            len(names),
            tuple(windows),
            (*stopped, *windows[len(stopped) :]),
            kinds,
            tuple(raw),
            tuple(factors),
        )


def _shown(names: Sequence[str], rows: int, fill: Fill) -> Iterator[tuple[str, ...]]:
    if fill is Fill.CELLS:
        yield from product(names, repeat=rows)
        return
    for stop in range(len(names)):
        yield tuple(names[(stop + row) % len(names)] for row in range(rows))


def _ways(rules: SlotRules, stage: SpinKind, reels: Sequence[Reel], unit: int) -> Iterator[WaysPay]:
    wilds = wilds_of(rules, stage)
    for pay in rules.line_pays:
        if pay.stages and stage.id not in pay.stages:
            continue
        each = rules.line_bet * unit * (stage.multiplier if pay.multiplied else 1)
        plain = tuple(tuple(_counts(rules, pay, wilds, window) for window in reel.windows) for reel in reels)
        standing = (name for name, wild in wilds.items() if set(wild.replaces) & set(pay.symbols))
        counting = frozenset((*pay.symbols, *standing))
        yield WaysPay(pay.id, tuple(each * one for one in pay.pays), plain, counting)


def _counts(
    rules: SlotRules, pay: LinePay, wilds: dict[str, Wild], window: Sequence[Kind]
) -> tuple[int, int]:
    own = standing = 0
    for symbol, factor in window:
        times = next(
            (
                one.times
                for one in rules.doubled
                if (one.symbol, one.stands_for in pay.symbols) == (symbol, True)
            ),
            0,
        )
        if symbol in pay.symbols:
            own += 1
        elif times:
            own += times
        elif symbol in wilds and set(wilds[symbol].replaces) & set(pay.symbols):
            standing += factor
    return own + standing, standing


def drawn_prizes(bonus: BonusPrizes) -> tuple[tuple[Prize, ...], int]:
    """Returns the prizes of a bonus as they are drawn, and from how many pieces.

    Of hold and win the first prizes are those that a place may show that is held at first.
    """
    match bonus.draws:
        case PrizeDraws.PICK:
            return boxes_of(bonus), bonus.times
        case PrizeDraws.PICK_UNTIL:
            return boxes_of(bonus), len(boxes_of(bonus))
        case PrizeDraws.HOLD:
            return (*(one for one in bonus.prizes if one.pays), *bonus.prizes), 2
        case PrizeDraws.WHEEL:
            return bonus.prizes, 1
        case PrizeDraws.LADDER:
            return bonus.prizes, len(bonus.prizes)


def stage_place(program: SlotTables, feature: FreeGames) -> int:
    """Returns the place of the piece that decides in which stage a series is played; -1 where there is one stage."""
    ids = [piece.id for piece in program.pieces]
    return ids.index(stage_piece(feature.id)) if len(feature.stages) > 1 else -1


def groups_of(pieces: Sequence[Equipment]) -> list[tuple[int, ...]]:
    """Returns the bounds of the numbers that each word of a row gives."""
    parts = tuple(
        Integer(piece.size) if piece.supply == 1 else Repetition(Integer(piece.size), piece.supply)
        for piece in pieces
    )
    return [group for step in steps(parts[0] if len(parts) == 1 else Product(parts)) for group in step.groups]


def base_draws(program: SlotTables) -> int:
    """Returns how many draws of a row, the first ones, are those of the paid spin."""
    base = program.stages[0].stage
    return sum(piece.supply for piece in program.pieces if piece.id.startswith(f"{base}-"))


class StreamRow(Sequence[int]):
    """The draws of one round of a stream: those of the paid spin at once, all others with the first draw behind them.

    A paid spin that starts nothing has used its own words alone. Where it goes on, the words of a whole row are used.

    Args:
        words: The stream.
        program: The tables, which say what a row holds.
        ahead: Words that the paid spin needs.
    """

    def __init__(self, words: WordSource, program: SlotTables, ahead: int) -> None:
        groups = groups_of(program.pieces)
        self._words, self._groups = words, iter(groups)
        self._width, self._base = sum(map(len, groups)), base_draws(program)
        self._drawn = self._from(ahead)

    def _from(self, many: int | None = None) -> list[int]:
        """Returns the draws of so many further words, of all that are left where no number is given."""
        return [item for group in islice(self._groups, many) for item in together_below(self._words, group)]

    def __len__(self) -> int:
        """Returns the draws of a whole row."""
        return self._width

    def __getitem__(self, place: int) -> int:  # type: ignore[override]
        """Returns one draw."""
        if place >= self._base:
            self._drawn += self._from()
        return self._drawn[place]

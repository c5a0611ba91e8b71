"""The PAR sheet of a slot in the form that slot people know, and strips and pays of other people's sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from certify.analysis.par_cells import Cell, CellUnit, Formula, SheetTable, as_number, frequency_cell
from certify.exact import fraction_text
from certify.families.port import Recognised
from certify.families.slot.exact.meters import level_rules
from certify.families.slot.exact.round import expected_spins, feature_odds, round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.recognised import recognised
from certify.families.slot.rules import SlotRules, StripSet, rules_of
from certify.families.slot.texts import heights_of, stated_tables
from certify.model.game import Game
from certify.model.printed import Block, Entry, column_name

STRIPS = "strips"
"""The sheet of the strips, which formulas of others name."""


class SlotSheets:
    """Strips, symbol counts, hits per combination, pays by coin and features beside the common PAR sheet."""

    def stated(self, game: Game) -> Mapping[str, Sequence[object]]:
        """Returns the tables of the submission, the strips left out: they have a sheet of their own form."""
        return {name: some for name, some in stated_tables(rules_of(game)).items() if name != STRIPS}

    def tables(self, game: Game) -> tuple[SheetTable, ...]:
        """Returns strips, symbol counts, hits per combination, return by coin, and features."""
        rules = rules_of(game)
        made = [strips_table(rules), _counts(rules), _hits(rules, game.wagers[0].id)]
        if rules.bet_levels:
            made.append(_coins(rules, game.wagers[0].id))
        if rules.free_games or rules.bonuses:
            made.append(_features(rules, game.wagers[0].id))
        return tuple(made)

    def recognised(self, blocks: Sequence[Block], entries: Sequence[Entry]) -> Recognised:
        """Returns what strips, lines, pays and settings of somebody else's sheet state."""
        return recognised(blocks, entries)


def _reels(rules: SlotRules) -> int:
    return len(rules.strip_sets[0].reels)


def _weighted(rules: SlotRules) -> bool:
    return any(reel.weights for one in rules.strip_sets for reel in one.reels)


def strips_table(rules: SlotRules) -> SheetTable:
    """Returns every strip, a stop in each row and a column for each reel, weights beside."""
    numbers = range(1, _reels(rules) + 1)
    weighted = _weighted(rules)
    header = ("id", "stop", "fill", "heights", *(f"reels_{n}" for n in numbers))
    header += tuple(f"weights_{n}" for n in numbers) if weighted else ()
    rows: list[tuple[Cell, ...]] = []
    for one in rules.strip_sets:
        heights = "; ".join(heights_of(one))
        for stop in range(_longest(one)):
            here = [stop < len(reel.symbols) for reel in one.reels]
            symbols = (
                reel.symbols[stop] if there else "" for reel, there in zip(one.reels, here, strict=True)
            )
            weights = (
                reel.weight(stop) if there else "" for reel, there in zip(one.reels, here, strict=True)
            )
            first = (one.fill.value, heights) if not stop else ("", "")
            rows.append((one.id, stop + 1, *first, *symbols, *(weights if weighted else ())))
    units = (CellUnit.TEXT, CellUnit.WHOLE, CellUnit.TEXT, CellUnit.TEXT, *(CellUnit.TEXT,) * _reels(rules))
    units += (CellUnit.WHOLE,) * _reels(rules) if weighted else ()
    return SheetTable(STRIPS, header, units, tuple(rows))


def _longest(one: StripSet) -> int:
    return max(len(reel.symbols) for reel in one.reels)


def _counts(rules: SlotRules) -> SheetTable:
    """Returns how often each symbol stands on each reel, computed from the strips; weights are counted where stated."""
    reels, weighted = _reels(rules), _weighted(rules)
    rows: list[tuple[Cell, ...]] = []
    top = 2
    for one in rules.strip_sets:
        bottom = top + _longest(one) - 1
        for name in dict.fromkeys(symbol for reel in one.reels for symbol in reel.symbols):
            cells: list[Cell] = []
            for place, reel in enumerate(one.reels):
                column, by = column_name(4 + place), column_name(4 + reels + place)
                shown = f'EXACT({STRIPS}!{column}{top}:{column}{bottom},"{name}")'
                times = f"{STRIPS}!{by}{top}:{by}{bottom}" if weighted else "1"
                much = sum(reel.weight(stop) for stop, each in enumerate(reel.symbols) if each == name)
                cells.append(Formula(f"=SUMPRODUCT({shown}*{times})", Fraction(much)))
            rows.append((one.id, name, *cells))
        totals = (Fraction(reel.total) for reel in one.reels)
        first = len(rows) + 2 - len({name for reel in one.reels for name in reel.symbols})
        last = len(rows) + 1
        sums = (
            Formula(f"=SUM({column_name(2 + n)}{first}:{column_name(2 + n)}{last})", total)
            for n, total in enumerate(totals)
        )
        rows.append((one.id, "stops", *sums))
        top = bottom + 1
    header = ("strip_set", "symbol", *(f"reel_{n + 1}" for n in range(reels)))
    totals_at = frozenset(n for n, row in enumerate(rows) if row[1] == "stops")
    units = (CellUnit.TEXT, CellUnit.TEXT, *(CellUnit.WHOLE,) * reels)
    return SheetTable("symbol counts", header, units, tuple(rows), totals_at)


def _hits(rules: SlotRules, wager: str) -> SheetTable:
    """Returns hits of each combination over all lines or ways, and what it adds to the return, computed from them."""
    header = (
        *("stage", "combination", "hits", "cycle", "spins_a_round", "times_a_round", "one_in"),
        *("coins_on_average", "contribution", "contribution_exact"),
    )
    rows: list[tuple[Cell, ...]] = []
    for stage, spins in expected_spins(rules).items():
        law = spin_law(rules, stage)
        for share in law.rows:
            if not share.times:
                continue
            at, coins = len(rows) + 2, share.coins / share.times
            much = spins * share.coins / rules.cost
            rows.append(
                (
                    stage,
                    share.row,
                    as_number(share.times * law.total),
                    as_number(Fraction(law.total)),
                    as_number(spins),
                    Formula(f"=C{at}/D{at}*E{at}", spins * share.times),
                    Formula(f"=1/F{at}", 1 / (spins * share.times)),
                    as_number(coins),
                    Formula(f"=F{at}*H{at}/{rules.cost}", much),
                    fraction_text(much),
                )
            )
    bonuses = [one.id for one in rules.bonuses]
    for award in round_figures(rules, wager).awards:
        if award.row in bonuses and award.times:
            at = len(rows) + 2
            coins = award.contribution / award.times * rules.cost
            rows.append(
                (
                    *(award.part, award.row, "", "", "", as_number(award.times)),
                    Formula(f"=1/F{at}", 1 / award.times),
                    as_number(coins),
                    Formula(f"=F{at}*H{at}/{rules.cost}", award.contribution),
                    fraction_text(award.contribution),
                )
            )
    whole = round_figures(rules, wager).return_to_player
    total = Formula(f"=SUM(I2:I{len(rows) + 1})", whole)
    rows.append(("total", *("",) * 7, total, fraction_text(whole)))
    text, number, count = CellUnit.TEXT, CellUnit.NUMBER, CellUnit.WHOLE
    units = (text, text, count, count, number, CellUnit.PROBABILITY, number, number, CellUnit.PERCENT, text)
    return SheetTable("hits", header, units, tuple(rows), frozenset({len(rows) - 1}))


def _coins(rules: SlotRules, wager: str) -> SheetTable:
    """Returns the return of each way of betting."""
    rows = []
    for level in rules.bet_levels:
        figures = round_figures(level_rules(rules, level), wager)
        rows.append(
            (
                *(level.id, level.lines, level.coins, level.cost),
                *(float(figures.return_to_player), frequency_cell(figures.hit_frequency)),
                *(float(figures.standard_deviation), fraction_text(figures.return_to_player)),
            )
        )
    header = (
        *("level", "lines", "coins", "cost", "return", "hit_frequency", "standard_deviation"),
        "return_exact",
    )
    whole, percent = CellUnit.WHOLE, CellUnit.PERCENT
    units = (CellUnit.TEXT, whole, whole, whole, percent, percent, CellUnit.NUMBER, CellUnit.TEXT)
    return SheetTable("return by coin", header, units, tuple(rows))


def _features(rules: SlotRules, wager: str) -> SheetTable:
    """Returns how often each feature begins, and what it adds to the return."""
    odds = feature_odds(rules)
    rows = tuple(_feature_rows(rules, wager, odds))
    header = ("feature", "probability", "one_in", "games_a_round", "contribution", "contribution_exact")
    units = (
        CellUnit.TEXT,
        CellUnit.PROBABILITY,
        CellUnit.NUMBER,
        CellUnit.NUMBER,
        CellUnit.PERCENT,
        CellUnit.TEXT,
    )
    return SheetTable("features", header, units, rows)


def _feature_rows(rules: SlotRules, wager: str, odds: Mapping[str, Fraction]) -> Iterator[tuple[Cell, ...]]:
    awards, spins = round_figures(rules, wager).awards, expected_spins(rules)
    for at, (name, chance) in enumerate(odds.items(), start=2):
        stages = [stage for one in rules.free_games if one.id == name for stage, _ in one.stages]
        much = sum(
            (one.contribution for one in awards if one.part in stages or (not stages and one.row == name)),
            Fraction(0),
        )
        games = sum((spins.get(stage, Fraction(0)) for stage in stages), Fraction(0))
        one_in: Cell = Formula(f"=1/B{at}", 1 / chance) if chance else "never"
        yield name, float(chance), one_in, as_number(games), float(much), fraction_text(much)

"""The PAR sheet of a slot in the form that slot people know, and strips and pays of other people's sheets."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final

from certify.analysis.par_cells import Cell, CellUnit, Formula, SheetTable, as_number
from certify.by_key import summed
from certify.evidence import (
    Basis,
    Sections,
    SupplementaryColumn,
    SupplementaryFigure,
    SupplementaryRow,
    SupplementaryTable,
    Unit,
    plain,
)
from certify.exact import decimal_text, fraction_text
from certify.families.port import Recognised
from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.ends import at_least, highest_win
from certify.families.slot.exact.prizes import break_even, long_run
from certify.families.slot.exact.round import expected_spins, feature_odds, round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.recognised import recognised
from certify.families.slot.rows import BANDS, paytable_of
from certify.families.slot.rules import BASE, FAMILY_ID, SlotRules, Strip, StripSet, rules_of
from certify.families.slot.texts import heights_of, stated_tables
from certify.messages import say, worded
from certify.model import (
    Analysis,
    Block,
    Entry,
    Figure,
    Game,
    Message,
    Parameter,
    WagerFigures,
    column_name,
    ends_of,
    figure_between,
)


class SlotSections:
    """Tables in addition to the figures of a slot, the same in the evidence and on the terminal."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns the tables as plain values."""
        return {"supplementary_tables": plain(tuple(_tables(game, analysis.wagers[0])))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the tables."""
        first = next(iter(analyses.values()))
        return Sections(supplementary_tables=tuple(_tables(game, first.wagers[0])))


Values = Sequence[Figure]
Rows = Iterator[tuple[Message, Values]]
"""What each row is of, and its figures in the order of the columns."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table in addition to the figures.

    Args:
        id: Its id.
        columns: Its columns, each with the unit of its figures.
        rows: Its rows.
    """

    id: str
    columns: Mapping[str, Unit]
    rows: Callable[[SlotRules, WagerFigures], Rows]


def _tables(game: Game, figures: WagerFigures) -> Iterator[SupplementaryTable]:
    rules = rules_of(game)
    for one in TABLES:
        rows = [_row(one, *row) for row in one.rows(rules, figures)]
        if rows:
            titles = {name: _said(f"column.{name}") for name in one.columns}
            yield SupplementaryTable(
                id=one.id,
                columns=tuple(SupplementaryColumn(id=name, **worded(title=titles[name])) for name in titles),
                rows=tuple(rows),
                **worded(title=_said(one.id), remark=_said(f"{one.id}.remark")),
            )


def _row(table: _Table, of: Message, values: Values) -> SupplementaryRow:
    figures = {
        name: SupplementaryFigure(low, high, unit, Basis.EXACT if low == high else Basis.PROVEN)
        for (name, unit), (low, high) in zip(table.columns.items(), map(ends_of, values), strict=True)
    }
    return SupplementaryRow(figures=figures, detail="", **worded(of=of))


def _said(message: str, **parameters: Parameter) -> Message:
    return say(f"{FAMILY_ID}.table.{message}", **parameters)


def _of(name: str) -> Message:
    return _said("row", name=name)


def _award_bands(rules: SlotRules, _: WagerFigures) -> Rows:
    """Yields how often a whole round wins at least so many bets."""
    for many, (low, high) in at_least(rules, BANDS).items():
        if low:
            yield _of(str(many)), (figure_between(low, high, ""), figure_between(1 / high, 1 / low, ""))
    highest = highest_win(rules)
    if highest is not None:
        bets = Fraction(highest.coins, rules.cost)
        much = str(bets.numerator) if bets.denominator == 1 else decimal_text(bets, 2)
        yield _said("most", name=much), (highest.chance, 1 / highest.chance)


def _split(_: SlotRules, figures: WagerFigures) -> Rows:
    # What a limit takes away belongs to no part.
    parts = summed((award.part or award.row, award.contribution) for award in figures.awards)
    whole = figures.return_to_player
    for part, much in parts.items() if whole else ():
        yield _of(part), (much, much / whole)


def _feature_tables(rules: SlotRules, _: WagerFigures) -> Rows:
    odds, worth, base = feature_odds(rules), branching(rules), rules.stage(BASE)
    for place, feature in enumerate(rules.features):
        chance = odds[feature.id]
        if chance:
            least = next(number for number in feature.trigger.starts if number)
            mean = worth.feature(base, place, least)[0]
            yield _of(feature.id), (chance, 1 / chance, mean / rules.cost)


def _meters(rules: SlotRules, figures: WagerFigures) -> Rows:
    """Yields what each meter returns in the long run, and at which meter the round returns its stake."""
    for one in rules.jackpots:
        times = sum((award.times for award in figures.awards if award.row == one.row), Fraction(0))
        if times or one.must_hit_by is not None:
            chance, contribution = long_run(one, times)
            even = break_even(one, figures.return_to_player, times)
            yield _of(one.id), (min(chance, Fraction(1)), contribution, even)


def _near_misses(rules: SlotRules, _: WagerFigures) -> Rows:
    """Yields how often weighted reels show the dearest symbol on a line, and just next to it: each, and all but one.

    The last row is the near miss itself: every reel shows it on the line but one, which shows it just next to the line.
    """
    paid = [one for one in rules.line_pays if len(one.symbols) == 1]
    strips = rules.strip_set(rules.stage(BASE).strips)
    if not paid or not any(reel.weights for reel in strips.reels):
        return
    top = max(paid, key=lambda one: max(one.pays)).symbols[0]
    weighted = [_near(reel, top) for reel in strips.reels]
    alike = [_near(replace(reel, weights=()), top) for reel in strips.reels]
    for place, (one, other) in enumerate(zip(weighted, alike, strict=True), start=1):
        yield _of(f"{top} {place}"), (*one[:2], *other[:2])
    yield _of(top), (*_missed(weighted), *_missed(alike))


def _near(strip: Strip, symbol: str) -> tuple[Fraction, Fraction, Fraction]:
    """Returns how often a reel shows a symbol on the line, on one side of it, and next to it but not on it."""
    shows, size = [name == symbol for name in strip.symbols], len(strip.symbols)
    on = beside = missed = 0
    for stop in range(size):
        near, weight = shows[(stop + 1) % size] + shows[stop - 1], strip.weight(stop)
        on += weight * shows[stop]
        beside += weight * near
        missed += weight * (near > 0 and not shows[stop])
    return Fraction(on, strip.total), Fraction(beside, 2 * strip.total), Fraction(missed, strip.total)


def _missed(reels: Sequence[tuple[Fraction, Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
    """Returns how often all reels show a symbol on the line, and how often all but one that shows it next to it."""
    on = [one for one, _, _ in reels]
    but_one = (missed * prod(on[:n] + on[n + 1 :]) for n, (_, _, missed) in enumerate(reels))
    return prod(on, start=Fraction(1)), sum(but_one, Fraction(0))


TABLES: Final = (
    _Table("split", {"contribution": Unit.STAKES, "share": Unit.CHANCE}, _split),
    _Table("award-bands", {"chance": Unit.CHANCE, "one-in": Unit.ROUNDS}, _award_bands),
    _Table(
        "features",
        {"chance": Unit.CHANCE, "one-in": Unit.ROUNDS, "worth": Unit.STAKES},
        _feature_tables,
    ),
    _Table(
        "meters",
        {"chance": Unit.CHANCE, "contribution": Unit.STAKES, "break-even": Unit.STAKES},
        _meters,
    ),
    _Table(
        "near-misses",
        dict.fromkeys(("on-line", "beside", "on-line-alike", "beside-alike"), Unit.CHANCE),
        _near_misses,
    ),
)
"""Every table, in the order in which they are printed."""


STRIPS = "strips"
"""The sheet of the strips, which formulas of others name."""


class SlotSheets:
    """Strips, symbol counts, hits per combination, pays by coin and features in addition to the common PAR sheet."""

    def stated(self, game: Game) -> Mapping[str, Sequence[object]]:
        """Returns the tables of the submission, the strips left out: they have a sheet of their own form."""
        return {name: some for name, some in stated_tables(rules_of(game)).items() if name != STRIPS}

    def tables(self, game: Game) -> tuple[SheetTable, ...]:
        """Returns strips, symbol counts, hits per combination, and the tables in addition to the figures."""
        rules, wager = rules_of(game), game.wagers[0].id
        further = map(_sheet, _tables(game, round_figures(rules, wager)))
        return strips_table(rules), _counts(rules), _hits(rules, wager), *further

    def recognised(self, blocks: Sequence[Block], entries: Sequence[Entry]) -> Recognised:
        """Returns what strips, lines, pays and settings of somebody else's sheet state."""
        return recognised(blocks, entries)


def _weighted(rules: SlotRules) -> bool:
    return any(reel.weights for one in rules.strip_sets for reel in one.reels)


def strips_table(rules: SlotRules) -> SheetTable:
    """Returns every strip, a stop in each row and a column for each reel, with weights."""
    numbers = range(1, len(rules.strip_sets[0].reels) + 1)
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
    units = (CellUnit.TEXT, CellUnit.WHOLE, CellUnit.TEXT, CellUnit.TEXT, *(CellUnit.TEXT for _ in numbers))
    units += (CellUnit.WHOLE,) * len(numbers) if weighted else ()
    return SheetTable(STRIPS, header, units, tuple(rows))


def _longest(one: StripSet) -> int:
    return max(len(reel.symbols) for reel in one.reels)


def _counts(rules: SlotRules) -> SheetTable:
    """Returns how often each symbol is on each reel, computed from the strips; weights are counted where stated."""
    reels, weighted = len(rules.strip_sets[0].reels), _weighted(rules)
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
    paid = {row.id: (at, row.pays) for at, row in enumerate(paytable_of(rules).rows, start=2)}
    figures, all_spins = round_figures(rules, wager), expected_spins(rules)
    for at, award in enumerate((one for one in figures.awards if one.times), start=2):
        spins, printed = all_spins.get(award.part), award.row
        found: tuple[Cell, ...] = ("", "", "", as_number(award.times))
        # What a limit takes away, and what features pay, no window shows.
        if spins and award.row in spin_law(rules, award.part).shares:
            law, expands = spin_law(rules, award.part), rules.stage(award.part).expanding
            own = next((one.id for one in rules.line_pays if expands and one.symbols == (expands,)), "")
            printed = printed.replace(f"{expands.lower()}-expanded", own) if expands else printed
            hits = as_number(law.shares[award.row][0] * law.total)
            counted = Formula(f"=C{at}/D{at}*E{at}", award.times)
            found = (hits, as_number(Fraction(law.total)), as_number(spins), counted)
        coins = award.contribution / award.times * rules.cost
        cell, pays = paid.get(printed, (0, Fraction(0)))
        rows.append(
            (
                *(award.part, award.row, *found),
                Formula(f"=1/F{at}", 1 / award.times),
                Formula(f"=pays!D{cell}*{float(coins / pays)!r}", coins) if pays else as_number(coins),
                Formula(f"=F{at}*H{at}/{rules.cost}", award.contribution),
                fraction_text(award.contribution),
            )
        )
    whole = figures.return_to_player
    total = Formula(f"=SUM(I2:I{len(rows) + 1})", whole)
    rows.append(("total", *("",) * 7, total, fraction_text(whole)))
    text, number, count = CellUnit.TEXT, CellUnit.NUMBER, CellUnit.WHOLE
    units = (text, text, count, count, number, CellUnit.PROBABILITY, number, number, CellUnit.PERCENT, text)
    return SheetTable(
        "hits", header, units, tuple(rows), frozenset({len(rows) - 1}), f"hits!I{len(rows) + 1}"
    )


def _sheet(table: SupplementaryTable) -> SheetTable:
    """Returns a table in addition to the figures as a sheet; what is proven to be between two numbers is words."""
    header = ("of", *(column.id.replace("-", "_") for column in table.columns))
    rows = [
        (
            row.of,
            *(
                as_number(one.low) if one.low == one.high else f"{float(one.low)!r} to {float(one.high)!r}"
                for one in row.figures.values()
            ),
        )
        for row in table.rows
    ]
    units = (CellUnit.TEXT, *(CellUnit.NUMBER for _ in table.columns))
    kept = header[1:] if table.id in ("split", "award-bands") else ("worth", "break_even")
    return SheetTable(table.id.replace("-", " "), header, units, tuple(rows), kept=kept)

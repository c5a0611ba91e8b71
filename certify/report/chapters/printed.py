"""Printed tables of the source: every count and every row of outcomes next to exact counting."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby

from certify.evidence import (
    Basis,
    Evidence,
    JudgedCount,
    JudgedRow,
    JudgedTables,
    SupplementaryFigure,
    SupplementaryTable,
    Unit,
)
from certify.messages import english, name_of, said_of, say, tell, translated
from certify.model import MAIN_OPTIMAL
from certify.report.chapters.returns import habits
from certify.report.formats import DASH, decimal, grouped, outward, percent, percent_range, prose, signed
from certify.report.layout import PRINTINGS, Column, PageCell, PageParts, PageTable, listed, note, printing
from certify.report.words import decision_title, outcome_title, said

_DEAL = re.compile(r"(?P<cards>\w+(?: \w+)*): (?P<decisions>[\w-]+(?:, [\w-]+)*)")
_PLACES = 6
_PLAYED_PLACES = 3
"""Play-through shows no more places than its interval leaves."""

_LONG = 10**12
"""Rounds from which on a wait is printed in powers of ten: its digits would reach beyond the page."""

_FIRST_COLUMN = 30
_WITH_DETAIL = 70
"""Share of the page for the first column, and where deals stand in it."""


def supplementary_tables(tables: Iterable[SupplementaryTable]) -> tuple[PageTable | None, ...]:
    """Returns what a family adds as tables of the page."""
    return tuple(_table(table) for table in tables if table.rows)


def _table(table: SupplementaryTable) -> PageTable | None:
    columns = table.columns
    first = _WITH_DETAIL if any(row.detail for row in table.rows) else _FIRST_COLUMN
    share = (100 - first) // max(len(columns), 1)
    return listed(
        said(table, "title"),
        (
            Column(tell("supplementary.of"), width=first),
            *(Column(said(column, "title"), "number", share) for column in columns),
        ),
        (
            (
                PageCell(prose(said(row, "of")), detail=_deal(row.detail)),
                *(_figure(row.figures.get(column.id)) for column in columns),
            )
            for row in table.rows
        ),
        said(table, "remark"),
        sortable=False,
        dense=True,
    )


def _deal(detail: str) -> str:
    """Returns a deal and its decisions in order, runs of the same counted; other details as they are.

    >>> _deal("face face face 7: cover, hit, hit, stand")
    'face×3 7: cover, hit×2, stand'
    """
    found = _DEAL.fullmatch(detail)
    if not found:
        return translated(detail)
    cards = _runs(name_of("card", card, card) for card in found["cards"].split())
    return f"{' '.join(cards)}: {', '.join(_runs(map(decision_title, found['decisions'].split(', '))))}"


def _runs(names: Iterable[str]) -> Iterator[str]:
    for name, run in groupby(names):
        number_of = sum(1 for _ in run)
        yield f"{name}×{number_of}" if number_of > 1 else name


def _figure(figure: SupplementaryFigure | None) -> str:
    """Returns a figure, or its interval."""
    if figure is None:
        return DASH
    low, high = figure.low, figure.high
    unit, played = figure.unit, figure.basis is Basis.PLAYED
    # Between ends that print the same the figure prints so too: an end of its digits is not known, those printed
    # are.
    if low == high or (not played and _one(low, unit, played=False) == _one(high, unit, played=False)):
        return _one(low, unit, played=played)
    ends = outward(low, high, _PLAYED_PLACES if played else _PLACES)
    match unit:
        case Unit.CHANCE:
            return percent_range(low, high, 2 if played else 4)
        case Unit.ROUNDS:
            ends = outward(low, high, 2)
        case _:
            ends = (_signed(low, ends[0]), _signed(high, ends[1]))
    return tell("number.range", low=ends[0], high=ends[1])


def _signed(value: Fraction, text: str) -> str:
    return f"+{text}" if value > 0 else text


def _one(value: Fraction, unit: Unit, *, played: bool) -> str:
    match unit:
        case Unit.CHANCE:
            whole, places = (100 * value).denominator == 1, 2 if played else 4
            least = Fraction(1, 10 ** (places + 2))
            if 0 < value < least:
                return f"< {percent(least, places)}"
            return percent(value, 0 if whole else places)
        case Unit.ROUNDS if value >= _LONG:
            power = len(str(int(value))) - 1
            return f"{decimal(value / 10**power, 2)} × 10^{power}"
        case Unit.ROUNDS:
            return decimal(value, 0 if value.denominator == 1 else 2)
        case Unit.SQUARED:
            return decimal(value, _PLACES)
        case _ if value.denominator == 1:
            return signed(value, 0)
        case _:
            return signed(value, _PLAYED_PLACES if played else _PLACES)


# Where no strategy matters the evidence holds one entry for all of them.
_ANY = "any"
# How a count of the hands with one total is named; the column next to it says of how many cards.
_TOTAL = re.compile(r"two-card-(\d+½?)")
_KINDS = ("two-card-hands", "one-card-hands", "all-hands")


def printed(tables: JudgedTables, evidence: Evidence) -> PageParts:
    """Returns the chapter of the tables that the source prints.

    Raises:
        RenderError: A verdict is none of those that a printed figure can have.
    """
    counts, rows = tables.counts, tables.rows
    # The ways of playing for which chances were counted, the optimal one first.
    names = {name for row in rows for name in row.conditional} - {_ANY}
    strategies = tuple(sorted(names, key=lambda name: (name != MAIN_OPTIMAL, name)))
    return PageParts(
        # The totals in one sentence.
        sentence=_sentence(counts, rows),
        # How many counts and rows ended how.
        totals=_totals(counts, rows),
        # Every printed count.
        counts=listed(
            tell("printed.printed-counts-of-hands"),
            "hands:15 of:17 #printed:16 #exact:8 #as-really-dealt:11:percent-2 numbers:18!note verdict",
            (
                (
                    hands(one.label),
                    tell(f"counted.{one.of}") if one.of in _KINDS else outcome_title(one.of).lower(),
                    one.printed,
                    one.exact,
                    one.share_of_real_two_card_hands,
                    _numbers(one),
                    _worth_cell(one.verdict),
                )
                for one in counts
            ),
            tell("printed.exact-counted-over-unordered-hands"),
            dense=True,
        ),
        # Every row under the reading that its own fractions imply.
        implied=_implied(tables),
        # Every row as a probability, with the numbers of the verdict.
        worth=listed(
            tell("printed.printed-rows-as-probabilities"),
            (
                "dealers-hand:14:translated",
                *(Column(_column(key).capitalize(), "number", width=6) for key in tables.ways),
                "verdict-and-its-numbers",
            ),
            (
                (
                    row.label,
                    *(grouped(row.ways[key]) if row.ways else None for key in tables.ways),
                    _worth_cell(row.as_probability, (prose(translated(row.reason)),)),
                )
                for row in tables.rows
            ),
            tell("printed.hands-of-the-player-that"),
            dense=True,
        ),
        # The true conditional probabilities next to the printed ones.
        chances=_chances(tables, strategies, habits(evidence.analysis.items())),
        # For which ways of playing they were counted.
        strategies=tuple(map(translated, strategies)),
    )


def _sentence(counts: tuple[JudgedCount, ...], rows: tuple[JudgedRow, ...]) -> str:
    parts = []
    if counts:
        parts.append(
            tell(
                "printed.of-printed-counts-hold",
                counts=grouped(len(counts)),
                holding=_holding(count.verdict for count in counts),
            )
        )
    if rows:
        parts.append(
            tell(
                "printed.of-printed-rows-hold-under",
                rows=grouped(len(rows)),
                holding=_holding(row.under_implied_reading for row in rows),
                otherwise=_otherwise(rows),
                holding_b=_holding(row.as_probability for row in rows),
                exactly=_exactly(rows),
            )
        )
    return " ".join(parts)


def _otherwise(rows: tuple[JudgedRow, ...]) -> str:
    """Returns how many rows are miscounted, and how many do not follow from their own terms."""
    found = Counter(row.footing for row in rows)
    miscounted, unsound = found["miscounted"], found["does not follow from its own terms"]
    parts = [
        tell("printed.miscounted", count=miscounted) if miscounted else "",
        tell("printed.unsound", count=unsound) if unsound else "",
    ]
    told = tell("list.and").join(part for part in parts if part)
    return f", {told}" if told else ""


def _exactly(rows: tuple[JudgedRow, ...]) -> str:
    """Returns how many of the rows that hold print the exact shares, where that is known and not all do."""
    sound = [row for row in rows if row.under_implied_reading == "holds"]
    exact = sum(row.exactly_rounded for row in sound)
    if exact == len(sound):
        return ""
    return " " + (tell("printed.of-the-that-hold-print", sound=grouped(len(sound)), exact=grouped(exact)))


def _holding(words: Iterable[str]) -> str:
    return grouped(sum(word == "holds" for word in words))


def _totals(counts: tuple[JudgedCount, ...], rows: tuple[JudgedRow, ...]) -> PageTable | None:
    """Tabulates the verdicts: what was judged down, the verdicts across."""
    words = {
        "printed.counts-and-shares-of-hands": [count.verdict for count in counts],
        "printed.rows-under-the-reading-that": [row.under_implied_reading for row in rows],
        "printed.rows-as-probabilities": [row.as_probability for row in rows],
    }
    return listed(
        tell("printed.verdicts-in-total"),
        (
            "judged:36!strong",
            *(Column(printing(word).label.capitalize(), "number") for word in PRINTINGS),
            "#all:8:len",
        ),
        (
            (
                tell(title),
                *(grouped([printing(one).word for one in seen].count(word)) for word in PRINTINGS),
                seen,
            )
            for title, seen in words.items()
            if seen
        ),
        sortable=False,
    )


def hands(label: str) -> str:
    """Returns the id of a printed count as words.

    >>> hands("two-card-7-and-a-half"), hands("bust-8-to-14")
    ('Total 7½', 'Bust 8 to 14')
    """
    words = label.replace("-and-a-half", "½")
    total = _TOTAL.fullmatch(words)
    return tell("printed.total", total=total[1]) if total else outcome_title(words)


def _numbers(entry: JudgedCount) -> str:
    """Returns the numbers of a verdict, where the columns do not show them already."""
    shown = english(say("printed.printed-exact", printed=entry.printed, exact=str(entry.exact)))
    return "" if entry.detail == shown else prose(translated(entry.detail))


def _worth_cell(word: str, lines: tuple[str, ...] = ()) -> PageCell:
    return PageCell(word, "judged", printing(word), lines=lines)


def _column(key: str) -> str:
    """Returns what the family calls a column of its printed tables."""
    return name_of("column", key, outcome_title(key.replace("_", "-")))


def _implied(tables: JudgedTables) -> PageTable | None:
    named = [_column(key) for key in tables.columns]
    return listed(
        tell("printed.printed-rows-under-the-reading"),
        (
            "dealers-hand:13:translated",
            *(
                # The first share is printed with the terms that it is made of.
                Column(tell("printed.as-printed", column=name), width=10 if place else 20)
                for place, name in enumerate(named)
            ),
            *(Column(tell("printed.as-counted", column=name), "number", width=8) for name in named),
            "verdict-and-every-slip",
        ),
        (
            (
                row.label,
                *(row.printed[key] for key in tables.columns),
                *(decimal(100 * row.implied[key], 2) for key in tables.columns),
                _worth_cell(
                    row.under_implied_reading,
                    tuple(prose(translated(told)) for told in (*row.slips, *row.remarks)),
                ),
            )
            for row in tables.rows
        ),
        tell("printed.printed-cells-stand-here-sign"),
        dense=True,
    )


def _chances(tables: JudgedTables, strategies: tuple[str, ...], played: str) -> PageTable | None:
    """Tabulates the true chances; what nothing is printed of has a column only where it occurs."""
    rows = tables.rows
    shown = [
        (name, key)
        for name in strategies
        for key in tables.outcomes
        if key in tables.columns or any(_share_of(row, name, key) for row in rows)
    ]
    return listed(
        tell("printed.true-conditional-probabilities-by-way"),
        (
            Column(tell("printed.dealers-hand"), width=16),
            Column(tell("printed.printed"), width=8),
            *(Column(said_of(translated(name), _column(key)), "number") for name, key in shown),
        ),
        (
            (
                translated(row.label),
                note(row.printed[tables.columns[0]].partition(" ")[0]),
                *(_chance(row, name, key) for name, key in shown),
            )
            for row in (rows if strategies else ())
        ),
        f"{tell('printed.in-per-cent-printed-the')} {played}".strip(),
        dense=True,
    )


def _share_of(row: JudgedRow, strategy: str, key: str) -> Fraction | None:
    chances = row.conditional.get(strategy) or row.conditional.get(_ANY)
    return chances[key].probability if chances else None


def _chance(row: JudgedRow, strategy: str, key: str) -> str:
    share = _share_of(row, strategy, key)
    return "–" if share is None else decimal(100 * share, 2)

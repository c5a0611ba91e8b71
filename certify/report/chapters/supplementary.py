"""Tables of a family beside the returns of its games, each figure set as what it rests on allows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import groupby

from certify.evidence.analysis import Basis, SupplementaryFigure, SupplementaryTable, Unit
from certify.evidence.document import Evidence
from certify.messages import name_of, tell, translated
from certify.report.formats import DASH, decimal, outward, percent, percent_range, prose, signed
from certify.report.layout import Column, PageCell, PageTable, listed
from certify.report.words import decision_title, said

_DEAL = re.compile(r"(?P<cards>\w+(?: \w+)*): (?P<decisions>[\w-]+(?:, [\w-]+)*)")
_PLACES = 6
_PLAYED_PLACES = 3
"""Play-through shows no more places than its interval leaves."""

_LONG = 10**12
"""Rounds from which on a wait is told in powers of ten: its digits would reach beyond the page."""

_FIRST_COLUMN = 30
_WITH_DETAIL = 70
"""Share of the page for the first column, and where deals stand in it."""


def supplementary_tables(evidence: Evidence) -> tuple[PageTable | None, ...]:
    """Returns the tables; none where the family has none."""
    return tuple(_table(table) for table in evidence.supplementary_tables or () if table.rows)


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
    """Returns a figure, or the interval in which it lies."""
    if figure is None:
        return DASH
    low, high = figure.low, figure.high
    unit, played = figure.unit, figure.basis is Basis.PLAYED
    # Between ends that print alike the figure prints so too: an end of its digits is not known, those printed are.
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
        case _ if value.denominator == 1:
            return signed(value, 0)
        case _:
            return signed(value, _PLAYED_PLACES if played else _PLACES)

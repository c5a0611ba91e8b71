"""Tables of games with many wagers: what otherwise has a table for each wager stands in one table, wager by wager."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from certify.evidence.joint import JointFigures
from certify.messages import tell
from certify.report.formats import statistic
from certify.report.layout import Column, PageCell, PageTable, columns, number

MANY: Final = 5
"""Wagers from which on they share their tables."""

_BY_CONTENT: Final = 0

MOST_ACROSS: Final = 12
"""Wagers whose correlations fit beside each other."""

STRONGEST: Final = 24
"""Correlations that are listed where there are more wagers than that."""


def joined(caption: str, tables: Sequence[tuple[PageCell, PageTable]], width: int) -> PageTable:
    """Returns tables of the same columns as one, what each is about standing before its first row.

    Args:
        caption: Caption of the whole.
        tables: What a table is about, and the table; its caption is left away, remarks stand below once each.
        width: Share of the width that the first column takes, in per cent.
    """
    first = tables[0][1]
    rows = [
        (subject if place == 0 else PageCell(""), *row)
        for subject, table in tables
        for place, row in enumerate(table.rows)
    ]
    remarks = dict.fromkeys(table.remark for _, table in tables if table.remark)
    head = (*columns(f"wager:{width}"), *(replace(column, width=_BY_CONTENT) for column in first.columns))
    return PageTable(caption, head, tuple(rows), " ".join(remarks), sortable=False, dense=True)


def correlations(entry: JointFigures, titles: dict[str, str]) -> PageTable:
    """Tabulates the correlation of every two wagers across, or of those that depend most on each other."""
    found = {pair.wagers: pair.correlation for pair in entry.covariance}
    wagers = list(dict.fromkeys(wager for pair in found for wager in pair))
    caption = tell("together.correlation-of-net-results-per", strategy=entry.strategy)
    remark = tell("together.covariances-in-evidence")
    if len(wagers) <= MOST_ACROSS:
        rows = tuple(tuple(_row(wager, wagers, found, titles)) for wager in wagers)
        head = (
            *columns("wager"),
            *(Column(str(place), "number") for place in range(1, len(wagers) + 1)),
        )
        return PageTable(caption, head, rows, remark, sortable=False, dense=True)
    strongest = sorted(
        ((pair, value) for pair, value in found.items() if len(set(pair)) > 1), key=lambda one: -abs(one[1])
    )[:STRONGEST]
    rows = tuple(
        (
            PageCell(
                tell("together.pair", one=titles.get(pair[0], pair[0]), other=titles.get(pair[1], pair[1]))
            ),
            number(statistic(value, 4)),
        )
        for pair, value in strongest
    )
    remark = f"{tell('together.strongest-only', shown=len(rows))} {remark}"
    return PageTable(caption, columns("wagers:64", "#correlation:36"), rows, remark, dense=True)


def _row(
    wager: str, wagers: Sequence[str], found: dict[tuple[str, str], float], titles: dict[str, str]
) -> Iterator[PageCell]:
    yield PageCell(f"{wagers.index(wager) + 1}  {titles.get(wager, wager)}")
    for other in wagers:
        value = found.get((wager, other), found.get((other, wager)))
        yield number("–" if value is None else statistic(value, 2))

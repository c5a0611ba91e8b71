"""Histograms of p-values: all of them together, and small ones test by test."""

from __future__ import annotations

import math
from collections.abc import Sequence

from certify.messages import statements, tell
from certify.report.figures.axes import LEFT, RIGHT, SMALL, TOP, WIDTH, grid
from certify.report.formats import grouped, statistic
from certify.report.layout import Figure
from certify.report.svg import Scale, SvgDrawing

BINS = 10
_COLUMNS = 3
_PANEL, _GAP, _PANEL_HEIGHT, _HEAD = 200.0, 20.0, 64.0, 32.0


def tenths(values: Sequence[float]) -> tuple[int, ...]:
    """Counts values in each tenth of the unit interval, the last one closed.

    >>> tenths([0.05, 0.07, 1.0])
    (2, 0, 0, 0, 0, 0, 0, 0, 0, 1)
    """
    counts = [0] * BINS
    for value in values:
        counts[min(int(value * BINS), BINS - 1)] += 1
    return tuple(counts)


def histogram(values: Sequence[float]) -> Figure:
    """Draws how many p-values fall into each tenth, beside what sound randomness gives on average."""
    counts, height = tenths(values), 220.0
    expected = len(values) / BINS
    drawing = SvgDrawing(WIDTH, height)
    x = Scale((0.0, 1.0), (LEFT, WIDTH - RIGHT))
    y = Scale((0.0, 1.1 * max(*counts, expected)), (height - 40, TOP))
    grid(drawing, x, y, lambda value: statistic(value, 1), lambda value, _: grouped(round(value)))
    _bars(drawing, counts, x, y)
    drawing.line((x.at(0), y.at(expected)), (x.at(1), y.at(expected)), "exact", width=1.3, dashes="5 3")
    drawing.text((0, 14), tell("histograms.number-of-p-values"), "muted", size=SMALL)
    drawing.text((WIDTH - RIGHT, height - 4), tell("played.p-value"), "muted", anchor="end", size=SMALL)
    caption = tell("histograms.p-values-by-tenths-dashed", values=grouped(len(values)))
    return Figure(
        "histogram", caption, tell("histograms.histogram-of-p-values-by", words=_words(counts)), drawing.svg()
    )


def histograms(rows: Sequence[tuple[str, Sequence[float]]]) -> Figure:
    """Draws one small histogram for each test."""
    lines = -(-len(rows) // _COLUMNS)
    drawing = SvgDrawing(WIDTH, lines * (_PANEL_HEIGHT + _HEAD))
    for index, (name, values) in enumerate(rows):
        counts, expected = tenths(values), len(values) / BINS
        left = (index % _COLUMNS) * (_PANEL + _GAP)
        top = (index // _COLUMNS) * (_PANEL_HEIGHT + _HEAD) + _HEAD - 10
        x = Scale((0.0, 1.0), (left, left + _PANEL))
        y = Scale((0.0, max(*counts, math.ceil(expected))), (top + _PANEL_HEIGHT, top))
        _bars(drawing, counts, x, y)
        drawing.line((x.at(0), y.at(0)), (x.at(1), y.at(0)), "axis")
        drawing.line((x.at(0), y.at(expected)), (x.at(1), y.at(expected)), "exact", dashes="5 3")
        drawing.text((left, top - 6), name, size=SMALL)
        drawing.text((left + _PANEL, top - 6), grouped(len(values)), "muted", anchor="end", size=SMALL)
    words = statements(f"{name}: {_words(tenths(values))}" for name, values in rows)
    caption = tell("histograms.p-values-of-each-test")
    return Figure(
        "histograms", caption, tell("histograms.histograms-of-p-values-by", words=words), drawing.svg()
    )


def _bars(drawing: SvgDrawing, counts: Sequence[int], x: Scale, y: Scale) -> None:
    for index, count in enumerate(counts):
        low, high = x.at(index / BINS) + 1, x.at((index + 1) / BINS) - 1
        if count:
            drawing.box((low, y.at(count)), high - low, y.at(0) - y.at(count), "accent")


def _words(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))

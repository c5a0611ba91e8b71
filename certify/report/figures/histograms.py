"""Drawings of tests of randomness: a histogram of p-values, a map of residuals."""

from __future__ import annotations

from collections.abc import Sequence

from certify.messages import tell
from certify.report.figures.axes import LEFT, RIGHT, SMALL, TOP, WIDTH, grid
from certify.report.formats import grouped, statistic
from certify.report.layout import Figure
from certify.report.svg import Scale, SvgDrawing

PAINTED = 2.0
"""Standard deviations from which on a cell is painted; by chance one in twenty-two is."""
STRONG = 4.0
_LABELS = 12
_HIGHEST, _LOWEST = 9.0, 3.0


def heat(
    name: str, axis: str, rows: Sequence[str], columns: Sequence[str], residuals: Sequence[Sequence[float]]
) -> Figure:
    """Draws one table of residuals, rows downwards and classes to the right.

    Args:
        name: Id of the figure.
        axis: What the rows are: ``place`` or ``block``.
        rows: Names of the rows.
        columns: Names of the classes.
        residuals: Standardised residuals, row by row.
    """
    cell = (WIDTH - LEFT - RIGHT) / len(columns)
    tall = max(_LOWEST, min(_HIGHEST, 360.0 / len(rows)))
    drawing = SvgDrawing(WIDTH, TOP + tall * len(rows) + 44)
    bottom = TOP + tall * len(rows)
    for row, values in enumerate(residuals):
        for column, value in enumerate(values):
            if abs(value) >= PAINTED:
                corner = (LEFT + cell * column, TOP + tall * row)
                colour = _colour(value)
                drawing.box(corner, cell, tall, colour)
    for x in (LEFT, WIDTH - RIGHT):
        drawing.line((x, TOP), (x, bottom), "axis")
    for y in (TOP, bottom):
        drawing.line((LEFT, y), (WIDTH - RIGHT, y), "axis")
    for row in range(0, len(rows), -(-len(rows) // _LABELS)):
        middle = TOP + tall * (row + 0.5) + 4
        drawing.text((LEFT - 7, middle), rows[row], "muted", anchor="end", size=SMALL)
    for column in range(0, len(columns), -(-len(columns) // (_LABELS // 2))):
        left = LEFT + cell * column
        drawing.line((left, bottom), (left, bottom + 4), "axis")
        drawing.text((left, bottom + 16), columns[column], "muted", size=SMALL)
    drawing.text(
        (0, 14), tell("heat.rows-place" if axis == "place" else "heat.rows-block"), "muted", size=SMALL
    )
    _legend(drawing)
    painted = sum(abs(value) >= PAINTED for row in residuals for value in row)
    cells = len(rows) * len(columns)
    words = tell("heat.map-in-words", cells=cells, painted=painted, strongest=_strongest(residuals))
    return Figure(
        name, tell("heat.caption-place" if axis == "place" else "heat.caption-block"), words, drawing.svg()
    )


def _colour(value: float) -> str:
    """Returns red for too often and blue for too seldom, pale below four standard deviations."""
    if value > 0:
        return "exact" if value >= STRONG else "warm"
    return "accent" if value <= -STRONG else "band"


def _strongest(residuals: Sequence[Sequence[float]]) -> str:
    return statistic(max((value for row in residuals for value in row), key=abs), 2)


def _legend(drawing: SvgDrawing) -> None:
    entries = (("accent", "≤ −4"), ("band", "−4 … −2"), ("warm", "2 … 4"), ("exact", "≥ 4"))
    place = WIDTH - RIGHT - 84.0 * len(entries)
    for colour, label in entries:
        drawing.box((place, 6), 20, 10, colour)
        drawing.text((place + 26, 14.5), label, "muted", size=SMALL)
        place += 84.0


BINS = 10


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


def _bars(drawing: SvgDrawing, counts: Sequence[int], x: Scale, y: Scale) -> None:
    for index, count in enumerate(counts):
        low, high = x.at(index / BINS) + 1, x.at((index + 1) / BINS) - 1
        if count:
            drawing.box((low, y.at(count)), high - low, y.at(0) - y.at(count), "accent")


def _words(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))

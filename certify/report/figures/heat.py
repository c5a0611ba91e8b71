"""Standardised residuals as a map: only cells beyond two standard deviations are painted."""

from __future__ import annotations

from collections.abc import Sequence

from certify.messages import tell
from certify.report.figures.axes import LEFT, RIGHT, SMALL, TOP, WIDTH
from certify.report.formats import statistic
from certify.report.layout import Figure
from certify.report.svg import SvgDrawing

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

"""Histogram of p-values."""

from __future__ import annotations

from collections.abc import Sequence

from certify.messages import tell
from certify.report.figures.axes import LEFT, RIGHT, SMALL, TOP, WIDTH, grid
from certify.report.formats import grouped, statistic
from certify.report.layout import Figure
from certify.report.svg import Scale, SvgDrawing

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

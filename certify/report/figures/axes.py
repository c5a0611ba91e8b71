"""What the charts share: measures, rules, labels and the legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certify.messages import NARROW, spoken
from certify.report.svg import Scale, SvgDrawing
from certify.report.widths import width_of

WIDTH = 640.0
LEFT, RIGHT, TOP = 58.0, 14.0, 26.0
SMALL = 10.5
FACE = "IBMPlexSans-Regular.ttf"


def grid(
    drawing: SvgDrawing,
    x: Scale,
    y: Scale,
    x_label: Callable[[float], str],
    y_label: Callable[[float, float], str],
) -> None:
    """Draws rules and labels of both axes."""
    bottom, top = y.pixels
    left, right = x.pixels
    ticks = y.ticks(5)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    for tick in ticks:
        drawing.line((left, y.at(tick)), (right, y.at(tick)), "rule")
        drawing.text((left - 7, y.at(tick) + 4), y_label(tick, step), "muted", anchor="end", size=SMALL)
    for tick in x.ticks(5):
        drawing.line((x.at(tick), top), (x.at(tick), bottom), "rule")
        drawing.text((x.at(tick), bottom + 16), x_label(tick), "muted", anchor="middle", size=SMALL)
    drawing.line((left, bottom), (right, bottom), "axis")


def legend(drawing: SvgDrawing, entries: Sequence[tuple[str, str]], *, dashed: bool = True) -> None:
    """Writes the legend above the plot, on its right side; the exact value is dashed unless told otherwise."""
    lengths = [max(118.0, width_of(label, FACE, SMALL) + 40) for _, label in entries]
    place = WIDTH - RIGHT - sum(lengths)
    for (colour, label), length in zip(entries, lengths, strict=True):
        if colour == "band":
            drawing.box((place, 6), 20, 10, colour)
        else:
            drawing.line(
                (place, 11),
                (place + 20, 11),
                colour,
                width=1.8,
                dashes="5 3" if dashed and colour == "exact" else "",
            )
        drawing.text((place + 26, 14.5), label, "muted", size=SMALL)
        place += length


def rounds_label(value: float) -> str:
    """Returns 1 000 000 as ``1 M``."""
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            return f"{spoken().numeral(f'{value / unit:g}')}{NARROW}{letter}"
    return spoken().numeral(f"{value:g}")

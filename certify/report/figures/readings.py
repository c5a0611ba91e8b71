"""Chart of what a game returns under every combination of readings, with the line where nobody has the edge."""

from __future__ import annotations

from collections.abc import Sequence

from certify.messages import NARROW, tell
from certify.report.figures.axes import RIGHT, SMALL, TOP, WIDTH
from certify.report.formats import statistic
from certify.report.layout import Figure
from certify.report.svg import Scale, SvgDrawing, places_for

_LEFT, _ROW = 20.0, 4.0
_WHOLE = 100.0


def combinations(rows: Sequence[tuple[float, bool]], unit: str) -> Figure:
    """Draws one dot for each combination of readings, the lowest return first.

    Args:
        rows: Return in per cent, and whether it is the reading adopted; in ascending order.
        unit: What the return is counted in.
    """
    bottom = TOP + _ROW * (len(rows) + 1)
    drawing = SvgDrawing(WIDTH, bottom + 36)
    values = [value for value, _ in rows]
    margin = max(2.0, (max(*values, _WHOLE) - min(*values, _WHOLE)) * 0.06)
    x = Scale(
        (min(*values, _WHOLE) - margin, max(*values, _WHOLE) + margin),
        (_LEFT, WIDTH - RIGHT),
    )
    ticks = x.ticks(6)
    places = places_for(ticks[1] - ticks[0]) if len(ticks) > 1 else 0
    for tick in ticks:
        drawing.line((x.at(tick), TOP), (x.at(tick), bottom), "rule")
        drawing.text((x.at(tick), bottom + 14), statistic(tick, places), "muted", anchor="middle", size=SMALL)
    drawing.line((_LEFT, bottom), (WIDTH - RIGHT, bottom), "axis")
    drawing.line((x.at(_WHOLE), TOP - 6), (x.at(_WHOLE), bottom), "exact", width=1.3, dashes="5 3")
    drawing.text(
        (x.at(_WHOLE), 14), tell("readings.nobody-has-the-edge"), "exact", anchor="middle", size=SMALL
    )
    for place, (value, adopted) in enumerate(rows, start=1):
        at = (x.at(value), TOP + _ROW * place)
        drawing.dot(at, "exact" if adopted else "accent", radius=4.2 if adopted else 2.6, hollow=not adopted)
    drawing.text(
        (WIDTH - RIGHT, bottom + 31),
        tell("readings.return-per-lowest-first", unit=unit),
        "muted",
        anchor="end",
        size=SMALL,
    )
    drawing.dot((_LEFT + 4, bottom + 27), "exact", radius=4.2)
    drawing.text((_LEFT + 14, bottom + 31), tell("readings.as-adopted"), "muted", size=SMALL)
    above = sum(value > _WHOLE for value in values)
    named = "".join(
        " " + tell("readings.the-reading-adopted-returns", value=statistic(value, 4))
        for value, adopted in rows
        if adopted
    )
    words = tell(
        "readings.dot-chart-of-the-return",
        unit=unit,
        rows=len(rows),
        values=statistic(min(values), 4),
        values_b=statistic(max(values), 4),
        above=above,
        named=named,
    )
    caption = tell("readings.return-under-every-combination-of", narrow=NARROW, unit=unit)
    return Figure("combinations", caption, words, drawing.svg())

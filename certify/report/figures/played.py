"""Charts of what was played and dealt: convergence, residuals, p-values."""

import math
from collections.abc import Sequence

from certify.evidence import StatedCampaign
from certify.messages import NARROW, statements, tell
from certify.report.formats import grouped, p_value, percent, statistic
from certify.report.layout import Figure
from certify.report.svg import (
    LEFT,
    RIGHT,
    SMALL,
    TOP,
    WIDTH,
    Scale,
    SvgDrawing,
    charted,
    grid,
    legend,
    places_for,
    rounds_label,
    titled,
)

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
    strongest = statistic(max((value for row in residuals for value in row), key=abs), 2)
    words = tell("heat.map-in-words", cells=cells, painted=painted, strongest=strongest)
    return Figure(
        name, tell("heat.caption-place" if axis == "place" else "heat.caption-block"), words, drawing.svg()
    )


def _colour(value: float) -> str:
    """Returns red for too often and blue for too seldom, pale below four standard deviations."""
    if value > 0:
        return "exact" if value >= STRONG else "warm"
    return "accent" if value <= -STRONG else "band"


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
    """Draws how many p-values fall into each tenth, next to what sound randomness gives on average."""
    counts = tenths(values)
    expected = len(values) / BINS
    drawing, x, y = charted(220.0, (0.0, 1.0), (0.0, 1.1 * max(*counts, expected)))
    grid(drawing, x, y, lambda value: statistic(value, 1), lambda value, _: grouped(round(value)))
    _bars(drawing, counts, x, y)
    drawing.line((x.at(0), y.at(expected)), (x.at(1), y.at(expected)), "exact", width=1.3, dashes="5 3")
    titled(drawing, tell("histograms.number-of-p-values"), tell("played.p-value"))
    caption = tell("histograms.p-values-by-tenths-dashed", values=grouped(len(values)))
    return Figure(
        "histogram",
        caption,
        tell("histograms.histogram-of-p-values-by", words=", ".join(map(str, counts))),
        drawing.svg(),
    )


def _bars(drawing: SvgDrawing, counts: Sequence[int], x: Scale, y: Scale) -> None:
    for index, count in enumerate(counts):
        low, high = x.at(index / BINS) + 1, x.at((index + 1) / BINS) - 1
        if count:
            drawing.box((low, y.at(count)), high - low, y.at(0) - y.at(count), "accent")


_RESIDUAL_LIMIT = 2.5758  # the 99.5 % point of the normal distribution: 99 % two-sided
_RESIDUALS = 12
"""Most residuals that the figure shows."""
_DOTS = 200
# Small charts, one for each test.
_COLUMNS = 3
_PANEL, _GAP, _PANEL_HEIGHT, _HEAD = 200.0, 20.0, 90.0, 32.0


def convergence(campaign: StatedCampaign, wager: str, title: str) -> Figure:
    """Draws the running return of a wager with its 99 % interval closing in on the exact return."""
    every = [
        (float(point.rounds), 100 * at.return_, 100 * at.half_width_99)
        for point in campaign.convergence
        if (at := point.wagers.get(wager)) is not None
    ]
    # The interval of the first rounds is so wide that the last ones would be a line: only the later half of the
    # decades is drawn, all of it inside the plot. The table next to the chart has the earlier points.
    series = [entry for entry in every if entry[0] ** 2 >= every[0][0] * every[-1][0]]
    expected = next(entry.mean.exact_return for entry in campaign.wagers if entry.wager == wager)
    exact = 100 * float(expected)
    reach = max(abs(value - exact) + half for _, value, half in series) * 1.08
    across = series[0][0], max(series[-1][0], series[0][0] * 10)
    drawing, x, y = charted(140.0, across, (exact - reach, exact + reach), logarithmic=True)
    upper = [(x.at(n), y.at(value + half)) for n, value, half in series]
    lower = [(x.at(n), y.at(value - half)) for n, value, half in series]
    grid(drawing, x, y, rounds_label, lambda value, step: statistic(value, places_for(step)))
    drawing.area([*upper, *reversed(lower)], "band")
    drawing.path([(x.at(n), y.at(value)) for n, value, _ in series], "accent", width=1.8)
    drawing.line((LEFT, y.at(exact)), (WIDTH - RIGHT, y.at(exact)), "exact", width=1.3, dashes="5 3")
    legend(
        drawing,
        (
            ("band", tell("played.99-interval")),
            ("accent", tell("played.played-return")),
            ("exact", tell("played.exact-return")),
        ),
    )
    titled(drawing, tell("exact.return"), tell("played.rounds-played-logarithmic"))
    last = series[-1]
    words = tell(
        "played.line-chart-of-the-played",
        title=title,
        series=grouped(int(series[0][0])),
        last=grouped(int(last[0])),
        last_b=statistic(last[1], 4),
        last_c=statistic(last[2], 4),
        exact_text=percent(expected, 4),
    )
    return Figure(
        f"convergence-{campaign.strategy}-{wager}",
        tell(
            "played.played-return-closing-in-on",
            title=title,
            strategy=campaign.strategy,
            series=grouped(int(series[0][0])),
        ),
        words,
        drawing.svg(),
    )


def residuals(strategy: str, rows: Sequence[tuple[str, str, float]]) -> Figure:
    """Draws how far each outcome's count is from its expectation, in standard deviations; of many, the farthest.

    Args:
        strategy: What was played.
        rows: Wager, outcome and standardised residual, the wagers in blocks.
    """
    farthest = sorted(rows, key=lambda row: -abs(row[2]))[:_RESIDUALS]
    drawn = [row for row in rows if row in farthest]
    caption = tell("played.outcome-counts-against-expectation-the", strategy=strategy)
    if len(drawn) < len(rows):
        caption = f"{caption}. {tell('played.farthest', shown=len(drawn), outcomes=len(rows))}"
    words = _residuals_in_words(drawn)
    return Figure(
        f"residuals-{strategy}", caption, words, _residuals(drawn, max(3.5, 1.1 * abs(farthest[0][2])))
    )


def _residuals_in_words(rows: Sequence[tuple[str, str, float]]) -> str:
    outside = sum(abs(value) > _RESIDUAL_LIMIT for _, _, value in rows)
    listed = statements(f"{wager}, {outcome}: {statistic(value, 2)}" for wager, outcome, value in rows)
    return tell("played.dot-chart-of-the-standardised", rows=len(rows), outside=outside, listed=listed)


def _residuals(rows: Sequence[tuple[str, str, float]], reach: float) -> str:
    """Returns the drawing of residuals on an axis that reaches so far to either side."""
    row_height, left = 11.5, 215.0
    lines = sum(1 for _ in rows) + len({wager for wager, _, _ in rows})
    height = TOP + row_height * lines + 37
    drawing = SvgDrawing(WIDTH, height)
    x = Scale((-reach, reach), (left, WIDTH - RIGHT))
    bottom = TOP + row_height * lines
    drawing.box(
        (x.at(-_RESIDUAL_LIMIT), TOP - 4),
        x.at(_RESIDUAL_LIMIT) - x.at(-_RESIDUAL_LIMIT),
        bottom - TOP + 8,
        "band",
    )
    for tick in range(-math.floor(reach), math.floor(reach) + 1):
        drawing.line((x.at(tick), TOP - 4), (x.at(tick), bottom + 4), "axis" if tick == 0 else "rule")
        drawing.text((x.at(tick), bottom + 18), statistic(tick, 0), "muted", anchor="middle", size=SMALL)
    middle, previous = TOP - row_height * 0.5, ""
    for wager, outcome, value in rows:
        if wager != previous:
            # The name of a wager has a line of its own, so that no label can meet another.
            middle += row_height
            drawing.text((0, middle + 4), _cut(wager, 38), "ink", size=SMALL)
            previous = wager
        middle += row_height
        drawing.text((12, middle + 4), _cut(outcome, 40), "muted", size=9.5)
        drawing.line((x.at(0), middle), (x.at(value), middle), "accent", width=1.2)
        drawing.dot((x.at(value), middle), "exact" if abs(value) > _RESIDUAL_LIMIT else "accent", radius=3.2)
    drawing.text(
        ((left + WIDTH - RIGHT) / 2, height - 5),
        tell("played.standardised-residual"),
        "muted",
        anchor="middle",
        size=SMALL,
    )
    return drawing.svg()


def _cut(label: str, length: int) -> str:
    """Returns a label that fits into its place; the caption and the tables have it in full."""
    return label if len(label) <= length else label[: length - 1].rstrip() + "…"


def ordered_p_values(values: Sequence[float], alpha: float) -> Figure:
    """Draws sorted p-values against the straight line that sound randomness follows on average."""
    ordered = sorted(values)
    count = len(ordered)
    drawing, x, y = charted(170.0, (0.0, 1.0), (0.0, 1.0))
    _band(drawing, x, y, count, alpha)
    grid(drawing, x, y, lambda value: statistic(value, 2), lambda value, _: statistic(value, 2))
    _ascending(drawing, x, y, ordered, radius=2.6)
    titled(drawing, tell("played.p-value"), tell("played.share-of-p-values-in"))
    words = tell(
        "played.chart-of-p-values-in",
        count=count,
        ordered=p_value(ordered[0]),
        ordered_b=p_value(ordered[count // 2]),
        ordered_c=p_value(ordered[-1]),
    )
    label = statistic(100 * (1 - alpha), 0)
    caption = tell("played.p-values-in-ascending-order", label=label, narrow=NARROW)
    return Figure("p-values", caption, words, drawing.svg())


def quantiles(rows: Sequence[tuple[str, Sequence[float]]], alpha: float) -> Figure:
    """Draws the sorted p-values of each test, one small chart each, against the line of sound randomness."""
    lines = -(-len(rows) // _COLUMNS)
    drawing = SvgDrawing(WIDTH, lines * (_PANEL_HEIGHT + _HEAD))
    for index, (name, values) in enumerate(rows):
        left = (index % _COLUMNS) * (_PANEL + _GAP)
        top = (index // _COLUMNS) * (_PANEL_HEIGHT + _HEAD) + _HEAD - 10
        x = Scale((0.0, 1.0), (left, left + _PANEL))
        y = Scale((0.0, 1.0), (top + _PANEL_HEIGHT, top))
        _band(drawing, x, y, len(values), alpha)
        drawing.line((x.at(0), y.at(0)), (x.at(1), y.at(0)), "axis")
        drawing.line((x.at(0), y.at(0)), (x.at(0), y.at(1)), "axis")
        _ascending(drawing, x, y, sorted(values), radius=1.2)
        drawing.text((left, top - 6), name, size=SMALL)
        drawing.text((left + _PANEL, top - 6), grouped(len(values)), "muted", anchor="end", size=SMALL)
    words = statements(f"{name}: {p_value(min(values))}" for name, values in rows)
    label = statistic(100 * (1 - alpha), 0)
    caption = tell("played.p-values-of-each-test", label=label, narrow=NARROW)
    return Figure("quantiles", caption, tell("played.charts-of-p-values-of", words=words), drawing.svg())


def _band(drawing: SvgDrawing, x: Scale, y: Scale, count: int, alpha: float) -> None:
    """Shades where the whole curve of so many independent p-values is in all cases but these."""
    # Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant.
    band = math.sqrt(math.log(2 / alpha) / (2 * count))
    steps = [index / 50 for index in range(51)]
    upper = [(x.at(step), y.clamped(step + band)) for step in steps]
    lower = [(x.at(step), y.clamped(step - band)) for step in steps]
    drawing.area([*upper, *reversed(lower)], "band")


def _ascending(drawing: SvgDrawing, x: Scale, y: Scale, ordered: Sequence[float], radius: float) -> None:
    """Draws sorted p-values with the diagonal: dots, or a line where there are many."""
    count = len(ordered)
    drawing.line((x.at(0), y.at(0)), (x.at(1), y.at(1)), "exact", width=1.3, dashes="5 3")
    points = [(x.at((index + 0.5) / count), y.at(value)) for index, value in enumerate(ordered)]
    if count > _DOTS:
        drawing.path(points[:: -(-count // _DOTS)], "accent", width=1.8)
        return
    for point in points:
        drawing.dot(point, "accent", radius=radius)

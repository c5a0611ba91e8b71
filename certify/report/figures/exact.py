"""Charts of exact figures: candidates of a recovery, combinations of readings, what one decision gains."""

from collections.abc import Sequence

from certify.messages import NARROW, statements, tell
from certify.report.formats import statistic
from certify.report.layout import Figure
from certify.report.svg import (
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
    titled,
)

_LEFT, _ROW = 20.0, 4.0
_WHOLE = 100.0


def _upright(drawing: SvgDrawing, x: Scale, top: float, bottom: float, zero: float = 0.0) -> None:
    """Draws the lines of a scale, with its numbers below them; what is nearer to nought than ``zero`` is an axis."""
    ticks = x.ticks(6)
    places = places_for(ticks[1] - ticks[0]) if len(ticks) > 1 else 0
    for tick in ticks:
        drawing.line((x.at(tick), top), (x.at(tick), bottom), "axis" if abs(tick) < zero else "rule")
        drawing.text((x.at(tick), bottom + 14), statistic(tick, places), "muted", anchor="middle", size=SMALL)


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
    _upright(drawing, x, TOP, bottom)
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


def recovery(
    wager: tuple[str, str],
    candidates: Sequence[tuple[str, str, float, bool]],
    printed: str,
    low: float,
    high: float,
) -> Figure:
    """Draws the returns of all candidates; the printed figure is a line that one of them meets.

    Args:
        wager: Id and name of the wager.
        candidates: Reading, pays, return in per cent and whether it fits, in the order of the evidence.
        printed: The figure as printed.
        low: Lower end of the printed interval, in per cent.
        high: Upper end, in per cent.
    """
    readings = list(dict.fromkeys(reading for reading, _, _, _ in candidates))
    left, row_height, top = 250.0, 30.0, 30.0
    bottom = top + row_height * len(readings)
    drawing = SvgDrawing(WIDTH, bottom + 34)
    values = [value for _, _, value, _ in candidates]
    margin = (max(values) - min(values)) * 0.04 or 1.0
    x = Scale((min(values) - margin, max(values) + margin), (left, WIDTH - RIGHT))
    _upright(drawing, x, top - 6, bottom)
    drawing.box((x.at(low) - 0.75, top - 6), max(1.5, x.at(high) - x.at(low)), bottom - top + 6, "exact")
    drawing.text(
        (x.at((low + high) / 2), top - 12),
        tell("exact.printed", printed=printed),
        "exact",
        anchor="middle",
        size=SMALL,
    )
    for index, reading in enumerate(readings):
        middle = top + row_height * (index + 0.5)
        parts = reading.split(", ")
        for line, part in enumerate(parts):
            drawing.text((0, middle + 4 + 12 * (line - (len(parts) - 1) / 2)), part, "ink", size=9.5)
        drawing.line((left, middle), (WIDTH - RIGHT, middle), "rule")
        for _, pays, value, fits in (entry for entry in candidates if entry[0] == reading):
            drawing.dot(
                (x.at(value), middle),
                "exact" if fits else "accent",
                radius=4.2 if fits else 3,
                hollow=not fits,
            )
            if fits:
                drawing.text((x.at(value) + 7, middle - 6), tell("exact.fits", pays=pays), "ink", size=10)
    drawing.text((WIDTH - RIGHT, bottom + 30), tell("exact.exact-return"), "muted", anchor="end", size=SMALL)
    fitting = [entry for entry in candidates if entry[3]]
    named = statements(f"{reading}, {pays}: {statistic(value, 6)} %" for reading, pays, value, _ in fitting)
    words = tell(
        "exact.dot-chart-of-the-exact",
        candidates=len(candidates),
        values=statistic(min(values), 4),
        values_b=statistic(max(values), 4),
        fitting=len(fitting),
        printed=printed,
        named=": " + named if named else "",
    )
    return Figure(
        f"recovery-{wager[0]}",
        tell("exact.exact-returns-of-all-candidates", wager=wager[1], candidates=len(candidates)),
        words,
        drawing.svg(),
    )


def advantage(rows: Sequence[tuple[str, float]], better: str, worse: str, which: str) -> Figure:
    """Draws by how much one decision beats the other, hand by hand.

    Args:
        rows: The hand and the difference of the expected results, in units of the stake.
        better: The decision on the positive side.
        worse: The decision on the negative side.
        which: Which hands these are, for the caption.
    """
    left, row_height = 140.0, 14.0
    bottom = TOP + row_height * len(rows)
    drawing = SvgDrawing(WIDTH, bottom + 34)
    reach = max(abs(value) for _, value in rows) * 1.08 or 1.0
    x = Scale((-reach, reach), (left, WIDTH - RIGHT))
    _upright(drawing, x, TOP, bottom, reach / 1e6)
    for index, (hand, value) in enumerate(rows):
        top = TOP + row_height * index + 2.5
        drawing.text((left - 10, top + 8), hand, "ink", anchor="end", size=10)
        start = min(x.at(0), x.at(value))
        drawing.box(
            (start, top),
            max(1.0, abs(x.at(value) - x.at(0))),
            row_height - 5,
            "accent" if value > 0 else "axis",
        )
    drawing.text(
        (x.at(reach), 14), tell("exact.is-better", better=better), "accent", anchor="end", size=SMALL
    )
    drawing.text((x.at(-reach), 14), tell("exact.is-better-b", worse=worse), "muted", size=SMALL)
    drawing.text(
        (WIDTH - RIGHT, bottom + 30),
        tell("exact.difference-of-expected-results-in"),
        "muted",
        anchor="end",
        size=SMALL,
    )
    listed = statements(f"{hand}: {statistic(value, 3)}" for hand, value in rows)
    words = tell("exact.bar-chart-of-the-expected", better=better, worse=worse, rows=len(rows), listed=listed)
    return Figure(
        "advantage",
        tell("exact.what-gains-over", better=better, worse=worse, which=which),
        words,
        drawing.svg(),
    )


def frontier(side: str, title: str, pieces: Sequence[tuple[float, float, float, float]]) -> Figure:
    """Draws the returns under best play of the whole stake, over the stake on one side bet.

    Args:
        side: Id of the side bet, for the name of the figure.
        title: Its name.
        pieces: Beginning and end of each range of side stakes, return of the main wager and of the side bet.
    """
    corners = [start for start, *_ in pieces[1:]]
    end = min(pieces[-1][1], 2 * corners[-1])
    values = [100 * value for _, _, main, side_return in pieces for value in (main, side_return)]
    margin = (max(values) - min(values)) * 0.06 or 1.0
    drawing, x, y = charted(190.0, (0.0, end), (min(values) - margin, max(values) + margin))
    grid(drawing, x, y, lambda v: statistic(v, 1), lambda v, step: statistic(v, places_for(step)))
    for corner in corners:
        drawing.line((x.at(corner), TOP), (x.at(corner), y.pixels[0]), "axis", dashes="2 3")
    for colour, place in (("accent", 2), ("exact", 3)):
        steps = [
            point
            for piece in pieces
            for point in (
                (x.at(piece[0]), y.at(100 * piece[place])),
                (x.at(min(piece[1], end)), y.at(100 * piece[place])),
            )
        ]
        drawing.path(steps, colour, width=1.8)
    drawing.path([(x.at(at), y.at(100 * whole)) for at, whole in _whole_stake(pieces, end)], "ink", width=1.3)
    names = (("accent", tell("exact.main-wager")), ("exact", title), ("ink", tell("exact.whole-stake")))
    legend(drawing, names, dashed=False)
    titled(drawing, tell("exact.return"), tell("exact.stake-on-per-unit-on", title=title))
    listed = statements(
        tell(
            "exact.from-main",
            start=statistic(start, 4),
            main=statistic(100 * main, 4),
            title=title,
            other=statistic(100 * other, 4),
        )
        for start, _, main, other in pieces
    )
    words = tell("exact.step-chart-of-the-returns", title=title, listed=listed)
    return Figure(
        f"frontier-{side}",
        tell("exact.returns-under-best-play-of", title=title),
        words,
        drawing.svg(),
    )


def _whole_stake(
    pieces: Sequence[tuple[float, float, float, float]], end: float
) -> list[tuple[float, float]]:
    """Returns points of the return on the whole stake, which is curved between the corners."""
    points = []
    for start, stop, main, side in pieces:
        last = min(stop, end)
        for step in range(13):
            stake = start + (last - start) * step / 12
            points.append((stake, (main + stake * side) / (1 + stake)))
    return points

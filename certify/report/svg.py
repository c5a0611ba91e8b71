"""A small writer of SVG charts: same input, same bytes; text stays text; colours have names.

Each mark carries a presentation attribute for print and a class, so that the HTML twin can recolour it.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape

from certify.messages import NARROW, spoken
from certify.report.widths import width_of

WIDTH = 640.0
LEFT, RIGHT, TOP = 58.0, 14.0, 26.0
SMALL = 10.5
Point = tuple[float, float]
FACE = "IBMPlexSans-Regular.ttf"


def charted(
    height: float, across: Point, upwards: Point, *, logarithmic: bool = False
) -> "tuple[SvgDrawing, Scale, Scale]":
    """Returns a chart with room for titles of its axes, and the scales of what runs across it and upwards."""
    x = Scale(across, (LEFT, WIDTH - RIGHT), logarithmic)
    return SvgDrawing(WIDTH, height), x, Scale(upwards, (height - 40, TOP))


def titled(drawing: "SvgDrawing", upwards: str, across: str) -> None:
    """Writes what the axes of a chart are of."""
    drawing.text((0, 14), upwards, "muted", size=SMALL)
    drawing.text((WIDTH - RIGHT, drawing.height - 4), across, "muted", anchor="end", size=SMALL)


def grid(
    drawing: "SvgDrawing",
    x: "Scale",
    y: "Scale",
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


def legend(drawing: "SvgDrawing", entries: Sequence[tuple[str, str]], *, dashed: bool = True) -> None:
    """Writes the legend above the plot, on its right side; the exact value is dashed unless set otherwise."""
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


PALETTE = {
    "ink": "#1b2430",
    "muted": "#5a6675",
    "rule": "#e3e7ed",
    "axis": "#8b95a3",
    "accent": "#0b4f8a",
    "band": "#cfe0f2",
    "exact": "#b3261e",
    "warm": "#f3c4bf",
    "paper": "#ffffff",
}
_FAMILY = "IBM Plex Sans"
_NICE = (1.0, 2.0, 2.5, 5.0, 10.0)


def _n(value: float) -> str:
    """Two decimals are a hundredth of a pixel: enough, and the same on every machine."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _points(points: Sequence[Point]) -> str:
    return " ".join(f"{_n(x)},{_n(y)}" for x, y in points)


@dataclass(slots=True)
class SvgDrawing:
    """Collects marks and writes them as one SVG.

    Args:
        width: In CSS pixels.
        height: In CSS pixels.
    """

    width: float
    height: float
    _marks: list[str] = field(default_factory=list)

    def line(self, start: Point, end: Point, colour: str, *, width: float = 1, dashes: str = "") -> None:
        """Draws a straight line."""
        dash = f' stroke-dasharray="{dashes}"' if dashes else ""
        (x1, y1), (x2, y2) = start, end
        self._marks.append(
            f'<line class="s-{colour}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}" '
            f'stroke="{PALETTE[colour]}" stroke-width="{_n(width)}"{dash}/>'
        )

    def path(self, points: Sequence[Point], colour: str, *, width: float = 1.5) -> None:
        """Draws a line through points."""
        self._marks.append(
            f'<polyline class="s-{colour}" points="{_points(points)}" fill="none" '
            f'stroke="{PALETTE[colour]}" stroke-width="{_n(width)}" stroke-linejoin="round"/>'
        )

    def area(self, points: Sequence[Point], colour: str) -> None:
        """Fills the polygon through points."""
        self._marks.append(
            f'<polygon class="f-{colour}" points="{_points(points)}" fill="{PALETTE[colour]}"/>'
        )

    def box(self, corner: Point, width: float, height: float, colour: str) -> None:
        """Fills a rectangle, given its upper left corner."""
        x, y = corner
        self._marks.append(
            f'<rect class="f-{colour}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" '
            f'fill="{PALETTE[colour]}"/>'
        )

    def dot(self, centre: Point, colour: str, *, radius: float = 3, hollow: bool = False) -> None:
        """Draws a dot, hollow where it represents something that was not chosen."""
        x, y = centre
        paint = (
            f'class="s-{colour} f-paper" fill="{PALETTE["paper"]}" stroke="{PALETTE[colour]}"'
            if hollow
            else f'class="f-{colour}" fill="{PALETTE[colour]}"'
        )
        self._marks.append(f'<circle {paint} cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"/>')

    def text(
        self,
        place: Point,
        text: str,
        colour: str = "ink",
        *,
        anchor: str = "start",
        size: float = 11,
        turned: float = 0,
    ) -> None:
        """Writes one line of text; the place is on its baseline, about which it is turned by degrees, clockwise."""
        x, y = place
        about = f' transform="rotate({_n(turned)} {_n(x)} {_n(y)})"' if turned else ""
        self._marks.append(
            f'<text class="f-{colour}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}" font-size="{_n(size)}" '
            f'font-family="{_FAMILY}" fill="{PALETTE[colour]}"{about}>{escape(text)}</text>'
        )

    def svg(self) -> str:
        """Returns the drawing as an SVG without date, identifiers or outside references."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(self.width)} {_n(self.height)}" '
            f'width="{_n(self.width)}" height="{_n(self.height)}">'
        )
        return head + "".join(self._marks) + "</svg>"


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values to pixels, evenly or by their logarithm.

    >>> Scale((0.0, 10.0), (100.0, 200.0)).at(5.0)
    150.0
    """

    domain: tuple[float, float]
    pixels: tuple[float, float]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Returns the place of a value."""
        low, high = (self._grow(end) for end in self.domain)
        first, last = self.pixels
        share = (self._grow(value) - low) / (high - low) if high > low else 0.5
        return first + share * (last - first)

    def _grow(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def clamped(self, value: float) -> float:
        """Returns the place of a value, or of the nearer end where it is outside."""
        return self.at(min(max(value, self.domain[0]), self.domain[1]))

    def ticks(self, wanted: int = 5) -> tuple[float, ...]:
        """Returns round values inside the domain: powers of ten on a logarithmic scale.

        >>> Scale((0.0, 1.0), (0.0, 1.0)).ticks(5)
        (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        """
        low, high = self.domain
        if self.logarithmic:
            exponents = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
            return tuple(10.0**exponent for exponent in exponents)
        step = nice_step((high - low) / wanted)
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        return tuple(round(index * step, 12) for index in range(first, last + 1))


def nice_step(rough: float) -> float:
    """Returns the round step next above a rough one.

    >>> nice_step(0.3), nice_step(7.0)
    (0.5, 10.0)
    """
    if rough <= 0:
        return 1.0
    scale = 10.0 ** math.floor(math.log10(rough))
    return next(nice for nice in _NICE if nice * scale >= rough * (1 - 1e-9)) * scale


def places_for(step: float) -> int:
    """Returns how many decimals labels need so that steps can be distinguished.

    >>> places_for(0.25), places_for(10.0)
    (2, 0)
    """
    places = 0
    while places < 9 and abs(round(step, places) - step) > step * 1e-6:
        places += 1
    return places

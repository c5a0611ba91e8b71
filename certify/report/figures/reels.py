"""Drawings of reels: stops of each reel, lines cell by cell, and the window that wins most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from certify.messages import statements, tell
from certify.report.figures.axes import FACE, SMALL, WIDTH
from certify.report.figures.pieces import outline
from certify.report.layout import Figure
from certify.report.svg import SvgDrawing
from certify.report.widths import width_of

MOST_STOPS: Final = 150
"""Stops of a reel that are drawn; of more, the submission tells."""

MOST_LINES: Final = 60
"""Lines that are drawn."""

_TINY, _STEP, _TALL, _SHORT = 8.0, 10.0, 50, 12
_CELL, _GAP, _BETWEEN = 8.0, 16.0, 12.0
_WIDE, _HIGH = 84.0, 24.0

Reels = Sequence[Sequence[str]]


def stops_of(name: str, title: str, reels: Reels, weights: Sequence[Sequence[int]]) -> Figure:
    """Draws reels side by side, stop by stop.

    Args:
        name: Name of the figure.
        title: Name of the set.
        reels: What each reel shows.
        weights: Weights of the stops of each reel; empty where all come alike.
    """
    shown = [faces[:MOST_STOPS] for faces in reels]
    longest, wide = max(map(len, shown)), WIDTH / len(reels)
    # As many columns beside each other as their symbols leave room for.
    letters = max(width_of(symbol, FACE, _TINY) for faces in shown for symbol in faces)
    columns = max(
        math.ceil(longest / _TALL), min(math.ceil(longest / _SHORT), int((wide - 12) // (letters + 20))), 1
    )
    tall = math.ceil(longest / columns)
    drawing = SvgDrawing(WIDTH, 24 + _STEP * tall + 6)
    for reel, faces in enumerate(shown):
        left = wide * reel + 6
        heading = tell("layout.reels.reel", number=reel + 1)
        drawing.text((left, 12), heading, "accent", size=SMALL)
        drawing.line((left, 17), (left + wide - 12, 17), "axis")
        for stop, symbol in enumerate(faces):
            x = left + (wide - 12) / columns * (stop // tall)
            y = 28 + _STEP * (stop % tall)
            more = f" :{weights[reel][stop]}" if weights[reel] else ""
            drawing.text((x + 12, y), str(stop + 1), "muted", anchor="end", size=6.5)
            drawing.text((x + 15, y), _fitting(symbol + more, (wide - 12) / columns - 17, _TINY), size=_TINY)
    caption = [tell("layout.reels.stops", name=title)]
    caption += [tell("layout.reels.weights")] if any(weights) else []
    if max(map(len, reels)) > MOST_STOPS:
        caption.append(tell("layout.reels.first-only", shown=MOST_STOPS))
    return Figure(name, " ".join(caption), _told(shown), drawing.svg())


def lines_of(name: str, rows: Sequence[int], lines: Sequence[Sequence[int]]) -> Figure:
    """Draws each line on a window of its own, by its number."""
    wide, high = _CELL * len(rows) + _GAP, _CELL * max(rows) + _GAP + _BETWEEN
    across = int(WIDTH // wide)
    shown = lines[:MOST_LINES]
    drawing = SvgDrawing(WIDTH, high * math.ceil(len(shown) / across) + 4)
    for number, line in enumerate(shown):
        left, top = wide * (number % across) + 6, high * (number // across) + 14
        drawing.text((left, top - 3), str(number + 1), "muted", size=_TINY)
        for reel, row in enumerate(line):
            for place in range(rows[reel]):
                corner = (left + _CELL * reel, top + _CELL * place)
                if place + 1 == row:
                    drawing.box(corner, _CELL, _CELL, "accent")
                outline(drawing, corner, _CELL, _CELL)
    told = statements(f"{number}: {' '.join(map(str, line))}" for number, line in enumerate(shown, 1))
    caption = tell("layout.reels.lines", lines=len(lines))
    return Figure(name, caption, tell("layout.reels.lines-alternative", lines=told), drawing.svg())


def window_of(name: str, window: Reels) -> Figure:
    """Draws a window, reel by reel from the top."""
    wide = min(_WIDE, (WIDTH - 12) / len(window))
    drawing = SvgDrawing(WIDTH, _HIGH * max(map(len, window)) + 8)
    start = (WIDTH - wide * len(window)) / 2
    for reel, cells in enumerate(window):
        for place, symbol in enumerate(cells):
            corner = (start + wide * reel, 4 + _HIGH * place)
            outline(drawing, corner, wide, _HIGH)
            middle = (corner[0] + wide / 2, corner[1] + _HIGH / 2 + 4)
            drawing.text(middle, _fitting(symbol, wide - 6, SMALL), anchor="middle", size=SMALL)
    return Figure(name, tell("layout.reels.top"), _told(window), drawing.svg())


def _told(reels: Reels) -> str:
    """Returns what reels show, in words."""
    numbered = enumerate(reels, start=1)
    told = statements(
        f"{tell('layout.reels.reel', number=place)}: {', '.join(one)}" for place, one in numbered
    )
    return tell("layout.reels.alternative", reels=told)


def _fitting(text: str, width: float, size: float) -> str:
    """Returns a text, cut short with an ellipsis where it is wider than its place."""
    if width_of(text, FACE, size) <= width:
        return text
    while text and width_of(f"{text}…", FACE, size) > width:
        text = text[:-1]
    return f"{text}…"

"""Drawings of what chance is drawn from: wheels, dice, reels, balls and cards, each by its kind and number alone."""

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from certify.messages import spoken, statements, tell
from certify.model import LaidPiece
from certify.report.layout import Figure
from certify.report.svg import FACE, SMALL, WIDTH, Point, SvgDrawing
from certify.report.widths import width_of

MOST: Final = 32
"""Places of wagers that are drawn; of more, the tables tell."""

_BESIDE: Final = 4
_EDGE, _SPOT_GAP, _LINE = 12.0, 12.0, 14.0
_SPOT_LABEL: Final = 6.1
"""Width of a letter of a title, on average, in pixels."""


@dataclass(frozen=True, slots=True)
class LayoutSpot:
    """Where a wager is put.

    Args:
        title: Title of the wager.
        pays: What it pays, in words; empty where its paytable is elsewhere.
        limits: Least and greatest stake.
    """

    title: str
    pays: str
    limits: str


def layout_of_table(
    bank: str, places: Sequence[LayoutSpot], pieces: Sequence[LaidPiece] = ()
) -> Figure | None:
    """Draws bank, equipment, the places of the wagers and the player; nothing where no wager is known.

    Args:
        bank: Who banks the game.
        places: The wagers, the main one first.
        pieces: What is drawn from; none where the evidence does not tell.
    """
    if not places:
        return None
    shown, pieces = places[:MOST], side_by_side(pieces)
    rows = list(_rows(shown))
    heights = [35 + _LINE * max(len(_lines(place, len(row))) for place in row) for row in rows]
    above = 26 + (max(height_of(piece) for piece in pieces) + 6 if pieces else 4)
    drawing = SvgDrawing(WIDTH, above + sum(heights) + _SPOT_GAP * len(rows) + 22)
    drawing.text((WIDTH / 2, 16), bank[:1].upper() + bank[1:], "muted", anchor="middle")
    for number, piece in enumerate(pieces):
        draw_piece(drawing, piece, WIDTH * (2 * number + 1) / (2 * len(pieces)), 24)
    top = above
    for row, height in zip(rows, heights, strict=True):
        _draw_row(drawing, row, top, height)
        top += height + _SPOT_GAP
    drawing.text((WIDTH / 2, top + 10), tell("layout.player"), "muted", anchor="middle")
    told = statements(", ".join(part for part in (p.title, p.pays, p.limits) if part) for p in shown)
    equipment = statements(piece_words(piece) for piece in pieces)
    caption = tell("layout.caption")
    if len(places) > len(shown):
        caption = f"{caption} {tell('layout.first-only', shown=len(shown), wagers=len(places))}"
    return Figure(
        "layout-of-table",
        caption,
        tell("layout.alternative", bank=bank, wagers=told)
        + (f" {tell('layout.equipment', equipment=equipment)}" if equipment else ""),
        drawing.svg(),
    )


def _rows(places: Sequence[LayoutSpot]) -> Iterator[Sequence[LayoutSpot]]:
    """Yields the places row by row, the rows as even as they can be."""
    rows = -(-len(places) // _BESIDE)
    across = -(-len(places) // rows)
    for first in range(0, len(places), across):
        yield places[first : first + across]


def _lines(place: LayoutSpot, beside: int) -> list[str]:
    letters = int((_width(beside) - 8) / _SPOT_LABEL)
    return textwrap.wrap(place.title, letters, max_lines=3, placeholder=" …") or [""]


def _width(beside: int) -> float:
    return (WIDTH - 2 * _EDGE - _SPOT_GAP * (beside - 1)) / beside


def _draw_row(drawing: SvgDrawing, row: Sequence[LayoutSpot], top: float, height: float) -> None:
    width = _width(len(row))
    for number, place in enumerate(row):
        left = _EDGE + number * (width + _SPOT_GAP)
        outline(drawing, (left, top), width, height)
        _write(drawing, place, (left + width / 2, top), height, len(row))


def _write(drawing: SvgDrawing, place: LayoutSpot, corner: Point, height: float, beside: int) -> None:
    """Writes title, pays and limits, the title from above and the others from below."""
    middle, top = corner
    for number, line in enumerate(_lines(place, beside)):
        drawing.text((middle, top + 15 + _LINE * number), line, anchor="middle")
    drawing.text((middle, top + height - 7), place.limits, "muted", anchor="middle", size=9)
    if place.pays:
        drawing.text((middle, top + height - 20), place.pays, "accent", anchor="middle", size=SMALL)


MOST_STOPS: Final = 150
"""Stops of a reel that are drawn; of more, the submission tells."""

MOST_LINES: Final = 60
"""Lines that are drawn."""

_TINY, _STEP, _TALL, _SHORT = 8.0, 10.0, 50, 12
_CELL, _GAP, _BETWEEN = 8.0, 16.0, 12.0

Reels = Sequence[Sequence[str]]


def stops_of(name: str, title: str, reels: Reels, weights: Sequence[Sequence[int]]) -> Figure:
    """Draws reels side by side, stop by stop.

    Args:
        name: Name of the figure.
        title: Name of the set.
        reels: What each reel shows.
        weights: Weights of the stops of each reel; empty where all come equally often.
    """
    shown = [faces[:MOST_STOPS] for faces in reels]
    longest, wide = max(map(len, shown)), WIDTH / len(reels)
    # As many columns next to each other as their symbols leave room for.
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


_RING, _INNER, _LABEL = 86.0, 58.0, 73.0
_DIE, _BALL, _CARD = 46.0, 11.0, (44.0, 62.0)
_FEW_STOPS, _FEW_DICE, _LETTERS = 64, 6, 4
_LETTER: Final = 4.6
"""Width of a letter of a label, on average, in pixels."""
_PIPS: Final[Mapping[int, tuple[Point, ...]]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def draw_piece(drawing: SvgDrawing, piece: LaidPiece, middle: float, top: float) -> None:
    """Draws a piece around a middle, with what it is below it; it takes the height that `height_of` tells."""
    _DRAWN[piece.kind](drawing, piece, middle, top)
    drawing.text(
        (middle, top + height_of(piece) - 6), piece_words(piece), "muted", anchor="middle", size=SMALL
    )


def piece_words(piece: LaidPiece) -> str:
    """Returns what a piece is, in one phrase."""
    message = f"layout.piece.{piece.kind}"
    told = {"size": piece.size, "drawn": max(piece.drawn, 1), "decks": piece.decks}
    return tell(message, **{name: told[name] for name in spoken().places(message)})


def height_of(piece: LaidPiece) -> float:
    """Returns the height of a drawn piece with its words, in pixels."""
    match piece.kind:
        case "wheel":
            return 2 * _RING + 28
        case "balls" if piece.stops:
            return 2 * _BALL * math.ceil(len(piece.stops) / _in_a_row(piece)) + 30
        case "dice":
            return _DIE + 30
        case _:
            return _CARD[1] + 30


def _wheel(drawing: SvgDrawing, piece: LaidPiece, middle: float, top: float) -> None:
    """Draws a wheel with a sector for each stop, the first at the top, or an empty one where they are too many."""
    centre = (middle, top + _RING + 4)
    stops = piece.stops if len(piece.stops) <= _FEW_STOPS else ()
    number = len(stops)
    for place in range(number):
        if place % 2:
            turns = [(place + step / 4) / number for step in range(5)]
            outer = [_at(centre, turn, _RING) for turn in turns]
            inner = [_at(centre, turn, _INNER) for turn in reversed(turns)]
            drawing.area([*outer, *inner], "band")
    across = 2 * math.pi * _LABEL / max(number, 1)
    outward = any(_LETTER * len(stop) > across for stop in stops)
    for place, stop in enumerate(stops):
        turn = (place + 0.5) / number
        if outward:
            _label_outward(drawing, centre, turn, stop[: _LETTERS + 2])
        else:
            x, y = _at(centre, turn, _LABEL)
            drawing.text((x, y + 3), stop[:_LETTERS], anchor="middle", size=8)
    for radius in (_RING, _INNER):
        circle = [_at(centre, step / 96, radius) for step in range(97)]
        drawing.path(circle, "axis", width=1)


def _label_outward(drawing: SvgDrawing, centre: Point, turn: float, label: str) -> None:
    """Writes the label of a stop along the radius, never upside down: narrow sectors have it next to them."""
    right = turn < 1 / 2
    # The baseline is next to the radius by a third of the letters' height, so that their middle is on it.
    beside = math.asin(2.8 / _LABEL) / (2 * math.pi)
    x, y = _at(centre, turn + (beside if right else -beside), _LABEL)
    drawing.text((x, y), label, anchor="middle", size=8, turned=360 * turn - (90 if right else 270))


def _at(centre: Point, turn: float, radius: float) -> Point:
    """Returns the place on a circle after part of a turn, clockwise from the top."""
    return centre[0] + radius * math.sin(2 * math.pi * turn), centre[1] - radius * math.cos(
        2 * math.pi * turn
    )


def _dice(drawing: SvgDrawing, piece: LaidPiece, middle: float, top: float) -> None:
    """Draws as many dice as are thrown at once, each with one of its faces."""
    number = min(max(piece.drawn, 1), _FEW_DICE)
    gap = 10.0
    left = middle - (number * _DIE + (number - 1) * gap) / 2
    for place in range(number):
        corner = (left + place * (_DIE + gap), top + 4)
        outline(drawing, corner, _DIE, _DIE)
        face = piece.stops[-1 - place % len(piece.stops)] if piece.stops else ""
        x, y = corner[0] + _DIE / 2, corner[1] + _DIE / 2
        pips = _PIPS.get(int(face), ()) if face.isdecimal() else ()
        for across, down in pips:
            drawing.dot((x + 11 * across, y + 11 * down), "ink", radius=3.2)
        if not pips:
            drawing.text((x, y + 4), face[: 2 * _LETTERS], anchor="middle")


def _balls(drawing: SvgDrawing, piece: LaidPiece, middle: float, top: float) -> None:
    """Draws every ball where they are few enough, else three without a number."""
    names = piece.stops or ("", "", "")
    across = _in_a_row(piece) if piece.stops else len(names)
    left = middle - across * _BALL
    for place, name in enumerate(names):
        row, column = divmod(place, across)
        x, y = left + (2 * column + 1) * _BALL, top + 4 + (2 * row + 1) * _BALL
        drawing.dot((x, y), "axis", radius=_BALL - 1.5, hollow=True)
        drawing.text((x, y + 3), name[:_LETTERS], anchor="middle", size=8)


def _in_a_row(piece: LaidPiece) -> int:
    return min(20, len(piece.stops))


def _reel(drawing: SvgDrawing, piece: LaidPiece, middle: float, top: float) -> None:
    """Draws a window with the first three stops of a reel."""
    width, height = _CARD[0] * 1.6, _CARD[1] / 3
    for place in range(3):
        corner = (middle - width / 2, top + 4 + place * height)
        outline(drawing, corner, width, height)
        if place < len(piece.stops):
            drawing.text((middle, corner[1] + 14), piece.stops[place][:10], anchor="middle", size=SMALL)


def _shoe(drawing: SvgDrawing, _: LaidPiece, middle: float, top: float) -> None:
    """Draws three cards face down, one upon the other."""
    width, height = _CARD
    for place in range(3):
        corner = (middle - width / 2 - 14 + 14 * place, top + 4)
        drawing.box(corner, width, height, "paper")
        outline(drawing, corner, width, height)
        drawing.box((corner[0] + 5, corner[1] + 5), width - 10, height - 10, "band")


def outline(drawing: SvgDrawing, corner: Point, width: float, height: float) -> None:
    """Draws the sides of a rectangle, given its upper left corner."""
    (left, top), (right, bottom) = corner, (corner[0] + width, corner[1] + height)
    drawing.path([(left, top), (right, top), (right, bottom), (left, bottom), (left, top)], "axis", width=1)


_DRAWN: Final[Mapping[str, Callable[[SvgDrawing, LaidPiece, float, float], None]]] = {
    "wheel": _wheel,
    "dice": _dice,
    "reel": _reel,
    "balls": _balls,
    "shoe": _shoe,
}

_REEL_WIDTH: Final = 100.0
"""A reel with the words below it."""


def side_by_side(pieces: Sequence[LaidPiece]) -> Sequence[LaidPiece]:
    """Returns the pieces that fit next to one another, the first ones; reels are narrower than anything else.

    Where more than that come, and the first ones are reels, these are drawn alone: three reels of five are no game.
    """
    widest = int(WIDTH // (2 * _RING + 20))
    reels = tuple(takewhile(lambda piece: piece.kind == "reel", pieces))
    if len(reels) > widest:
        return reels[: int(WIDTH // _REEL_WIDTH)]
    return pieces[:widest]

"""Drawings of what chance is drawn from: wheels, dice, reels, balls and cards, each by its kind and number alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from certify.messages import spoken, tell
from certify.model.layout import LaidPiece
from certify.report.figures.axes import SMALL, WIDTH
from certify.report.svg import Point, SvgDrawing

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
    """Writes the label of a stop along the radius, never upside down: sectors too narrow for it lie beside it."""
    right = turn < 1 / 2
    # The baseline lies beside the radius by a third of the letters' height, so that their middle is on it.
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


def beside_one_another(pieces: Sequence[LaidPiece]) -> Sequence[LaidPiece]:
    """Returns the pieces that fit beside one another, the first ones; reels are narrower than anything else.

    Where more than that come, and the first ones are reels, these are drawn alone: three reels of five are no game.
    """
    widest = int(WIDTH // (2 * _RING + 20))
    reels = tuple(takewhile(lambda piece: piece.kind == "reel", pieces))
    if len(reels) > widest:
        return reels[: int(WIDTH // _REEL_WIDTH)]
    return pieces[:widest]

"""The layout of the table as the submission tells it: what is drawn from, who sits where, and what can be bet on."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from certify.messages import statements, tell
from certify.model.layout import LaidPiece
from certify.report.figures.axes import SMALL, WIDTH
from certify.report.figures.pieces import beside_one_another, draw_piece, height_of, outline, piece_words
from certify.report.layout import Figure
from certify.report.svg import Point, SvgDrawing

MOST: Final = 32
"""Places of wagers that are drawn; of more, the tables tell."""

_BESIDE: Final = 4
_EDGE, _GAP, _LINE = 12.0, 12.0, 14.0
_LETTER: Final = 6.1
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
    shown, pieces = places[:MOST], beside_one_another(pieces)
    rows = list(_rows(shown))
    heights = [35 + _LINE * max(len(_lines(place, len(row))) for place in row) for row in rows]
    above = 26 + (max(height_of(piece) for piece in pieces) + 6 if pieces else 4)
    drawing = SvgDrawing(WIDTH, above + sum(heights) + _GAP * len(rows) + 22)
    drawing.text((WIDTH / 2, 16), bank[:1].upper() + bank[1:], "muted", anchor="middle")
    for number, piece in enumerate(pieces):
        draw_piece(drawing, piece, WIDTH * (2 * number + 1) / (2 * len(pieces)), 24)
    top = above
    for row, height in zip(rows, heights, strict=True):
        _draw_row(drawing, row, top, height)
        top += height + _GAP
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
    letters = int((_width(beside) - 8) / _LETTER)
    return textwrap.wrap(place.title, letters, max_lines=3, placeholder=" …") or [""]


def _width(beside: int) -> float:
    return (WIDTH - 2 * _EDGE - _GAP * (beside - 1)) / beside


def _draw_row(drawing: SvgDrawing, row: Sequence[LayoutSpot], top: float, height: float) -> None:
    width = _width(len(row))
    for number, place in enumerate(row):
        left = _EDGE + number * (width + _GAP)
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

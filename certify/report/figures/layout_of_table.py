"""The layout of the table as the submission tells it: who sits where, and what can be bet on within which limits."""

from __future__ import annotations

from collections.abc import Sequence

from certify.messages import tell
from certify.report.figures.axes import SMALL, WIDTH
from certify.report.layout import Figure
from certify.report.svg import Drawing

MOST = 4
"""Wagers that fit beside one another; a layout of more is not drawn here."""

_HEIGHT, _EDGE, _GAP, _BOX, _TITLE = 132.0, 12.0, 14.0, 52.0, 34


def layout_of_table(bank: str, wagers: Sequence[tuple[str, str]]) -> Figure | None:
    """Draws the places of bank, wagers and player; nothing where the wagers are too many for one row.

    Args:
        bank: Who banks the game.
        wagers: Title and limits of each wager, the main wager first.
    """
    if not 0 < len(wagers) <= MOST or any(len(title) > _TITLE for title, _ in wagers):
        return None
    drawing = Drawing(WIDTH, _HEIGHT)
    top, middle = 30.0, WIDTH / 2
    drawing.text((middle, 18), bank[:1].upper() + bank[1:], "muted", anchor="middle")
    width = (WIDTH - 2 * _EDGE - _GAP * (len(wagers) - 1)) / len(wagers)
    for place, (title, limits) in enumerate(wagers):
        left = _EDGE + place * (width + _GAP)
        right, bottom = left + width, top + _BOX
        for start, end in (
            ((left, top), (right, top)),
            ((right, top), (right, bottom)),
            ((right, bottom), (left, bottom)),
            ((left, bottom), (left, top)),
        ):
            drawing.line(start, end, "axis")
        drawing.text((left + width / 2, top + 23), title, anchor="middle")
        drawing.text((left + width / 2, top + 40), limits, "muted", anchor="middle", size=SMALL)
    drawing.text((middle, top + _BOX + 28), tell("layout.player"), "muted", anchor="middle")
    told = "; ".join(f"{title}, {limits}" for title, limits in wagers)
    return Figure(
        "layout-of-table",
        tell("layout.caption"),
        tell("layout.alternative", bank=bank, wagers=told),
        drawing.svg(),
    )

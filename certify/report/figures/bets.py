"""The layout of the bets: what of a draw wins which wager, over everything that can be read from the draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.messages import statements, tell
from certify.report.formats import percent
from certify.report.layout import Figure
from certify.report.svg import SMALL, WIDTH, SvgDrawing

_LEFT, _RIGHT, _ROW, _TOP, _BAR = 148.0, 62.0, 20.0, 12.0, 34.0
_TITLE: Final = 26
_MARK, _LETTER = 34.0, 4.8
"""Width of a mark of the key with the room next to it, and of a letter of its words, in pixels."""
_WIDE: Final = 26.0
"""Width of a column in which a pay can be written, in pixels."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a wager comes to where the draw reads so.

    Args:
        won: Share of the draws that win.
        kept: Share of the draws after which it is pushed, gets part of its stake back, or waits for another draw.
        pays: What it pays where one pay alone is won, in units of the stake; empty otherwise.
    """

    won: Fraction
    kept: Fraction
    pays: str = ""


@dataclass(frozen=True, slots=True)
class Bet:
    """A wager in the layout.

    Args:
        title: Its title.
        returns: Its return to the player, in words.
        marks: Its marks by column; a column without one loses.
    """

    title: str
    returns: str
    marks: dict[int, Mark]


def layout_of_bets(
    name: str, caption: str, columns: Sequence[str], chances: Sequence[Fraction], bets: Sequence[Bet]
) -> Figure:
    """Draws wagers below each other over what is read from a draw.

    Args:
        name: Name of the figure.
        caption: What the columns are.
        columns: Everything that can be read.
        chances: Probability of each column; none where it differs from wager to wager, or is the same for all.
        bets: The wagers.
    """
    step = (WIDTH - _LEFT - _RIGHT) / len(columns)
    bars = _BAR if len(set(chances)) > 1 else 0.0
    first = _TOP + bars + 18
    drawing = SvgDrawing(WIDTH, first + _ROW * len(bets) + 34)
    for column, title in enumerate(columns):
        middle = _LEFT + (column + 0.5) * step
        drawing.text(
            (middle, first - 6),
            title,
            "muted",
            anchor="middle",
            size=max(5.0, min(SMALL, step / (0.72 * max(len(title) for title in columns)))),
        )
        if bars:
            tall = bars * float(chances[column] / max(chances))
            drawing.box((middle - step / 2 + 1, _TOP + bars - tall), step - 2, tall, "band")
    drawing.text((WIDTH, first - 6), tell("layout.return"), "muted", anchor="end", size=9)
    for row, bet in enumerate(bets):
        _draw_bet(drawing, bet, first + row * _ROW, step, len(columns))
    _key(drawing, first + _ROW * len(bets) + 12)
    return Figure(name, caption, _told(columns, bets), drawing.svg())


def _draw_bet(drawing: SvgDrawing, bet: Bet, top: float, step: float, columns: int) -> None:
    title = bet.title if len(bet.title) <= _TITLE else f"{bet.title[: _TITLE - 1]}…"
    drawing.line((_LEFT, top), (_LEFT + step * columns, top), "rule")
    drawing.text((_LEFT - 8, top + 14), title, anchor="end", size=SMALL)
    drawing.text((WIDTH, top + 14), bet.returns, anchor="end", size=SMALL)
    for column, mark in bet.marks.items():
        left, inner = _LEFT + column * step + 1, step - 2
        if mark.won == 1:
            drawing.box((left, top + 3), inner, _ROW - 6, "accent")
        elif mark.won:
            drawing.box((left, top + 3), inner, _ROW - 6, "band")
        else:
            drawing.box((left, top + 3), inner, _ROW - 6, "axis")
            drawing.box((left + 1, top + 4), inner - 2, _ROW - 8, "paper")
        if mark.pays and step >= _WIDE:
            colour = "paper" if mark.won == 1 else "ink"
            size = min(SMALL, inner / (0.62 * len(mark.pays)))
            drawing.text((left + inner / 2, top + 13.5), mark.pays, colour, anchor="middle", size=size)


def _key(drawing: SvgDrawing, top: float) -> None:
    """Writes what the marks mean, from the first column on or as far to the left of it as the words need."""
    meanings = [
        (colour, tell(f"layout.key.{words}"))
        for colour, words in (("accent", "wins"), ("band", "wins-some"), ("paper", "kept"))
    ]
    left = min(_LEFT, WIDTH - sum(_MARK + _LETTER * len(text) for _, text in meanings))
    for colour, text in meanings:
        if colour == "paper":
            drawing.box((left, top), 12, 10, "axis")
            drawing.box((left + 1, top + 1), 10, 8, "paper")
        else:
            drawing.box((left, top), 12, 10, colour)
        drawing.text((left + 17, top + 9), text, "muted", size=9)
        left += _MARK + _LETTER * len(text)


def _told(columns: Sequence[str], bets: Sequence[Bet]) -> str:
    """Returns the same in words: for each wager the columns that win, those that sometimes do, and those kept."""
    told = []
    for bet in bets:
        groups = [
            ("layout.key.wins", [columns[place] for place, mark in bet.marks.items() if mark.won == 1]),
            (
                "layout.key.wins-some",
                [columns[place] for place, mark in bet.marks.items() if 0 < mark.won < 1],
            ),
            ("layout.key.kept", [columns[place] for place, mark in bet.marks.items() if not mark.won]),
        ]
        said = statements(f"{tell(words)}: {', '.join(names)}" for words, names in groups if names)
        told.append(f"{bet.title} ({bet.returns}): {said}")
    return ". ".join(told)


def returned(value: Fraction) -> str:
    """Returns a return to the player as it is next to a wager."""
    return percent(value, 2)

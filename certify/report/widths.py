"""How wide the columns of a table are, from the letters' own widths: the renderer need not weigh the contents."""

import io
from collections.abc import Sequence
from functools import cache
from typing import Final

from certify.fonts import face
from certify.report.formats import pieces
from certify.report.layout import Column, PageCell, PageTable

PAGE: Final = 180 / 25.4 * 72
"""Width of the text on a page, in points: A4 without its margins."""

_PADDING: Final = 3.2 / 25.4 * 72
"""What a cell keeps free to its left and right, in points."""

_ROOM: Final = 1.04
"""The room beyond the letters' own widths: marks are set with a gap, and groups are indented."""

_BARE: Final = 10
"""Per cent of the width that names and fractions kept whole must leave to the other texts."""

_SHORT: Final = 10
"""Letters up to which a heading is not broken."""

_NAME: Final = 24
_FRACTION: Final = 44
_ALL: Final = 10_000
"""Letters up to which what is in the fixed-width face is not broken, as far as there is room for it; in lists to
look things up in, names and digests never are."""

_SPARED: Final = 0.8
"""Part of its spare width that a column gives to others."""

_INDENTED: Final = 3 / 25.4 * 72
_SANS: Final = ("IBMPlexSans-SemiBold.ttf", 7.4)
_MONO: Final = ("IBMPlexMono-SemiBold.ttf", 6.9)
_DIGEST: Final = ("IBMPlexMono-SemiBold.ttf", 6.7)
_UNDER: Final = ("IBMPlexMono-SemiBold.ttf", 6.2)
_WHOLE: Final = ("number", "fit", "fitted", "over", "chart")
"""Kinds of cells whose text is never broken."""


def shares(table: PageTable, narrow: bool = False) -> tuple[float, ...]:
    """Returns the share of a table's width that each column has, in per cent, so that every text fits.

    A column has the share that it was given, or one by its longest text, and never less than its widest unbroken text
    takes; what that is more than its share, the others give up.

    Args:
        table: The table.
        narrow: Whether it is as wide as seven tenths of the page.

    Returns:
        The shares; none at all where the unbroken texts do not fit next to each other.
    """
    width = PAGE * (0.7 if narrow else 1)
    columns = [[row[place] for row in table.rows] for place in range(len(table.columns))]
    for letters in (_ALL,) if table.dense else (_FRACTION, _NAME, 0):
        least = [
            (_needed(column, cells, letters) * _ROOM + _PADDING) / width * 100
            for column, cells in zip(table.columns, columns, strict=True)
        ]
        spare = 100 - sum(least)
        if spare >= (_BARE if 0 < letters < _ALL else 0):
            break
    else:
        return ()
    wanted = _wanted(table.columns, columns)
    over = [max(0.0, share - own) for share, own in zip(wanted, least, strict=True)]
    if not sum(over):
        return tuple(own + spare / len(least) for own in least)
    found = [own + spare * more / sum(over) for own, more in zip(least, over, strict=True)]
    whole = [max(map(_in_one_line, cells), default=0.0) * _ROOM + _PADDING for cells in columns]
    return _evened(found, [max(100 * text / width, own) for text, own in zip(whole, least, strict=True)])


def _evened(found: Sequence[float], whole: Sequence[float]) -> tuple[float, ...]:
    """Gives what columns have beyond their longest text to those whose texts take several lines, the nearest first.

    Args:
        found: Share of each column.
        whole: Share in which its longest text takes one line.
    """
    given = list(found)
    left = sum(max(0.0, own - enough) for own, enough in zip(found, whole, strict=True)) * _SPARED
    if not left:
        return tuple(given)
    taken = 0.0
    for place in sorted(range(len(found)), key=lambda place: whole[place] - found[place]):
        more = min(max(0.0, whole[place] - found[place]), left - taken)
        given[place] += more
        taken += more
    for place, (own, enough) in enumerate(zip(found, whole, strict=True)):
        given[place] -= max(0.0, own - enough) * _SPARED * taken / left
    return tuple(given)


def _in_one_line(cell: PageCell) -> float:
    """Returns the width of a cell that takes no line more than it must, in points."""
    set_in = _MONO if cell.kind == "mono" else _DIGEST if cell.kind == "hash" else _SANS
    text = f"{cell.verdict.label} MMM" if cell.verdict is not None else cell.text
    return max(width_of(text, *set_in), *(width_of(line, *_SANS) for line in (cell.detail, *cell.lines)))


def _wanted(columns: Sequence[Column], cells: Sequence[Sequence[PageCell]]) -> list[float]:
    """Returns the shares as they were given; what these leave is divided by the longest text of the other columns."""
    left = max(0.0, 100 - sum(column.width for column in columns))
    longest = [
        0.0 if column.width else max(width_of(cell.text, *_SANS) for cell in (PageCell(column.title), *own))
        for column, own in zip(columns, cells, strict=True)
    ]
    return [column.width or left * own / sum(longest) for column, own in zip(columns, longest, strict=True)]


def _needed(column: Column, cells: Sequence[PageCell], whole: int) -> float:
    """Returns the width of the widest text of a column that cannot be broken, in points."""
    heading = width_of(column.title, *_SANS) if len(column.title) <= _SHORT else _words(column.title)
    return max((heading, *(_of_cell(cell, whole) for cell in cells)))


def _of_cell(cell: PageCell, whole: int) -> float:
    details = max(map(_words, (cell.detail, *cell.lines)))
    if cell.verdict is not None:
        # A verdict is in a lozenge, with its mark and a gap before it.
        return max(width_of(f"{cell.verdict.label} MMM", *_SANS), details)
    if cell.kind == "hash":
        return max(width_of(cell.text, *_DIGEST), details)
    if cell.kind == "mono":
        if whole == _ALL:
            return max(width_of(cell.text, *_MONO), width_of(cell.detail, *_UNDER))
        return max(width_of(cell.text, *_MONO) if len(cell.text) <= whole else 0.0, details)
    own = width_of(cell.text, *_SANS) if cell.kind in _WHOLE else _words(cell.text)
    return max(own + (_INDENTED if cell.kind == "subject" else 0), details)


def _words(text: str) -> float:
    """Returns the width of the widest part of a text between two places where a line may end."""
    return max((width_of(word, *_SANS) for piece in pieces(text) for word in piece.split(" ")), default=0.0)


@cache
def _advances(name: str) -> tuple[dict[str, float], float]:
    """Returns how far each letter of a face goes, in parts of its size, and the farthest of them."""
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(face(name)), lazy=True)
    size, metrics = font["head"].unitsPerEm, font["hmtx"]
    found = {chr(code): metrics[glyph][0] / size for code, glyph in font.getBestCmap().items()}
    return found, max(found.values())


def width_of(text: str, name: str, size: float) -> float:
    """Returns the width of a text in the unit of its size; a letter of another face counts as the widest of this."""
    advances, widest = _advances(name)
    return size * sum(advances.get(letter, widest) for letter in text)

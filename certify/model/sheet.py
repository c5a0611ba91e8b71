"""A spreadsheet as its reader sees it: blocks of rows under a heading, every cell with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

Value = str | int | bool | tuple[str, ...] | tuple[int, ...] | Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one heading.

    Args:
        sheet: Name of the sheet, or of the file.
        title: What stands above the heading; the name of the sheet where nothing does.
        header: Names of the columns, in lower-case words joined by underscores.
        rows: Cells as text, as many as the header has.
        lines: The number of each row.
        above: The number of the heading's row.
        head: The heading as it is written.
    """

    sheet: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    above: int
    head: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The title in lower-case words joined by underscores."""
        return words_of(self.title)

    @property
    def told(self) -> str:
        """The title with the cell at which the block begins, for messages.

        >>> Block("reels", "Free reels", ("", "a"), (("", "1"),), (2,), 1, ("", "A")).told
        '"Free reels" (reels!B1)'
        """
        first = next((at for at, name in enumerate(self.head) if name), 0)
        return f'"{self.title}" ({self.place(-1, first)})'

    def place(self, row: int, column: int) -> str:
        """Returns the name of a cell, as spreadsheets name them; row -1 is the heading.

        >>> Block("pays", "pays", ("a", "b"), (("1", "2"),), (2,), 1).place(0, 1)
        'pays!B2'
        """
        line = self.lines[row] if row >= 0 else self.above
        return f"{self.sheet}!{column_name(column)}{line}"


@dataclass(frozen=True, slots=True)
class StatedCell:
    """One key of a table, with the cell in which it is stated.

    Args:
        key: The key.
        value: Its value.
        place: Name of the cell.
    """

    key: str
    value: Value
    place: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of a submission, or one entry of an array of tables, as a sheet states it."""

    table: str
    stated: tuple[StatedCell, ...]


def words_of(text: str) -> str:
    """Returns a text in lower-case words joined by underscores.

    >>> words_of("Line pays (coins)"), words_of("5 of a kind")
    ('line_pays_coins', '5_of_a_kind')
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def column_name(column: int) -> str:
    """Returns the name of a column, counted from 0.

    >>> column_name(0), column_name(27)
    ('A', 'AB')
    """
    name, left = "", column + 1
    while left:
        left, digit = divmod(left - 1, 26)
        name = chr(ord("A") + digit) + name
    return name

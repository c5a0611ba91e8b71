"""Workbooks and CSV files as blocks of rows: a heading, what stands under it, a line left empty between two."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.model.sheet import Block, words_of
from certify.outside import read_bounded

MOST_BYTES: Final = 8 << 20
MOST_UNPACKED: Final = 64 << 20
MOST_CELLS: Final = 400_000
"""A workbook that says what a slot is has some ten thousand cells."""

Grid = Sequence[Sequence[str]]


def read_blocks(path: Path) -> tuple[Block, ...]:
    """Returns the blocks of a workbook (``.xlsx``) or of a CSV file.

    Raises:
        InputError: It is neither, or larger than what a person writes.
    """
    data = read_bounded(path, MOST_BYTES)
    if path.suffix.lower() == ".xlsx":
        return tuple(block for name, grid in _workbook(data, path) for block in blocks_of(name, grid))
    if path.suffix.lower() == ".csv":
        return tuple(blocks_of(path.stem, _csv(data, path)))
    raise InputError(f"{path}: expected a spreadsheet, a file name that ends in .xlsx or .csv")


def _csv(data: bytes, path: Path) -> Grid:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not in UTF-8, at byte {error.start}") from error
    if "\0" in text:
        raise InputError(f"{path}: not in UTF-8, at byte {data.index(0)}")
    # Spreadsheets of half the world separate by semicolons.
    comma = max(",;\t", key=text.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=comma))
    _bounded(sum(map(len, rows)), path)
    return [[cell.strip().removeprefix("'") for cell in row] for row in rows]


def _workbook(data: bytes, path: Path) -> Iterator[tuple[str, Grid]]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED:
                raise InputError(f"{path}: larger than {MOST_UNPACKED:,} bytes when unpacked")
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: not a workbook in the form of .xlsx: {error}") from error
    cells = 0
    for sheet in book.worksheets:
        grid = []
        for row in sheet.iter_rows(values_only=True):
            grid.append([_text(value) for value in row])
            cells += len(row)
            _bounded(cells, path)
        yield sheet.title, grid


def _bounded(cells: int, path: Path) -> None:
    if cells > MOST_CELLS:
        raise InputError(f"{path}: more than {MOST_CELLS:,} cells")


def _text(value: object) -> str:
    """Returns a cell as text; whole numbers without decimals."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def blocks_of(sheet: str, grid: Grid) -> Iterator[Block]:
    """Yields the blocks of one sheet: rows that follow each other without an empty one between.

    A single cell above a wider row is the title of what follows.

    >>> [(block.title, block.header) for block in blocks_of("s", [["Pays"], ["Symbol", "3x"], ["seven", "9"]])]
    [('Pays', ('symbol', '3x'))]
    """
    start = 0
    title = ""
    while start < len(grid):
        if not any(grid[start]):
            start += 1
            continue
        end = next((n for n in range(start, len(grid)) if not any(grid[n])), len(grid))
        filled = [sum(map(bool, row)) for row in grid[start:end]]
        first = start
        while first < end and filled[first - start] == 1 and (first + 1 == end or filled[first - start + 1]):
            title = next(filter(None, grid[first]))
            first += 1
        if first < end:
            yield _block(sheet, title or sheet, grid, first, end)
            title = ""
        start = end


def _block(sheet: str, title: str, grid: Grid, first: int, end: int) -> Block:
    width = max(len(row) for row in grid[first:end])
    head, *rows = ((*row, *("",) * (width - len(row))) for row in grid[first:end])
    lines = tuple(range(first + 2, end + 1))
    return Block(sheet, title, tuple(map(words_of, head)), tuple(rows), lines, first + 1, head)

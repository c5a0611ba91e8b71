"""Workbooks and CSV files as blocks of rows: a heading, what stands under it, a line left empty between two."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from certify.errors import InputError
from certify.model.sheet import Block, words_of
from certify.outside import SHEET, SHEET_UNPACKED, Meter, parsing, read_bounded

Grid = Sequence[Sequence[str]]


def read_blocks(path: Path) -> tuple[Block, ...]:
    """Returns the blocks of a workbook (``.xlsx``) or of a CSV file.

    Raises:
        InputError: It is neither, damaged, or larger than what a person writes.
    """
    data = read_bounded(path, SHEET)
    read = {".xlsx": _workbook, ".csv": _csv}.get(path.suffix.lower())
    if read is None:
        raise InputError(f"{path}: expected a spreadsheet, a file name that ends in .xlsx or .csv")
    with parsing(SHEET, lambda reason: InputError(f"{path}: {reason}")) as meter:
        return tuple(block for name, grid in read(data, path.stem, meter) for block in blocks_of(name, grid))


def _csv(data: bytes, name: str, meter: Meter) -> Iterator[tuple[str, Grid]]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise meter.refuse(f"not in UTF-8, at byte {error.start}") from error
    if "\0" in text:
        raise meter.refuse(f"not in UTF-8, at byte {data.index(0)}")
    # Spreadsheets of half the world separate by semicolons.
    comma = max(",;\t", key=text.count)
    rows = csv.reader(io.StringIO(text), delimiter=comma)
    yield name, _counted(name, ([cell.strip().removeprefix("'") for cell in row] for row in rows), meter)


def _workbook(data: bytes, name: str, meter: Meter) -> Iterator[tuple[str, Grid]]:
    from openpyxl import load_workbook

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > SHEET_UNPACKED:
            raise meter.refuse(f"larger than {SHEET_UNPACKED:,} bytes when unpacked")
        for part in archive.namelist():
            text = archive.read(part).replace(b"\0", b"")
            # Half of the marks close what the others open; a cell has two of each.
            meter.take(text.count(b"<") // 5, part)
            if b"<!DOCTYPE" in text:
                # ECMA-376, part 2, section 8.1.4: entities would make much of little.
                raise meter.refuse(f"{part}: a document type, which no workbook has")
    book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    for sheet in book.worksheets:
        # What a sheet says of its own size would cut off the rows beyond it.
        sheet.reset_dimensions()
        rows = ([_text(value) for value in row] for row in sheet.iter_rows(values_only=True))
        yield sheet.title, _counted(sheet.title, rows, meter)


def _counted(sheet: str, rows: Iterable[list[str]], meter: Meter) -> Grid:
    """Returns the rows of a sheet, each counted before the next is read."""
    grid: list[list[str]] = []
    meter.where = f"sheet {sheet!r}, row 1"
    for row in rows:
        grid.append(row)
        meter.take(len(row), f"sheet {sheet!r}, row {len(grid) + 1}")
    # The rows of a block are made as wide as its widest.
    meter.take(len(grid) * max(map(len, grid), default=0) // 10, f"sheet {sheet!r}")
    return grid


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

"""A submission from a sheet of the games' own provider: its blocks, and what they say."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import accumulate
from pathlib import Path
from typing import Any, Final, get_type_hints

from certify.by_key import gathered
from certify.errors import InputError, Problem, SubmissionError
from certify.families import HEAD, Family, TableForm
from certify.model import Block, Entry, StatedCell, Value, words_of
from certify.submission.reader import parse_game
from certify.untrusted_input import SHEET, SHEET_UNPACKED, Meter, parsing, read_bounded

CLAIMS: Final = "claims"

LIST: Final = ";"
"""Between the texts of a list within one cell."""

_COUNTED: Final = re.compile(r"(.+?)_?(\d{1,2})")
_WHOLE: Final = re.compile(r"-?\d{1,18}")

FLAGS: Final[Mapping[str, bool]] = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class Written:
    """Lines of a submission, with the cell that states each.

    Args:
        text: The submission.
        places: Name of the cell by line.
        unread: Titles of blocks that were not read.
        assumed: What is not stated and was taken as usual, in words.
    """

    text: str
    places: Mapping[int, str]
    unread: tuple[str, ...]
    assumed: tuple[str, ...]


def written(blocks: Sequence[Block], family: Family, head: str, file: str) -> Written:
    """Returns the text of a submission: what the blocks state in the tables of a family, below a head.

    Args:
        blocks: Blocks of a spreadsheet.
        family: The family that takes them.
        head: Tables that every submission has, as text; below them come those of the family.
        file: Name of the spreadsheet, for messages.

    Raises:
        SubmissionError: There are mistakes; all are listed, each with sheet and cell.
    """
    if family.sources.sheets is None:
        raise SubmissionError([Problem(file, 0, f"the family {family.id!r} takes no spreadsheets")])
    mistakes: list[Problem] = []
    entries: list[Entry] = []
    strange: list[Block] = []
    for block in blocks:
        form = family.rules.tables.get(block.name)
        if form is None or not _own(block, form):
            strange.append(block)
        else:
            entries += _entries(block, form, mistakes, file)
    recognised = family.sources.sheets.recognised(strange, entries)
    entries += recognised.entries
    misnamed = [one for one in strange if one.name in family.rules.tables and one.told in recognised.unread]
    for block in misnamed:
        entries += _entries(block, family.rules.tables[block.name], mistakes, file)
    unread = tuple(one for one in recognised.unread if one not in {block.told for block in misnamed})
    mistakes += [Problem(_cell(file, place), 0, message) for place, message in recognised.mistakes]
    lines, places = head.rstrip("\n").split("\n"), dict[int, str]()
    order = [*family.rules.tables, CLAIMS]
    if all(entry.table != CLAIMS for entry in entries):
        lines.insert(lines.index("rules = []"), "claims = []")
    _restate(lines, places, entries)
    stated = (entry for entry in entries if entry.table != HEAD)
    for entry in sorted(stated, key=lambda one: order.index(one.table)):
        many = entry.table == CLAIMS or family.rules.tables[entry.table].many
        lines += ["", f"[[{entry.table}]]" if many else f"[{entry.table}]"]
        if entry.stated:
            places[len(lines)] = entry.stated[0].place
        for one in entry.stated:
            lines.append(f"{one.key} = {_toml(one.value)}")
            places[len(lines)] = one.place
    text = "\n".join(lines) + "\n"
    _verify(text, places, mistakes, file)
    return Written(text, places, unread, recognised.assumed)


def _restate(lines: list[str], places: dict[int, str], entries: Iterable[Entry]) -> None:
    """Writes what a sheet states of the head in the place of the first line of its key."""
    for one in (one for entry in entries if entry.table == HEAD for one in entry.stated):
        at = next(number for number, line in enumerate(lines) if line.startswith(f"{one.key} = "))
        lines[at] = f"{one.key} = {_toml(one.value)}"
        places[at + 1] = one.place


def _verify(text: str, places: Mapping[int, str], mistakes: list[Problem], file: str) -> None:
    """Reads what was written as anybody would; its mistakes are those of the sheet, each at its cell."""
    found = list(mistakes)
    try:
        parse_game(text.encode(), file)
    except SubmissionError as error:
        # What has no cell follows from a part of the sheet that could not be read, where anything else was found.
        placed = [one for one in error.problems if one.line in places]
        told = placed or ([] if mistakes else error.problems)
        found += [Problem(_cell(file, places[one.line]) if placed else file, 0, one.message) for one in told]
    if found:
        raise SubmissionError(found)


def _cell(files: str, place: str) -> str:
    """Returns a cell with its file: of several CSV files, the one that bears the name of its sheet."""
    own = (name for name in files.split(", ") if name.rpartition(".")[0] == place.partition("!")[0])
    return f"{next(own, files)}, {place}"


def _own(block: Block, form: TableForm) -> bool:
    """Returns whether a block bears the keys of a table too, and not its name alone."""
    if not form.many:
        keys = {"_".join(cells[0].lower().split()) for cells in block.rows}
        return (
            block.header[:2] == ("item", "value")
            or block.title != block.sheet
            or keys <= {*get_type_hints(form.form)}
        )
    counted = {match[1] for name in block.header if (match := _COUNTED.fullmatch(name))}
    return block.header[:2] == ("item", "value") or form.needed <= counted | set(block.header)


def _entries(block: Block, form: TableForm, mistakes: list[Problem], file: str) -> Iterator[Entry]:
    """Yields the entries of a table whose name the block bears."""
    hints = get_type_hints(form.form)
    if not form.many or block.header[:2] == ("item", "value"):
        yield Entry(block.name, tuple(_items(block, hints)))
        return
    columns: list[tuple[int, str, int]] = []
    stops = {field.metadata["stops"]: field.name for field in fields(form.form) if "stops" in field.metadata}
    for column, name in enumerate(block.header):
        key, number = name, -1
        counted = _COUNTED.fullmatch(name)
        if counted and name not in hints:
            key, number = counted[1], int(counted[2]) - 1
        if key in hints or key in stops:
            columns.append((column, key, number))
        elif name and not (stops and name in ("stop", "no", "number")):
            known = ", ".join(hints)
            mistakes.append(
                Problem(_cell(file, block.place(-1, column)), 0, f'column "{name}": expected one of {known}')
            )
    if stops:
        yield from _stopped(block, columns, stops, hints)
        return
    for row, cells in enumerate(block.rows):
        yield Entry(block.name, tuple(_keys(block, row, cells, columns, hints)))


def _items(block: Block, hints: Mapping[str, Any]) -> Iterator[StatedCell]:
    """Yields keys that stand beneath each other; a list goes on where its key is repeated."""
    keys = ("_".join(cells[0].lower().split()) for cells in block.rows)
    for key, rows in gathered(zip(keys, range(len(block.rows)), strict=True)).items():
        text = LIST.join(block.rows[row][1] for row in rows)
        yield StatedCell(key, read_value(text, hints.get(key, str)), block.place(rows[0], 1))


def _keys(
    block: Block,
    row: int,
    cells: Sequence[str],
    columns: Sequence[tuple[int, str, int]],
    hints: Mapping[str, Any],
) -> Iterator[StatedCell]:
    lists: dict[str, list[tuple[int, str, int]]] = {}
    for column, key, number in columns:
        if number >= 0:
            lists.setdefault(key, []).append((number, cells[column], column))
        elif cells[column]:
            yield StatedCell(key, read_value(cells[column], hints[key]), block.place(row, column))
    for key, parts in lists.items():
        filled = [(number, text) for number, text, _ in parts if text]
        if filled:
            by_number = dict(filled)
            empty = "0" if hints[key] == list[int] else ""
            texts = [by_number.get(number, empty) for number in range(max(by_number) + 1)]
            yield StatedCell(key, read_value(LIST.join(texts), hints[key]), block.place(row, parts[0][2]))


def _stopped(
    block: Block, columns: Sequence[tuple[int, str, int]], stops: Mapping[str, str], hints: Mapping[str, Any]
) -> Iterator[Entry]:
    """Yields lists that stand in columns, an item in each row; an entry goes on as long as its id stays the same."""
    at_number = {number: column for column, key, number in columns if key in stops.values() and number >= 0}
    weights = {number: column for column, key, number in columns if key in stops and number >= 0}
    single = [(column, key) for column, key, number in columns if number < 0]
    (list_key,) = set(stops.values())
    ids = (next((cells[at] for at, key in single if key == "id" and cells[at]), "") for cells in block.rows)
    names: Iterator[str] = accumulate(ids, lambda before, name: name or before)
    for name, rows in gathered(zip(names, enumerate(block.rows), strict=True)).items():
        first = rows[0][0]
        texts = (
            " ".join(_stop(cells, column, weights.get(number)) for _, cells in rows if cells[column])
            for number, column in sorted(at_number.items())
        )
        others = [
            StatedCell(key, read_value(cells[column], hints[key]), block.place(row, column))
            for row, cells in rows
            for column, key in single
            if key != "id" and cells[column]
        ]
        once = {one.key: one for one in reversed(others)}
        listed = StatedCell(list_key, tuple(texts), block.place(first, min(at_number.values(), default=0)))
        yield Entry(block.name, (StatedCell("id", name, block.place(first, 0)), listed, *once.values()))


def _stop(cells: Sequence[str], column: int, weight: int | None) -> str:
    """Returns a stop, with its weight where that is stated and not one."""
    often = "" if weight is None else cells[weight]
    return cells[column] if often in ("", "1") else f"{cells[column]}:{often}"


def read_value(text: str, hint: Any) -> Value:
    """Returns the value of a cell in the type of its key; a text of the wrong form stays a text, and is refused.

    >>> read_value("3", int), read_value("yes", bool), read_value("1;2", list[int]), read_value("a; b", list[str])
    (3, True, (1, 2), ('a', 'b'))
    """
    if hint in (int, int | None) and _WHOLE.fullmatch(text):
        return int(text)
    if hint is bool and text.lower() in FLAGS:
        return FLAGS[text.lower()]
    if hint == list[int]:
        parts = [part.strip() for part in text.split(LIST)]
        return tuple(int(part) for part in parts) if all(map(_WHOLE.fullmatch, parts)) else text
    if hint == list[str]:
        return tuple(part.strip() for part in text.split(LIST) if part.strip())
    if hint in (dict[str, str], dict[str, int]):
        pairs = [part.partition("=") for part in text.split(LIST) if part.strip()]
        whole = hint == dict[str, int]
        return {
            key.strip(): int(value) if whole and _WHOLE.fullmatch(value.strip()) else value.strip()
            for key, _, value in pairs
        }
    return text


def _toml(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(one if one.isprintable() else " " for one in escaped) + '"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(key)} = {_toml(each)}" for key, each in value.items()) + " }"
    return "[" + ", ".join(_toml(each) for each in value) + "]"


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
            if title:
                # A title of titles: of the whole sheet, or of several parts.
                yield Block(sheet, title, (words_of(title),), (), (), first, (title,))
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

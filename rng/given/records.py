"""Text of one record a line as laboratories write it: CSV of any separator, chosen columns, or JSON lines."""

import codecs
import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rng.battery import CHUNK_BYTES, ByteSource, SampleStore
from rng.errors import SampleError
from rng.given.names import Glued
from rng.given.numbers import MOST_DIGITS, double_zero_unstated, require_few, whole_records
from rng.outside import json_of

Column = int | str
SEPARATORS = ";\t|,"
_WHOLE = re.compile(rf"[0-9]{{1,{MOST_DIGITS}}}(\.0+)?", re.ASCII)
# Records of numbers that are read at a time.
LINES = 1 << 14


@dataclass(frozen=True, slots=True)
class RecordForm:
    """How a line becomes cells.

    Args:
        separator: Between cells; found in the first line if left out, blanks where none of `SEPARATORS` is there.
        columns: Columns that count, in order, by their place from 0 or by the heading in the first line; ``A..B`` are
            all from one heading to another. All columns if left out.
        member: Lines are JSON: the member that holds the list of cells, empty for lists alone; None for CSV.
        marks: Columns, or members of JSON, that say where and when a row was drawn.
    """

    separator: str | None = None
    columns: tuple[Column, ...] | None = None
    member: str | None = None
    marks: tuple[Column, ...] = ()

    @property
    def headed(self) -> bool:
        """Whether some column is named by its heading."""
        return self.member is None and any(isinstance(c, str) for c in (*(self.columns or ()), *self.marks))


class Cells:
    """Cuts lines into cells; the separator of the first line that has one is that of all."""

    def __init__(self, form: RecordForm) -> None:
        self._form = form
        self._separator = form.separator
        self._columns, self._marked = form.columns, form.marks
        self._heading = form.headed
        self._width = 0
        # What the last line says in the columns of ``Form.marks``.
        self.marks: tuple[str, ...] = ()

    def of(self, line: str, where: str) -> list[str] | None:
        """Returns what is in the columns requested; nothing of the heading that names them.

        Raises:
            SampleError: The line has no such form, too few columns, more than have a heading, or no such heading.
        """
        form = self._form
        if form.member is not None:
            found, cells = _json_cells(line, form.member, where)
            self.marks = tuple(_json_mark(found, str(mark), where) for mark in form.marks)
            return cells
        cells = self._cut(line, where)
        if self._heading:
            self._heading, self._width = False, len(cells)
            headings = [cell.strip() for cell in cells]
            self._columns = None if form.columns is None else _places(form.columns, headings, where)
            self._marked = _places(form.marks, headings, where)
            return None
        columns = [column for column in (*(self._columns or ()), *self._marked) if isinstance(column, int)]
        if columns and len(cells) <= max(columns):
            raise SampleError(f"{where}: {len(cells)} columns, expected at least {max(columns) + 1}")
        # With a cell more nobody can tell which of them stand under which heading: a mark within a name parts it.
        if self._width and any(cell.strip() for cell in cells[self._width :]):
            raise SampleError(f"{where}: {len(cells)} columns, expected the {self._width} of the heading")
        self.marks = tuple(cells[column] for column in self._marked if isinstance(column, int))
        if self._columns is None:
            marked = frozenset(self._marked)
            return [cell for column, cell in enumerate(cells) if column not in marked] if marked else cells
        return [cells[column] for column in self._columns if isinstance(column, int)]

    def _cut(self, line: str, where: str) -> list[str]:
        if self._separator is None:  # a heading of one word has none
            if line.lstrip()[:1] in ("{", "["):
                raise SampleError(
                    f"{where}: looks like JSON lines: say --json-lines MEMBER, or '' for lists alone"
                )
            self._separator = next((mark for mark in SEPARATORS if mark in line), None)
        separator = self._separator or " "
        try:
            if separator == " ":
                return line.split()
            return next(csv.reader([line], delimiter=separator, strict=True))
        except csv.Error as error:
            raise SampleError(f"{where}: not CSV ({error})") from None


def _places(columns: tuple[Column, ...], headings: list[str], where: str) -> tuple[int, ...]:
    """Returns the places of columns, of which some are named by their heading.

    >>> _places(("time", "card 1..card 3", 0), ["table", "time", "card 1", "card 2", "card 3"], "line 1")
    (1, 2, 3, 4, 0)
    """

    def place(heading: str) -> int:
        if headings.count(heading) != 1:
            known = ", ".join(headings)[:200]
            raise SampleError(
                f"{where}: {headings.count(heading)} columns are headed {heading!a}, expected one of: {known}"
            )
        return headings.index(heading)

    places: list[int] = []
    for column in columns:
        if isinstance(column, int):
            places.append(column)
            continue
        first, dots, last = column.partition("..")
        if column in headings or not dots:
            places.append(place(column))
        else:
            places += range(place(first), place(last) + 1)
    return tuple(places)


def _json_cells(line: str, member: str, where: str) -> tuple[object, list[str]]:
    try:
        found = json_of(line)
        cards = _member(found, member) if member else found
    except (ValueError, KeyError, TypeError, IndexError):
        raise SampleError(
            f"{where}: a JSON {f'object with {member!r}' if member else 'list'} expected"
        ) from None
    if type(cards) is int:
        return found, [str(cards)]
    if not isinstance(cards, list) or not all(type(card) in (int, str) for card in cards):
        nested = " (one array a line: jq -c '.[]' FILE makes it)" if isinstance(cards, list) else ""
        raise SampleError(f"{where}: a list of names or whole numbers expected{nested}")
    return found, [str(card) for card in cards]


def _json_mark(found: object, member: str, where: str) -> str:
    """Returns the member that says where or when a row was drawn."""
    try:
        mark = _member(found, member)
    except (KeyError, TypeError, IndexError):
        mark = None
    if type(mark) not in (int, str):
        raise SampleError(f"{where}: a JSON object with {member!r}, a name or a whole number, expected")
    return str(mark)


def parted(cells: list[str], expected: int, names: Glued | None = None) -> list[str]:
    """Returns the cells of a line that holds all in one: parted by blanks, or names of cards glued together.

    Args:
        cells: Cells of the line.
        expected: Cells that are expected; nothing is parted where one is.
        names: Names that may be glued together, if any.

    >>> parted(["3 1 2"], 3), parted(["3", "1"], 3), parted(["12"], 2)
    (['3', '1', '2'], ['3', '1'], ['12'])
    """
    if len(cells) != 1 or expected == 1:
        return cells
    parts = cells[0].split()
    if len(parts) > 1:
        return parts
    return (names and names.parts(cells[0])) or cells


def records_of(
    lines: Iterator[tuple[int, str]],
    form: RecordForm,
    source: str,
    *,
    width: int,
    is_heading: Callable[[list[str]], bool],
    glued: Glued | None = None,
    marks: Callable[[tuple[str, ...], str], None] | None = None,
) -> Iterator[tuple[str, list[str]]]:
    """Yields the cells of each record and where it is, for messages; a heading in the first line is passed over.

    Args:
        lines: The text.
        form: How a line becomes cells.
        source: Name of the data.
        width: Cells that are expected: a line of one cell is parted where it is not one.
        is_heading: Says whether a first record is none, by its cells.
        glued: Names that may stand in one cell without anything between them.
        marks: Receives of each record what is in the columns of ``form.marks``, and which line it is.

    Raises:
        SampleError: A line has no such form, too few columns, or no such heading.
    """
    cells, first, heading = Cells(form), form.member is None, ""
    for number, line in lines:
        if line == heading:
            continue  # The heading of a further file, read behind the first.
        where = f"{source}:{number}"
        found = cells.of(line, where)
        if found is not None:
            found = [cell.strip() for cell in parted(found, width, glued)]
        if found is None or (first and is_heading(found)):
            heading = line
        else:
            if marks is not None:
                marks(cells.marks, where)
            yield where, found
        first = False


def _member(found: Any, path: str) -> Any:
    """Returns a member by its name, or by its path such as ``draw.balls``."""
    if isinstance(found, dict) and path in found:
        return found[path]
    for name in path.split("."):
        found = found[name]
    return found


def lines_of(
    stream: ByteSource, source: str, progress: Callable[[int], None] | None = None
) -> Iterator[tuple[int, str]]:
    """Yields the number and the text of every line that is not blank, whichever of the three line ends it has.

    Raises:
        SampleError: It is not UTF-8 text.
    """
    number, last = 0, ""
    for offset, piece in whole_records(stream, b"\r\n"):
        try:
            text = piece.decode("utf-8-sig" if not offset else "utf-8")
        except UnicodeDecodeError as error:
            utf_16 = (
                " (UTF-16?)" if not offset and piece[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else ""
            )
            raise SampleError(f"{source}: byte {offset + error.start}: not UTF-8 text{utf_16}") from None
        if last == "\r":  # what follows may be the other half of one line end
            text = text.removeprefix("\n")
        last = text[-1:] or last
        for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
            number += 1
            if len(line) >= CHUNK_BYTES:
                raise SampleError(
                    f"{source}:{number}: {CHUNK_BYTES} characters and more, expected shorter lines"
                )
            if line.strip():
                yield number, line
        number -= 1  # what follows the last line end is the beginning of the next piece
        if progress is not None:
            progress(offset + len(piece))


def is_number(cell: str, *, signed: bool = False) -> bool:
    """Says whether a cell is a whole number of at most 64 bits' digits, with a minus sign where those are allowed.

    >>> is_number("007"), is_number("-1"), is_number("-1", signed=True), is_number("1e3"), is_number("12.0")
    (True, False, True, False, True)
    """
    return _WHOLE.fullmatch(cell.removeprefix("-") if signed else cell) is not None


def whole_number(cell: str) -> int:
    """Returns the number of a cell that is one.

    >>> whole_number("007"), whole_number("12.0")
    (7, 12)
    """
    return int(cell.partition(".")[0])


def out_of_range(where: str, cell: str, least: int, most: int) -> SampleError:
    """A cell that is no number of the range, with the option that is most likely missing."""
    hint = ""
    if not least and cell == str(most + 1):
        hint = " (numbers from 1? say --first 1)"
    elif least >= 0 and cell.startswith("-") and is_number(cell, signed=True):
        hint = " (numbers below zero? say --first and the smallest, such as --first -100)"
    return SampleError(f"{where}: {cell[:40]!a}, expected a number from {least} to {most}{hint}")


def read_number_cells(
    stream: ByteSource,
    form: RecordForm,
    source: str,
    *,
    below: int,
    first: int = 0,
    double_zero: int | None = None,
) -> NDArray[np.uint64]:
    """Reads the numbers in chosen columns of CSV or in a member of JSON lines, one line a record.

    Raises:
        SampleError: A cell is no number of the range; which line, and what was expected.
    """
    records = records_of(
        lines_of(stream, source),
        form,
        source,
        width=1,
        is_heading=lambda cells: not any(is_number(cell, signed=True) for cell in cells),
    )
    store = SampleStore()
    while some := list(islice(records, LINES)):
        read = [_number(cell, where, below, first, double_zero) for where, cells in some for cell in cells]
        store.add(np.array(read, dtype=np.uint64).tobytes())
        require_few(store.size // 8, source)
    if not store.size:
        raise SampleError(f"{source}: no numbers to test, expected at least one")
    return store.finish().view(np.uint64)


def _number(cell: str, where: str, below: int, first: int, double_zero: int | None) -> int:
    if cell == "00":
        if double_zero is None:
            raise double_zero_unstated(f"{where}:")
        cell = str(double_zero)
    if not is_number(cell, signed=True) or not 0 <= whole_number(cell) - first < below:
        raise out_of_range(where, cell, first, first + below - 1)
    return whole_number(cell) - first

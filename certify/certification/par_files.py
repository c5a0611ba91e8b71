"""The PAR sheet as files for those who live in spreadsheets: CSV, and XLSX that is the same on every machine."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from certify.analysis.par_tables import Cell, Table

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a ZIP entry: a workbook carries no time of its own, so that equal figures are equal bytes."""

_STAMP: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:(?:created|modified)>)")
_FORMULA: Final = re.compile(r"[=@+\t\r]|-(?!\d)")


def par_csv(tables: Sequence[Table]) -> bytes:
    """Returns all tables as one CSV file (RFC 4180, UTF-8), an empty line between them.

    Text that a spreadsheet would take for a formula is quoted off; negative fractions are not.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for number, table in enumerate(tables):
        if number:
            writer.writerow([])
        writer.writerow([table.name])
        writer.writerow(table.header)
        writer.writerows([_quoted(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode("utf-8")


def _quoted(cell: Cell) -> Cell:
    """Returns a cell that no spreadsheet computes.

    >>> _quoted("=1+1"), _quoted("-A1"), _quoted("-1/2"), _quoted(-0.5)
    ("'=1+1", "'-A1", '-1/2', -0.5)
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def par_xlsx(tables: Sequence[Table]) -> bytes:
    """Returns all tables as a workbook, one tab each; the same tables always give the same bytes."""
    # Spreadsheets are rarely asked for: the library is loaded only then.
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for table in tables:
        _fill(book.create_sheet(table.name[:31]), table)
    written = io.BytesIO()
    book.save(written)
    return _without_times(written.getvalue())


def _fill(sheet: Worksheet, table: Table) -> None:
    """Writes a table: header in bold and frozen, text as text, numbers as numbers."""
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    for row, cells in enumerate((table.header, *table.rows), start=1):
        for column, value in enumerate(cells, start=1):
            cell = sheet.cell(row, column, value)
            if isinstance(value, str):
                # A text that begins with "=" would otherwise be stored as a formula.
                cell.data_type = "s"
            if row == 1:
                cell.font = Font(bold=True)
    for column, _ in enumerate(table.header, start=1):
        widest = max(len(str(row[column - 1])) for row in (table.header, *table.rows))
        sheet.column_dimensions[get_column_letter(column)].width = min(widest + 2, 60)
    sheet.freeze_panes = "A2"


def _without_times(content: bytes) -> bytes:
    """Returns a workbook whose entries and properties carry no time."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(written, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "docProps/core.xml":
                data = _STAMP.sub(rb"\g<1>1980-01-01T00:00:00Z\g<2>", data)
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(entry, data)
    return written.getvalue()

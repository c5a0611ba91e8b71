"""The PAR sheet as files for those who live in spreadsheets: CSV, and XLSX that is the same on every machine."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from certify.analysis.par_cells import Cell, CellUnit, Formula, SheetTable, as_number, heading
from certify.characters import is_formula, not_a_formula
from certify.evidence.report import Head

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a ZIP entry, for a workbook that belongs to no report and so has no time of its own."""

_TIME: Final = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:(?:created|modified)>)")
_EMPTY: Final = re.compile(rb'<c r="([A-Z]+[0-9]+)"([^>]*)><f>([^<]*)</f>(?:<v ?/>|<v></v>)</c>')

_FORMATS: Final[Mapping[CellUnit, str]] = {
    CellUnit.TEXT: "@",
    CellUnit.WHOLE: "#,##0",
    CellUnit.NUMBER: "#,##0.######",
    CellUnit.PROBABILITY: "0.000000000000",
    CellUnit.PERCENT: "0.000000%",
    CellUnit.MONEY: "#,##0.00",
}
"""Number formats (ECMA-376, 18.8.31), the same in every language of the spreadsheet."""

_WIDEST: Final = 60
"""Widest column in characters; longer texts are wrapped."""


def par_csv(tables: Sequence[SheetTable]) -> bytes:
    """Returns all tables as one CSV file (RFC 4180, UTF-8), an empty line between them.

    Text that a spreadsheet would take for a formula is quoted off; what the workbook computes is here a decimal.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for number, table in enumerate(tables):
        if number:
            writer.writerow([])
        writer.writerow([table.name])
        writer.writerow(table.header)
        writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    return text.getvalue().encode("utf-8")


def _plain(cell: Cell) -> str | float | int:
    """Returns a cell that no spreadsheet computes.

    >>> _plain("=1+1"), _plain("-A1"), _plain("-1/2"), _plain(-0.5)
    ("'=1+1", "'-A1", '-1/2', -0.5)
    """
    if isinstance(cell, Formula):
        return as_number(cell.value)
    return not_a_formula(cell) if isinstance(cell, str) else cell


def par_xlsx(tables: Sequence[SheetTable], title: str, head: Head | None = None) -> bytes:
    """Returns all tables as a workbook, one tab each; the same tables always give the same bytes.

    Args:
        tables: What to write.
        title: What the workbook is called in its properties and on every printed page.
        head: Head of the report that it belongs to: its author and its date; none where it belongs to no report.
    """
    # Spreadsheets are rarely asked for: the library is loaded only then.
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for table in tables:
        _fill(book.create_sheet(table.name[:31]), table, f"{title}{f', {head.number}' if head else ''}")
    book.properties.title = title
    book.properties.creator = head.issuer.name if head else ""
    written = io.BytesIO()
    book.save(written)
    values = {
        f"xl/worksheets/sheet{number}.xml": _values(table) for number, table in enumerate(tables, start=1)
    }
    return _finished(written.getvalue(), values, head.issued if head else None)


def _fill(sheet: Worksheet, table: SheetTable, running_head: str) -> None:
    """Writes a table: header in bold and frozen, text as text, numbers as numbers, formulas only our own."""
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    headings = tuple(map(heading, table.header))
    for row, cells in enumerate((headings, *table.rows), start=1):
        for column, value in enumerate(cells, start=1):
            if value == "":
                continue
            cell = sheet.cell(row, column, value.text if isinstance(value, Formula) else value)
            if isinstance(value, str):
                # A text that begins with "=" would otherwise be stored as a formula, and become one when edited.
                cell.data_type = "s"
                cell.quotePrefix = is_formula(value)
            if row == 1 or row - 2 in table.totals:
                cell.font = Font(bold=True)
            if row == 1:
                cell.alignment = Alignment(vertical="top", wrap_text=len(_shown(value)) > _WIDEST)
            else:
                cell.number_format = _FORMATS[table.units[column - 1]]
                cell.alignment = Alignment(vertical="top", wrap_text=len(_shown(value)) > _WIDEST)
    for column, _ in enumerate(table.header, start=1):
        widest = max(len(_shown(row[column - 1])) for row in (headings, *table.rows))
        sheet.column_dimensions[get_column_letter(column)].width = min(widest + 2, _WIDEST)
    sheet.freeze_panes = "A2"
    _print_set_up(sheet, running_head)


def _shown(value: Cell) -> str:
    """Returns about what a cell shows, for the width of its column."""
    return f"{float(value.value):.12f}" if isinstance(value, Formula) else str(value)


def _print_set_up(sheet: Worksheet, running_head: str) -> None:
    """Prints a sheet on A4, as wide as the page, with its heading, report and page number on each."""
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", sheet.PAPERSIZE_A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = "1:1"
    # An ampersand begins a code there, so a literal one is doubled (ECMA-376, 18.3.1.46).
    sheet.oddHeader.left.text = running_head.replace("&", "&&")
    sheet.oddFooter.left.text, sheet.oddFooter.right.text = "&A", "&P / &N"


def _values(table: SheetTable) -> dict[str, float | int]:
    """Returns what each formula of a table gives, by the name of its cell."""
    from openpyxl.utils import get_column_letter

    return {
        f"{get_column_letter(column)}{row}": as_number(value.value)
        for row, cells in enumerate(table.rows, start=2)
        for column, value in enumerate(cells, start=1)
        if isinstance(value, Formula)
    }


def _finished(content: bytes, values: Mapping[str, Mapping[str, float | int]], issued: str | None) -> bytes:
    """Returns a workbook that shows its values to readers that compute nothing, dated by its report or not at all."""
    moment = datetime.fromisoformat(issued) if issued else None
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(written, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "docProps/core.xml":
                data = _TIME.sub(rb"\g<1>%s\g<2>" % issued.encode() if issued else b"", data)
            if name in values:
                here = values[name]
                data = _EMPTY.sub(
                    lambda found, here=here: _computed(found, here[found[1].decode()]),  # type: ignore[misc]
                    data,
                )
            entry = zipfile.ZipInfo(
                name, moment.timetuple()[:6] if moment and moment.year >= 1980 else _EPOCH
            )
            entry.compress_type = zipfile.ZIP_DEFLATED
            after.writestr(entry, data)
    return written.getvalue()


def _computed(found: re.Match[bytes], value: float | int) -> bytes:
    return b'<c r="%s"%s><f>%s</f><v>%s</v></c>' % (found[1], found[2], found[3], repr(value).encode())

"""The PAR sheet as files for those who live in spreadsheets: CSV, and XLSX that is the same on every machine."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from certify.analysis.engine.automaton import Automaton
from certify.analysis.engine.beliefs import seen_texts
from certify.analysis.engine.stage_points import SHIFT, TARGET
from certify.analysis.par_cells import Cell, CellUnit, Formula, SheetTable, as_number
from certify.by_key import gathered
from certify.characters import csv_bytes, is_formula, not_a_formula
from certify.errors import InputError
from certify.evidence import NOTHING_STATED, Brought, Head, Sampling
from certify.exact import fraction_text
from certify.families.stage_machine import StagedRound
from certify.model import Analysis, ByLot, Choose, Game, NextDraw, Strategy

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet


PARTIES: Final = "data/parties.toml"
"""Where the pack holds it."""


def parties_bytes(head: Head, brought: Brought = Brought()) -> bytes | None:  # noqa: B008 (frozen)
    """Returns the parties file that a head was made from; none where the options of the command line say it all.

    Args:
        head: The head of the report.
        brought: What the operator submitted, with the records of how it was sampled.
    """
    told = head.engagement or NOTHING_STATED
    if told == NOTHING_STATED and not brought.samplings:
        return None
    texts = {
        "laboratory": head.issuer.name,
        "address": head.issuer.address,
        "client": head.client,
        "client_address": told.client_address,
        "tested_by": told.tested_by,
        "reviewed_by": told.reviewed_by,
        "authorised_by": head.authorised_by or "",
        "place": told.place,
        "accreditation": told.accreditation,
        "source_review": told.source_review,
        "recommendation": told.recommendation,
        "generator_report": told.generator_report or "",
    }
    days = {"received": told.received, "valid_until": told.valid_until}
    lines = [
        *(f"{key} = {_text(text)}" for key, text in texts.items() if text),
        *(f"{key} = {day}" for key, day in days.items() if day),
        *_list("declarations", told.declarations),
        *_list("deviations", told.deviations),
    ]
    for record in brought.samplings:
        lines += ["", "[[samples]]", *_sampling(record)]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _list(key: str, entries: Sequence[str]) -> list[str]:
    return [f"{key} = [", *(f"  {_text(entry)}," for entry in entries), "]"] if entries else []


def _sampling(record: Sampling) -> Iterator[str]:
    """Yields the lines of one record of sampling."""
    texts = {
        "of": record.of,
        "sha256": record.sha256,
        "item": record.item,
        "item_sha256": record.item_sha256,
        "taken_by": record.taken_by,
        "place": record.place,
        "how": record.how,
        "attested_by": record.attested_by,
    }
    yield from (f"{key} = {_text(text)}" for key, text in texts.items() if text)
    yield f"taken_on = {record.taken_on}"


def _text(text: str) -> str:
    """Returns a text as a basic string of TOML, which is written as JSON writes it."""
    return json.dumps(text, ensure_ascii=False)


MOST_ARROWS: Final = 250_000
"""Lines of the table, at most: beyond them a pack would grow by more than ten megabytes."""

ARROWS: Final = "data/automaton.csv"
DECISIONS: Final = "data/automaton-decisions.csv"
PIECES: Final = "data/automaton-pieces.csv"
PAYS: Final = "data/automaton-pays.csv"

START: Final = "start"
"""Where a round begins: what is settled before the first draw is settled on the one arrow from here."""

Lines = list[tuple[str, ...]]


def automaton_files(game: Game, analyses: Mapping[str, Analysis]) -> dict[str, tuple[bytes, str]]:
    """Returns the table of a game with its descriptions, by name; nothing of a game that is not written in stages.

    Nothing is returned either where the table would be larger than ``MOST_ARROWS``.

    Args:
        game: The submission.
        analyses: The analysed strategies, by name.
    """
    reference = game.port.reference(game)
    if not isinstance(reference, StagedRound):
        return {}
    automaton = reference.proven.automaton
    decisions, of_state = _decisions(automaton)
    arrows = _arrows(automaton, of_state)
    if len(arrows) > MOST_ARROWS:
        return {}
    # The automaton may be that of an equal text at other pays, which price otherwise.
    text = reference.text
    settled = dict.fromkeys(won for label in automaton.walked.labels for won in label.won)
    prices = [(wager, outcome, text.price(wager, outcome)) for wager, outcome in sorted(settled)]
    seen = seen_texts(one.sees for one in decisions)
    return {
        ARROWS: (
            csv_bytes(("state", "waits", "moves", "next", "settled"), arrows),
            "The least automaton of the game: where each face of a piece, or each option, leads",
        ),
        DECISIONS: (
            csv_bytes(
                ("decision", "seat", "sees", *analyses),
                [
                    (
                        f"decision-{number}",
                        one.seat,
                        seen[one.sees],
                        *(_taken(analysis.strategy, one) for analysis in analyses.values()),
                    )
                    for number, one in enumerate(decisions)
                ],
            ),
            "What each strategy does at the decisions of the automaton",
        ),
        PIECES: (
            csv_bytes(
                ("piece", "face", "shows", "items", "put_back"),
                [
                    (piece.id, str(face), name, str(items), "yes" if piece.replaced else "no")
                    for piece in text.equipment
                    for face, (name, items) in enumerate(zip(piece.faces, piece.copies, strict=True))
                ],
            ),
            "The faces of the pieces that the automaton draws from, and how many items show each",
        ),
        PAYS: (
            csv_bytes(
                ("wager", "outcome", "net", "staked"),
                [(w, o, fraction_text(one.net), fraction_text(one.staked)) for w, o, one in prices],
            ),
            "What each outcome that the automaton settles comes to",
        ),
    }


def _decisions(automaton: Automaton) -> tuple[list[Choose], dict[int, str]]:
    """Returns what looks the same once, and for each state that waits for a decision which it is."""
    numbers: dict[object, int] = {}
    decisions: list[Choose] = []
    of_state = {}
    for state, waiting in enumerate(automaton.waiting):
        if isinstance(waiting, Choose):
            number = numbers.setdefault((waiting.seat, waiting.sees, waiting.options), len(numbers))
            decisions += [waiting] if number == len(decisions) else []
            of_state[state] = f"decision-{number}"
    return decisions, of_state


def _arrows(automaton: Automaton, decisions: Mapping[int, str]) -> Lines:
    """Returns a line for every state and everything that leads from it to one state, settling the same."""
    lines: Lines = [(START, "", "begin", "0", _settled(automaton, automaton.walked.begun))]
    for state, row in enumerate(automaton.rows):
        waiting = automaton.waiting[state]
        names = (
            [one.id for one in waiting.options] if isinstance(waiting, Choose) else map(str, range(len(row)))
        )
        moves = gathered((arrow, name) for name, arrow in zip(names, row, strict=True) if arrow >= 0)
        waits = waiting_for(automaton, state, decisions)
        lines += [
            (str(state), waits, " ".join(some), str(arrow & TARGET), _settled(automaton, arrow >> SHIFT))
            for arrow, some in moves.items()
        ]
    return lines


def waiting_for(automaton: Automaton, state: int, decisions: Mapping[int, str]) -> str:
    """Returns what a state waits for: a piece that is drawn from, or a decision."""
    waiting = automaton.waiting[state]
    if isinstance(waiting, NextDraw):
        return automaton.text.equipment[automaton.text.piece_of(waiting)].id
    return decisions.get(state, "")


def _settled(automaton: Automaton, label: int) -> str:
    return " ".join(f"{wager}={outcome}" for wager, outcome in automaton.walked.labels[label].won)


def _taken(strategy: Strategy, decision: Choose) -> str:
    """Returns the option that a strategy takes; nothing where it decides by lot, or says nothing of the decision."""
    ids = [one.id for one in decision.options]
    if len(ids) == 1 or isinstance(strategy, ByLot):
        return ids[0] if len(ids) == 1 else ""
    try:
        return strategy.choose(decision.sees, ids)
    except InputError:
        return ""


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
    CellUnit.MONEY: "#,##0.00#",
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
    # Spreadsheets are rarely requested: the library is loaded only then.
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


def _fill(sheet: "Worksheet", table: SheetTable, running_head: str) -> None:
    """Writes a table: header in bold and frozen, text as text, numbers as numbers, formulas only our own."""
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    headings = table.headings
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
            if row > 1:
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


def _print_set_up(sheet: "Worksheet", running_head: str) -> None:
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

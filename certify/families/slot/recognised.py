"""Strips, lines, pays and settings as other people's spreadsheets state them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import prod
from typing import Final

from certify.families.port import Recognised
from certify.model.sheet import Block, Entry, StatedCell, words_of

OWN: Final = frozenset(
    {
        *("header", "rules", "returns", "own_best", "claims", "combinations", "volatility", "bands"),
        *("losing_runs", "ruin", "ruin_in_the_long_run", "exposure", "methods"),
        *("symbol_counts", "hits", "return_by_coin", "features"),
    }
)
"""Sheets of a PAR sheet that are computed: they state nothing."""

_REEL: Final = re.compile(r"(?:reel|r|walze|rullo|rodillo|rouleau)_?(\d{1,2})")
_WEIGHT: Final = re.compile(r"(?:weights?|w)_?(\d{1,2})")
_COUNT: Final = re.compile(
    r"x_?(\d{1,2})|(\d{1,2})(?:_?x|_of_a_kind|_?oak|_symbols?|_in_a_row)?|(?:pays?|count)_(\d{1,2})"
)
_NAMES: Final = ("symbol", "symbols", "combination", "name")
"""Headings of the column that names what pays."""

MOST_ABOVE: Final = 3
"""Rows above a heading, at most."""

_SUMS: Final = ("total", "totals", "sum", "stops", "all")
"""Names of a row below the others that sums them up."""

_WHOLE: Final = re.compile(r"\d{1,9}")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")

_SETTINGS: Final = {
    **dict.fromkeys(("rows", "heights", "window", "window_height"), "heights"),
    **dict.fromkeys(("cost", "coins", "total_bet", "cost_in_coins", "bet"), "cost"),
    **dict.fromkeys(("line_bet", "coins_per_line"), "line_bet"),
    **dict.fromkeys(("lines", "paylines", "number_of_lines"), "lines"),
    **dict.fromkeys(("direction", "pays_from"), "direction"),
    **dict.fromkeys(("ways", "all_ways"), "ways"),
    **dict.fromkeys(("wild", "wilds", "wild_symbol"), "wild"),
    **dict.fromkeys(("scatter", "scatters", "scatter_symbol"), "scatter"),
    **dict.fromkeys(("return", "rtp", "return_to_player", "payback"), "return"),
}


def recognised(blocks: Sequence[Block], entries: Sequence[Entry]) -> Recognised:
    """Returns what blocks state that do not bear the names of tables.

    Args:
        blocks: The blocks.
        entries: What was read already of blocks that do.
    """
    return _Reading(entries).read(blocks)


def symbol_of(text: str) -> str:
    """Returns the name of a symbol as submissions write it.

    >>> symbol_of("Wild Cherry"), symbol_of("BAR 7")
    ('Wild-Cherry', 'BAR-7')
    """
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")


class _Reading:
    """Reads the blocks of one spreadsheet."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.tables = {entry.table for entry in entries}
        self.entries: list[Entry] = []
        self.mistakes: list[tuple[str, str]] = []
        self.assumed: list[str] = []
        self.unread: list[str] = []
        self.settings: dict[str, tuple[str, str]] = {}
        self.lines: list[str] = []
        self.line_place = ""
        self.reels = 0
        self.written: dict[str, str] = {}

    def read(self, blocks: Sequence[Block]) -> Recognised:
        """Returns what all blocks state together."""
        # Settings first: they say which symbol is a scatter.
        kinds = [_headed(block) for block in blocks]
        for block, kind in kinds:
            if kind == "settings":
                self._set(block)
        for block, kind in kinds:
            if kind == "strips":
                self._strips(block)
            elif kind == "lines":
                self._lined(block)
            elif kind == "pays":
                self._pays(block)
            elif kind == "counts" and any(other == "strips" for _, other in kinds):
                continue
            elif kind == "counts":
                self._counted(block)
            elif not kind and block.name not in OWN and "pays_exactly" not in block.header:
                self.unread.append(block.title)
        if self.entries and "slot" not in self.tables:
            self._slot()
        return Recognised(tuple(self.entries), tuple(self.mistakes), tuple(self.unread), tuple(self.assumed))

    def _whole(self, text: str, place: str, what: str) -> int:
        clean = text.replace(",", "") if _THOUSANDS.fullmatch(text) else text
        if not _WHOLE.fullmatch(clean):
            self.mistakes.append((place, f'{what} "{text}": expected a whole number of at most nine digits'))
            return 1
        return int(clean)

    def _symbol(self, text: str, place: str) -> str:
        """Returns the name of a symbol; another one that would bear the same name, or none, is a mistake."""
        name, plain = symbol_of(text), re.sub(r"[\s_-]+", "-", text.strip())
        other = self.written.setdefault(name, plain)
        if not name:
            self.mistakes.append((place, f'the symbol "{text}": expected letters or digits, such as "blank"'))
        elif other != plain:
            told = f'the symbols "{text}" and "{other}" are told apart by nothing but signs'
            self.mistakes.append((place, f"{told}: expected letters or digits"))
        return name or "unnamed"

    def _columns(self, block: Block, form: re.Pattern[str]) -> dict[int, int]:
        """Returns the columns of a form by their number; one that is there twice is a mistake."""
        columns = _numbered(block, form)
        for at, name in enumerate(block.header):
            if form.fullmatch(name) and at not in columns.values():
                self.mistakes.append((block.place(-1, at), f'"{block.head[at]}" is there twice'))
        return columns

    def _reel_columns(self, block: Block, form: re.Pattern[str]) -> dict[int, int]:
        """Returns the columns of the reels, from the first; one that is left out is a mistake."""
        columns = self._columns(block, form)
        missing = set(range(min(1, *columns), max(columns))) - set(columns) if len(columns) > 1 else set()
        for number in sorted(missing - {0}):
            self.mistakes.append((block.place(-1, min(columns.values())), f"reel {number} is not there"))
        return columns

    def _set(self, block: Block) -> None:
        for row, cells in enumerate((block.head, *block.rows), start=-1):
            key = _SETTINGS.get(words_of(cells[0]))
            if key and cells[1]:
                self.settings[key] = (cells[1], block.place(row, 1))

    # --- strips and lines ---

    def _strips(self, block: Block) -> None:
        columns = self._reel_columns(block, _REEL if _numbered(block, _REEL) else _COUNT)
        weights = self._columns(block, _WEIGHT)
        self.reels = max(self.reels, len(columns))
        reels = []
        for number, column in columns.items():
            words: list[str] = []
            last = max((row for row, cells in enumerate(block.rows) if cells[column]), default=-1)
            for row, cells in enumerate(block.rows[: last + 1]):
                if not cells[column]:
                    told = 'an empty stop above others: expected a symbol, such as "blank"'
                    self.mistakes.append((block.place(row, column), told))
                    continue
                name, _, weight = cells[column].partition(":")
                weight = weight or (cells[weights[number]] if number in weights else "")
                if weight:
                    weight = str(
                        self._whole(weight, block.place(row, weights.get(number, column)), "the weight")
                    )
                name = self._symbol(name, block.place(row, column))
                words.append(f"{name}:{weight}" if weight not in ("", "1") else name)
            reels.append(" ".join(words))
        name = "-".join(
            word for word in block.name.split("_") if word not in ("reel", "reels", "strip", "strips", "set")
        )
        ids = [one.value for entry in self.entries if entry.table == "strips" for one in entry.stated]
        if "base" not in ids:
            name = "base"
        elif not name or name in ids:
            name = f"{name or 'strips'}-{len(ids)}"
        place = block.place(0, min(columns.values()))
        self.entries.append(
            Entry("strips", (StatedCell("id", name, place), StatedCell("reels", tuple(reels), place)))
        )

    def _counted(self, block: Block) -> None:
        """Takes how often each symbol comes on each reel: enough where the window is one row, and no order matters."""
        columns, at = self._reel_columns(block, _REEL), _symbol_column(block)
        text, place = self.settings.get("heights", ("1", ""))
        if text != "1":
            told = "counts of symbols do not say which stand beside each other: expected strips, a stop in each row"
            self.mistakes.append((place, f"a window of {text} rows, but {told}"))
        self.settings["heights"] = ("1", block.place(-1, at))
        self.reels = len(columns)
        reels = []
        for column in columns.values():
            weights = [
                (
                    self._symbol(cells[at], block.place(row, at)),
                    self._whole(cells[column] or "0", block.place(row, column), "the count"),
                )
                for row, cells in enumerate(block.rows)
                if words_of(cells[at]) not in _SUMS
            ]
            reels.append(" ".join(f"{name}:{weight}" for name, weight in weights if name and weight))
        place = block.place(0, min(columns.values()))
        self.entries.append(
            Entry("strips", (StatedCell("id", "base", place), StatedCell("reels", tuple(reels), place)))
        )
        self.assumed.append("windows of one row: only counts of symbols are stated, no strips")

    def _lined(self, block: Block) -> None:
        columns = list(self._reel_columns(block, _REEL).values())
        rows = [
            [self._whole(cells[column], block.place(row, column), "the row of a line") for column in columns]
            for row, cells in enumerate(block.rows)
        ]
        # Some count rows from 0, most from 1.
        shift = 1 if any(0 in row for row in rows) else 0
        self.lines += [" ".join(str(each + shift) for each in row) for row in rows]
        self.line_place = block.place(0, columns[0])

    # --- pays ---

    def _pays(self, block: Block) -> None:
        counts = self._columns(block, _COUNT)
        at = _symbol_column(block)
        scatters = {symbol_of(one) for one in re.split(r"[,;]", self.settings.get("scatter", ("", ""))[0])}
        for row, cells in enumerate(block.rows):
            name = symbol_of(cells[at])
            paid = {
                count: self._whole(cells[column], block.place(row, column), "the pay")
                for count, column in counts.items()
                if cells[column] not in ("", "-", "–")
            }
            if not name or not any(paid.values()):
                continue
            pays = tuple(paid.get(count, 0) for count in range(1, max(paid) + 1))
            several = [self._symbol(one, block.place(row, at)) for one in re.split(r"[|/]", cells[at])]
            table = "scatter_pays" if "scatter" in block.name or name in scatters else "line_pays"
            place = block.place(row, at)
            first = block.place(row, min(counts.values()))
            stated = [StatedCell("symbol", name, place)]
            if len(several) > 1:
                row_id = "-or-".join(several).lower()
                stated = [StatedCell("id", row_id, place), StatedCell("symbols", tuple(several), place)]
            self.entries.append(Entry(table, (*stated, StatedCell("pays", pays, first))))

    # --- the rest ---

    def _slot(self) -> None:
        anywhere = next(entry.stated[0].place for entry in self.entries)
        stated: list[StatedCell] = []
        ways = self.settings.get("ways", ("", ""))[0].lower() in ("yes", "true", "1") or (
            self.settings.get("ways", ("0", ""))[0].isdecimal()
            and int(self.settings.get("ways", ("0", ""))[0]) > 1
        )
        text, place = self.settings.get("heights", ("", anywhere))
        rows = [self._whole(one, place, "the height") for one in re.split(r"[ ,;x-]+", text) if one]
        if not rows:
            rows = [max((int(row) for line in self.lines for row in line.split()), default=3)]
            self.assumed.append(f"windows of {rows[0]} rows: no setting says how many")
        heights = tuple(rows) if len(rows) == self.reels else (rows[0],) * self.reels
        stated.append(StatedCell("heights", heights, place))
        if ways:
            number, at = self.settings["ways"]
            stated.append(StatedCell("ways", True, at))
            if number.isdecimal() and int(number) not in (1, prod(heights)):
                self.mistakes.append((at, f"{number} ways, but the windows have {prod(heights):,}"))
        elif self.lines:
            stated.append(StatedCell("lines", tuple(self.lines), self.line_place))
        elif self.settings.get("lines", ("", ""))[0] in ("", "1") and any(
            entry.table == "line_pays" for entry in self.entries
        ):
            middle = " ".join(str((height + 1) // 2) for height in heights)
            stated.append(StatedCell("lines", (middle,), anywhere))
            self.assumed.append("one line, through the middle: no table of lines is there")
        elif "lines" in self.settings:
            self.mistakes.append(
                (
                    self.settings["lines"][1],
                    f"{self.settings['lines'][0]} lines, but no table of them: expected columns reel 1, reel 2 …",
                )
            )
        for key in ("cost", "line_bet"):
            if key in self.settings:
                value, at = self.settings[key]
                stated.append(StatedCell(key, self._whole(value, at, "coins"), at))
        if "direction" in self.settings:
            value, at = self.settings["direction"]
            stated.append(StatedCell("direction", value.lower().split()[0], at))
        self.entries.append(Entry("slot", tuple(stated)))
        self._wilds()

    def _wilds(self) -> None:
        if "scatter" in self.settings and "strips" not in self.tables:
            value, at = self.settings["scatter"]
            for name in filter(None, map(symbol_of, re.split(r"[,;]", value))):
                if name not in self.written:
                    seen = ", ".join(sorted(filter(None, self.written)))
                    self.mistakes.append((at, f'the scatter "{name}" is on no strip: expected one of {seen}'))
        if "wild" in self.settings and "wilds" not in self.tables:
            value, at = self.settings["wild"]
            for name in re.split(r"[,;]", value):
                self.entries.append(Entry("wilds", (StatedCell("symbol", symbol_of(name), at),)))
        if "return" in self.settings:
            value, at = self.settings["return"]
            # A cell in percent is read as the number behind it: no slot returns two per cent.
            share = re.fullmatch(r"[01]\.\d+|1", value)
            value = f"{Decimal(value).scaleb(2):f}" if share else value
            printed = value if value.endswith("%") else f"{value} %"
            claim = (
                ("wager", "main"),
                ("metric", "return-to-player"),
                ("printed", printed),
                ("source", "sheet"),
            )
            self.entries.append(Entry("claims", tuple(StatedCell(key, text, at) for key, text in claim)))


def _numbered(block: Block, form: re.Pattern[str]) -> dict[int, int]:
    """Returns the columns whose heading is of a form, by the number in it."""
    found = {}
    for column, name in enumerate(block.header):
        match = form.fullmatch(name)
        if match:
            found[int(next(filter(None, match.groups())))] = column
    return dict(sorted(found.items()))


def _symbol_column(block: Block) -> int:
    counts = set(_numbered(block, _COUNT).values())
    named = (n for n, name in enumerate(block.header) if name in _NAMES)
    return next(named, next((n for n in range(len(block.header)) if n not in counts), 0))


def _kind(block: Block) -> str:
    """Returns what a block states: strips, lines, pays, settings, or nothing that is known here."""
    if block.name in OWN:
        return ""
    reels, counts = _numbered(block, _REEL), _numbered(block, _COUNT)
    if reels:
        if not _whole_cells(block, reels):
            return "strips"
        # Numbers beside symbols are their counts; a line has none.
        return "counts" if set(block.header) & set(_NAMES) else "lines"
    if len(counts) > 1 and len(counts) == sum(map(bool, block.header)) and not _whole_cells(block, counts):
        return "strips"
    if counts and "wager" not in block.header and (len(counts) > 1 or block.header[0] in _NAMES):
        return "pays"
    keys = [words_of(row[0]) for row in (block.head, *block.rows)]
    return "settings" if len(block.header) > 1 and any(key in _SETTINGS for key in keys) else ""


def _headed(block: Block) -> tuple[Block, str]:
    """Returns a block with what it states; rows above its heading (titles of an export, units) are left aside."""
    lower = block
    for _ in range(min(MOST_ABOVE, len(block.rows)) + 1):
        kind = _kind(lower)
        if kind or not lower.rows:
            return (lower, kind) if kind else (block, "")
        lower = replace(
            lower,
            header=tuple(map(words_of, lower.rows[0])),
            head=lower.rows[0],
            rows=lower.rows[1:],
            above=lower.lines[0],
            lines=lower.lines[1:],
        )
    return block, ""


def _whole_cells(block: Block, columns: Mapping[int, int]) -> bool:
    """Tells whether columns hold whole numbers and nothing else."""
    cells = (cells[column] for cells in block.rows for column in columns.values())
    return all(_WHOLE.fullmatch(cell) for cell in cells if cell)

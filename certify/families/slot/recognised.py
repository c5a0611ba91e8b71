"""Strips, lines, pays and settings as other people's spreadsheets state them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from math import prod
from typing import Final

from certify.families.port import HEAD, Recognised
from certify.families.slot.rules import TABLES
from certify.families.slot.sheet_words import (
    DIRECTIONS,
    FEATURES,
    HEADINGS,
    MONEY,
    NAMES,
    NUMBERS,
    PARTS,
    PER,
    SETTINGS,
    SUMS,
    WAYS,
)
from certify.model import HIT_FREQUENCY, MAXIMUM_AWARD, RETURN, Block, Entry, StatedCell, Value, words_of

COUNTS: Final = "symbol_counts"
"""Name of a sheet of ours, under which others state how often each symbol comes on each reel."""

OWN: Final = frozenset(
    {
        *("header", "rules", "returns", "own_best", "claims", "combinations", "volatility", "bands"),
        *("losing_runs", "ruin", "ruin_in_the_long_run", "exposure", "methods", "configurations"),
        *("bands_of_configurations", COUNTS, "hits", "split", "award_bands", "features"),
        *("meters", "near_misses"),
    }
)
"""Sheets of a PAR sheet that are computed: they state nothing."""

_REEL: Final = re.compile(r"(?:reel|r|walze|rullo|rodillo|rouleau)_?(\d{1,2})")
_WEIGHT: Final = re.compile(r"(?:weights?|w)_?(?:of_)?(?:reel_)?(\d{1,2})|reel_(\d{1,2})_weights?")
_COUNT: Final = re.compile(
    r"x_?(\d{1,2})|(\d{1,2})(?:_?x|_of_a_kind|_?oak|_symbols?|_in_a_row)?|(?:pays?|count)_(\d{1,2})"
)
MOST_ABOVE: Final = 3
"""Rows above a heading, at most."""

_KIND_OF: Final = {"strips": "strips", "line_pays": "pays", "scatter_pays": "pays"}
"""What may stand in the form of strangers under the name of a table of ours."""

_WHOLE: Final = re.compile(r"\d{1,9}")
_ANY: Final = re.compile(r".+")
_NONE: Final = re.compile(r"(?!)")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+")


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
        strips = (one for entry in entries if entry.table == "strips" for one in entry.stated)
        self.reels = max((len(one.value) for one in strips if isinstance(one.value, tuple)), default=0)
        self.speaking: Counter[str] = Counter()
        self.written: dict[str, str] = {}

    def read(self, blocks: Sequence[Block]) -> Recognised:
        """Returns what all blocks state together."""
        # Settings first: they say which symbol is a scatter.
        kinds = [_headed(block) for block in blocks]
        counts: list[Block] = []
        self.speaking.update(block.sheet for block in blocks)
        for block, kind in kinds:
            if kind == "settings":
                self._set(block)
        title = self._titled(blocks[:1])
        for block, kind in kinds:
            if kind == "strips":
                self._strips(block)
            elif kind == "lines":
                self._lined(block)
            elif kind == "pays":
                self._pays(block)
            elif kind == "counts":
                counts.append(block)
            elif block is not title and not (
                kind == "settings" or block.name in OWN or "pays_exactly" in block.header
            ):
                self.unread.append(block.told)
        for block in counts:
            self._counted(block)
        self._cut_off(block for block, kind in kinds if not kind)
        if "slot" in self.tables:
            self.unread += [f'"{value}" ({place})' for value, place in self.settings.values()]
        elif self.entries or self.settings:
            self._slot()
        return Recognised(tuple(self.entries), tuple(self.mistakes), tuple(self.unread), tuple(self.assumed))

    def _titled(self, first: Sequence[Block]) -> Block | None:
        """Takes what is above everything else for the title of the game, where it names no part of a sheet.

        Returns:
            The block that holds nothing but it.
        """
        for block in first:
            named = block.title == block.sheet or block.name in OWN | TABLES.keys()
            if not named and not PARTS & set(block.name.split("_")):
                self.settings.setdefault("title", (block.title, block.place(-1, 0)))
                return None if block.rows else block
        return None

    def _cut_off(self, blocks: Iterable[Block]) -> None:
        """Finds rows that an empty one parts from their table: symbols, or numbers alone, under no heading."""
        for block in blocks:
            filled = [at for at, cell in enumerate(block.head) if cell]
            seen = [at for at in filled if symbol_of(block.head[at]) in self.written]
            if all(_WHOLE.fullmatch(block.head[at]) for at in filled):
                seen = filled
            if seen and block.title == block.sheet:
                told = "is under no heading: expected no empty row within a table, or a heading above it"
                self.mistakes.append((block.place(-1, seen[0]), f'"{block.head[seen[0]]}" {told}'))

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
            told = f'the symbols "{text}" and "{other}" differ in signs only'
            self.mistakes.append((place, f"{told}: expected letters or digits"))
        return name or "unnamed"

    def _columns(self, block: Block, form: re.Pattern[str]) -> dict[int, int]:
        """Returns the columns of a form by their number; one that is there twice is a mistake."""
        columns = _numbered(block, form)
        self.mistakes += [
            (block.place(-1, at), f'"{block.head[at]}" is there twice')
            for at, name in enumerate(block.header)
            if form.fullmatch(name) and at not in columns.values()
        ]
        return columns

    def _reel_columns(self, block: Block, form: re.Pattern[str]) -> dict[int, int]:
        """Returns the columns of the reels, from the first; one that is left out is a mistake."""
        columns = self._columns(block, form)
        missing = set(range(min(1, *columns), max(columns))) - set(columns) if len(columns) > 1 else set()
        self.mistakes += [
            (block.place(-1, min(columns.values())), f"reel {number} is not there")
            for number in sorted(missing - {0})
        ]
        return columns

    def _set(self, block: Block) -> None:
        for row, cells in enumerate((block.head, *block.rows), start=-1):
            name = words_of(cells[0])
            key, value, place = SETTINGS.get(name), cells[1], block.place(row, 1)
            # Heights and symbols may go on in the next cells.
            listed = _WHOLE if key == "heights" else _ANY if key in ("wild", "scatter") else _NONE
            beside = [at for at in range(2, len(cells)) if listed.fullmatch(cells[at])]
            value = ";".join((value, *(cells[at] for at in beside)))
            self._leave(block, row, sorted(set(range(2, len(cells))) - set(beside)))
            if key and value and self.settings.setdefault(key, (value, place)) != (value, place):
                first, at = self.settings[key]
                self.mistakes.append(
                    (place, f'{cells[0]} "{value}", but "{first}" in {at}: expected it once')
                )
            elif not key and not (row < 0 and name in HEADINGS):
                self._leave(block, row, (0,))

    def _leave(self, block: Block, row: int, columns: Iterable[int]) -> None:
        """Tells cells that are not read."""
        cells = block.rows[row] if row >= 0 else block.head
        self.unread += [f'"{cells[at]}" ({block.place(row, at)})' for at in columns if cells[at]]

    def _leave_columns(self, block: Block, *taken: Iterable[int]) -> None:
        """Tells columns that are not read, but for those that count the rows."""
        read = {column for columns in taken for column in columns}
        for at, name in enumerate(block.header):
            if at in read or name in NUMBERS or not any(cells[at] for cells in block.rows):
                continue
            if "weight" in name:
                told = f'"{block.head[at]}" is of no reel that is there: expected "Weight 1", "Weight 2" …'
                self.mistakes.append((block.place(-1, at), told))
            else:
                self._leave(block, -1, (at,))

    # --- strips and lines ---

    def _strips(self, block: Block) -> None:
        columns = self._reel_columns(block, _REEL if _numbered(block, _REEL) else _COUNT)
        weights = self._columns(block, _WEIGHT)
        weights = {number: column for number, column in weights.items() if number in columns}
        self._leave_columns(block, columns.values(), weights.values())
        self.reels = max(self.reels, len(columns))
        reels = []
        for number, column in columns.items():
            words: list[str] = []
            beside = weights.get(number, column)
            last = max(
                (row for row, cells in enumerate(block.rows) if cells[column] or cells[beside]), default=-1
            )
            for row, cells in enumerate(block.rows[: last + 1]):
                if not cells[column]:
                    told = 'an empty stop above others: expected a symbol, such as "blank"'
                    self.mistakes.append((block.place(row, column), told))
                    continue
                name, _, weight = cells[column].partition(":")
                if number in weights and not weight:
                    weight = cells[beside] or "missing"
                if weight:
                    weight = str(self._whole(weight, block.place(row, beside), "the weight"))
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
        """Compares how often each symbol comes on each reel with the strips; where there are none, takes it for them.

        Counts are enough where the window is one row, and no order matters.
        """
        columns, at = self._reel_columns(block, _REEL), _symbol_column(block)
        self._leave_columns(block, columns.values(), (at,))
        if sets := self._stops():
            self._compare(block, columns, at, sets)
            return
        text, place = self.settings.get("heights", ("1", ""))
        if text != "1":
            told = "counts of symbols do not say which are next to each other: expected strips, a stop in each row"
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
                if words_of(cells[at]) not in SUMS
            ]
            reels.append(" ".join(f"{name}:{weight}" for name, weight in weights if name and weight))
        place = block.place(0, min(columns.values()))
        self.entries.append(
            Entry("strips", (StatedCell("id", "base", place), StatedCell("reels", tuple(reels), place)))
        )
        self.assumed.append("windows of one row: only counts of symbols are stated, no strips")

    def _stops(self) -> list[list[Counter[str]]]:
        """Returns how many stops show each symbol, reel by reel, of every strip set that was read."""
        return [
            [Counter(word.partition(":")[0] for word in str(reel).split()) for reel in one.value]
            for entry in self.entries
            if entry.table == "strips"
            for one in entry.stated
            if one.key == "reels"
            and isinstance(one.value, tuple)
            and not any(":" in str(reel) for reel in one.value)
        ]

    def _compare(
        self, block: Block, columns: Mapping[int, int], at: int, sets: list[list[Counter[str]]]
    ) -> None:
        """Finds counts that are those of no strip set; each is named with what the first set has."""
        wrong: list[list[tuple[str, str]]] = []
        for reels in sets:
            stops = dict(zip(columns.values(), reels, strict=False))
            wrong.append(
                [
                    (
                        block.place(row, column),
                        f'{cells[column] or "none"} of "{cells[at]}", but the strip has {there}',
                    )
                    for row, cells in enumerate(block.rows)
                    if words_of(cells[at]) not in SUMS
                    for column, found in stops.items()
                    if (there := found[symbol_of(cells[at])])
                    != self._whole(cells[column] or "0", "", "the count")
                ]
            )
        self.mistakes += wrong[0] if all(wrong) else []

    def _lined(self, block: Block) -> None:
        columns = list(self._reel_columns(block, _REEL).values())
        self._leave_columns(block, columns)
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
        self._leave_columns(block, counts.values(), (at,))
        # The name of a file of many blocks is the title of none.
        speaks = block.title != block.sheet or self.speaking[block.sheet] == 1
        words = set(block.name.split("_")) if speaks else set()
        if words & FEATURES:
            told = "what features award is not read as pays: expected a table such as free_games, or another title"
            self.mistakes.append((block.place(-1, at), f'"{block.title}": {told}'))
        scatters = {
            symbol_of(one)
            for one in re.split(r"[,;]", self.settings.get("scatter", ("Scatter;SCATTER;scatter", ""))[0])
        }
        per = PER.get(words_of(self.settings.get("per", ("", ""))[0]), "")
        for row, cells in enumerate(block.rows):
            paid = {
                count: self._whole(cells[column], block.place(row, column), "the pay")
                for count, column in counts.items()
                if cells[column] not in ("", "-", "–")
            }
            if not paid and cells[at]:
                self.assumed.append(
                    f'"{cells[at]}" pays nothing: its cells are empty ({block.place(row, at)})'
                )
            if not any(paid.values()):
                continue
            several = [self._symbol(one, block.place(row, at)) for one in re.split(r"[|/]", cells[at])]
            named = any(word.startswith("scatter") for word in words)
            table = "scatter_pays" if named or several[0] in scatters else "line_pays"
            # An empty cell of a column that is there pays nothing on a line; more scatters pay as the last.
            most = max(paid if table == "scatter_pays" else counts)
            pays = tuple(paid.get(count, 0) for count in range(1, most + 1))
            place = block.place(row, at)
            first = block.place(row, min(counts.values()))
            stated = [StatedCell("symbol", several[0], place)]
            if len(several) > 1:
                row_id = "-or-".join(several).lower()
                stated = [StatedCell("id", row_id, place), StatedCell("symbols", tuple(several), place)]
            if table == "scatter_pays" and not (named or per):
                told = 'coins of a line, or total bets? Expected a setting "Scatter pays" of "total bet" or "line bet"'
                self.mistakes.append(
                    (place, f'the scatter "{cells[at]}" is listed among pays of lines: {told}')
                )
            stated += [StatedCell("per", per, place)] if per and table == "scatter_pays" else []
            self.entries.append(Entry(table, (*stated, StatedCell("pays", pays, first))))

    # --- the rest ---

    def _slot(self) -> None:
        places = [entry.stated[0].place for entry in self.entries] + [at for _, at in self.settings.values()]
        anywhere = places[0]
        stated: list[StatedCell] = []
        number, at = self.settings.get("ways", ("no", ""))
        counted = WAYS.get(number.lower())
        stated_ways = self._whole(number, at, "the number of ways") if counted is None else 0
        ways = bool(stated_ways if counted is None else counted)
        text, place = self.settings.get("heights", ("", anywhere))
        rows = [self._whole(one, place, "the height") for one in re.split(r"[ ,;x-]+", text) if one]
        if len(rows) not in (0, 1, self.reels):
            told = f"{len(rows)} heights of {self.reels} reels: expected one of all, or one for each"
            self.mistakes.append((place, told))
        if not rows:
            rows = [max((int(row) for line in self.lines for row in line.split()), default=3)]
            self.assumed.append(f"windows of {rows[0]} rows: no setting says how many")
        heights = tuple(rows) if len(rows) == self.reels else (rows[0],) * self.reels
        stated.append(StatedCell("heights", heights, place))
        if ways:
            stated.append(StatedCell("ways", True, at))
            if stated_ways not in (0, 1, prod(heights)):
                self.mistakes.append((at, f"{number} ways, but the windows have {prod(heights):,}"))
        elif self.lines:
            stated.append(StatedCell("lines", tuple(self.lines), self.line_place))
            self._count_lines(max(heights))
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
            stated.append(StatedCell("direction", DIRECTIONS.get(words_of(value), value), at))
        self.entries.append(Entry("slot", tuple(stated)))
        self._head()
        ids = [str(one.stated[0].value) for one in self.entries if one.table == "strips"]
        if len(ids) > 1 and not self.tables & {"stages", "variants"}:
            idle = ", ".join(f'"{name}"' for name in ids[1:])
            self.assumed.append(f"strips {idle} are played by no stage: no table of stages is there")
        self._wilds()

    def _head(self) -> None:
        """States the title of the game, and the smallest stake by the denomination: the value of one coin."""
        if "title" in self.settings:
            value, at = self.settings["title"]
            self.entries.append(Entry(HEAD, (StatedCell("title", value, at),)))
        if "denomination" in self.settings:
            value, at = self.settings["denomination"]
            found = MONEY.fullmatch(value)
            if not found:
                told = "expected the value of one coin, such as 0.05 or EUR 0.05"
                self.mistakes.append((at, f'the denomination "{value}": {told}'))
                return
            line_bet, lines = self.settings.get("line_bet", ("1", ""))[0], max(1, len(self.lines))
            coins = self._whole(self.settings.get("cost", (line_bet, at))[0], at, "coins")
            coins *= 1 if "cost" in self.settings else lines
            stake = f"{Decimal(found[2].replace(',', '.')) * coins:.2f}"
            currency = found[1] or found[3] or "EUR"
            limits = {"minimum": stake, "maximum": stake, "currency": currency}
            limits |= {"provenance": "adopted", "by": "reading/limits"}
            told = f"{currency} {stake} a round: coins of {value}, {coins} a round"
            because = "The spreadsheet states a denomination and no limits."
            stated: dict[str, Value] = {"limits": limits, "adopted": f"{told}.", "because": because}
            self.entries.append(Entry(HEAD, tuple(StatedCell(key, one, at) for key, one in stated.items())))
            self.assumed.append(f"one stake, {told}")

    def _count_lines(self, height: int) -> None:
        """Compares how many lines are stated to be there with the table of them; tells how rows were counted."""
        if height not in (named := {int(row) for line in self.lines for row in line.split()}):
            self.assumed.append(f"rows of lines counted from 1: no line names row 0, or row {max(named) + 1}")
        value, at = self.settings.get("lines", ("", ""))
        if value and self._whole(value, at, "the number of lines") != len(self.lines):
            self.mistakes.append((at, f"{value} lines, but the table of them has {len(self.lines)}"))

    def _wilds(self) -> None:
        if "scatter" in self.settings and "strips" not in self.tables:
            value, at = self.settings["scatter"]
            for name in filter(None, map(symbol_of, re.split(r"[,;]", value))):
                if name not in self.written:
                    seen = ", ".join(sorted(filter(None, self.written)))
                    self.mistakes.append((at, f'the scatter "{name}" is on no strip: expected one of {seen}'))
        if "wild" in self.settings and "wilds" not in self.tables:
            value, at = self.settings["wild"]
            self.entries += [
                Entry("wilds", (StatedCell("symbol", symbol_of(name), at),))
                for name in re.split(r"[,;]", value)
            ]
        for metric in (RETURN, HIT_FREQUENCY, MAXIMUM_AWARD):
            if metric in self.settings:
                value, at = self.settings[metric]
                # Half of the world writes decimals with a comma.
                value = re.sub(r"(?<=\d),(?=\d+ ?%?$)", ".", value) if metric != MAXIMUM_AWARD else value
                # A cell in percent is read as the number behind it: no slot returns two per cent.
                share = metric != MAXIMUM_AWARD and re.fullmatch(r"[01]\.\d+|1", value)
                value = f"{Decimal(value).scaleb(2):f}" if share else value
                unit = "x" if metric == MAXIMUM_AWARD else " %"
                printed = re.sub(r"(?<=\d) ?[%x]?$", unit, value)
                claim = {"wager": "main", "metric": metric, "printed": printed, "source": "sheet"}
                self.entries.append(Entry("claims", tuple(StatedCell(*each, at) for each in claim.items())))


def _numbered(block: Block, form: re.Pattern[str]) -> dict[int, int]:
    """Returns the columns whose heading is of a form, by the number in it."""
    matches = ((form.fullmatch(name), column) for column, name in enumerate(block.header))
    found = {int(next(filter(None, match.groups()))): column for match, column in matches if match}
    return dict(sorted(found.items()))


def _symbol_column(block: Block) -> int:
    counts = set(_numbered(block, _COUNT).values())
    named = (n for n, name in enumerate(block.header) if name in NAMES)
    return next(named, next((n for n in range(len(block.header)) if n not in counts), 0))


def _kind(block: Block) -> str:
    """Returns what a block states: strips, lines, pays, settings, or nothing that is known here."""
    if block.name in OWN - {COUNTS}:
        return ""
    if not block.rows:
        return "settings" if len(block.head) > 1 and words_of(block.head[0]) in SETTINGS else ""
    reels, counts = _numbered(block, _REEL), _numbered(block, _COUNT)
    if reels:
        if not _whole_cells(block, reels):
            return "strips"
        # Numbers next to symbols are their counts; a line has none.
        return "counts" if set(block.header) & set(NAMES) else "lines"
    if len(counts) > 1 and len(counts) == sum(map(bool, block.header)) and not _whole_cells(block, counts):
        return "strips"
    heights = SETTINGS.get(block.header[0]) == "heights"
    if (
        counts
        and not heights
        and "wager" not in block.header
        and (len(counts) > 1 or block.header[0] in NAMES)
    ):
        return "pays"
    keys = [words_of(row[0]) for row in (block.head, *block.rows)]
    return "settings" if len(block.header) > 1 and any(key in SETTINGS for key in keys) else ""


def _headed(block: Block) -> tuple[Block, str]:
    """Returns a block with what it states; rows above its heading (titles of an export, units) are left aside."""
    if block.name == COUNTS and "strip_set" in block.header:
        return block, ""
    if _without_heading(block):
        # The first row is one of stops; a column of numbers counts them.
        counts = [all(map(_WHOLE.fullmatch, column)) for column in zip(block.head, *block.rows, strict=True)]
        header = tuple("stop" if one else f"reel_{n - sum(counts[:n]) + 1}" for n, one in enumerate(counts))
        rows, lines = (block.head, *block.rows), (block.above, *block.lines)
        return replace(block, header=header, rows=rows, lines=lines), "strips"
    lower = block
    for _ in range(min(MOST_ABOVE, len(block.rows)) + 1):
        kind = _kind(lower)
        if block.title != block.sheet and block.name in TABLES and kind != _KIND_OF.get(block.name):
            return block, ""
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


def _without_heading(block: Block) -> bool:
    """Returns whether a title alone says that a block holds strips: no row of it is a heading."""
    rows = [tuple(map(words_of, row)) for row in (block.head, *block.rows[:MOST_ABOVE])]
    headed = any(_REEL.fullmatch(cell) or _COUNT.fullmatch(cell) for row in rows for cell in row[1:])
    headed = headed or any(cell in NAMES or cell in SETTINGS for row in rows for cell in row[:1])
    says = {"reel", "reels", "strip", "strips"} & set(block.name.split("_"))
    return bool(says) and len(block.head) > 1 and not headed


def _whole_cells(block: Block, columns: Mapping[int, int]) -> bool:
    """Returns whether columns hold whole numbers and nothing else."""
    cells = (cells[column] for cells in block.rows for column in columns.values())
    return all(_WHOLE.fullmatch(cell) for cell in cells if cell)

"""Cells, columns and formulas of a PAR sheet, with the headings that a reader sees above them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, cast

from certify.model import Figure, percent_of

LIST = "; "
"""Between the texts of a list within one cell."""


def stated_tables(
    tables: Mapping[str, Sequence[object]], single: Collection[str]
) -> "tuple[SheetTable, ...]":
    """Returns a sheet for each table of a submission; keys that are left at what they are where left out stay out.

    Args:
        tables: Entries of each table in their forms.
        single: Tables that are stated once: their keys stand beneath each other.
    """
    return tuple(
        _beneath(name, entries[0]) if name in single else _beside(name, entries)
        for name, entries in tables.items()
    )


def _beneath(name: str, entry: object) -> "SheetTable":
    rows: list[tuple[Cell, Cell]] = []
    for field, value in _said([entry]):
        if isinstance(value[0], list) and value[0] and isinstance(value[0][0], str):
            rows += [(field.name, each) for each in value[0]]
        else:
            rows.append((field.name, _cell(value[0])))
    return SheetTable(name.replace("_", " "), ("item", "value"), (CellUnit.TEXT, CellUnit.TEXT), tuple(rows))


def _said(entries: Sequence[object]) -> list[tuple[Field[Any], list[Any]]]:
    """Returns the fields that some entry states otherwise than by leaving them out, with their values."""
    found = []
    for field in fields(cast(Any, entries[0])):
        values = [getattr(one, field.name) for one in entries]
        left_out = field.default_factory() if field.default_factory is not MISSING else field.default
        if any(value != left_out for value in values):
            found.append((field, values))
    return found


def _beside(name: str, entries: Sequence[object]) -> "SheetTable":
    header: list[str] = []
    units: list[CellUnit] = []
    columns: list[list[Cell]] = []
    for field, values in _said(entries):
        if any(value and isinstance(value, list) and isinstance(value[0], int) for value in values):
            for number in range(max(map(len, values))):
                header.append(f"{field.name}_{number + 1}")
                units.append(CellUnit.WHOLE)
                columns.append([value[number] if number < len(value) else "" for value in values])
            continue
        header.append(field.name)
        units.append(CellUnit.WHOLE if all(type(value) is int for value in values) else CellUnit.TEXT)
        columns.append([_cell(value) for value in values])
    rows = tuple(zip(*columns, strict=True))
    return SheetTable(name.replace("_", " "), tuple(header), tuple(units), rows)


def _cell(value: Any) -> "Cell":
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return LIST.join(map(str, value))
    if isinstance(value, dict):
        return LIST.join(f"{key}={each}" for key, each in value.items())
    return cast(Cell, value)


class CellUnit(StrEnum):
    """In what a column is given, and so how its cells are formatted."""

    TEXT = "text"
    WHOLE = "whole number"
    NUMBER = "number"
    PROBABILITY = "probability"
    PERCENT = "percent"
    MONEY = "money"


@dataclass(frozen=True, slots=True)
class Formula:
    """A cell that the spreadsheet computes from others, with the value that it has to give.

    Args:
        text: The formula, beginning with ``=``; made of cell names, numbers and a few functions alone.
        value: Its value at the pays as submitted, for readers that compute nothing.
    """

    text: str
    value: Fraction


Cell = str | float | int | Formula


@dataclass(frozen=True, slots=True)
class SheetTable:
    """One table of a PAR sheet.

    Args:
        name: Name of the table, at most 31 characters: the limit of a spreadsheet's tabs.
        header: Names of the columns.
        units: In what each column is given.
        rows: Cells; exact fractions are text, decimals are numbers.
        totals: Which rows, counted from 0, are totals.
        returned: Cell of the return that follows the sheet of pays, where it is computed here.
        kept: Columns that do not follow a pay that is changed, as their headings say.
    """

    name: str
    header: tuple[str, ...]
    units: tuple[CellUnit, ...]
    rows: tuple[tuple[Cell, ...], ...]
    totals: frozenset[int] = frozenset()
    returned: str = ""
    kept: tuple[str, ...] = ()

    @property
    def headings(self) -> tuple[str, ...]:
        """Headings of the columns in words."""
        return tuple(heading(name + KEPT if name in self.kept else name) for name in self.header)


KEPT: Final = "_kept"
"""Ends the name of a column that does not follow a pay that is changed."""

HEADINGS: Final[Mapping[str, str]] = {
    "pays_to_1": "Pays, to 1 (change it here)",
    "pays_for_1": "Pays, for 1 (change it here: contributions and returns follow)",
    "pays_exact": "Pays, exactly",
    "net_to_1": "Net result, to 1",
    "variance_within": "Variance within the class",
    "one_in": "One in so many rounds",
    "unique": "The only pay that fits",
    "by": "Resting on",
    "return": "Return to player",
    "return_on_total_wagered": "Return on everything wagered",
    "top_award_one_in": "Top award, at least one in so many rounds",
    "top_award_times_a_round": "Top award, expected number in a round",
    "longest_in_rounds": "Longest losing run, rounds",
    "longer_with_probability_at_most": "A longer one has at most this probability",
    "bankroll_in_stakes": "Bankroll, in stakes",
    "lowest_return": "Lowest return at the pays submitted",
    "highest_return": "Highest return at the pays submitted",
    "found_by": "Lowest and highest return found by",
    "covers_at_least": "Probability of this band, at least",
    "lowest_by_normal": "Lowest return by the normal approximation, following the pays",
    "highest_by_normal": "Highest return by the normal approximation, following the pays",
    "lowest_by_normal_kept": "Lowest return by the normal approximation: only its middle follows the pays",
    "highest_by_normal_kept": "Highest return by the normal approximation: only its middle follows the pays",
    "return_under_one": "Return under the one strategy of all wagers",
    "own_best": "Own best strategy of those analysed",
    "return_at_own_best": "Return there",
    "shown_by": "Shown by",
}
"""Headings of columns in words, by the names that files for programs give them."""


def heading(column: str) -> str:
    """Returns the heading of a column in words.

    >>> heading("house_edge_exact"), heading("volatility_index_95_kept")
    ('House edge, exactly', 'Volatility index at 95 %, at the pays submitted')
    """
    if column in HEADINGS:
        return HEADINGS[column]
    if column.endswith(KEPT):
        return f"{heading(column.removesuffix(KEPT))}, at the pays submitted"
    if column.startswith("volatility_index_"):
        return f"Volatility index at {column.removeprefix('volatility_index_')} %"
    exactly = column.endswith("_exact")
    words = column.removesuffix("_exact").replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}{', exactly' if exactly else ''}"


@dataclass(frozen=True, slots=True)
class SheetPlace:
    """Where the outcomes of one wager stand on the sheet of combinations, as the spreadsheet numbers rows.

    Args:
        first: Its first outcome.
        last: Its last one.
    """

    first: int
    last: int

    @property
    def total(self) -> int:
        """The row of its totals."""
        return self.last + 1

    @property
    def returned(self) -> str:
        """The cell of the return, as another sheet names it."""
        return f"combinations!J{self.total}"

    def cells(self, column: str) -> str:
        """Returns the cells of its outcomes in a column, as another sheet names them."""
        return f"combinations!{column}{self.first}:{column}{self.last}"


def as_number(value: Fraction) -> int | float:
    """Returns a number as a spreadsheet holds it: whole where its numbers can be.

    >>> as_number(Fraction(3)), as_number(Fraction(1, 2)), as_number(Fraction(2**60))
    (3, 0.5, 1.152921504606847e+18)
    """
    return int(value) if value.denominator == 1 and abs(value) < 2**53 else float(value)


def frequency_cell(figure: Figure) -> Cell:
    """Returns a frequency as a number, or its bounds in words."""
    return float(figure) if isinstance(figure, Fraction) else f"{percent_of(figure)} %"

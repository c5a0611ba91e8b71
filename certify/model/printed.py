"""Tables that a source prints about hands and outcomes: each row a claim, kept as it is printed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.exact import PrintedPercent

Value = str | int | bool | tuple[str, ...] | tuple[int, ...] | Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under one heading.

    Args:
        sheet: Name of the sheet, or of the file.
        title: What is above the heading; the name of the sheet where nothing does.
        header: Names of the columns, in lower-case words joined by underscores.
        rows: Cells as text, as many as the header has.
        lines: The number of each row.
        above: The number of the heading's row.
        head: The heading as it is written.
    """

    sheet: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    above: int
    head: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The title in lower-case words joined by underscores."""
        return words_of(self.title)

    @property
    def told(self) -> str:
        """The title with the cell at which the block begins, for messages.

        >>> Block("reels", "Free reels", ("", "a"), (("", "1"),), (2,), 1, ("", "A")).told
        '"Free reels" (reels!B1)'
        """
        first = next((at for at, name in enumerate(self.head) if name), 0)
        return f'"{self.title}" ({self.place(-1, first)})'

    def place(self, row: int, column: int) -> str:
        """Returns the name of a cell, as spreadsheets name them; row -1 is the heading.

        >>> Block("pays", "pays", ("a", "b"), (("1", "2"),), (2,), 1).place(0, 1)
        'pays!B2'
        """
        line = self.lines[row] if row >= 0 else self.above
        return f"{self.sheet}!{column_name(column)}{line}"


@dataclass(frozen=True, slots=True)
class StatedCell:
    """One key of a table, with the cell in which it is stated.

    Args:
        key: The key.
        value: Its value.
        place: Name of the cell.
    """

    key: str
    value: Value
    place: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One table of a submission, or one entry of an array of tables, as a sheet states it."""

    table: str
    stated: tuple[StatedCell, ...]


def words_of(text: str) -> str:
    """Returns a text in lower-case words joined by underscores.

    >>> words_of("Line pays (coins)"), words_of("5 of a kind")
    ('line_pays_coins', '5_of_a_kind')
    """
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")


def column_name(column: int) -> str:
    """Returns the name of a column, counted from 0.

    >>> column_name(0), column_name(27)
    ('A', 'AB')
    """
    name, left = "", column + 1
    while left:
        left, digit = divmod(left - 1, 26)
        name = chr(ord("A") + digit) + name
    return name


HOLDS: Final = "holds"
NOT_COUNTED: Final = "cannot be counted"
WORTH: Final = (HOLDS, "arithmetic slip", "wrong denominator", "not a probability", NOT_COUNTED)
"""What a printed figure can be worth, best first."""


@dataclass(frozen=True, slots=True)
class PrintedVerdict:
    """What one printed count or row is worth.

    Args:
        worth: Of a count, whether it holds; of a row, whether it follows from its own fractions and then what
            it is worth as a probability.
        slips: Where it departs from what it says itself, with the numbers.
        reason: Why, with the numbers.
    """

    worth: tuple[str, ...]
    slips: tuple[str, ...]
    reason: str

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with it."""
        return all(word == HOLDS for word in self.worth)

    @property
    def words(self) -> str:
        """What it is worth in a few words, worst first.

        >>> PrintedVerdict(("holds", "not a probability"), (), "").words
        'not a probability'
        """
        found = dict.fromkeys(sorted(self.worth, key=lambda word: -WORTH.index(word)))
        return " and ".join(word for word in found if word != HOLDS) or HOLDS

    @property
    def detail(self) -> str:
        """Everything that is wrong, or why it holds."""
        return "; ".join(part for part in (*self.slips, self.reason) if part)

    def is_better_than(self, other: "PrintedVerdict") -> bool:
        """Returns whether something was mended against an earlier verdict and nothing spoilt."""
        if len(self.worth) != len(other.worth):
            return False
        ranks = [
            (WORTH.index(mine), WORTH.index(theirs))
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        ]
        no_worse = all(mine <= theirs for mine, theirs in ranks) and set(self.slips) <= set(other.slips)
        return no_worse and (self.worth, set(self.slips)) != (other.worth, set(other.slips))

    def is_worse_than(self, other: "PrintedVerdict") -> bool:
        """Returns whether it is worth less than before in any respect."""
        if len(self.worth) != len(other.worth):
            return True
        return any(
            WORTH.index(mine) > WORTH.index(theirs)
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        )


@dataclass(frozen=True, slots=True)
class PrintedShare:
    """A share as printed: a percentage, the fraction next to it, or both; None where nothing is printed.

    Args:
        text: Everything that is printed in the cell.
        percent: The percentage with its precision.
        ways: Numerator and denominator of the fraction, not in lowest terms.
    """

    text: str
    percent: PrintedPercent | None = None
    ways: tuple[int, int] | None = None

    @property
    def fraction(self) -> Fraction | None:
        """The printed fraction as a number."""
        return Fraction(*self.ways) if self.ways else None


@dataclass(frozen=True, slots=True)
class PrintedCount:
    """A printed number of ways, or a printed share, of hands with given totals.

    Args:
        id: Id of the row.
        of: ``two-card-hands``, ``one-card-hands`` or ``all-hands``: what is counted.
        totals: Totals counted, in half points; empty for all of them.
        ways: The printed number of ways, None where only a share is printed.
        share: The printed share, None where only a number is printed.
        source: Id of the source.
        line: Line of the submission.
    """

    id: str
    of: str
    totals: tuple[int, ...]
    ways: int | None
    share: PrintedShare | None
    source: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class PrintedRow:
    """A printed row of outcomes against one final hand of the dealer.

    Args:
        label: The hand as the source words it.
        total: Its printed total in half points, None where none is printed.
        hand: Classes of its cards, in the order in which the family names them, one or two.
        shares: Printed share of each column that the tables of the family have, by its key.
        source: Id of the source.
        line: Line of the submission.
    """

    label: str
    total: int | None
    hand: tuple[int, ...]
    shares: tuple[tuple[str, PrintedShare], ...]
    source: str
    line: int = 0

    def share(self, column: str) -> PrintedShare:
        """Returns the printed share of a column."""
        return dict(self.shares)[column]

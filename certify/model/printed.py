"""Tables that a source prints about hands and outcomes: each row a claim, kept as it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.exact import PrintedPercent


@dataclass(frozen=True, slots=True)
class PrintedShare:
    """A share as printed: a percentage, the fraction beside it, or both; None where nothing is printed.

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

"""Tables that a source prints about hands and outcomes: each row a claim, kept as it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.exact import PrintedPercent

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

    def is_better_than(self, other: PrintedVerdict) -> bool:
        """Tells whether something was mended against an earlier verdict and nothing spoilt."""
        if len(self.worth) != len(other.worth):
            return False
        ranks = [
            (WORTH.index(mine), WORTH.index(theirs))
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        ]
        no_worse = all(mine <= theirs for mine, theirs in ranks) and set(self.slips) <= set(other.slips)
        return no_worse and (self.worth, set(self.slips)) != (other.worth, set(other.slips))

    def is_worse_than(self, other: PrintedVerdict) -> bool:
        """Tells whether it is worth less than before in any respect."""
        if len(self.worth) != len(other.worth):
            return True
        return any(
            WORTH.index(mine) > WORTH.index(theirs)
            for mine, theirs in zip(self.worth, other.worth, strict=True)
        )


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

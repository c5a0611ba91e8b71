"""Which paytables are tried where pays are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from certify.analysis.whole_pays import Order
from certify.errors import InputError, NothingCheckedError
from certify.model.game import Game, Provenance

CUSTOMARY_PAYS = (
    *range(1, 11), 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 80,
    100, 120, 125, 150, 200, 250, 300, 400, 500,
)  # fmt: skip
"""Pays such as layouts print. The list is this project's own and only sorts answers; it excludes none."""

_OVER = {
    2: (1, 3, 5, 7, 9), 3: (1, 2, 4, 8), 4: (1, 3, 5, 9), 5: (4, 6, 7, 8, 9), 6: (5, 7),
    10: (9,), 20: (19,), 25: (24,), 40: (39,),
}  # fmt: skip
CUSTOMARY_ODDS = tuple(Fraction(over, under) for under, overs in _OVER.items() for over in overs)
"""Pays such as layouts print that are no whole number to 1: even money less a commission among them.

Tried where no whole number fits: any fraction at all would come near any figure, so that finding one says nothing.
"""


@dataclass(frozen=True, slots=True)
class PayBounds:
    """Which paytables are tried for a side bet.

    Args:
        minimum: Lowest pay to 1 of any row.
        maximum: Highest pay to 1 of any row.
        by_row: Allowed pays of single rows, in place of the bounds; one value fixes a row.
        order: How pays in printed order relate.
        limit: How many fitting paytables are listed; all are counted.
    """

    minimum: int = 1
    maximum: int = 500
    by_row: Mapping[str, Sequence[int]] = field(default_factory=dict)
    order: Order = Order.NON_INCREASING
    limit: int = 20

    def pays(self, row: str) -> tuple[int, ...]:
        """Returns the pays tried for a row, lowest first."""
        if row in self.by_row:
            return tuple(sorted(set(self.by_row[row])))
        return tuple(range(self.minimum, self.maximum + 1))

    def odds(self, rows: Sequence[str]) -> tuple[Fraction, ...]:
        """Returns the odds tried where no whole number fits: only one row can then be told, and not a bounded one."""
        return CUSTOMARY_ODDS if len(rows) == 1 and rows[0] not in self.by_row else ()

    def words(self, sought: Sequence[str] = ()) -> tuple[tuple[str, str], ...]:
        """Returns the bounds in plain words.

        Args:
            sought: The rows for which odds are tried too where no whole number fits.
        """
        rows = tuple((row, ", ".join(map(str, self.pays(row)))) for row in self.by_row)
        odds = ", ".join(str(one) for one in self.odds(sought))
        return (
            ("pays", f"whole numbers from {self.minimum} to {self.maximum} to 1"),
            *((("where none fits", f"{odds} to 1"),) if odds else ()),
            ("order", f"{self.order.value} in printed order"),
            *rows,
        )


def check_bounds(game: Game, wager: str, bounds: PayBounds) -> None:
    """Refuses bounds that fit no row of a wager.

    Raises:
        InputError: A row is not in the paytable, or the range is none.
    """
    rows = game.wager(wager).paytable.ids
    unknown = sorted(set(bounds.by_row) - set(rows))
    if unknown:
        raise InputError(f"no row {', '.join(unknown)} in {wager}: expected {', '.join(rows)}")
    if not 0 <= bounds.minimum <= bounds.maximum:
        raise InputError(
            f"pays from {bounds.minimum} to {bounds.maximum} are no range of whole numbers from 0"
        )


def lost_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows of a wager whose pays no source prints.

    Raises:
        NothingCheckedError: Every pay is printed.
    """
    rows = game.wager(wager).paytable.rows
    lost = tuple(row.id for row in rows if row.origin.provenance is Provenance.RECOVERED)
    if not lost:
        raise NothingCheckedError(
            f"every pay of {wager} is printed: its printed return is compared with the exact one, and there is "
            "nothing to search for. Expected a row that is marked as recovered"
        )
    return lost

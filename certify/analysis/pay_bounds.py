"""Which paytables are tried where pays are lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from certify.analysis.whole_pays import Order
from certify.errors import InputError
from certify.model.game import Game

CUSTOMARY_PAYS = (
    *range(1, 11), 12, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 80,
    100, 120, 125, 150, 200, 250, 300, 400, 500,
)  # fmt: skip
"""Pays such as layouts print. The list is this project's own and only sorts answers; it excludes none."""


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

    def words(self) -> tuple[tuple[str, str], ...]:
        """Returns the bounds in plain words."""
        rows = tuple((row, ", ".join(map(str, self.pays(row)))) for row in self.by_row)
        return (
            ("pays", f"whole numbers from {self.minimum} to {self.maximum} to 1"),
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

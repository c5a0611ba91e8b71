"""Paytables: what each row pays, net of the stake."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from certify.model.provenance import Origin


@dataclass(frozen=True, slots=True)
class PaytableRow:
    """One row of a paytable.

    Args:
        id: Id of the row, as used in figures and evidence.
        title: The row as the source words it.
        pays: Net pay in units of the stake (2 for ``2 to 1``); a pushed stake is 0.
        origin: Where the pay comes from.
        line: Line of the submission that states the row, 0 when made in code.
    """

    id: str
    title: str
    pays: Fraction
    origin: Origin = field(default_factory=Origin)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Paytable:
    """The rows of one wager, in printed order; an outcome that no row names loses the stake."""

    rows: tuple[PaytableRow, ...]

    def pays(self, row_id: str) -> Fraction:
        """Returns the net pay of a row.

        Raises:
            KeyError: The paytable has no such row.
        """
        return {row.id: row.pays for row in self.rows}[row_id]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the rows in printed order."""
        return tuple(row.id for row in self.rows)

"""Spreadsheets of a family: its tables in the form of the PAR sheet, and read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from certify.model.game import Game
from certify.model.sheet import Block, Entry

if TYPE_CHECKING:
    from certify.analysis.par_cells import SheetTable


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a family makes of blocks of a spreadsheet that do not bear the names of its tables.

    Args:
        entries: Entries of its tables.
        mistakes: What is wrong, each with its cell.
        unread: Titles of blocks that say nothing to it.
        assumed: What is not stated and was taken as usual, in words.
    """

    entries: tuple[Entry, ...] = ()
    mistakes: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


class SheetsPort(Protocol):
    """Spreadsheets of a family: its tables in the form of the PAR sheet, and read back."""

    def stated(self, game: Game) -> Mapping[str, Sequence[object]]:
        """Returns the family's own tables as a submission states them, in their forms."""
        ...

    def tables(self, game: Game) -> tuple[SheetTable, ...]:
        """Returns what the family's PAR sheet shows beside."""
        ...

    def recognised(self, blocks: Sequence[Block], entries: Sequence[Entry]) -> Recognised:
        """Returns what blocks of somebody else's spreadsheet state, beside entries that were read already."""
        ...

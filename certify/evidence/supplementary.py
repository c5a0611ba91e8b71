"""Tables of a family beside the returns of its games: each figure with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import origins


class Unit(StrEnum):
    """What a figure is counted in."""

    STAKES = "stakes"
    CHANCE = "chance"
    ROUNDS = "rounds"


class Basis(StrEnum):
    """What a figure rests on."""

    EXACT = "exact"
    PROVEN = "proven"
    """The exact figure is proven to lie from the low end to the high end."""
    PLAYED = "played"
    """Play-through: from the low end to the high end is the interval of 99 % confidence."""


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryFigure:
    """One figure, or the interval in which it lies.

    Args:
        low: The figure, or the low end.
        high: The same, or the high end.
        unit: What it is counted in.
        basis: What it rests on.
    """

    low: Fraction
    high: Fraction
    unit: Unit
    basis: Basis


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryColumn:
    """A column of figures.

    Args:
        id: Id of the column.
        title: What stands in it, in words.
        messages: The messages that the title is made of.
    """

    id: str
    title: str
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryRow:
    """A row of figures.

    Args:
        of: What the row is of, in words.
        figures: Figures by column; none where a column does not apply.
        detail: What shows it, such as a deal; empty for nothing.
        messages: The messages that the words are made of.
    """

    of: str
    figures: Mapping[str, SupplementaryFigure]
    detail: str
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class SupplementaryTable:
    """One table of figures.

    Args:
        id: Id of the table.
        title: What the table shows, in words.
        remark: What the figures rest on, in words; empty for nothing.
        columns: The columns.
        rows: The rows.
        messages: The messages that title and remark are made of.
    """

    id: str
    title: str
    remark: str
    columns: tuple[SupplementaryColumn, ...]
    rows: tuple[SupplementaryRow, ...]
    messages: Worded

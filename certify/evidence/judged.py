"""Printed tables of counts and outcomes, judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.model.form import Decimal, origins


@origins()
@dataclass(frozen=True, slots=True)
class JudgedCount:
    """A printed count or share beside the exact one.

    Args:
        id: Id of the count.
        label: What it is called.
        of: What it is a count of.
        printed: The figure as printed.
        exact: The exact figure.
        verdict: What the printed figure is worth.
        detail: What is wrong with it, in words.
        share_of_real_two_card_hands: The share among hands that can really be dealt, where it differs.
        source: Where it is printed.
        line: Line of the source.
    """

    id: str
    label: str
    of: str
    printed: str
    exact: Fraction
    verdict: str
    detail: str
    share_of_real_two_card_hands: Fraction | None
    source: str
    line: int


@origins()
@dataclass(frozen=True, slots=True)
class ConditionalShare:
    """The true probability of one outcome of a row under one strategy.

    Args:
        probability: The probability.
        percent: The same in percent.
    """

    probability: Fraction
    percent: Decimal


@origins()
@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A printed row of outcomes with its verdicts.

    Args:
        label: What the row is called.
        printed: The shares as printed, by column.
        implied: The shares that its own terms imply, by column.
        under_implied_reading: What the printed shares are worth read so.
        slips: Slips of printing or rounding, in words.
        ways: The hands that its terms count, by what they lead to; none where they cannot be counted.
        conditional: True probabilities by strategy, then by outcome.
        as_probability: What the printed shares are worth as probabilities.
        reason: Why, in words.
        footing: What the row stands on.
        exactly_rounded: Whether the printed shares are the exact ones rounded.
        remarks: Further remarks, in words.
        detail: Slips, remarks and reason in one text.
        source: Where the row is printed.
        line: Line of the source.
    """

    label: str
    printed: Mapping[str, str]
    implied: Mapping[str, Fraction]
    under_implied_reading: str
    slips: tuple[str, ...]
    ways: Mapping[str, int]
    conditional: Mapping[str, Mapping[str, ConditionalShare]]
    as_probability: str
    reason: str
    footing: str
    exactly_rounded: bool
    remarks: tuple[str, ...]
    detail: str
    source: str
    line: int


@origins()
@dataclass(frozen=True, slots=True)
class JudgedTables:
    """Every printed count and every printed row of outcomes.

    Args:
        counts: The counts.
        rows: The rows.
        columns: Shares that a row states, in the order of printing.
        outcomes: Outcomes that have a true probability: those of the columns, then those that nothing is printed of.
        ways: What the terms of a row count, in the order of reading.
    """

    counts: tuple[JudgedCount, ...]
    rows: tuple[JudgedRow, ...]
    columns: tuple[str, ...]
    outcomes: tuple[str, ...]
    ways: tuple[str, ...]

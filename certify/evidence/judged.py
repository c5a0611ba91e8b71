"""Printed tables of counts and outcomes, judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from certify.evidence.form import Decimal
from certify.exact import percent_text


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


@dataclass(frozen=True, slots=True)
class PrintedShares:
    """The three shares of a printed row of outcomes.

    Args:
        dealer_wins: Share of rounds that the dealer wins, as printed.
        tie: Share of ties.
        player_wins: Share that the player wins.
    """

    dealer_wins: str
    tie: str
    player_wins: str


@dataclass(frozen=True, slots=True)
class ImpliedShares:
    """The same shares as counted from the row's own terms.

    Args:
        dealer_wins: Share of rounds that the dealer wins.
        tie: Share of ties.
        player_wins: Share that the player wins.
    """

    dealer_wins: Fraction
    tie: Fraction
    player_wins: Fraction


@dataclass(frozen=True, slots=True)
class Ways:
    """Cards that the terms of a row count, by what they lead to.

    Args:
        below: Below the dealer's total.
        equal: Equal to it.
        above: Above it.
        lone_faces: Faces without a further card.
        bust: Above seven and a half.
        total: All of them.
    """

    below: int
    equal: int
    above: int
    lone_faces: int
    bust: int
    total: int


@dataclass(frozen=True, slots=True)
class ConditionalShares:
    """True probabilities of a row's outcomes under one strategy.

    Args:
        dealer_wins: The dealer wins.
        tie: A tie.
        player_wins: The player wins.
        player_folds: The player folds.
        dealer_wins_percent: The dealer wins, in percent.
        tie_percent: A tie, in percent.
        player_wins_percent: The player wins, in percent.
        player_folds_percent: The player folds, in percent.
    """

    dealer_wins: Fraction
    tie: Fraction
    player_wins: Fraction
    player_folds: Fraction
    dealer_wins_percent: Decimal
    tie_percent: Decimal
    player_wins_percent: Decimal
    player_folds_percent: Decimal

    @classmethod
    def of(cls, dealer_wins: Fraction, tie: Fraction, player_wins: Fraction, player_folds: Fraction) -> Self:
        """Returns four shares with their percentages."""
        shares = (dealer_wins, tie, player_wins, player_folds)
        dealer, tied, player, folds = (percent_text(share, 4) for share in shares)
        return cls(dealer_wins, tie, player_wins, player_folds, dealer, tied, player, folds)


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """A printed row of outcomes with its verdicts.

    Args:
        label: What the row is called.
        printed: The shares as printed.
        implied: The shares that its own terms imply.
        under_implied_reading: What the printed shares are worth read so.
        slips: Slips of printing or rounding, in words.
        ways: The cards that its terms count; none where they cannot be counted.
        conditional: True probabilities by strategy.
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
    printed: PrintedShares
    implied: ImpliedShares
    under_implied_reading: str
    slips: tuple[str, ...]
    ways: Ways | None
    conditional: Mapping[str, ConditionalShares]
    as_probability: str
    reason: str
    footing: str
    exactly_rounded: bool
    remarks: tuple[str, ...]
    detail: str
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class JudgedTables:
    """Every printed count and every printed row of outcomes.

    Args:
        counts: The counts.
        rows: The rows.
    """

    counts: tuple[JudgedCount, ...]
    rows: tuple[JudgedRow, ...]

"""Every reading of the rules evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import InPercent, origins, states


@origins()
@states("house_edge")
@dataclass(frozen=True, slots=True)
class EvaluatedReading:
    """What the game returns under one reading of its rules.

    Args:
        reading: The reading in words.
        adopted: Whether it is the one of the submission.
        what_if: Whether no passage says so: shown for comparison, counted nowhere.
        return_: Return of the first wager under best play.
        return_on_total_wagered: Return per unit of everything staked, where the player may add to the stake.
    """

    reading: str
    adopted: bool
    what_if: bool
    return_: InPercent
    return_on_total_wagered: Fraction | None

    @property
    def house_edge(self) -> Fraction:
        """What the bank keeps per unit of initial stake."""
        return 1 - self.return_


@origins()
@dataclass(frozen=True, slots=True)
class ReadingCombinations:
    """Every combination of readings.

    Args:
        count: Number of combinations.
        above_100_percent: How many return more than is staked.
        lowest: The lowest.
        highest: The highest.
        sentence: All of it in one sentence.
        all_: Every combination.
        messages: The messages of its texts, by their names.
    """

    count: int
    above_100_percent: int
    lowest: EvaluatedReading
    highest: EvaluatedReading
    sentence: str
    all_: tuple[EvaluatedReading, ...]
    messages: Worded

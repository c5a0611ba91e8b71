"""Recovery of lost readings and pays from a printed return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from certify.model.form import InOdds, InPercent, origins, states


@origins()
@dataclass(frozen=True, slots=True)
class Candidate:
    """One complete answer.

    Args:
        reading: How open rules are read, by rule.
        strategy: Strategy that the printed figure is taken to mean.
        pays: What the rows pay, by row.
        return_: The exact return that follows.
        fits: Whether it prints as the figure.
    """

    reading: Mapping[str, str]
    strategy: str
    pays: Mapping[str, InOdds]
    return_: InPercent
    fits: bool


@origins()
@dataclass(frozen=True, slots=True)
class ReadingSearch:
    """What was found under one reading and one strategy.

    Args:
        reading: How open rules are read, by rule.
        strategy: The strategy.
        weights: Exact probability of each row.
        candidates_tried: Paytables within the bounds and in order.
        fits_count: How many of them return the printed figure.
        fits: Some of them, those of customary pays first.
        returns: The exact returns of fitting paytables, where they are few.
        customary_tried: Paytables made of customary pays only.
        customary_count: How many of those fit.
        customary: The first of those.
        nearest_miss: Where none fits, the candidate nearest to the figure.
    """

    reading: Mapping[str, str]
    strategy: str
    weights: Mapping[str, Fraction]
    candidates_tried: int
    fits_count: int
    fits: tuple[Candidate, ...]
    returns: tuple[Fraction, ...] = ()
    customary_tried: int = 0
    customary_count: int = 0
    customary: tuple[Candidate, ...] = ()
    # The evidence states that there is none: what is None by default it would leave out.
    nearest_miss: Candidate | None = field(default_factory=lambda: None)


@origins()
@states("candidates_tried", "fits", "fits_count")
@dataclass(frozen=True, slots=True)
class Recovery:
    """Which readings and pays of one wager reproduce its printed return.

    Args:
        wager: Id of the wager.
        printed: The figures as printed.
        interval: Lowest return that prints as all of them, and the first above it that does not.
        bounds: Bounds of the search in words, by name.
        readings: What was found, reading by reading.
        conclusion: What follows, in words.
        candidates: All candidates, where they are few enough to be listed whole.
    """

    wager: str
    printed: str
    interval: tuple[Fraction, Fraction]
    bounds: Mapping[str, str]
    readings: tuple[ReadingSearch, ...]
    conclusion: str
    candidates: tuple[Candidate, ...] | None = None

    @property
    def candidates_tried(self) -> int:
        """Candidates tried over all readings."""
        return sum(search.candidates_tried for search in self.readings)

    @property
    def fits(self) -> tuple[Candidate, ...]:
        """Some of those that fit."""
        return tuple(candidate for search in self.readings for candidate in search.fits)

    @property
    def fits_count(self) -> int:
        """How many fit over all readings."""
        return sum(search.fits_count for search in self.readings)

"""Recovery of lost readings and pays from a printed return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.model.form import InPercent, Odds


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
    pays: Mapping[str, Odds]
    return_: InPercent
    fits: bool


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
    returns: tuple[Fraction, ...]
    customary_tried: int
    customary_count: int
    customary: tuple[Candidate, ...]
    nearest_miss: Candidate | None


@dataclass(frozen=True, slots=True)
class Recovery:
    """Which readings and pays of one wager reproduce its printed return.

    Args:
        wager: Id of the wager.
        printed: The figures as printed.
        interval: Lowest return that prints as all of them, and the first above it that does not.
        bounds: Bounds of the search in words, by name.
        candidates_tried: Candidates tried over all readings.
        fits: Some of those that fit.
        fits_count: How many fit over all readings.
        readings: What was found, reading by reading.
        conclusion: What follows, in words.
        candidates: All candidates, where they are few enough to be listed whole.
    """

    wager: str
    printed: str
    interval: tuple[Fraction, Fraction]
    bounds: Mapping[str, str]
    candidates_tried: int
    fits: tuple[Candidate, ...]
    fits_count: int
    readings: tuple[ReadingSearch, ...]
    conclusion: str
    candidates: tuple[Candidate, ...] | None = None

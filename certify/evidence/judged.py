"""Printed tables of counts and outcomes, judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from certify.evidence.encode import Messaged
from certify.model import Decimal, InOdds, InPercent, origins, states


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
class ReadingCombinations(Messaged):
    """Every combination of readings.

    Args:
        count: Number of combinations.
        above_100_percent: How many return more than is staked.
        lowest: The lowest.
        highest: The highest.
        sentence: All of it in one sentence.
        all_: Every combination.
    """

    count: int
    above_100_percent: int
    lowest: EvaluatedReading
    highest: EvaluatedReading
    sentence: str
    all_: tuple[EvaluatedReading, ...]


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


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedLine:
    """A printed line next to what is exact.

    Args:
        label: What it is called.
        detail: What is wrong with it, in words.
        source: Where it is printed.
        line: Line of the source.
    """

    label: str
    detail: str
    source: str
    line: int


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedCount(JudgedLine):
    """A printed count or share next to the exact one.

    Args:
        id: Id of the count.
        of: What it is a count of.
        printed: The figure as printed.
        exact: The exact figure.
        verdict: What the printed figure is worth.
        share_of_real_two_card_hands: The share among hands that can really be dealt, where it differs.
    """

    id: str
    of: str
    printed: str
    exact: Fraction
    verdict: str
    share_of_real_two_card_hands: Fraction | None


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
@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRow(JudgedLine):
    """A printed row of outcomes with its verdicts.

    Args:
        printed: The shares as printed, by column.
        implied: The shares that its own terms imply, by column.
        under_implied_reading: What the printed shares are worth read so.
        slips: Slips of printing or rounding, in words.
        ways: The hands that its terms count, by what they lead to; none where they cannot be counted.
        conditional: True probabilities by strategy, then by outcome.
        as_probability: What the printed shares are worth as probabilities.
        reason: Why, in words.
        footing: What the row rests on.
        exactly_rounded: Whether the printed shares are the exact ones rounded.
        remarks: Further remarks, in words.
    """

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

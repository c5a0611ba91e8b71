"""PAR sheets: combinations, bands of the observed return, losing runs, ruin."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.evidence.analysis import NetResult, Spread
from certify.evidence.encode import Messaged
from certify.exact import percent_text
from certify.model import Count, Decimal, Figure, InPercent, Odds, origins, states


@origins()
@dataclass(frozen=True, slots=True)
class Covariance:
    """How the net results of two wagers move together.

    Args:
        wagers: The two wagers.
        covariance: Exact covariance per unit staked on each.
        correlation: The same divided by both standard deviations.
        off: How far the covariance may be off at most; left out where it is exact.
    """

    wagers: tuple[str, str]
    covariance: Fraction
    correlation: float
    off: Fraction | None = None


@origins()
@states("return_percent", "total_return", "expectation", "variance", "standard_deviation", maybe=("near",))
@dataclass(frozen=True, slots=True)
class JointFigures:
    """Exact figures of all wagers together under one strategy.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        stakes: Units on each wager.
        returns: Return of each wager.
        covariance: Covariances of all pairs.
        net: Total net results in units, lowest first.
        off: How far the chances of net results, and the variance, may be off at most; left out where they are exact.
    """

    strategy: str
    strategy_class: str
    stakes: Mapping[str, Fraction]
    returns: Mapping[str, Fraction]
    covariance: tuple[Covariance, ...]
    net: tuple[NetResult, ...]
    off: Mapping[str, Fraction] | None = None

    @property
    def return_percent(self) -> Mapping[str, Decimal]:
        """Return of each wager in percent."""
        return {wager: percent_text(value) for wager, value in self.returns.items()}

    @property
    def total_return(self) -> InPercent:
        """Return on the whole stake."""
        return 1 + self.expectation / sum(self.stakes.values(), Fraction(0))

    @property
    def expectation(self) -> Fraction:
        """Expected total net result in units."""
        return sum((one.net * one.probability for one in self.net), Fraction(0))

    @property
    def variance(self) -> Fraction:
        """Variance of the total net result."""
        second = sum((one.net**2 * one.probability for one in self.net), Fraction(0))
        return second - self.expectation**2

    @property
    def standard_deviation(self) -> float:
        """Root of the variance."""
        return math.sqrt(self.variance)

    @property
    def near(self) -> bool | None:
        """Variance, covariances and net results lie between bounds; left out where they are exact."""
        return True if self.off else None

    def of_pair(self, first: str, second: str) -> Covariance:
        """Returns how two wagers move together.

        Raises:
            KeyError: A wager was not analysed.
        """
        for pair in self.covariance:
            if pair.wagers in ((first, second), (second, first)):
                return pair
        raise KeyError((first, second))


@origins()
@dataclass(frozen=True, slots=True)
class FrontierPiece:
    """Best play while the side stake is between two bounds.

    Args:
        stake_from: Least side stake, in units of the main stake.
        stake_to: Greatest one.
        main_return: Return of the main wager.
        side_return: Return of the side bet.
        total_return_from_percent: Return on the whole stake at the least side stake, in percent.
        total_return_to_percent: The same at the greatest.
        now_hit: Hands that are drawn on from here on.
        now_stand: Hands that are stood on from here on.
    """

    stake_from: Fraction
    stake_to: Fraction
    main_return: InPercent
    side_return: InPercent
    total_return_from_percent: Decimal
    total_return_to_percent: Decimal
    now_hit: tuple[str, ...]
    now_stand: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class ParRow:
    """One outcome of a PAR sheet.

    Args:
        outcome: Id of the outcome.
        pays: Its net result as odds.
        combinations: How many of the equally likely deals end so.
        probability: Exact probability.
        one_in: Mean number of rounds from one to the next; none where it never comes.
        contribution: What it adds to the return.
    """

    outcome: str
    pays: Odds
    combinations: Fraction
    probability: Fraction
    one_in: Fraction | None
    contribution: InPercent


CHEBYSHEV: Final = "Chebyshev's inequality"
"""What bounds a mean by its variance alone, whatever the single results are."""

_SHORT: Final = 14
"""Characters of a decimal that is an end itself: a fraction that is none has sixteen digits as a float."""


@origins()
@dataclass(frozen=True, slots=True)
class Band:
    """The range of the observed return after a number of rounds.

    Args:
        rounds: Number of rounds.
        confidence: With this confidence.
        low: Lower end.
        high: Upper end.
        covers: The probability of the band, at least; none in evidence that gives normal approximations.
        bound: The inequality that bounds it, where its ends are no quantiles; else left out.
    """

    rounds: int
    confidence: str
    low: float
    high: float
    covers: float | None = None
    bound: str | None = None

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends; of one that is a short decimal, which a float is just outside of, that decimal."""
        return _end(self.low, self.high), _end(self.high, self.low)


def _end(outside: float, inwards: float) -> Fraction:
    short = min(map(repr, (outside, math.nextafter(outside, inwards))), key=len)
    return Fraction(short) if len(short) <= _SHORT else Fraction(outside)


@origins()
@dataclass(frozen=True, slots=True)
class LosingRun:
    """A length that no losing run exceeds but with a small probability.

    Args:
        rounds: Number of rounds.
        longest: The length.
        but_with_probability: The probability of a longer one, at most.
    """

    rounds: int
    longest: int
    but_with_probability: Fraction


@origins()
@dataclass(frozen=True, slots=True)
class RuinWithin:
    """The probability that a bankroll is ruined within a number of rounds.

    Args:
        bankroll: Units at the start.
        rounds: Number of rounds.
        probability: The probability.
    """

    bankroll: int
    rounds: int
    probability: float


@origins()
@dataclass(frozen=True, slots=True)
class RuinEver:
    """Bounds on the probability that a bankroll is ever ruined.

    Args:
        bankroll: Units at the start.
        at_least: Lower bound.
        at_most: Upper bound.
    """

    bankroll: int
    at_least: float
    at_most: float


@origins()
@dataclass(frozen=True, slots=True)
class LongRun(Messaged):
    """Who is ruined in the long run.

    Args:
        sentence: The same in one sentence.
        method: How it was computed.
        player: Bounds for the player's bankrolls.
        house: Bounds for the bank's.
    """

    sentence: str
    method: str
    player: tuple[RuinEver, ...]
    house: tuple[RuinEver, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Methods(Messaged):
    """How the approximate and bounded figures of a PAR sheet are found.

    Args:
        bands: The bands of the observed return.
        losing_runs: The lengths of losing runs.
        ruin: Ruin within a number of rounds.
    """

    bands: str
    losing_runs: str
    ruin: str


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class ParSheet(Spread):
    """The PAR sheet of one wager.

    Args:
        wager: Id of the wager.
        cycle: Number of equally likely deals that the combinations are counted over.
        hit_frequency: Probability that the round returns something.
        win_frequency: Probability that it returns more than was staked.
        loss_frequency: Probability that it returns less than was staked: what losing runs are counted by.
        rows: The outcomes.
        bands: Ranges of the observed return.
        losing_runs: How long losing runs get.
        ruin: Ruin of the player.
        house_ruin: Ruin of the bank.
        long_run: Who is ruined in the long run.
        methods: How the approximate and bounded figures were computed.
        strategy: Strategy under which the sheet is counted.
    """

    wager: str
    cycle: Count
    hit_frequency: Figure
    win_frequency: Figure
    loss_frequency: Figure
    rows: tuple[ParRow, ...]
    bands: tuple[Band, ...]
    losing_runs: tuple[LosingRun, ...]
    ruin: tuple[RuinWithin, ...]
    house_ruin: tuple[RuinWithin, ...]
    long_run: LongRun
    methods: Methods
    strategy: str

"""All wagers of a round together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.analysis import NetResult
from certify.exact import percent_text
from certify.model.form import Decimal, InPercent, origins, states


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
    """Best play while the side stake lies between two bounds.

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

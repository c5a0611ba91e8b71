"""All wagers of a round together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.analysis import NetResult
from certify.model.form import Decimal, InPercent


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


@dataclass(frozen=True, slots=True)
class JointFigures:
    """Exact figures of all wagers together under one strategy.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        stakes: Units on each wager.
        returns: Return of each wager.
        return_percent: The same in percent.
        total_return: Return on the whole stake.
        expectation: Expected total net result in units.
        variance: Variance of the total net result.
        standard_deviation: Its root.
        covariance: Covariances of all pairs.
        net: Total net results in units, lowest first.
        near: Variance, covariances and net results lie between bounds; left out where they are exact.
        off: How far the chances of net results, and the variance, may be off at most; left out where they are exact.
    """

    strategy: str
    strategy_class: str
    stakes: Mapping[str, Fraction]
    returns: Mapping[str, Fraction]
    return_percent: Mapping[str, Decimal]
    total_return: InPercent
    expectation: Fraction
    variance: Fraction
    standard_deviation: float
    covariance: tuple[Covariance, ...]
    net: tuple[NetResult, ...]
    near: bool | None = None
    off: Mapping[str, Fraction] | None = None


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

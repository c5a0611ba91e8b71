"""All wagers of one round together: covariance, variance and return of the whole stake."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence import joint as evidence
from certify.evidence.analysis import NetResult
from certify.exact import means_and_covariances, percent_text
from certify.model.figures import Analysis, Joint


@dataclass(frozen=True, slots=True)
class JointFigures:
    """Exact figures of all placed wagers together.

    Args:
        strategy: Name of the strategy.
        strategy_class: What the strategy looks at.
        stakes: Units on each wager.
        returns: Return of each wager per unit staked on it.
        covariance: Covariance of the net results of two wagers, per unit staked on each, and how far it may be off.
        net: Total net results in units with their probabilities, lowest first.
        off: How far chances of net results may be off at most; nought where they are exact.
    """

    strategy: str
    strategy_class: str
    stakes: tuple[tuple[str, Fraction], ...]
    returns: tuple[tuple[str, Fraction], ...]
    covariance: tuple[tuple[str, str, Fraction, Fraction], ...]
    net: tuple[tuple[Fraction, Fraction], ...]
    off: Fraction = Fraction(0)

    @property
    def variance_off(self) -> Fraction:
        """How far the variance may be off at most; the mean is exact."""
        squares = [net * net for net, _ in self.net]
        return self.off * (max(squares) - min(squares))

    @property
    def total_stake(self) -> Fraction:
        """Units staked on all wagers."""
        return sum((stake for _, stake in self.stakes), Fraction(0))

    @property
    def expectation(self) -> Fraction:
        """Expected total net result in units."""
        return sum((net * probability for net, probability in self.net), Fraction(0))

    @property
    def total_return(self) -> Fraction:
        """Return on the whole stake."""
        return 1 + self.expectation / self.total_stake

    @property
    def variance(self) -> Fraction:
        """Variance of the total net result in square units."""
        second = sum((net**2 * probability for net, probability in self.net), Fraction(0))
        return second - self.expectation**2

    @property
    def standard_deviation(self) -> float:
        """Standard deviation of the total net result in units."""
        return math.sqrt(self.variance)

    def covariance_of(self, first: str, second: str) -> Fraction:
        """Returns the covariance of two wagers.

        Raises:
            KeyError: A wager was not analysed.
        """
        for one, other, value, _ in self.covariance:
            if {one, other} == {first, second} and (one == other) == (first == second):
                return value
        raise KeyError((first, second))

    def correlation(self, first: str, second: str) -> float:
        """Returns the correlation of two wagers, 0 where one of them never varies."""
        variances = self.variances
        return _correlation(self.covariance_of(first, second), variances[first] * variances[second])

    @property
    def variances(self) -> dict[str, Fraction]:
        """Variance of the net result of each wager."""
        return {one: value for one, other, value, _ in self.covariance if one == other}


def figures_together(joint: Joint, analysis: Analysis, stakes: Mapping[str, Fraction]) -> JointFigures:
    """Returns the exact figures of all wagers together.

    Args:
        joint: Their joint distribution under one strategy.
        analysis: Their figures under it.
        stakes: Units on each wager.
    """
    net_of = {
        figures.wager: {outcome.id: outcome.pays for outcome in figures.outcomes}
        for figures in analysis.wagers
    }
    columns = [
        [net_of[wager][ended] for ended in outcomes]
        for wager, outcomes in zip(joint.wagers, zip(*joint.probabilities, strict=True), strict=True)
    ]
    off = max(figures.off for figures in analysis.wagers)
    shares = list(joint.probabilities.values())
    scale = math.lcm(*(share.denominator for share in shares))
    weights = [share.numerator * (scale // share.denominator) for share in shares]
    means, covariances = means_and_covariances(weights, columns)
    net: dict[Fraction, int] = {}
    for weight, *results in zip(weights, *columns, strict=True):
        total = sum(
            (result * stakes[wager] for wager, result in zip(joint.wagers, results, strict=True)), Fraction(0)
        )
        net[total] = net.get(total, 0) + weight
    return JointFigures(
        joint.strategy,
        joint.strategy_class,
        tuple((wager, stakes[wager]) for wager in joint.wagers),
        tuple((wager, 1 + mean) for wager, mean in zip(joint.wagers, means, strict=True)),
        tuple(
            (joint.wagers[one], joint.wagers[other], value, off * _range(columns[one], columns[other]))
            for (one, other), value in covariances.items()
        ),
        tuple((total, Fraction(weight, scale)) for total, weight in sorted(net.items())),
        off,
    )


def _range(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Returns how far apart products of two net results lie."""
    products = [mine * theirs for mine, theirs in zip(one, other, strict=True)]
    return max(products) - min(products)


def _correlation(covariance: Fraction, spread: Fraction) -> float:
    return float(covariance) / math.sqrt(spread) if spread else 0.0


def joint_evidence(figures: JointFigures) -> evidence.JointFigures:
    """Returns joint figures as a noun of the evidence."""
    variances = figures.variances
    return evidence.JointFigures(
        strategy=figures.strategy,
        strategy_class=figures.strategy_class,
        stakes=dict(figures.stakes),
        returns=dict(figures.returns),
        return_percent={wager: percent_text(value) for wager, value in figures.returns},
        total_return=figures.total_return,
        expectation=figures.expectation,
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
        covariance=tuple(
            evidence.Covariance(
                (one, other), value, _correlation(value, variances[one] * variances[other]), off or None
            )
            for one, other, value, off in figures.covariance
        ),
        net=tuple(NetResult(net, probability) for net, probability in figures.net),
        near=bool(figures.off) or None,
        off={"probability": figures.off, "variance": figures.variance_off} if figures.off else None,
    )

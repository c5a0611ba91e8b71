"""All wagers of one round together: covariance, variance and return of the whole stake."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from certify.evidence.analysis import NetResult
from certify.evidence.par import Covariance, JointFigures
from certify.exact import means_and_covariances
from certify.model.figures import Analysis, Joint


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
    unit, staked = _in_units(columns, [stakes[wager] for wager in joint.wagers])
    net: dict[int, int] = {}
    for weight, *results in zip(weights, *staked, strict=True):
        total = sum(results)
        net[total] = net.get(total, 0) + weight
    results_of_round = {Fraction(total, unit): weight for total, weight in sorted(net.items())}
    variances = [covariances[place, place] for place in range(len(columns))]
    return JointFigures(
        strategy=joint.strategy,
        strategy_class=joint.strategy_class,
        stakes={wager: stakes[wager] for wager in joint.wagers},
        returns={wager: 1 + mean for wager, mean in zip(joint.wagers, means, strict=True)},
        covariance=tuple(
            Covariance(
                (joint.wagers[one], joint.wagers[other]),
                value,
                _correlation(value, variances[one] * variances[other]),
                (off and off * _range(columns[one], columns[other])) or None,
            )
            for (one, other), value in covariances.items()
        ),
        net=tuple(NetResult(total, Fraction(weight, scale)) for total, weight in results_of_round.items()),
        off={"probability": off, "variance": off * _range([*results_of_round], [*results_of_round])}
        if off
        else None,
    )


def _in_units(
    columns: Sequence[Sequence[Fraction]], stakes: Sequence[Fraction]
) -> tuple[int, list[list[int]]]:
    """Returns in how many parts one unit is divided, and net results times their stakes in whole parts."""
    values = [
        {result: result * stake for result in set(column)}
        for column, stake in zip(columns, stakes, strict=True)
    ]
    unit = math.lcm(*(value.denominator for each in values for value in each.values()))
    whole = [{result: int(value * unit) for result, value in each.items()} for each in values]
    return unit, [[each[result] for result in column] for each, column in zip(whole, columns, strict=True)]


def _range(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Returns how far apart products of two net results lie."""
    products = [mine * theirs for mine, theirs in zip(one, other, strict=True)]
    return max(products) - min(products)


def _correlation(covariance: Fraction, spread: Fraction) -> float:
    """Returns a correlation, 0 where one of two wagers never varies."""
    return float(covariance) / math.sqrt(spread) if spread else 0.0

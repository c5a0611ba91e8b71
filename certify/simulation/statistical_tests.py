"""The statistical tests by which play-through is held against exact figures."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.evidence import ChiSquare, Equivalence, Mean, Simulation, StatedCampaign
from certify.messages import say, worded
from certify.model import WagerFigures

DETECTED: Final = 0.95
"""Power at which a report states what a test would find: the risk of passing it over is the rest."""

SMALLEST_EXPECTED: Final = 5
"""Cells expected less often are pooled, smallest first, until the pool is expected this often."""

EQUIVALENCE_ALPHA: Final = 0.01
"""Level of each of the two one-sided tests of equivalence, so that their interval is one of 98 %."""

NEAR: Final = Fraction(1, 2_000)
"""Margin of a wager whose results lie near its stake: 0.05 points, five units of the last place of printed returns."""

NEAR_VARIANCE: Final = Fraction(9, 4)
"""Greatest variance of such a wager: a standard deviation of 1.5."""

EDGE_SHARE: Final = Fraction(1, 4)
"""Share of the edge that the margin of a wager of longer odds is: whose the edge is, and about how much, is shown."""

WIDEST: Final = Fraction(1, 100)
"""Widest margin, one point."""

SURE: Final = 0.99
"""Probability with which the planned rounds show an agreement that is there."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Largest difference between played and exact return that counts as none, with the reason for it.

    Args:
        value: The margin, per unit staked.
        reason: Why it is this one: ``near`` or ``share-of-edge``.
    """

    value: Fraction
    reason: str


def margin_of(figures: WagerFigures) -> Margin:
    """Returns the margin of a wager, which follows from its exact figures alone.

    Args:
        figures: Exact figures of the wager.
    """
    if figures.variance <= NEAR_VARIANCE:
        return Margin(NEAR, "near")
    share = EDGE_SHARE * abs(1 - figures.return_to_player)
    # In whole steps of the least margin, so that a reader finds it printed as it is.
    return Margin(max(NEAR, min(WIDEST, share // NEAR * NEAR)), "share-of-edge")


def rounds_needed(figures: WagerFigures) -> int:
    """Returns how many rounds show an agreement that is there, within the margin, with a probability of 99 %.

    Args:
        figures: Exact figures of the wager.
    """
    from scipy.special import ndtri

    # The interval is EQUIVALENCE_ALPHA wide on each side; the mean strays to either side with 1 - SURE together.
    errors = float(ndtri(1 - EQUIVALENCE_ALPHA) + ndtri((1 + SURE) / 2))
    return math.ceil((errors * figures.standard_deviation / float(margin_of(figures).value)) ** 2)


def holm(p_values: Sequence[float]) -> list[float]:
    """Returns p-values adjusted for their number by Holm's step-down procedure.

    Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6, 1979.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def chi_square(counts: Sequence[int], expected: Sequence[float], off: float = 0) -> ChiSquare | None:
    """Returns Pearson's chi-square of counts against expectations, small cells pooled.

    Expectations that may be off are pooled as they are stated, and each pool is compared with the value within its
    bounds that is nearest to its count: no true expectations give a lower statistic, so no higher p-value.

    Args:
        counts: Observed counts.
        expected: Expected counts, each above zero, with the same sum.
        off: How far any of them, or any sum of them, may be off at most.

    Returns:
        None where fewer than two cells are left after pooling.
    """
    from scipy.special import chdtrc  # scipy takes a moment to load.

    cells = sorted(zip(expected, counts, strict=True))
    pooled: list[tuple[float, int]] = []
    pool, held = 0.0, 0
    for mean, count in cells:
        pool, held = pool + mean, held + count
        if pool >= SMALLEST_EXPECTED:
            pooled.append((pool, held))
            pool, held = 0.0, 0
    if len(pooled) < 2:
        return None
    near = [(min(max(float(count), mean - off), mean + off), count) for mean, count in pooled]
    statistic = math.fsum((count - mean) ** 2 / mean for mean, count in near if count != mean)
    return ChiSquare(statistic, len(pooled) - 1, float(chdtrc(len(pooled) - 1, statistic)))


def mean_test(mean: Fraction, figures: WagerFigures, rounds: int) -> Mean:
    """Returns the test of a mean return against the exact return, by the exact standard deviation.

    Args:
        mean: Mean return per unit staked.
        figures: Exact figures of the wager.
        rounds: Rounds played.
    """
    from scipy.special import ndtr, ndtri

    difference = float(mean - figures.return_to_player)
    error = figures.standard_deviation / math.sqrt(rounds)
    # A wager that always ends the same has no spread: any difference at all refutes it.
    z = difference / error if error else math.copysign(math.inf, difference) if difference else 0.0
    half = float(ndtri(0.995)) * error
    return Mean(
        return_=float(mean),
        exact_return=figures.return_to_player,
        standard_error=error,
        z=z if math.isfinite(z) else None,
        p_value=min(1.0, 2 * float(ndtr(-abs(z)))),
        interval_99=(float(mean) - half, float(mean) + half),
    )


def shown_difference(standard_error: float, level: float, power: float = DETECTED) -> float:
    """Returns the difference of the mean that a two-sided z-test at a level finds with a given power.

    >>> round(shown_difference(0.01, 0.01), 4)
    0.0422
    """
    from scipy.special import ndtri

    return standard_error * float(ndtri(1 - level / 2) + ndtri(power))


def shown_deviation(degrees_of_freedom: int, rounds: int, level: float, power: float = DETECTED) -> float:
    """Returns the deviation of probabilities that a chi-square test at a level finds with a given power.

    It is the root mean square of the relative deviations, each weighted by its probability.

    Source: Cohen, Statistical Power Analysis, 7.2: the noncentrality is rounds times its square.

    >>> round(shown_deviation(1, 10_000, 0.01), 4)
    0.0422
    """
    from scipy.special import chdtri, chndtrinc

    critical = chdtri(degrees_of_freedom, level)
    return math.sqrt(float(chndtrinc(critical, degrees_of_freedom, 1 - power)) / rounds)


@dataclass(frozen=True, slots=True)
class ShownEffect:
    """The smallest effects that the tests of one wager of a campaign find with a power of 95 %.

    Args:
        campaign: What was played.
        wager: Id of the wager.
        level: Level at which each test decides.
        difference: Difference of the mean return that the z-test finds.
        deviation: Relative deviation of the probabilities that chi-square finds; nothing without that test.
    """

    campaign: StatedCampaign
    wager: str
    level: float
    difference: float
    deviation: float | None


def shown_effects(played: Simulation, alpha: Fraction) -> Iterator[ShownEffect]:
    """Yields what every test of play-through would find, campaign by campaign.

    What refutes is adjusted for all tests together: the smallest p-value is compared with the level that is used here.

    Args:
        played: The campaigns.
        alpha: Probability of any false rejection among all tests.
    """
    campaigns = (*played.campaigns, *(played.configurations or ()))
    wagers = [(one, wager) for one in campaigns for wager in one.wagers]
    level = float(alpha / max(1, sum(len(wager.adjusted_p) for _, wager in wagers)))
    for one, wager in wagers:
        chi = wager.chi_square
        yield ShownEffect(
            one,
            wager.wager,
            level,
            shown_difference(wager.mean.standard_error, level),
            shown_deviation(chi.degrees_of_freedom, one.rounds, level) if chi else None,
        )


def equivalence_test(mean: Mean, figures: WagerFigures, *, asked: bool = True) -> Equivalence:
    """Returns whether a mean is shown to differ from the exact return by less than the margin.

    Args:
        mean: The mean next to the exact return.
        figures: Exact figures of the wager, which fix the margin.
        asked: Whether it is required of this play-through, or reported for information.
    """
    from scipy.special import ndtri

    # D. J. Schuirmann, J. Pharmacokin. Biopharm. 15, 1987: both one-sided tests reject at their level exactly
    # where the 98 % interval is inside the margin.
    margin = margin_of(figures)
    difference = mean.return_ - float(mean.exact_return)
    half = float(ndtri(1 - EQUIVALENCE_ALPHA)) * mean.standard_error
    interval = (difference - half, difference + half)
    inside = -margin.value < interval[0] and interval[1] < margin.value
    return Equivalence(
        margin=margin.value,
        **worded(reason=say(f"simulation.margin-{margin.reason}")),
        rounds_needed=rounds_needed(figures),
        asked=asked,
        interval_98=interval,
        equivalent=inside,
    )

"""Goodness of fit: chi-square with a pooling rule, exact discrete tails, detectable effects."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rng.battery.cell_sums import LOOKED_AT_BELOW, pearson_lower_tail, pearson_tail, two_sided
from rng.battery.minimum_counts import ScarcityError
from rng.battery.result import Parameters, TestResult
from rng.errors import SampleError

# Classes expected fewer times than this are pooled: ten keeps the chi-square tail right far out, where Holm's
# procedure reads it; the usual five is right only near the 5 % point.
LEAST_EXPECTED = 10.0

# An ordered variable with many values is cut into no more classes than this, so that smooth departures show.
MOST_ORDERED_CLASSES = 64

# Counts of this size and less take few enough values for their p-values to be visibly discrete.
COARSE_BELOW = 100_000

# A p-value below this fails at 1 % in a plan of up to a hundred tests (Bonferroni's bound on Holm, weighted by
# test) if its test gives up to fifty p-values; one of a test that gives more, below its share of what they have.
DETECTION_LEVEL = 2e-6
DETECTION_POWER = 0.95
MOST_OF_A_TEST = 50

Probability = Fraction | float


@dataclass(frozen=True, slots=True)
class Fit:
    """A chi-square comparison of counts with probabilities.

    Args:
        statistic: Pearson's statistic after pooling.
        degrees_of_freedom: Pooled classes less one.
        p_value: Upper tail of the chi-square distribution, corrected for rare classes far out.
        classes: Number of classes left after pooling.
        sample_size: Number of observations counted.
        lower: Bound on the probability of counts as even as these; 1 where they are not noticeably even.
    """

    statistic: float
    degrees_of_freedom: int
    p_value: float
    classes: int
    sample_size: int
    lower: float = 1.0

    @property
    def two_sided(self) -> float:
        """Twice the smaller tail, at most one: counts that are too even are as little random as uneven ones."""
        return min(1.0, 2.0 * min(self.p_value, self.lower))

    @property
    def coarse(self) -> bool:
        """Whether so few classes and observations leave the p-value visibly discrete."""
        return self.degrees_of_freedom <= 2 and self.sample_size < COARSE_BELOW


def chi_square_tail(statistic: float, degrees_of_freedom: int) -> float:
    """Probability that a chi-square variable reaches the statistic.

    Example:
        >>> round(chi_square_tail(3.841458820694124, 1), 6)
        0.05
    """
    return float(special.chdtrc(degrees_of_freedom, max(statistic, 0.0)))


def normal_two_sided(z: float) -> float:
    """Probability that a standard normal variable is at least this far from zero.

    Example:
        >>> round(normal_two_sided(1.959963984540054), 6)
        0.05
    """
    return math.erfc(abs(z) / math.sqrt(2.0))


def binomial_two_sided(successes: int, trials: int, probability: float) -> float:
    """Exact two-sided binomial p-value: twice the smaller tail, at most one.

    Example:
        >>> binomial_two_sided(5, 5, 0.5)
        0.0625
    """
    return float(two_sided(np.array(successes), trials, np.array(probability)))


def poisson_two_sided(count: int, mean: float) -> float:
    """Exact two-sided Poisson p-value: twice the smaller tail, at most one.

    Example:
        >>> round(poisson_two_sided(0, 10.0), 8)
        9.08e-05
    """
    return min(1.0, 2.0 * min(float(special.pdtr(count, mean)), poisson_at_least(count, mean)))


def poisson_at_least(count: int, mean: float) -> float:
    """Probability that a Poisson variable reaches the count.

    Example:
        >>> poisson_at_least(0, 3.0)
        1.0
    """
    return float(special.gammainc(count, mean)) if count > 0 else 1.0


def kolmogorov_tail(distance: float, size: int) -> float:
    """Probability that the two-sided Kolmogorov-Smirnov distance of a continuous sample reaches the value.

    Args:
        distance: Largest distance between the empirical and the stated distribution function, 0 to 1.
        size: Number of observations.

    Source: Simard & L'Ecuyer, J. Statistical Software 39 (2011), no. 11, as in ``scipy.stats.kstwo``.

    Example:
        >>> kolmogorov_tail(0.5, 1), kolmogorov_tail(1.0, 4)
        (1.0, 0.0)
    """
    # All of scipy.stats is loaded for this one law: only where a sample asks for it.
    from scipy.stats import kstwo

    return float(kstwo.sf(distance, size))


def fullest_cell(counts: NDArray[np.int64], trials: int, probability: float) -> float:
    """Upper bound on the p-value of the fullest of many cells: Bonferroni over exact binomial tails.

    Args:
        counts: Counts of cells that each have the same probability in each trial.
        trials: Number of trials of each cell.
        probability: Probability of a cell in one trial.

    Example:
        >>> fullest_cell(np.array([32, 0, 0, 0]), 32, 0.25) < 1e-18
        True
    """
    tail = float(special.bdtrc(int(counts.max()) - 1, trials, probability)) if counts.max() > 0 else 1.0
    return min(1.0, counts.size * tail)


def pool_neighbours(
    counts: Sequence[int] | NDArray[np.int64], probabilities: Sequence[Probability], sample_size: int
) -> tuple[list[int], list[float]]:
    """Pools neighbouring classes of an ordered variable until each is expected often enough.

    Classes are taken in their order; a class is closed once it is expected ``LEAST_EXPECTED`` times and
    holds one ``MOST_ORDERED_CLASSES``-th of the probability, and what is left over at the upper end joins
    the last closed class. The rule looks at probabilities only, never at counts.

    Returns:
        Pooled counts and pooled expectations.
    """
    least = max(LEAST_EXPECTED, sample_size / MOST_ORDERED_CLASSES)
    if len(probabilities) <= MOST_ORDERED_CLASSES:
        least = LEAST_EXPECTED
    observed, expected = [0], [0.0]
    for count, probability in zip(counts, probabilities, strict=True):
        if expected[-1] >= least:
            observed.append(0)
            expected.append(0.0)
        observed[-1] += int(count)
        expected[-1] += sample_size * float(probability)
    if len(expected) > 1 and expected[-1] < LEAST_EXPECTED:
        observed[-2:] = [observed[-2] + observed[-1]]
        expected[-2:] = [expected[-2] + expected[-1]]
    return observed, expected


def pool_rare(
    counts: Sequence[int] | NDArray[np.int64], probabilities: Sequence[Probability], sample_size: int
) -> tuple[list[int], list[float]]:
    """Pools the rare classes of an unordered variable into one, by their probabilities alone.

    Classes expected fewer than ``LEAST_EXPECTED`` times form one class; if that is still too rare, the least
    probable of the others joins it.

    Returns:
        Pooled counts and pooled expectations, most probable class first.
    """
    classes = sorted(
        ((sample_size * float(q), int(c)) for c, q in zip(counts, probabilities, strict=True)),
        key=lambda pair: -pair[0],
    )
    rare_expected, rare_observed = 0.0, 0
    while classes and (classes[-1][0] < LEAST_EXPECTED or 0.0 < rare_expected < LEAST_EXPECTED):
        expectation, count = classes.pop()
        rare_expected, rare_observed = rare_expected + expectation, rare_observed + count
    if rare_expected > 0.0 or rare_observed > 0:
        classes.append((rare_expected, rare_observed))
    return [count for _, count in classes], [expectation for expectation, _ in classes]


def chi_square_fit(
    counts: Sequence[int] | NDArray[np.int64],
    probabilities: Sequence[Probability],
    *,
    ordered: bool,
    scarce: bool = False,
) -> Fit:
    """Compares counts of classes with their exact probabilities by Pearson's chi-square.

    Args:
        counts: How often each class was seen.
        probabilities: Exact probability of each class; they sum to one.
        ordered: Whether neighbouring classes are equal (pooled with neighbours) or not (rare ones pooled).
        scarce: Whether the number of observations is left to chance, of which good output never has so few; the counts
            are then not multinomial, and the tail of counts that are too even is not known.

    Raises:
        ScarcityError: If fewer than two classes remain, and good output never leaves so few.
        SampleError: If probabilities do not sum to one, an impossible class was seen, or fewer than two
            classes remain.

    Source: Knuth, The Art of Computer Programming 2, 3.3.1, equation (6).

    Example:
        >>> fit = chi_square_fit([30, 70], [Fraction(1, 2), Fraction(1, 2)], ordered=False)
        >>> fit.statistic, fit.degrees_of_freedom
        (16.0, 1)
    """
    total = int(sum(int(count) for count in counts))
    _check_probabilities(counts, probabilities)
    observed, expected = (pool_neighbours if ordered else pool_rare)(counts, probabilities, total)
    if len(expected) < 2:
        few = f"{total} observations leave fewer than two classes expected {LEAST_EXPECTED:g} times"
        if scarce:
            raise ScarcityError(few)
        raise SampleError(few)
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    freedom = len(expected) - 1
    shares = [e / total for e in expected]
    p_value = pearson_tail(statistic, shares, total)
    lower = evenness(statistic, shares, total) if not scarce else 1.0
    return Fit(statistic, freedom, p_value, len(expected), total, lower)


def _check_probabilities(
    counts: Sequence[int] | NDArray[np.int64], probabilities: Sequence[Probability]
) -> None:
    if len(counts) != len(probabilities):
        raise SampleError(f"{len(counts)} classes were counted but {len(probabilities)} have a probability")
    known = [float(probability) for probability in probabilities]
    if min(known) < 0 or abs(math.fsum(known) - 1.0) > 1e-9:
        raise SampleError("the probabilities of the classes are no probabilities that sum to 1")
    # Compared exactly: as a float a possible class may vanish.
    if any(count and not probability for count, probability in zip(counts, probabilities, strict=True)):
        raise SampleError("a class of probability zero was seen")


def uniform_fit(counts: NDArray[np.int64]) -> Fit:
    """Compares counts of equally likely classes with each other by Pearson's chi-square.

    Example:
        >>> uniform_fit(np.array([10, 20, 30])).statistic
        10.0
    """
    total, classes = int(counts.sum()), counts.size
    expected = total / classes
    statistic = float(np.square(counts - expected).sum() / expected) if total else 0.0
    return _unpooled(statistic, {1 / classes: classes}, total)


def _unpooled(statistic: float, shares: Mapping[float, int], total: int) -> Fit:
    classes = sum(shares.values())
    p_value = pearson_tail(statistic, shares, total)
    return Fit(statistic, classes - 1, p_value, classes, total, evenness(statistic, shares, total))


def evenness(statistic: float, shares: Sequence[float] | Mapping[float, int], total: int) -> float:
    """Probability of counts as even as these, bounded from above; 1 where the limit law sees nothing of it.

    Args:
        statistic: Pearson's.
        shares: Probabilities of the classes, or how many classes have each.
        total: Number of observations.

    Example:
        A die whose faces all come 100 times in 600 throws; and one as even as every fifth:

        >>> round(evenness(0.0, {1 / 6: 6}, 600), 9), evenness(2.34, {1 / 6: 6}, 600)
        (2.46e-07, 1.0)
    """
    classes = sum(shares.values()) if isinstance(shares, Mapping) else len(shares)
    if not total or classes < 2 or special.chdtr(classes - 1, max(statistic, 0.0)) >= LOOKED_AT_BELOW:
        return 1.0
    return pearson_lower_tail(statistic, shares, total)


def fitted(
    fits: Sequence[Fit],
    *,
    null: str,
    labels: Sequence[str] = (),
    parameters: Parameters | None = None,
    detectable: str | None = None,
) -> TestResult:
    """The result of a test that compares counts with their law: the upper tails published, both tails deciding.

    Args:
        fits: One comparison for each p-value; the first gives statistic, degrees of freedom and power.
        null: The law in words.
        labels: What each comparison means.
        parameters: That it was run with.
        detectable: Smallest effect found, in words, if not that of the first comparison's classes.
    """
    first = fits[0]
    return TestResult(
        p_values=tuple(fit.p_value for fit in fits),
        deciding=tuple(fit.two_sided for fit in fits),
        labels=tuple(labels),
        parameters=parameters or {},
        statistic=first.statistic,
        degrees_of_freedom=first.degrees_of_freedom,
        discrete=first.coarse,
        null=null,
        detectable=describe_deviation(first.degrees_of_freedom, first.sample_size)
        if detectable is None
        else detectable,
    )


def detection_level(p_values: int = 1) -> float:
    """What a p-value must fall below to count as found, for a test that gives so many of them.

    Example:
        >>> detection_level(), round(detection_level(780), 9)
        (2e-06, 1.28e-07)
    """
    return DETECTION_LEVEL * min(1.0, MOST_OF_A_TEST / p_values)


@lru_cache(maxsize=64)
def detectable_noncentrality(degrees_of_freedom: int, p_values: int = 1) -> float:
    """Noncentrality at which a chi-square test rejects at its ``detection_level`` with ``DETECTION_POWER``.

    Source: Cohen, Statistical Power Analysis, 7.2: lambda = n w².

    Example:
        >>> round(detectable_noncentrality(1521), 1)
        377.6
    """
    critical = special.chdtri(degrees_of_freedom, detection_level(p_values))
    return float(special.chndtrinc(critical, degrees_of_freedom, 1.0 - DETECTION_POWER))


def detectable_shift(sample_size: int, p_values: int = 1) -> float:
    """Shift of a mean, in standard deviations of one observation, found with the stated power by a z-test.

    Example:
        >>> round(detectable_shift(10_000), 4)
        0.064
    """
    critical = special.ndtri(1.0 - detection_level(p_values) / 2.0)
    return float(critical + special.ndtri(DETECTION_POWER)) / math.sqrt(sample_size)


def describe_deviation(degrees_of_freedom: int, observations: float, p_values: int = 1) -> str:
    """Smallest deviation of class probabilities that the sample would have shown, in words.

    Args:
        degrees_of_freedom: Of the chi-square test.
        observations: Noncentrality gained per unit of squared relative deviation (usually the sample size).
        p_values: How many the test gives.
    """
    deviation = math.sqrt(detectable_noncentrality(degrees_of_freedom, p_values) / observations)
    words = power_words(p_values)
    return f"{100.0 * deviation:.3g} % root-mean-square relative deviation of the probabilities{words}"


def describe_shift(
    sample_size: int, unit: str = "standard deviations of one observation", p_values: int = 1
) -> str:
    """Smallest shift of a mean that the sample would have shown, in words."""
    return f"a shift of {detectable_shift(sample_size, p_values):.3g} {unit}{power_words(p_values)}"


def describe_count(mean: float, unit: str) -> str:
    """Smallest change of a Poisson count that the sample would have shown, in words."""
    return f"{detectable_shift(1) * math.sqrt(mean):.3g} {unit} more or fewer than {mean:.4g}{POWER_WORDS}"


def detectable_fullest(trials: int, probability: float, cells: int) -> float:
    """Expected count at which the fullest of many cells is found with the stated power, by exact tails.

    Args:
        trials: Trials of each cell.
        probability: Probability of a cell in one trial.
        cells: Cells that the tail is corrected for.

    Example:
        >>> round(detectable_fullest(1_000, 1 / 40, 1), 1)
        64.4
    """
    level = DETECTION_LEVEL / cells
    low, high = 0, trials + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (low, middle) if special.bdtrc(middle - 1, trials, probability) < level else (middle, high)
        )
    return float(special.gammaincinv(high, DETECTION_POWER))


def describe_fullest(trials: int, probability: float, cells: int, unit: str) -> str:
    """Smallest expected count in one of many cells that the sample would have shown, in words."""
    count = detectable_fullest(trials, probability, cells)
    return f"{count:.4g} {unit} where {trials * probability:.4g} are expected{POWER_WORDS}"


def power_words(p_values: int = 1) -> str:
    """What a detectable effect means, in words."""
    return f" ({DETECTION_POWER:.0%} power at p < {detection_level(p_values):.3g})"


POWER_WORDS = power_words()

# Where no chance is left that the effect is passed over.
CERTAIN_WORDS = " (found whenever it is there)"

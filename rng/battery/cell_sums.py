"""Counts in cells: exact tails of each, and of sums over all of them.

Sums over the cells of a multinomial variable: their moment function as it is, and bounds on both of their tails.

Pearson's statistic, the number of empty cells and the number of equal pairs are all sums, over the cells, of a
function of the count. Independent Poisson counts, given their total, are multinomial; so the moment function of such a
sum is one coefficient of a product of power series, which a discrete Fourier transform gives to working precision.
Markov's inequality then bounds either tail, for every number of trials and cells: no limit law is needed.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import special
from scipy.fft import fft, next_fast_len

# Above this p-value the limit laws are as good as anything; below it the exact tails are looked at.
LOOKED_AT_BELOW = 1e-2
# A sum of more terms than this belongs to classes expected so often that the limit law is exact enough.
MOST_TERMS = 1 << 21
# Factorials of numbers below this are kept: the p-values of a stream ask for the same ones thousands of times.
MOST_TABLED = 1 << 16


def binomial_chances(first: int, last: int, trials: int, probability: float) -> NDArray[np.float64]:
    """Probabilities of ``first`` to ``last`` successes, both included.

    Example:
        >>> binomial_chances(0, 2, 2, 0.5).round(12).tolist()
        [0.25, 0.5, 0.25]
    """
    k = np.arange(first, last + 1)
    table = _log_factorials(trials.bit_length()) if trials < MOST_TABLED else None
    if table is not None:
        logs = table[trials] - table[first : last + 1] - table[trials - last : trials - first + 1][::-1]
    else:
        logs = special.gammaln(trials + 1) - special.gammaln(k + 1.0) - special.gammaln(trials - k + 1.0)
    if not 0 < probability < 1:
        return np.asarray(np.exp(logs) * (k == (trials if probability else 0)))
    return np.asarray(np.exp(logs + k * math.log(probability) + (trials - k) * math.log1p(-probability)))


@cache
def _log_factorials(bits: int) -> NDArray[np.float64]:
    """Logarithms of the factorials of the numbers of so many bits."""
    return np.asarray(special.gammaln(np.arange(1, (1 << bits) + 1, dtype=np.float64)))


def one_class_tail(statistic: float, classes: int, trials: int, probability: float) -> float:
    """Probability that Pearson's statistic reaches a value, one class being counted exactly.

    Given the count of one class, the rest of the statistic is Pearson's over the other classes, which is taken
    for chi-square with two degrees less than there are classes.

    Args:
        statistic: Value of the statistic.
        classes: Number of classes.
        trials: Number of observations.
        probability: Of the class that is counted exactly.

    Example:
        >>> one_class_tail(4.0, 2, 4, 0.5) == 2 * 0.5**4  # all four in the same of two classes
        True
    """
    mean = trials * probability
    reach = math.sqrt(statistic * mean * (1 - probability))
    # The counts whose own share alone reaches the statistic; a rounding error must not lose the edge.
    low, high = math.floor(mean - reach + 1e-9), math.ceil(mean + reach - 1e-9)
    total = float(special.bdtrc(high - 1, trials, probability)) if high <= trials else 0.0
    total += float(special.bdtr(low, trials, probability)) if low >= 0 else 0.0
    first, last = max(0, low + 1), min(trials, high - 1)
    if classes == 2 or last < first:
        return min(1.0, total)
    if last - first > MOST_TERMS:
        return float(special.chdtrc(classes - 1, statistic))
    counts = np.arange(first, last + 1)
    rest = np.maximum(statistic - (counts - mean) ** 2 / (mean * (1 - probability)), 0.0)
    chances = binomial_chances(first, last, trials, probability)
    return min(1.0, total + float(chances @ special.chdtrc(classes - 2, rest)))


def pearson_tail(
    statistic: float, probabilities: Sequence[float] | Mapping[float, int], trials: int
) -> float:
    """Probability that Pearson's statistic reaches a value, with what each class adds to the chi-square tail.

    Each class in turn is counted exactly by its binomial law; what its tail then has beyond the chi-square
    law's is added up over the classes. Never less than the chi-square tail.

    Args:
        statistic: Value of the statistic.
        probabilities: Of the classes, or how many classes have each probability.
        trials: Number of observations.

    Example:
        >>> few, many = (pearson_tail(40.0, [0.01, 0.5, 0.49], n) for n in (500, 500_000))
        >>> few / many > 10, round(many, 10)
        (True, 2.2e-09)
    """
    counted = Counter(probabilities)
    classes = counted.total()
    limit = float(special.chdtrc(classes - 1, max(statistic, 0.0)))
    if limit >= LOOKED_AT_BELOW or not trials or not math.isfinite(statistic):
        return limit
    excess = sum(
        times * max(0.0, one_class_tail(statistic, classes, trials, p) - limit)
        for p, times in counted.items()
        if p < 1
    )
    return min(1.0, limit + excess)


def visits_two_sided(visits: int, cycles: int, state: int) -> float:
    """Two-sided p-value of the visits of a random walk to a state in so many cycles: twice the smaller tail.

    A cycle reaches the state with probability q = 1/(2|x|), and once there visits it again with probability 1 - q
    each time: the total is a binomial number of geometric ones. So many geometric numbers sum to v at most exactly
    if v trials have so many successes at least: P(visits <= v) = P(Bin(v, q) >= Bin(J, q)), two independent numbers.

    Args:
        visits: Visits to the state, all cycles together.
        cycles: Returns of the walk to zero.
        state: Distance from zero, not zero.

    Source: Révész, Random Walk in Random and Non-Random Environments (1990), 9.2; NIST SP 800-22 3.14.

    Example:
        >>> visits_two_sided(500, 500, 1) > 0.9, visits_two_sided(1_000, 500, 1) < 1e-20
        (True, True)
    """
    q = 1 / (2 * abs(state))
    reached = binomial_chances(0, cycles, cycles, q)
    if visits <= 0:
        return min(1.0, 2 * float(reached[0]))
    # Each tail is a sum of positive terms, added from its far end: right however small it is.
    wide = max(cycles, visits) + 2
    successes = np.zeros(wide)
    successes[: visits + 1] = binomial_chances(0, visits, visits, q)
    reached_by = successes[::-1].cumsum()[::-1]
    # P(visits >= v) = P(Bin(v - 1, q) < Bin(J, q)).
    one_less = np.zeros(wide)
    one_less[:visits] = binomial_chances(0, visits - 1, visits - 1, q)
    missed_by = np.concatenate(([0.0], one_less.cumsum()))
    at_most, at_least = reached @ reached_by[: cycles + 1], reached @ missed_by[: cycles + 1]
    return min(1.0, 2 * min(float(at_most), float(at_least)))


Floats = NDArray[np.float64]
# What a cell adds to the sum: (its possible counts, its expected count) -> values.
CellValue = Callable[[Floats, float], Floats]
LogMoment = Callable[[float], float]
Name = TypeVar("Name")

# Counts with weights below e^-90 of the largest may be left out: nothing to working precision.
LEFT_OUT = 90.0
LEAST_COEFFICIENT = 1e-8
HOPELESS = 1e6
# The slopes tried are e^-2 to e^24 of one a standard deviation; any of them gives a valid bound.
GENTLEST, STEEPEST = -2.0, 24.0


def pearson_value(counts: Floats, mean: float) -> Floats:
    """What one cell adds to Pearson's statistic."""
    return np.asarray(np.square(counts - mean) / mean)


def empty_value(counts: Floats, mean: float) -> Floats:
    """One for a cell that was never hit: the sum is the number of empty cells."""
    return np.asarray(counts == 0, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CellSum:
    """The sum over all cells of a function of the count, for a number of trials.

    Args:
        trials: Number of observations.
        cells: How many cells have each probability; all together they have probability 1.
        value: What a cell adds.

    Source: the conditioning of Poisson counts on their total: Johnson, Kotz and Balakrishnan, Discrete Multivariate
    Distributions (1997), 35.2; the coefficient by Fourier inversion: Good, Ann. Math. Stat. 28 (1957), 861-881.

    Example:
        Two throws of a fair coin are equal half of the time, Pearson's statistic then being 2 and otherwise 0:

        >>> both = CellSum(2, {0.5: 2}, pearson_value)
        >>> round(both.log_moment(-1.0), 12) == round(math.log((1 + math.exp(-2)) / 2), 12)
        True
    """

    trials: int
    cells: Mapping[float, int]
    value: CellValue

    def log_moment(self, slope: float) -> float:
        """Logarithm of the mean of ``exp(slope · sum)``; infinite where it is too large to be computed.

        Args:
            slope: Any number; for large positive ones the mean may be out of reach.
        """
        weights = []
        for probability, many in self.cells.items():
            made = self._weights(self.trials * probability, slope)
            if made is None:
                return math.inf
            weights.append((*made, many))
        n = self.trials
        # Given that independent Poisson counts of the same means sum to the trials.
        return _coefficient(weights, n) - (n * math.log(n) - n - math.lgamma(n + 1))

    def _weights(self, mean: float, slope: float) -> tuple[int, Floats] | None:
        """The lowest count and the logarithms of the weights of the counts from there on."""
        reach = 60 * math.sqrt(mean) + 200 if slope > 0 else 14 * math.sqrt(mean) + 60
        first, last = max(0, math.floor(mean - reach)), min(self.trials, math.ceil(mean + reach))
        counts = np.arange(first, last + 1, dtype=np.float64)
        # Next to the counts kept, both ends of what is possible: between them and the counts kept no weight is larger.
        listed = np.concatenate(([0.0], counts, [float(self.trials)]))
        logs = listed * math.log(mean) - mean - special.gammaln(listed + 1) + slope * self.value(listed, mean)
        kept = logs[1:-1]
        least = kept.max() - LEFT_OUT
        short = last < self.trials and max(kept[-1], logs[-1]) > least
        if slope > 0 and (short or (first > 0 and max(kept[0], logs[0]) > least)):
            return None
        return first, kept


def _moments(logs: Floats, shift: float) -> tuple[float, float, float]:
    """Logarithm of the sum, mean and variance of weights e^(log + shift · place)."""
    places = np.arange(logs.size)
    tilted = logs + shift * places
    top = float(tilted.max())
    weights = np.exp(tilted - top)
    total = float(weights.sum())
    mean = float(weights @ places) / total
    return top + math.log(total), mean, max(0.0, float(weights @ np.square(places)) / total - mean * mean)


def _centred(weights: Sequence[tuple[int, Floats, int]], total: int) -> float:
    """The shift that makes the mean of the total what it must be: there the coefficient is best computed."""
    low, high, shift = -40.0, 40.0, 0.0
    for _ in range(60):
        found = [(first, many, *_moments(logs, shift)) for first, logs, many in weights]
        miss = sum(many * (first + mean) for first, many, _, mean, _ in found) - total
        spread = sum(many * variance for _, many, _, _, variance in found)
        if abs(miss) <= 1e-3 * math.sqrt(spread) + 1e-9 * total:
            break
        low, high = (low, shift) if miss > 0 else (shift, high)
        step = shift - miss / spread if spread > 0 else math.inf
        shift = step if low < step < high else (low + high) / 2
    return shift


def _coefficient(weights: Sequence[tuple[int, Floats, int]], total: int) -> float:
    """Logarithm of the coefficient of z^total in the product of the series, each to its power."""
    shift = _centred(weights, total)
    spread = sum(many * _moments(logs, shift)[2] for _, logs, many in weights)
    widest = max(logs.size for _, logs, _ in weights)
    size = next_fast_len(max(2 * widest, int(24 * math.sqrt(spread)) + 64))
    power, log_scale, left = np.zeros(size // 2 + 1, dtype=np.complex128), 0.0, total
    turns = np.arange(size // 2 + 1)
    for first, logs, many in weights:
        log_sum, mean, _ = _moments(logs, shift)
        series = np.exp(logs + shift * np.arange(logs.size) - log_sum)
        whole = round(mean)
        # Turned back by the mean, the phase stays small where the modulus is not: no precision is lost in the power.
        values = fft(series, size)[: size // 2 + 1] * np.exp(2j * np.pi * (turns * whole % size) / size)
        # Where a series vanishes its power does too; the least float represents it.
        power += many * np.log(np.where(values == 0, 5e-324, values))
        log_scale += many * log_sum
        left -= many * (first + whole)
    terms = np.exp(power + 2j * np.pi * (turns * (left % size) % size) / size).real
    both = 2.0 * terms.sum() - terms[0] - (terms[-1] if size % 2 == 0 else 0.0)
    inner = total - sum(many * first for first, _, many in weights)
    # Centred, the coefficient is about one over the spread. A smaller one is lost in rounding: no bound is given then.
    if both / size < LEAST_COEFFICIENT:
        return math.inf
    return log_scale - shift * inner + math.log(both / size)


def lower_bound_tail(log_moment: LogMoment, statistic: float, spread: float = 1.0) -> float:
    """Upper bound on the probability that a variable is at most the statistic, by the best slope.

    Args:
        log_moment: Logarithm of the mean of ``exp(slope · variable)``.
        statistic: Value observed.
        spread: Standard deviation of the variable, which says where to look for the slope.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> bound = lower_bound_tail(lambda s: s * s / 2, -5.0)  # a standard normal variable
        >>> 1 < bound / float(special.ndtr(-5.0)) < 15
        True
    """
    return _best(lambda slope: log_moment(-slope) + slope * statistic, spread)


def upper_bound_tail(log_moment: LogMoment, statistic: float, spread: float = 1.0) -> float:
    """Upper bound on the probability that a variable reaches the statistic, by the best slope.

    Source: Chernoff, Ann. Math. Stat. 23 (1952), 493-507.

    Example:
        >>> bound = upper_bound_tail(lambda s: s * s / 2, 5.0)
        >>> 1 < bound / float(special.ndtr(-5.0)) < 15
        True
    """
    return _best(lambda slope: log_moment(slope) - slope * statistic, spread)


def two_sided_bound(
    log_moment: LogMoment, statistic: float, spread: float, *, mean: float = 0.0, noticed: float = 2.0
) -> float:
    """Twice the bound on the smaller tail; 1 for what is less than so many deviations from the mean.

    Args:
        log_moment: Logarithm of the mean of ``exp(slope · variable)``.
        statistic: Value of the variable.
        spread: Its standard deviation; where there is none, nothing is computed.
        mean: Its mean.
        noticed: Deviations from which on a bound is sought.
    """
    if not spread or abs(statistic - mean) < noticed * spread:
        return 1.0
    bound = lower_bound_tail if statistic < mean else upper_bound_tail
    return min(1.0, 2 * bound(log_moment, statistic, spread))


def _best(exponent: Callable[[float], float], spread: float) -> float:
    """The smallest bound over slopes of either size: the exponent is convex, and infinite beyond some of them."""

    def at(place: float) -> float:
        # Where no bound can be computed, one that is worse than none: the search then turns back.
        return min(exponent(math.exp(place) / spread), HOPELESS)

    best, lowest = GENTLEST, at(GENTLEST)
    for place in np.arange(GENTLEST + 1.5, STEEPEST, 1.5).tolist():
        value = at(place)
        if value > lowest:
            break
        best, lowest = place, value
    # scipy.optimize takes a moment to load: only where a sum comes this far.
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(at, bounds=(best - 1.5, best + 1.5), method="bounded", options={"xatol": 0.02})
    return math.exp(min(0.0, lowest, float(found.fun)))


def pearson_lower_tail(
    statistic: float, probabilities: Sequence[float] | Mapping[float, int], trials: int
) -> float:
    """Upper bound on the probability that Pearson's statistic is as small as this: counts that are too even.

    Args:
        statistic: Value of the statistic.
        probabilities: Of the classes, or how many classes have each probability.
        trials: Number of observations.

    Example:
        A die thrown 600 times of which each face came exactly 100 times; all 6^600 sequences counted, that happens in
        600!/(100!)^6/6^600 of them:

        >>> exact = math.exp(math.lgamma(601) - 6 * math.lgamma(101) - 600 * math.log(6))
        >>> round(pearson_lower_tail(0.0, {1 / 6: 6}, 600) / exact, 3)
        1.0
    """
    cells = Counter(probabilities)
    moment = CellSum(trials, cells, pearson_value).log_moment
    return lower_bound_tail(moment, statistic, math.sqrt(2 * max(1, cells.total() - 1)))


def two_sided(
    counts: NDArray[np.int64],
    trials: int | NDArray[np.int64],
    law: Floats,
    missing: int | NDArray[np.int64] = 0,
) -> Floats:
    """Twice the smaller binomial tail of each cell, at most one; 0 for what cannot be.

    Args:
        counts: How often each cell was hit.
        trials: Trials, each of which may hit it.
        law: Probability of each cell in one trial.
        missing: Trials of which nothing is known: neither tail is smaller for them.

    Example:
        >>> two_sided(np.array([5, 0]), 5, np.array([0.5, 0.0])).tolist()
        [0.0625, 1.0]
    """
    # A median is less than one from the mean: the tail on its far side, at least a half, is not computed.
    low, high = counts + missing <= trials * law + 1, counts >= trials * law - 1
    below = special.bdtr(np.minimum(counts + missing, trials), trials, law, where=low, out=np.ones(low.shape))
    above = special.bdtrc(counts - 1, trials, law, where=high, out=np.ones(low.shape))
    p_values = np.minimum(1.0, 2 * np.minimum(below, above))
    impossible = ((law <= 0) & (counts > 0)) | ((law >= 1) & (counts + missing < trials))
    certain = ((law <= 0) | (law >= 1)) & ~impossible
    return np.where(impossible, 0.0, np.where(certain, 1.0, p_values))


def tally(pieces: Iterable[NDArray[np.integer]], cells: int) -> NDArray[np.int64]:
    """How often each cell comes in all pieces together.

    Example:
        >>> tally([np.array([0, 2]), np.array([2])], 4).tolist()
        [1, 0, 2, 0]
    """
    counts = np.zeros(cells, dtype=np.int64)
    for piece in pieces:
        counts += np.bincount(piece, minlength=cells)
    return counts


def worst(p_values: Floats, names: Sequence[Name]) -> tuple[Name, float]:
    """The smallest p-value of many cells, corrected for their number, and the cell's name.

    Example:
        >>> worst(np.array([0.5, 0.01, 0.2, 1.0]), "abcd")
        ('b', 0.04)
    """
    at = int(p_values.argmin())
    return names[at], min(1.0, p_values.size * float(p_values[at]))

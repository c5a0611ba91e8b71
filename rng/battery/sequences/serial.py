"""Numbers and those after them: pairs and triples, and correlations of any lag."""

import math
from itertools import combinations

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy import special

from rng.battery import goodness
from rng.battery.cell_sums import tally
from rng.battery.result import TestResult
from rng.battery.sequences.draws import (
    CHUNK,
    IntegerDraws,
    SequenceTest,
    class_probabilities,
    digit_base,
    encode,
)
from rng.battery.suite import Test, at_least

MOST_CELLS = 1 << 20


def tuple_base(draws: IntegerDraws, length: int, overlapping: bool = False) -> int:
    """Largest base whose tuples are expected ten times each."""
    tuples = draws.size if overlapping else draws.size // length
    # Up to one number in twenty may be left out when digits are cut.
    cells = min(MOST_CELLS, 0.95 * tuples / goodness.LEAST_EXPECTED)
    return digit_base(draws.below, max(2, int(cells ** (1 / length) + 1e-9)))


def tuple_counts(draws: IntegerDraws, base: int, length: int) -> NDArray[np.int64]:
    """Counts of non-overlapping tuples of leading digits."""
    return tally((encode(rows, base) for rows in draws.tuples(base, length)), base**length)


def overlapping_counts(draws: IntegerDraws, base: int, length: int) -> NDArray[np.int64]:
    """Counts of overlapping tuples, each piece closed to a circle so that shorter tuples are its margins."""
    windows = (
        np.lib.stride_tricks.sliding_window_view(np.concatenate([digits, digits[: length - 1]]), length)
        for digits in draws.digits(base)
        if len(digits) > length
    )
    return tally((encode(rows, base) for rows in windows), base**length)


def good_difference(counts: NDArray[np.int64], base: int) -> float:
    """psi² of the tuples less psi² of the tuples one shorter."""
    total = int(counts.sum())
    longer, shorter = (
        cells.size / total * float(np.square(cells.astype(np.float64)).sum()) - total
        for cells in (counts, counts.reshape(-1, base).sum(axis=1))
    )
    return longer - shorter


def run_overlaps(draws: IntegerDraws) -> TestResult:
    """Overlapping pairs, triples and quadruples: Good's differences, where a plain chi-square would be wrong.

    Source: Good, Proc. Cambridge Phil. Soc. 49 (1953), 276-284: psi²_m - psi²_(m-1), d^m - d^(m-1) degrees.
    """
    p_values, labels, freedom, statistic = [], [], 0, 0.0
    for length in (2, 3, 4):
        base = tuple_base(draws, length, overlapping=True)
        statistic = good_difference(overlapping_counts(draws, base, length), base)
        freedom = base**length - base ** (length - 1)
        p_values.append(goodness.chi_square_tail(statistic, freedom))
        labels.append(f"{length}-tuples in base {base}")
    return TestResult(
        p_values=tuple(p_values),
        labels=tuple(labels),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="Good's psi² differences of overlapping tuples, chi-square",
        detectable=goodness.describe_deviation(freedom, draws.size),
    )


def stretches_p(stretches: int, equal: int, neighbours: int) -> float:
    """Two-sided p-value of the stretches that pairs of equal neighbours form, given how many pairs are equal: exact.

    Whether neighbours are equal is independent from pair to pair, so that every arrangement of the equal pairs among
    all is equally likely.

    Source: Stevens, Annals of Eugenics 9 (1939), 10-17 (number of groups, given the number of elements).

    Example:
        Two equal pairs among three stand together in two of three arrangements:

        >>> round(stretches_p(2, 2, 3) / 2, 12) == round(1 / 3, 12)
        True
    """
    if not equal:
        return 1.0
    # All of scipy.stats is loaded for this one law: only where a sample asks for it.
    from scipy import stats

    law = stats.hypergeom(neighbours, neighbours - equal + 1, equal)
    return min(1.0, 2 * float(min(law.cdf(stretches), law.sf(stretches - 1))))


def run_adjacency(draws: IntegerDraws) -> TestResult:
    """Differences between neighbours, modulo the base, and how often one number comes three times in a row and more.

    Differences are independent and uniform if the digits are.

    Source: 58 Pa. Code 810a.5(c) (adjacency criterion), as the distribution of differences of adjacent
    numbers.
    """
    base = digit_base(draws.below, min(256, max(2, int(0.9 * draws.size / goodness.LEAST_EXPECTED))))
    counts = np.zeros(base, dtype=np.int64)
    stretches, before = 0, False
    for digits in draws.digits(base):
        differences = (digits[1:] - digits[:-1]) % base
        counts += np.bincount(differences, minlength=base)
        equal = differences == 0
        # What is no pair of equal neighbours, or the beginning, is before a stretch of them.
        stretches += int((equal[1:] & ~equal[:-1]).sum()) + int(equal[:1].any() and not before)
        before = bool(equal[-1]) if equal.size else before
    fit = goodness.uniform_fit(counts)
    in_a_row = stretches_p(stretches, int(counts[0]), int(counts.sum()))
    return TestResult(
        p_values=(fit.p_value, in_a_row),
        deciding=(fit.two_sided, in_a_row),
        labels=("differences", "the same number in a row"),
        parameters={"base": base},
        statistic=fit.statistic,
        degrees_of_freedom=fit.degrees_of_freedom,
        null="differences modulo the base are independent and uniform; chi-square; stretches of equal neighbours, "
        "given their number: hypergeometric, exact",
        discrete=True,
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, draws.size, 2),
    )


SERIAL = (
    Test("overlaps", at_least(200), run_overlaps),
    Test("adjacency", at_least(100), run_adjacency),
)


LAGS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 31, 32, 64, 128, 256)
GROUP = 5
STRIDES = (2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 32, 40, 64)
# A generator that starts anew, or takes a key again, after so many numbers at most: every such period is tried on the
# first numbers, in few classes.
PERIODS, PERIODIC, PERIODIC_CLASSES = 1 << 11, 1 << 17, 64
MOST_LEVELS = 1 << 16


def levels(below: int) -> int:
    """Levels that values are read at: their own up to 2^16, so that sums of products stay whole numbers."""
    return min(below, MOST_LEVELS)


def centred(draws: IntegerDraws, piece: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Twice the distance of each value's level from the middle: whole, with mean 0 and variance (m² - 1)/3."""
    m = levels(draws.below)
    return 2 * draws.classes(piece, m) - (m - 1)


def variance(below: int) -> float:
    """Variance of the centred values of uniform numbers."""
    return (levels(below) ** 2 - 1) / 3


def lagged_sums(draws: IntegerDraws) -> tuple[list[int], list[int]]:
    """Exact sums of products of numbers some lags apart, and the number of products, for each lag."""
    sums, pairs = [0] * len(LAGS), [0] * len(LAGS)
    ends = np.empty(0, dtype=np.int64)
    for piece in draws.chunks():
        joined = np.concatenate([ends, centred(draws, piece)])
        for i, lag in enumerate(LAGS):
            begin = max(len(ends), lag)
            sums[i] += int((joined[begin:] * joined[begin - lag : len(joined) - lag]).sum())
            pairs[i] += len(joined) - begin
        ends = joined[-max(LAGS) :]
    return sums, pairs


def run_serial(draws: IntegerDraws) -> TestResult:
    """Serial correlation at several lags, mean and variance known: products of independent numbers.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 K, with the known mean; GLI-19 3.2.2(f).
    """
    sums, pairs = lagged_sums(draws)
    scores = [s / (variance(draws.below) * math.sqrt(n)) for s, n in zip(sums, pairs, strict=True)]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(z) for z in scores),
        labels=tuple(f"lag {lag}" for lag in LAGS),
        statistic=max(abs(z) for z in scores),
        null="normal, mean 0 and known variance",
        detectable=goodness.describe_shift(draws.size, "in the correlation at one lag"),
    )


def run_interplay(draws: IntegerDraws) -> TestResult:
    """Interplay correlation between the numbers of one group of five.

    Source: GLI-19 3.2.2(e); 58 Pa. Code 810a.5(c).
    """
    places = list(combinations(range(GROUP), 2))
    products, groups = np.zeros((GROUP, GROUP), dtype=object), 0  # of output without end no sum may wrap
    for piece in draws.chunks():
        rows = centred(draws, piece[: len(piece) // GROUP * GROUP]).reshape(-1, GROUP)
        products, groups = products + rows.T @ rows, groups + len(rows)
    sums = [products[place] for place in places]
    scores = [s / (variance(draws.below) * math.sqrt(groups)) for s in sums]
    return TestResult(
        p_values=tuple(goodness.normal_two_sided(z) for z in scores),
        labels=tuple(f"numbers {i + 1} and {j + 1} of {GROUP}" for i, j in places),
        parameters={"group": GROUP},
        statistic=max(abs(z) for z in scores),
        null="normal, mean 0 and known variance (numbers of a group are drawn with replacement)",
        detectable=goodness.describe_shift(groups, "in the correlation of two numbers of a group"),
    )


def _classes(draws: IntegerDraws, rows: int) -> int:
    most = int(draws.size / rows / goodness.LEAST_EXPECTED)
    return max(2, min(draws.below, 256, most))


def residue_table(draws: IntegerDraws, stride: int, classes: int) -> NDArray[np.int64]:
    """Counts of classes in each of the subsequences that take every stride-th number: ``table[residue, class]``."""
    codes = (
        np.arange(number * CHUNK, number * CHUNK + piece.size) % stride * classes
        + draws.classes(piece, classes)
        for number, piece in enumerate(draws.chunks())
    )
    return tally(codes, stride * classes).reshape(stride, classes)


@njit(cache=True, nogil=True)
def fullest_by_period(codes: NDArray[np.int64], classes: int, periods: int) -> NDArray[np.int64]:
    """The largest count of a class at one place of a period, for every period from 1 on.

    Example:
        >>> fullest_by_period(np.array([1, 0, 1, 1, 1, 0]), 2, 3).tolist()
        [4, 3, 2]
    """
    fullest = np.zeros(periods, dtype=np.int64)
    for period in range(1, periods + 1):
        counts, first = np.zeros(period * classes, dtype=np.int32), 0
        for code in codes:
            counts[first + code] += 1
            first += classes
            if first == counts.size:
                first = 0
        fullest[period - 1] = counts.max()
    return fullest


def run_periods(draws: IntegerDraws) -> dict[str, float]:
    """The class that comes most often at one place of a period, of any: what it is, and its p-value (a bound)."""
    classes, periods = min(draws.below, PERIODIC_CLASSES), min(PERIODS, draws.size // 10)
    codes = draws.classes(draws.values[:PERIODIC].astype(np.uint64), classes)
    lengths = np.arange(1, periods + 1)
    likeliest = float(max(class_probabilities(draws.below, classes)))
    found = fullest_by_period(codes, classes, periods)
    tails = special.bdtrc(found - 1, -(-codes.size // lengths), likeliest)
    period = int(tails.argmin()) + 1
    return {
        f"fullest cell of periods up to {periods}: {period}": min(
            1.0, classes * int(lengths.sum()) * float(tails.min())
        )
    }


def run_subsequences(draws: IntegerDraws) -> TestResult:
    """Every subsequence of every k-th number must be equidistributed too.

    For each k: all k subsequences together, the worst of them (1 - (1-p)^k), and the fullest cell (a bound); and the
    fullest cell of all periods.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 (subsequences); 25 CFR 547.14(b)(2).
    """
    p_values: list[float] = []
    freedom, statistic = 0, 0.0
    for stride in STRIDES:
        classes = _classes(draws, stride)
        table = residue_table(draws, stride, classes)
        expected = np.array([float(q) for q in class_probabilities(draws.below, classes)])
        trials = table.sum(axis=1, keepdims=True)
        squares = (np.square(table - trials * expected) / (trials * expected)).sum(axis=1)
        statistic, freedom = float(squares.sum()), stride * (classes - 1)
        worst = goodness.chi_square_tail(float(squares.max()), classes - 1)
        p_values += [
            goodness.chi_square_tail(statistic, freedom),
            -math.expm1(stride * math.log1p(-worst)) if worst < 1 else 1.0,
            goodness.fullest_cell(table, int(trials.max()), float(expected.max())),
        ]
    return TestResult(
        p_values=tuple(p_values),
        labels=tuple(
            f"every {stride} numbers, {what}"
            for stride in STRIDES
            for what in ("all", "worst subsequence", "fullest cell")
        ),
        statistic=statistic,
        degrees_of_freedom=freedom,
        discrete=True,
        null="independent multinomials, chi-square; smallest of k independent p-values; binomial bound",
        detectable=goodness.describe_deviation(freedom, draws.size),
    ).with_bounds(run_periods(draws))


CORRELATION: tuple[SequenceTest, ...] = (
    Test("serial-correlation", at_least(1_000), run_serial),
    Test("interplay-correlation", at_least(5_000), run_interplay),
    Test("subsequences", lambda _below: 2 * 10 * max(STRIDES), run_subsequences),
)

"""Groups of consecutive numbers: pairs, triples, overlapping tuples, and differences of neighbours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery import goodness
from rng.battery.result import TestResult
from rng.battery.sequences.draws import IntegerDraws, digit_base, encode
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
    counts = np.zeros(base**length, dtype=np.int64)
    for rows in draws.tuples(base, length):
        counts += np.bincount(encode(rows, base), minlength=base**length)
    return counts


def _tuples(name: str, draws: IntegerDraws, length: int) -> TestResult:
    base = tuple_base(draws, length)
    fit = goodness.uniform_fit(tuple_counts(draws, base, length))
    return goodness.fitted(
        [fit],
        parameters={"base": base, "length": length},
        null="multinomial over equally likely non-overlapping tuples; chi-square",
    )


def run_pairs(draws: IntegerDraws) -> TestResult:
    """Serial pairs.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 B.
    """
    return _tuples("serial-pairs", draws, 2)


def run_triples(draws: IntegerDraws) -> TestResult:
    """Serial triples.

    Source: Knuth, The Art of Computer Programming 2, 3.3.2 B.
    """
    return _tuples("serial-triples", draws, 3)


def overlapping_counts(draws: IntegerDraws, base: int, length: int) -> NDArray[np.int64]:
    """Counts of overlapping tuples, each piece closed to a circle so that shorter tuples are its margins."""
    counts = np.zeros(base**length, dtype=np.int64)
    for digits in draws.digits(base):
        if len(digits) > length:
            circle = np.concatenate([digits, digits[: length - 1]])
            windows = np.lib.stride_tricks.sliding_window_view(circle, length)
            counts += np.bincount(encode(windows, base), minlength=base**length)
    return counts


def good_difference(counts: NDArray[np.int64], base: int, length: int) -> float:
    """psi² of the tuples less psi² of the tuples one shorter."""
    total = int(counts.sum())
    shorter = counts.reshape(-1, base).sum(axis=1)
    longer_psi = float(base**length) / total * float(np.square(counts.astype(np.float64)).sum()) - total
    shorter_psi = (
        float(base ** (length - 1)) / total * float(np.square(shorter.astype(np.float64)).sum()) - total
    )
    return longer_psi - shorter_psi


def run_overlaps(draws: IntegerDraws) -> TestResult:
    """Overlapping pairs, triples and quadruples: Good's differences, where a plain chi-square would be wrong.

    Source: Good, Proc. Cambridge Phil. Soc. 49 (1953), 276-284: psi²_m - psi²_(m-1), d^m - d^(m-1) degrees.
    """
    p_values, labels, freedom, statistic = [], [], 0, 0.0
    for length in (2, 3, 4):
        base = tuple_base(draws, length, overlapping=True)
        statistic = good_difference(overlapping_counts(draws, base, length), base, length)
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
        # What is no pair of equal neighbours, or the beginning, stands before a stretch of them.
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


TESTS = (
    Test("serial-pairs", at_least(100), run_pairs),
    Test("serial-triples", at_least(300), run_triples),
    Test("overlaps", at_least(200), run_overlaps),
    Test("adjacency", at_least(100), run_adjacency),
)

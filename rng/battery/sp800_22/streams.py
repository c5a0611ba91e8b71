"""Many sequences (SP 800-22 4.2): how one test fares over them, and in the arithmetic of the reference program.

What the reference program would print about many sequences, its errors included, for comparison only.

Source: NIST STS 2.1.2, final analysis report: p-values as printed with six decimals, a whole number for the
expected count of a tenth, whole numbers for the bounds of the proportion.

The fifteen tests on many sequences: the proportion that passes and the uniformity of the p-values.

Source: NIST SP 800-22 Rev. 1a, 4.2, with counts that are not rounded and with the true law of the p-values.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rng.battery.cell_sums import binomial_chances
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.battery import TESTS
from rng.battery.sp800_22.nulls import BINS, Null, null_of, uniform
from rng.battery.sp800_22.sample import Constants, chi_square_p

REFERENCE_BINS = 10


@dataclass(frozen=True, slots=True)
class ReferenceReport:
    """The reference program's line for one p-value over many sequences.

    Args:
        uniformity: Its uniformity p-value, None where it prints none.
        passed: Sequences at or above the level.
        sequences: Sequences it counts.
        bounds: Smallest and largest number of passing sequences that it accepts.
    """

    uniformity: float | None
    passed: int
    sequences: int
    bounds: tuple[int, int]

    @property
    def flagged(self) -> bool:
        """Whether the program prints an asterisk."""
        low, high = self.bounds
        uneven = self.uniformity is not None and self.uniformity < 0.0001
        return uneven or not low <= self.passed <= high


def as_reference(p_values: Sequence[float], level: float, *, zeros_left_out: bool) -> ReferenceReport:
    """Apply the reference program's arithmetic to p-values.

    Args:
        p_values: One for every sequence.
        level: Of the test on one sequence.
        zeros_left_out: Whether values printed as 0.000000 are left out, as it does for the random excursions.

    Example:
        >>> counts = (10, 5, 7, 6, 7, 2, 8, 5, 8, 5)
        >>> values = [i / 10 + 0.05 for i, count in enumerate(counts) for _ in range(count)]
        >>> round(as_reference(values, 0.01, zeros_left_out=True).uniformity, 6)
        0.585209
    """
    read = [float(np.float32(f"{p:.6f}")) for p in p_values]
    if zeros_left_out:
        read = [p for p in read if p > 0]
    size = len(read)
    expected = size // REFERENCE_BINS
    counts = _binned(read, REFERENCE_BINS)
    uniformity = None
    if expected:
        uniformity = chi_square_p(
            sum((count - expected) ** 2 for count in counts) / expected, REFERENCE_BINS - 1
        )
    margin = 3 * math.sqrt((1 - level) * level / size) if size else 0.0
    bounds = (int((1 - level - margin) * size), int((1 - level + margin) * size))
    return ReferenceReport(uniformity, sum(p >= level for p in read), size, bounds)


def _binned(p_values: Sequence[float], bins: int) -> list[int]:
    """How many p-values fall into each of so many equal parts of the unit interval."""
    places = np.minimum((np.array(p_values) * bins).astype(np.int64), bins - 1)
    return [int(count) for count in np.bincount(places, minlength=bins)]


# 4.2.2: a uniformity p-value takes 55 sequences.
FEWEST_FOR_UNIFORMITY = 55

Outcomes = Sequence[tuple[TestResult | NotRun, ...]]


@dataclass(frozen=True, slots=True)
class StreamsResult:
    """One p-value of one test over many sequences.

    Args:
        test: Name of the test.
        label: Which of its p-values, empty where it has one.
        p_values: One for each sequence that the test applied to, in their order.
        smallest: The smallest of those that a verdict rests on.
        not_run: Sequences that it did not apply to.
        passed: Sequences with a p-value of at least the level.
        bounds: Proportions of passing sequences within three standard deviations (4.2.1), not rounded.
        proportion_p: Probability of a number of passing sequences at least as unlikely as this one, exactly.
        counts: P-values in each tenth of the unit interval.
        expected: What was expected in each tenth.
        uniformity: P-value of the comparison of both (4.2.2); None for fewer than 55 sequences.
        exact_null: Whether ``expected`` follows the true law of the p-values; one tenth each otherwise.
        reference: What the reference program's arithmetic makes of the same p-values.
    """

    test: str
    label: str
    p_values: tuple[float, ...]
    smallest: float
    not_run: int
    passed: int
    bounds: tuple[float, float]
    proportion_p: float
    counts: tuple[int, ...]
    expected: tuple[float, ...]
    uniformity: float | None
    exact_null: bool
    reference: ReferenceReport


def judge(
    outcomes: Outcomes, length: int, constants: Constants, level: float = 0.01
) -> tuple[StreamsResult, ...]:
    """Judge the results of the same tests on several sequences of the same length.

    Source: NIST SP 800-22 Rev. 1a, 4.2.
    """
    results: list[StreamsResult] = []
    for column in zip(*outcomes, strict=True):
        ran = [cell for cell in column if isinstance(cell, TestResult)]
        if ran:
            results += _judge_test(ran, len(column) - len(ran), length, constants, level)
    return tuple(results)


def _judge_test(
    ran: Sequence[TestResult], not_run: int, length: int, constants: Constants, level: float
) -> list[StreamsResult]:
    first = ran[0]
    standard = all(
        first.parameters.get(key, value) == value for key, value in TESTS[first.test].defaults.items()
    )
    null = null_of(first.test, length, level, constants) if standard else uniform(level)
    labels = first.labels or ("",)
    published = zip(*(result.p_values for result in ran), strict=True)
    decided = zip(*(result.decided for result in ran), strict=True)
    return [
        judge_p_values(first.test, label, column, not_run, null, level, decided=deciding)
        for label, column, deciding in zip(labels, published, decided, strict=True)
    ]


def judge_p_values(
    test: str,
    label: str,
    p_values: tuple[float, ...],
    not_run: int,
    null: Null,
    level: float,
    *,
    decided: tuple[float, ...] | None = None,
) -> StreamsResult:
    """Judge one p-value over many sequences.

    Args:
        test: Name of the test.
        label: Which of its p-values.
        p_values: One for each sequence tested.
        not_run: Sequences that were not tested.
        null: Law of the p-value under randomness.
        level: Of the test on one sequence.
        decided: Those that a verdict rests on, where they differ from the published ones.
    """
    size = len(p_values)
    decided = decided or p_values
    # Where the law of the published p-values is known they are judged by it; where it is not, those that a
    # verdict rests on are the uniform ones.
    judged = p_values if null.exact else decided
    counts = _binned(judged, BINS)
    passed = sum(p >= level for p in judged)
    margin = 3 * math.sqrt(null.passing * (1 - null.passing) / size)
    return StreamsResult(
        test=test,
        label=label,
        p_values=p_values,
        smallest=min(decided),
        not_run=not_run,
        passed=passed,
        bounds=(null.passing - margin, null.passing + margin),
        proportion_p=binomial_p(passed, size, null.passing),
        counts=tuple(counts),
        expected=tuple(size * b for b in null.bins),
        uniformity=_uniformity(counts, null.bins),
        exact_null=null.exact,
        reference=as_reference(p_values, level, zeros_left_out=test.startswith("random-excursions")),
    )


def _uniformity(counts: Sequence[int], bins: Sequence[float]) -> float | None:
    """Compare the tenths with their expectation, which is not rounded to a whole number (4.2.2)."""
    size = sum(counts)
    if size < FEWEST_FOR_UNIFORMITY:
        return None
    used = [(count, size * b) for count, b in zip(counts, bins, strict=True) if b > 0]
    statistic = sum((count - expected) ** 2 / expected for count, expected in used)
    # A tenth that no p-value can fall into takes no part; one that it fell into nevertheless is impossible.
    if sum(count for count, _ in used) < size:
        return 0.0
    return chi_square_p(statistic, len(used) - 1)


def binomial_p(passed: int, size: int, chance: float) -> float:
    """Probability of a number of successes at most as likely as the one observed, exactly.

    Example:
        >>> round(binomial_p(95, 100, 0.99), 6)
        0.003432
    """
    chances = binomial_chances(0, size, size, chance)
    return min(1.0, float(chances[chances <= chances[passed] * (1 + 1e-9)].sum()))

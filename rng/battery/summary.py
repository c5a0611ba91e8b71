"""What a report says about randomness: amounts, a row for each test, histograms, the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rng.battery.goodness import DETECTION_POWER, MOST_TESTS
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import BatteryDecision, BatteryVerdict, Word

BINS = 10
# GLI-19 3.4.2 asks for this many outcomes of mechanical devices, or a statement that there were fewer.
OUTCOMES_EXPECTED = 10_000


def at_size(result: TestResult | NotRun, outcomes: int) -> TestResult | NotRun:
    """Returns a test that needs more outcomes as one that does not apply, from 10,000 outcomes on.

    So many are what laboratories collect from equipment: the tests that apply there decide, and those that
    need more say how many. On fewer outcomes everything stays undecided.

    Args:
        result: A test, run or not.
        outcomes: Rows, decks or numbers that were given.

    Source: GLI-19 v3.0, 3.4.2 (10,000 outcomes of a mechanical device).
    """
    short = isinstance(result, NotRun) and not result.failed and result.minimum_sample is not None
    if not isinstance(result, NotRun) or not short or outcomes < OUTCOMES_EXPECTED:
        return result
    return replace(result, reason=f"does not apply at this size: {result.reason}", minimum_sample=None)


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One test in the table of tests.

    Args:
        suite: Family of the test.
        test: Name of the test.
        sample_size: Units tested.
        statistic: Value of the statistic, where there is a single one.
        degrees_of_freedom: Of its distribution, where it has any.
        p_values: How many p-values the test gave.
        smallest: The smallest of them.
        label: What the smallest one stands for.
        threshold: What Holm's procedure compared it with.
        adjusted: Its family-wise adjusted p-value.
        word: Verdict on this test within the family.
        histogram: P-values in each tenth of the unit interval.
        null: Reference distribution in words.
        detectable: Smallest effect that this sample would have shown, in words.
    """

    suite: str
    test: str
    sample_size: int
    statistic: float | None
    degrees_of_freedom: int | None
    p_values: int
    smallest: float
    label: str
    threshold: float
    adjusted: float
    word: Word
    histogram: tuple[int, ...]
    null: str
    detectable: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """The data of a randomness chapter.

    Args:
        amounts: What was tested and how much of it, always stated.
        limitations: What the amounts do not allow to say, one sentence each.
        rows: The table of tests.
        not_run: Tests that could not be run, and why.
        histogram: All p-values of the family in tenths of the unit interval.
        verdict: The collective verdict, with its decision rule.
        power: The meaning of the detectable effects, in words.
    """

    amounts: Mapping[str, int]
    limitations: tuple[str, ...]
    rows: tuple[SummaryRow, ...]
    not_run: tuple[NotRun, ...]
    histogram: tuple[int, ...]
    verdict: BatteryVerdict
    power: str

    def as_json(self) -> dict[str, Any]:
        """The chapter as plain dictionaries and lists, ready for JSON."""
        return asdict(self)


def histogram(p_values: Iterable[float], bins: int = BINS) -> tuple[int, ...]:
    """Counts p-values in equal parts of the unit interval, the last one closed.

    Example:
        >>> histogram([0.05, 0.07, 0.95, 1.0])
        (2, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    """
    counts = [0] * bins
    for p_value in p_values:
        counts[min(int(p_value * bins), bins - 1)] += 1
    return tuple(counts)


def summarise(
    results: Sequence[TestResult | NotRun], verdict: BatteryVerdict, amounts: Mapping[str, int]
) -> Chapter:
    """Puts together what a report says about one tested output.

    Args:
        results: The results that the verdict was concluded from.
        verdict: The collective verdict.
        amounts: Amount of data by kind, for example ``{"decks": 1_000_000}``.

    Source: GLI-19 v3.0 3.4.2 (amount of data stated); ISO/IEC 17025:2017 7.8.6 (decision rule stated).
    """
    run = [result for result in results if isinstance(result, TestResult)]
    power = (
        f"A detectable effect is one that the test finds with a probability of {DETECTION_POWER:.0%} at "
        f"the p-value it names: one that fails in a family of up to {MOST_TESTS} tests."
    )
    return Chapter(
        amounts=dict(amounts),
        limitations=_limitations(amounts, verdict),
        rows=tuple(_row(result, verdict) for result in sorted(run, key=lambda r: (r.suite, r.test))),
        not_run=verdict.not_run,
        histogram=histogram(decision.p_value for decision in verdict.decisions),
        verdict=verdict,
        power=power,
    )


def _limitations(amounts: Mapping[str, int], verdict: BatteryVerdict) -> tuple[str, ...]:
    few = [
        f"Only {count} {kind} were tested, fewer than {OUTCOMES_EXPECTED}: the statement is limited accordingly."
        for kind, count in amounts.items()
        if count < OUTCOMES_EXPECTED
    ]
    missing = [f"{n.suite} {n.test} was not run: {n.reason}." for n in verdict.not_run]
    always = "That no test rejects does not prove the output random: effects below the detectable ones stay unseen."
    return (*few, *missing, always)


def _row(result: TestResult, verdict: BatteryVerdict) -> SummaryRow:
    decisions = [d for d in verdict.decisions if (d.suite, d.test) == (result.suite, result.test)]
    worst: BatteryDecision = min(decisions, key=lambda d: d.p_value)
    return SummaryRow(
        suite=result.suite,
        test=result.test,
        sample_size=result.sample_size,
        statistic=result.statistic,
        degrees_of_freedom=result.degrees_of_freedom,
        p_values=len(decisions),
        smallest=worst.p_value,
        label=worst.label,
        threshold=worst.threshold,
        adjusted=worst.adjusted,
        word=verdict.word_of(result.suite, result.test),
        histogram=histogram(result.p_values),
        null=result.null,
        detectable=result.detectable,
    )

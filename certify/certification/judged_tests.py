"""Every test of given output with its verdict, as evidence and JSON state it."""

from __future__ import annotations

import math
from typing import Literal

from certify.certification.bit_sequences import SuiteOutcome
from certify.evidence.sample import OverSequences, ReferenceReading, TestLeftOut, TestOfSample
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.streams import StreamsResult
from rng.battery.verdict import BatteryDecision, BatteryVerdict

Constants = Literal["reference", "exact"]


def tests_of(
    outcome: SuiteOutcome, verdict: BatteryVerdict, constants: Constants
) -> tuple[TestOfSample | TestLeftOut, ...]:
    """Returns every test; one that was not run says why, and has no p-values."""
    worst = verdict.worst
    return tuple(
        TestLeftOut(
            result.suite,
            result.test,
            {},
            (),
            "inconclusive" if result.undecided else "not applicable",
            result.reason,
            result.minimum_sample,
        )
        if isinstance(result, NotRun)
        else _test(result, outcome, worst[result.suite, result.test], constants)
        for result in outcome.decided
    )


def _test(
    result: TestResult, outcome: SuiteOutcome, worst: BatteryDecision, constants: Constants
) -> TestOfSample:
    """Returns one test, its p-values with the constants asked for, and with the others where they differ."""
    of_bits = result.suite == "sp800-22"
    over = outcome.over.get(result.test) if of_bits else None
    exact, reference = result.p_values, result.p_values
    if over is not None:
        exact, reference = over.exact, over.reference
    elif of_bits:
        reference = getattr(outcome.reference.get(result.test), "p_values", exact)
    differ = exact != reference
    by_reference = constants == "reference"
    return TestOfSample(
        suite=result.suite,
        test=result.test,
        parameters={key: value for key, value in result.parameters.items() if key != "constants"},
        p_values=reference if by_reference else exact,
        labels=result.labels if over is None else tuple(column.label for column in over.columns),
        # Bounds and p-values of counts may be too large; those of a test over sequences are shown one by one.
        discrete=result.discrete and over is None,
        verdict=worst.word,
        adjusted_p=worst.adjusted,
        threshold=worst.threshold,
        sample_size=result.sample_size,
        statistic=_finite(result.statistic),
        degrees_of_freedom=result.degrees_of_freedom,
        null=result.null,
        detectable=result.detectable,
        p_values_exact=exact if differ and by_reference else None,
        p_values_reference=reference if differ and not by_reference else None,
        p_values_deciding=result.decided if over is None and result.decided != exact else None,
        sequences_not_run=None if over is None else over.not_run,
        over_sequences=None if over is None else tuple(map(_over_sequences, over.columns)),
    )


def _over_sequences(column: StreamsResult) -> OverSequences:
    """Returns how a p-value fared over many sequences, with what the reference program would make of it."""
    theirs = column.reference
    return OverSequences(
        label=column.label,
        passed=column.passed,
        of=len(column.p_values),
        bounds=column.bounds,
        proportion_p=column.proportion_p,
        smallest_deciding=column.smallest,
        tenths=column.counts,
        expected=column.expected,
        uniformity_p=column.uniformity,
        true_law=column.exact_null,
        reference_program=ReferenceReading(
            theirs.uniformity, theirs.passed, theirs.sequences, theirs.bounds, theirs.flagged
        ),
    )


def _finite(value: float | None) -> float | None:
    """Returns a statistic that JSON can hold: an infinite one, of an impossible outcome, is null."""
    return value if value is not None and math.isfinite(value) else None

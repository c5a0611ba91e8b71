"""One test on several parts of a sample: columns of a row, or words of several widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rng.battery.result import NotRun, TestResult
from rng.battery.suite import Results


def pooled(parts: Sequence[tuple[str, Results]]) -> Results:
    """Puts the results of the same test on several parts of a sample into one, whose p-values are decided together.

    Args:
        parts: What each part is, and its results.
    """
    tests: dict[tuple[str, str], list[tuple[str, TestResult | NotRun]]] = {}
    for where, results in parts:
        for result in results:
            tests.setdefault((result.suite, result.test), []).append((where, result))
    return tuple(_one(found, len(parts)) for found in tests.values())


def _one(found: Sequence[tuple[str, TestResult | NotRun]], parts: int) -> TestResult | NotRun:
    run_on = [(where, result) for where, result in found if isinstance(result, TestResult)]
    if not run_on:
        return found[0][1]
    if parts == 1:
        return run_on[0][1]
    labels: list[str] = []
    for where, result in run_on:
        own = result.labels or tuple(str(n + 1) for n in range(len(result.p_values)))
        labels += [f"{where}, {label}" if len(own) > 1 else where for label in own]
    return replace(
        run_on[0][1],
        p_values=tuple(p for _, result in run_on for p in result.p_values),
        deciding=tuple(p for _, result in run_on for p in result.decided),
        labels=tuple(labels),
        discrete=any(result.discrete for _, result in run_on),
        statistic=None,
    )

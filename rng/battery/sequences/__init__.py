"""Tests of sequences of integers below any n, after Knuth and the lists of the regulators."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from rng.battery import lanes
from rng.battery.plan import PlannedTest
from rng.battery.result import NotRun, TestResult
from rng.battery.scarcity import IMPOSSIBLE, ScarcityError
from rng.battery.sequences import (
    congruential,
    correlation,
    dispersion,
    due_numbers,
    every_state,
    frequency,
    fullest,
    halves,
    lagged,
    ordering,
    relations,
    repetitions,
    scaling,
    seeds,
    serial,
    three_lags,
    waiting,
)
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.errors import SampleError

TESTS: tuple[SequenceTest, ...] = (
    *frequency.TESTS,
    *serial.TESTS,
    *waiting.TESTS,
    *ordering.TESTS,
    *repetitions.TESTS,
    *correlation.TESTS,
    SequenceTest("linear-complexity", lanes.minimum, lambda draws: lanes.run(draws.values, draws.below)),
    *fullest.TESTS,
    *dispersion.TESTS,
    *scaling.TESTS,
    *due_numbers.TESTS,
    *relations.TESTS,
    *three_lags.TESTS,
    *every_state.TESTS,
    *seeds.TESTS,
    *lagged.TESTS,
    *congruential.TESTS,
    *halves.TESTS,
)
NAMES = tuple(test.name for test in TESTS)


def run(
    values: NDArray[np.unsignedinteger],
    below: int,
    tests: Collection[str] | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[TestResult | NotRun, ...]:
    """Runs statistical tests on a sequence of integers, each meant to be uniform below ``below``.

    Args:
        values: The numbers in the order drawn, one-dimensional and unsigned; a memory map will do.
        below: Number of values each may take, 2 to 2^64.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        progress: Called with the name of each test before it runs.

    Returns:
        One result for each test asked for, in the order of ``NAMES``. A test that the sample is too short
        for is returned as ``NotRun`` with the numbers it needs; one that does not apply to the range,
        without.

    Raises:
        SampleError: If a number is out of range or a test is not known.
    """
    if tests is not None and not tests:
        raise SampleError("no test was asked for: an empty plan is never a pass")
    unknown = sorted(set(tests or ()) - set(NAMES))
    if unknown:
        raise SampleError(f"no such sequence test: {', '.join(unknown)}; known are {', '.join(NAMES)}")
    draws = IntegerDraws(values, below)
    results: list[TestResult | NotRun] = []
    for test in TESTS:
        if tests is None or test.name in tests:
            if progress is not None:
                progress(test.name)
            results.append(_run_one(test, draws))
    return tuple(results)


def planned(size: int, below: int, tests: Collection[str] | None = None) -> tuple[PlannedTest, ...]:
    """What a plan says about a sample of numbers: the tests to be run on it, each once.

    Args:
        size: Numbers in the sample.
        below: Range of the numbers; tests that do not apply to it are left out.
        tests: Names of the tests; all of ``NAMES`` when left out.
    """
    return tuple(
        PlannedTest("sequences", test.name, size, {"below": below})
        for test in TESTS
        if (tests is None or test.name in tests) and test.minimum(below) is not None
    )


def _run_one(test: SequenceTest, draws: IntegerDraws) -> TestResult | NotRun:
    minimum = test.minimum(draws.below)
    if minimum is None:
        return NotRun("sequences", test.name, f"does not apply to numbers below {draws.below}")
    if draws.size < minimum:
        reason = f"{draws.size} numbers, at least {minimum} are needed"
        return NotRun("sequences", test.name, reason, minimum)
    try:
        return test.run(draws)
    except ScarcityError as few:
        if few.p_value >= IMPOSSIBLE:
            return NotRun("sequences", test.name, few.words, failed=True)
        return _scarce(test.name, draws, few)
    except (SampleError, ArithmeticError) as error:
        # One test that cannot be computed takes no other with it, and leaves the verdict open.
        return NotRun("sequences", test.name, f"could not be computed: {error}", failed=True)


def _scarce(name: str, draws: IntegerDraws, few: ScarcityError) -> TestResult:
    """What a test says of output that left it too little to look at."""
    return TestResult(
        suite="sequences",
        test=name,
        p_values=(few.p_value,),
        labels=(few.words,),
        sample_size=draws.size,
        null="probability of so few observations, an upper bound",
        discrete=True,
    )


__all__ = ["NAMES", "TESTS", "IntegerDraws", "SequenceTest", "planned", "run"]

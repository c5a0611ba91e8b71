"""Tests of sequences of integers below any n, after Knuth and the lists of the regulators."""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from rng.battery import lanes
from rng.battery.sequences import (
    congruential,
    frequency,
    lagged,
    linear,
    recognised,
    seeds,
    serial,
    waiting,
)
from rng.battery.sequences.draws import IntegerDraws, SequenceTest
from rng.battery.suite import Results, Running, Suite, Tell, Test

TESTS: tuple[SequenceTest, ...] = (
    *frequency.FREQUENCY,
    *serial.SERIAL,
    *waiting.WAITING,
    *waiting.STREAKS,
    *waiting.ORDERING,
    *lagged.DUPLICATES,
    *serial.CORRELATION,
    Test("linear-complexity", lanes.minimum, lambda draws: lanes.run(draws.values, draws.below)),
    *frequency.FULLEST,
    *recognised.RELATIONS,
    *seeds.TESTS,
    *lagged.LAGGED_SUMS,
    *congruential.TESTS,
    *linear.LINEAR_HALVES,
)
BATTERY: Suite[int, IntegerDraws] = Suite("sequences", "numbers", __name__, TESTS)
NAMES = BATTERY.names


def run(
    values: NDArray[np.unsignedinteger],
    below: int,
    tests: Collection[str] | None = None,
    *,
    running: Running = map,
    tell: Tell | None = None,
) -> Results:
    """Runs statistical tests on a sequence of integers, each meant to be uniform below ``below``.

    Args:
        values: The numbers in the order drawn, one-dimensional and unsigned; a memory map will do.
        below: Number of values each may take, 2 to 2^64.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        running: What runs each of them.
        tell: Receives how many of them are done.

    Raises:
        SampleError: If a number is out of range or a test is not known.
    """
    return BATTERY.run(IntegerDraws(values, below), tests, running=running, tell=tell)


__all__ = ["BATTERY", "NAMES", "TESTS", "IntegerDraws", "SequenceTest", "run"]

"""What depends on the hour is found where an hour has few rows for its many faces, too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.result import NotRun, TestResult
from rng.battery.stratified import HOUR, DrawOrigin, run
from rng.given.rows import RecordPiece

WHEEL = (RecordPiece(1, tuple(range(37))),)


def by_hour(numbers: NDArray[np.uint32]) -> TestResult | NotRun:
    hours = np.arange(numbers.size) % 24
    nothing = np.empty(0, dtype=np.int64)
    (result,) = run(numbers[:, None], WHEEL, DrawOrigin((), nothing, hours, np.empty(0)))
    assert result.test == HOUR
    return result


def test_hours_of_fewer_rows_than_each_number_needs_are_tested_by_neighbouring_numbers() -> None:
    good = by_hour(uniform_numbers(aes_ctr, 5, 37, 4_000))
    assert isinstance(good, TestResult)
    assert len(good.p_values) == 24
    assert min(good.decided) > 1e-4


def test_an_hour_in_which_low_numbers_come_more_often_is_found() -> None:
    numbers = uniform_numbers(aes_ctr, 6, 37, 4_000)
    seven = np.flatnonzero((np.arange(numbers.size) % 24 == 7) & (numbers >= 18))
    numbers[seven[::2]] -= 18
    found = by_hour(numbers)
    assert isinstance(found, TestResult)
    assert found.labels[int(np.argmin(found.decided))].startswith("7 h")
    assert min(found.decided) < 1e-6


def test_fewer_rows_than_two_classes_need_are_said_so() -> None:
    refused = by_hour(uniform_numbers(aes_ctr, 7, 37, 24 * 19))
    assert isinstance(refused, NotRun)
    assert refused.minimum_sample == 20

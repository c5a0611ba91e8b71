"""The smallest detectable effects that the tests print are found as often as stated."""

from __future__ import annotations

import math

import numpy as np

from rng.battery import goodness, sequences
from rng.battery.planted.good import aes_ctr
from rng.battery.result import TestResult

SAMPLES = 200
# Found with 95 % power: in 200 samples 190 on average, and 178 to 198 but once in ten thousand.
FEWEST, MOST = 178, 198


def found(numbers: np.ndarray, below: int, test: str) -> bool:
    (result,) = sequences.run(numbers, below, [test])
    assert isinstance(result, TestResult)
    return result.p_values[0] < goodness.DETECTION_LEVEL


def test_detectable_deviation_is_detected_as_often_as_stated() -> None:
    size = 10_000
    deviation = math.sqrt(goodness.detectable_noncentrality(39) / size)
    assert f"{100 * deviation:.3g} %" in goodness.describe_deviation(39, size)
    # Twenty of forty values are likelier, twenty less likely, by that much each.
    bounds = np.cumsum(np.where(np.arange(40) % 2, 1 - deviation, 1 + deviation) / 40)
    hits = 0
    for seed in range(SAMPLES):
        uniform = aes_ctr(seed, size) / 2.0**32
        hits += found(np.searchsorted(bounds, uniform).clip(max=39).astype(np.uint8), 40, "frequency")
    assert FEWEST <= hits <= MOST


def test_detectable_shift_is_detected_as_often_as_stated() -> None:
    size = 10_000
    shift = goodness.detectable_shift(size)
    hits = 0
    for seed in range(SAMPLES):
        ones = aes_ctr(seed, size) / 2.0**32 < (1 + shift) / 2
        hits += found(ones.astype(np.uint8), 2, "bit-frequency")
    assert FEWEST <= hits <= MOST

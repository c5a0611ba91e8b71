"""The smallest detectable effects that the tests print are found as often as stated."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from rng.battery import cards, goodness, sequences, sp800_22, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.lanes import detectable_correlation, transform_size
from rng.battery.planted import subtle, tables
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.result import TestResult
from rng.battery.sp800_22.walks import detectable_drift
from rng.battery.verdict import conclude

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


@pytest.mark.parametrize("test", ["frequency", "cumulative-sums"])
def test_detectable_share_of_ones_is_detected_as_often_as_stated(test: str) -> None:
    size = 10_000
    share = (
        goodness.detectable_shift(1) / (2 * math.sqrt(size))
        if test == "frequency"
        else detectable_drift(size)
    )
    hits = 0
    for seed in range(SAMPLES):
        ones = aes_ctr(seed, size) / 2.0**32 < 0.5 + share
        (result,) = sp800_22.run(from_bytes(np.packbits(ones).tobytes()), tests=[test])
        assert isinstance(result, TestResult)
        assert f"{share:.3g}" in result.detectable
        assert goodness.POWER_WORDS in result.detectable
        hits += result.p_values[0] < goodness.DETECTION_LEVEL
    # The walk's farthest point is at least as far out as its end, so that the cumulative sums find it oftener.
    assert FEWEST <= hits <= (MOST if test == "frequency" else SAMPLES)


def test_the_detection_level_fails_in_the_family_of_every_suite() -> None:
    decks = fisher_yates(aes_ctr, 1, 2_000)
    results = [r for r in cards.run(decks) if isinstance(r, TestResult)]
    assert len(cards.NAMES) + len(sp800_22.TESTS) + len(sequences.NAMES) <= 100
    assert max(len(r.p_values) for r in results) > goodness.MOST_OF_A_TEST
    for result in results:
        # One p-value at its level, in a family as large as it may be: every other is one.
        found = goodness.detection_level(len(result.p_values)) * (1 - 1e-9)
        hit = replace(result, p_values=(found, *(1.0,) * (len(result.p_values) - 1)), deciding=())
        others = [replace(result, test=str(i), p_values=(1.0,), deciding=(), labels=()) for i in range(99)]
        assert conclude([hit, *others]).word == "not satisfied"


def test_detectable_echo_is_detected_as_often_as_stated() -> None:
    size, lag = 4_000, 333
    (result,) = sequences.run(uniform_numbers(aes_ctr, 1, 40, size), 40, ["all-lags"])
    assert isinstance(result, TestResult)
    lags_seen = int(result.parameters["lags"])
    share = detectable_correlation(size - 1, lags_seen, goodness.DETECTION_LEVEL, goodness.DETECTION_POWER)
    assert f"{share:.3g}" in result.detectable
    # A number that is repeated has the half of the other; the stated share is of all the products at the lag.
    one_in = round((size - lag) / (size * share))
    hits = 0
    for seed in range(SAMPLES):
        values = subtle.echo(aes_ctr, 10 * seed, size, 40, lag, one_in)
        (result,) = sequences.run(values, 40, ["all-lags"])
        assert isinstance(result, TestResult)
        hits += result.p_values[0] < goodness.DETECTION_LEVEL
    assert hits >= FEWEST - 10


def test_detectable_wave_is_detected_as_often_as_stated() -> None:
    size = 65_536
    bits = subtle.wave(aes_ctr, 0, size, 0.0, 100.0)
    (result,) = whole_stream.run(from_bytes(bits.tobytes()), ["periodogram"])
    assert isinstance(result, TestResult)
    amplitude = float(result.detectable.split("± ")[1].split(" ")[0]) / 100
    # A frequency that is looked at: a whole number of periods in the padded transform.
    period = transform_size(size + size // 2) / 1_000
    hits = 0
    for seed in range(SAMPLES):
        octets = subtle.wave(aes_ctr, seed, size, amplitude, period)
        (result,) = whole_stream.run(from_bytes(octets.tobytes()), ["periodogram"])
        assert isinstance(result, TestResult)
        hits += result.p_values[0] < goodness.DETECTION_LEVEL
    assert FEWEST <= hits <= MOST


def test_detectable_number_of_returns_is_detected_as_often_as_stated() -> None:
    size = 1_000
    (result,) = cards.run(fisher_yates(aes_ctr, 1, size), ["lagged-places"])
    assert isinstance(result, TestResult)
    more = float(result.detectable.split(" ")[0]) - size / 40
    # Cards brought to the first place come on top of those that lie there by chance.
    one_in = round(size / (more / (1 - 1 / 40)))
    hits = 0
    for seed in range(60):
        decks = tables.copied(aes_ctr, seed, size, one_in, 3, 20, 0)
        (result,) = cards.run(decks, ["lagged-places"])
        assert isinstance(result, TestResult)
        hits += result.p_values[-1] < goodness.DETECTION_LEVEL
    # 57 of 60 on average, and fewer than 50 but once in a thousand.
    assert hits >= 50

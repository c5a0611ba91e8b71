"""Choosing tests and parameters, and refusing what the standard does not allow."""

import numpy as np
import pytest
from representatives import firsts

from rng.battery.bits import BitStream, from_bits, from_bytes
from rng.battery.result import NotRun
from rng.battery.sp800_22 import TESTS, run
from rng.errors import SampleError

# Shortest sequence for the default parameters, by the standard's section on each test.
MINIMA = {
    "frequency": 100,
    "block-frequency": 128,
    "runs": 100,
    "longest-run": 128,
    "rank": 38_912,
    "fft": 1000,
    "non-overlapping-template": 20_544,
    "overlapping-template": 1_000_000,
    "universal": 387_840,
    "linear-complexity": 1_000_000,
    "serial": 524_288,
    "approximate-entropy": 65_536,
    "cumulative-sums": 100,
    "random-excursions": 1_000_000,
    "random-excursions-variant": 1_000_000,
}


def counted_bits(count):
    """Bits of a full-period generator: good enough to run every test on."""
    state = np.arange(count // 8 + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    octets = (state >> np.uint64(56)).astype(np.uint8)
    return from_bytes(octets.tobytes()).segment(0, count)


def test_the_fifteen_tests_in_the_order_of_the_standard():
    assert list(TESTS) == [
        "frequency",
        "block-frequency",
        "runs",
        "longest-run",
        "rank",
        "fft",
        "non-overlapping-template",
        "overlapping-template",
        "universal",
        "linear-complexity",
        "serial",
        "approximate-entropy",
        "cumulative-sums",
        "random-excursions",
        "random-excursions-variant",
    ]
    assert [test.section for test in TESTS.values()] == [f"2.{i}" for i in range(1, 16)]


@pytest.mark.parametrize(("name", "least"), MINIMA.items())
def test_minimum_lengths_are_enforced(name, least):
    with pytest.raises(
        SampleError, match=f"{name} not run: {least - 1} bits.*at least {least} bits are required"
    ):
        run(counted_bits(least - 1), tests=[name])
    # Asked for with others, a test that does not apply for another reason says so instead of raising.
    result, _ = run(counted_bits(least), tests=[name, "frequency" if name != "frequency" else "runs"])
    if isinstance(result, NotRun):
        assert "cycles" in result.reason
    else:
        assert all(0 <= p <= 1 for p in result.p_values)


def test_a_short_sequence_is_never_silently_skipped():
    results = run(counted_bits(5000))
    assert [result.test for result in results] == list(TESTS)
    refused = {result.test: result for result in results if isinstance(result, NotRun)}
    assert set(refused) == {name for name, least in MINIMA.items() if least > 5000}
    for name, refusal in refused.items():
        assert refusal.minimum_sample == MINIMA[name]
        assert "5000 bits" in refusal.reason


def test_results_keep_the_order_asked_for():
    names = ("runs", "frequency", "block-frequency", "cumulative-sums")
    results = run(counted_bits(1000), tests=names)
    assert tuple(result.test for result in results) == names
    assert results[1].parameters == {}  # type: ignore[union-attr]
    assert results[2].parameters == {"m": 128}  # type: ignore[union-attr]
    assert results[3].labels == ("forward", "backward")  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tests": ["monobit"]}, "unknown test 'monobit', expected some of: frequency"),
        ({"tests": []}, "no test named"),
        ({"constants": "best"}, "constants 'best', expected 'reference' or 'exact'"),
        ({"settings": {"frequency.m": 3}}, "frequency: unknown parameter 'm', expected one of: none"),
        ({"settings": {"block-frequency.n": 3}}, "unknown parameter 'n', expected one of: m"),
        ({"settings": {"block-frequency.m": 1}}, "m = 1, expected 2 to"),
        ({"settings": {"block-frequency.m": "x"}}, "'x', expected a whole number"),
        ({"settings": {"block-frequency": 4}}, "unknown setting 'block-frequency', expected TEST.PARAMETER"),
        ({"settings": {"nothing.m": 4}}, "unknown setting 'nothing.m'"),
        ({"settings": {"linear-complexity.m": 499}}, "m = 499, expected 500 to 5000"),
    ],
)
def test_wrong_calls_are_refused(arguments, message):
    with pytest.raises(SampleError, match=message):
        run(counted_bits(1000), **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", firsts([[0], [1], [0, 1], [1, 0, 0]]))
def test_degenerate_sequences_have_p_values_too(pattern):
    bits = from_bits((pattern * 1_000_000)[:1_000_000])
    for result in run(bits):
        if isinstance(result, NotRun):
            assert "cycles" in result.reason
        else:
            assert all(0 <= p <= 1 for p in result.p_values), result.test


@pytest.mark.parametrize("length", [4, 5, 17, 1031, 3845])
def test_without_the_minima_whatever_can_be_computed_is(length):
    for result in run(counted_bits(length), enforce_lengths=False):
        if isinstance(result, NotRun):
            assert f"{length} bits" in result.reason
        else:
            assert all(0 <= p <= 1 for p in result.p_values), result.test


def test_one_sequence_has_a_largest_length():
    octets = np.broadcast_to(np.zeros(1, dtype=np.uint8), ((1 << 25) + 1,))
    with pytest.raises(
        SampleError, match="at most 268435456; longer data is cut into sequences by run_streams"
    ):
        run(BitStream(octets, (1 << 28) + 1))

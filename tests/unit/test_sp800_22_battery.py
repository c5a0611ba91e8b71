"""The fifteen tests of SP 800-22: tests and parameters chosen, and proportion and uniformity over many sequences."""

import hashlib

import numpy as np
import pytest
from representatives import firsts

from rng.battery.bits import BitStream, from_bits, from_bytes
from rng.battery.result import NotRun
from rng.battery.sp800_22 import TESTS, run, run_streams
from rng.battery.sp800_22.nulls import uniform
from rng.battery.sp800_22.streams import as_reference, binomial_p, judge_p_values
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


DATA = from_bytes(b"".join(hashlib.sha256(b"streams %d" % i).digest() for i in range(2000)))


def spread(counts):
    return tuple(0.1 * place + 0.05 for place, count in enumerate(counts) for _ in range(count))


def test_against_sts_rows_with_their_errors():
    # A row of an STS 2.1.2 report on 63 sequences: it prints 0.585209, rounding 6.3 down to 6; 0.637119 is right.
    p_values = spread((10, 5, 7, 6, 7, 2, 8, 5, 8, 5))
    judged = judge_p_values("random-excursions", "+1", p_values, 37, uniform(0.01), 0.01)
    assert f"{judged.reference.uniformity:.6f}" == "0.585209"
    assert f"{judged.uniformity:.6f}" == "0.637119"
    assert judged.reference.sequences == 63
    assert judged.not_run == 37


def test_ninety_six_of_a_hundred_pass_in_sts_and_are_outside_the_unrounded_bounds():
    p_values = (0.001,) * 4 + spread((6, *(10,) * 9))
    judged = judge_p_values("frequency", "", p_values, 0, uniform(0.01), 0.01)
    assert judged.passed == 96
    assert judged.reference.bounds == (96, 101)
    assert not judged.reference.flagged
    assert judged.bounds[0] == pytest.approx(0.96015, abs=1e-5)
    assert judged.proportion < judged.bounds[0]
    # The exact probability says how little that means: an event of 1.8 percent.
    assert judged.proportion_p == pytest.approx(0.018374, abs=1e-6)


def test_a_p_value_at_the_level_passes():
    # 4.2.1 counts the sequences whose p-value is at least the level.
    assert judge_p_values("frequency", "", (0.01, 0.009999, 0.5), 0, uniform(0.01), 0.01).passed == 2


def test_binomial_probability_is_exact():
    chances = [0.99**100, 100 * 0.01 * 0.99**99]
    assert binomial_p(100, 100, 0.99) == pytest.approx(1 - chances[1], rel=1e-9)
    assert binomial_p(0, 1, 0.99) == pytest.approx(0.01)


def test_few_p_values_have_no_uniformity():
    judged = judge_p_values("frequency", "", spread((5,) * 10), 0, uniform(0.01), 0.01)
    assert judged.uniformity is None
    assert judged.uniform is None
    assert judged.reference.uniformity == 1.0
    assert as_reference((0.5,) * 9, 0.01, zeros_left_out=False).uniformity is None


def test_zeros_are_left_out_only_where_sts_does_so():
    p_values = (0.0, 0.0000004, 0.5)
    assert as_reference(p_values, 0.01, zeros_left_out=True).sequences == 1
    assert as_reference(p_values, 0.01, zeros_left_out=False).sequences == 3


def test_every_sequence_is_tested_and_every_refusal_is_listed():
    report = run_streams(DATA, 60, 8000)
    assert (report.streams, report.length) == (60, 8000)
    names = {result.test for result in report.results}
    refused = {refusal.test for _, refusal in report.not_run}
    assert not names & refused
    assert len(names | refused) == 15
    assert len(report.not_run) == 60 * len(refused)
    first = {(r.test, r.label): r.p_values for r in report.results}
    for result in run(DATA.segment(8000, 8000)):
        for index, p in enumerate(getattr(result, "p_values", ())):
            label = result.labels[index] if result.labels else ""  # type: ignore[union-attr]
            assert first[result.test, label][1] == p
    for result in report.results:
        assert sum(result.counts) == 60
        assert sum(result.expected) == pytest.approx(60)
        assert result.uniform is True


def test_workers_change_nothing():
    seen = []
    alone = run_streams(DATA, 20, 20_000, progress=seen.append)
    assert seen == list(range(1, 21))
    assert run_streams(DATA, 20, 20_000, workers=2) == alone


def test_laws_are_used_for_the_standard_parameters_only():
    report = run_streams(DATA, 12, 40_000, tests=["rank", "frequency"])
    assert all(result.exact_null for result in report.results)
    other = run_streams(DATA, 12, 40_000, tests=["rank"], settings={"rank.m": 16})
    assert not any(result.exact_null for result in other.results)


def test_wrong_calls_for_many_sequences_are_refused():
    for arguments in ({"level": 0.0}, {"workers": 0}, {"constants": "best"}):
        with pytest.raises(SampleError, match="expected 0 < level < 1"):
            run_streams(DATA, 10, 1000, **arguments)  # type: ignore[arg-type]
    with pytest.raises(SampleError, match="1000 sequences of 1000 bits asked of 512000 bits"):
        run_streams(DATA, 1000, 1000)

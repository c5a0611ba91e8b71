"""Proportion and uniformity over many sequences, beside the reference program's arithmetic."""

import hashlib

import pytest

from rng.battery.bits import from_bytes
from rng.battery.sp800_22 import run, run_streams
from rng.battery.sp800_22.nulls import uniform
from rng.battery.sp800_22.streams import as_reference, binomial_p, judge_p_values
from rng.errors import SampleError

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


def test_wrong_calls_are_refused():
    for arguments in ({"level": 0.0}, {"workers": 0}, {"constants": "best"}):
        with pytest.raises(SampleError, match="expected 0 < level < 1"):
            run_streams(DATA, 10, 1000, **arguments)  # type: ignore[arg-type]
    with pytest.raises(SampleError, match="1000 sequences of 1000 bits asked of 512000 bits"):
        run_streams(DATA, 1000, 1000)

"""Every planted generator and shuffle must be caught by its named test; good ones must not be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from representatives import one_each

from rng.battery import calibration, cards, sequences, whole_stream
from rng.battery.cards import dealt
from rng.battery.planted import good, known, scaled, shuffles
from rng.battery.planted.catalogue import FAULTS, PlantedFault
from rng.battery.planted.equipment import FAULTS as EQUIPMENT
from rng.battery.planted.fault import results_of
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import conclude
from rng.errors import SampleError

LONG = {
    "comparator-merge-sort",
    "glibc-random",
    "java-next-int-of-52",
    "java-util-random",
    "mersenne-twister",
    "minstd-scaled",
    "msvc-rand-of-six",
    "one-deck-inverted",
    "rare-numbers-made-up-for",
    "seed-of-32-bits",
    "stuck-once",
}
"""Faults that take half a second and more, where the same test catches one like it in a tenth of that."""


@pytest.mark.parametrize(
    "fault",
    [pytest.param(one, marks=[pytest.mark.slow] * (one.name in LONG)) for one in FAULTS],
    ids=lambda fault: fault.name,
)
def test_planted_fault_is_caught(fault: PlantedFault) -> None:
    finding = calibration.find_fault(fault)
    assert finding.caught, f"{fault.name}: {fault.caught_by} gives {finding.p_values}"


def test_catalogue_holds_what_must_be_caught() -> None:
    told_in_quick_runs = {fault.caught_by for fault in FAULTS if fault.name not in LONG}
    assert told_in_quick_runs == {fault.caught_by for fault in FAULTS}
    assert {fault.name for fault in FAULTS} > LONG
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 25
    assert {fault.caught_by for fault in FAULTS} <= {*cards.NAMES, *sequences.NAMES, *whole_stream.NAMES}


BY_NAME = {fault.name: fault for fault in sorted(FAULTS, key=lambda fault: fault.name in LONG)}


@pytest.mark.parametrize("name", one_each(BY_NAME, lambda fault: fault.caught_by))
def test_same_test_passes_the_correct_output(name: str) -> None:
    fault = BY_NAME[name]
    if fault.kind == "decks":
        right = shuffles.fisher_yates(good.chacha20, 77, fault.sample)
    elif fault.kind == "bits":
        right = good.chacha20(77, fault.sample // 32).view(np.uint8)
    else:
        right = good.uniform_numbers(good.chacha20, 77, fault.below, fault.sample)
    (result,) = results_of(fault.kind, right, fault.below, fault.caught_by)
    assert conclude([result]).word == "satisfied"


@pytest.mark.slow
def test_whole_battery_fails_a_bad_shuffle_and_passes_a_good_one() -> None:
    assert conclude(cards.run(shuffles.fisher_yates(good.aes_ctr, 5, 8_000))).word == "satisfied"
    assert conclude(cards.run(shuffles.swap_with_any(good.aes_ctr, 5, 8_000))).word == "not satisfied"


def test_mersenne_twister_fails_the_whole_battery_only_by_linear_complexity() -> None:
    # Of a seed beyond the small ones, each of which is tried.
    verdict = conclude(sequences.run(known.mt19937(3_000_000_019, 40_000), 1 << 32))
    assert verdict.word == "not satisfied"
    assert {d.test for d in verdict.decisions if d.rejected} == {"linear-complexity"}


def test_short_sample_is_inconclusive_never_a_pass() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 5, 100)
    verdict = conclude(cards.run(decks))
    assert verdict.word == "inconclusive"
    assert any(isinstance(r, NotRun) and r.minimum_sample for r in cards.run(decks))


def test_thirty_two_bit_modulo_cannot_be_sampled_but_is_counted() -> None:
    by_bits = {row.bits: row for row in calibration.bias_table()}
    assert by_bits[8].decks < 8_192 < by_bits[16].decks
    assert by_bits[32].decks > 10**18
    # Counted over every byte, word by word.
    counts = [sum(word % 40 == value for word in range(256)) for value in range(40)]
    squares = sum((Fraction(count, 256) - Fraction(1, 40)) ** 2 * 40 for count in counts)
    assert calibration.noncentrality(8, 40) == squares
    result = sequences.run(scaled.by_modulo(good.aes_ctr, 5, 500_000, 32, 40), 40, ["frequency"])
    assert conclude(result).word == "satisfied"


HALF = Fraction(1, 2)


def test_combination_of_a_wager_against_exact_probabilities() -> None:
    right = shuffles.fisher_yates(good.aes_ctr, 6, 5_000)
    wrong = shuffles.riffles(good.aes_ctr, 6, 5_000, 3)
    for decks, word in ((right, "satisfied"), (wrong, "not satisfied")):
        pairs = int((decks[:, 0] // 4 == decks[:, 2] // 4).sum())
        result = dealt.compare(
            "pair",
            {"other": len(decks) - pairs, "pair": pairs},
            {"other": Fraction(36, 39), "pair": Fraction(3, 39)},
        )
        assert conclude([result]).word == word


@pytest.mark.parametrize(
    ("counts", "probabilities"),
    [
        ({"a": 50, "b": 50}, {"a": HALF, "c": HALF}),
        ({"a": 50, "b": 50}, {"a": HALF, "b": Fraction(1, 3)}),
        ({"a": 50}, {"a": Fraction(1)}),
    ],
    ids=["names differ", "sum is not one", "one outcome"],
)
def test_combinations_without_sense_are_refused(
    counts: dict[str, int], probabilities: dict[str, Fraction]
) -> None:
    with pytest.raises(SampleError):
        dealt.compare("x", counts, probabilities)


def test_impossible_combination_fails_and_few_rounds_do_not_decide() -> None:
    impossible = dealt.compare("x", {"a": 1, "b": 4, "c": 5}, {"a": Fraction(0), "b": HALF, "c": HALF})
    assert isinstance(impossible, TestResult)
    assert impossible.p_values == (0.0,)
    few = dealt.compare("x", {"a": 5, "b": 5}, {"a": HALF, "b": HALF})
    assert isinstance(few, NotRun)
    assert few.minimum_sample == 20


@pytest.mark.parametrize(
    "decks",
    [
        np.zeros((3, 40), dtype=np.uint8),
        np.zeros((3, 40), dtype=np.int64),
        np.arange(40, dtype=np.uint8),
        shuffles.ordered(500, 12),
    ],
    ids=["repeats", "dtype", "flat", "few cards"],
)
def test_what_is_no_deck_is_refused(decks: np.ndarray) -> None:
    with pytest.raises(SampleError):
        cards.run(decks)


def test_unknown_empty_or_out_of_range_calls_are_refused() -> None:
    decks, numbers = shuffles.ordered(10), np.arange(41, dtype=np.uint8)
    for names in (["poker"], []):
        with pytest.raises(SampleError):
            cards.run(decks, names)
    for names in (["fisher-yates-draws"], []):
        with pytest.raises(SampleError):
            sequences.run(numbers, 41, names)
    with pytest.raises(SampleError, match="draw 40: 40 is not below 40"):
        sequences.run(numbers, 40)


def fake(p_values: Sequence[float], *, discrete: bool = False) -> list[list[TestResult]]:
    return [[TestResult((p,), discrete=discrete).run_as("cards", "fake", 1)] for p in p_values]


def test_calibration_notices_a_wrong_null() -> None:
    right = (np.arange(400) + 0.5) / 400
    assert calibration.calibrate(fake(right), "")[0].p_value > 0.99
    # A statistic with the factor (n-1)/n left out is shifted by 0.71 standard deviations.
    for wrong in (right**1.5, np.sqrt(right), right * 0.8):
        assert calibration.calibrate(fake(wrong), "")[0].p_value < 1e-6
    # Discrete p-values may be too large, not too small.
    assert calibration.calibrate(fake(np.sqrt(right), discrete=True), "")[0].p_value > 0.99
    assert calibration.calibrate(fake(right**1.5, discrete=True), "")[0].p_value < 1e-6


@pytest.mark.slow
def test_quick_selftest_is_satisfied_and_would_not_be_with_a_fault_missed() -> None:
    report = calibration.selftest("quick")
    assert report.word == "satisfied", (report.missed, [c for c in report.calibrations if not c.holds])
    assert len(report.faults) == len(FAULTS) + len(EQUIPMENT)
    assert {c.suite for c in report.calibrations} == {"cards", "sequences", "sp800-22", "whole-stream"}
    one = replace(report.faults[0], caught=False)
    assert replace(report, faults=(one, *report.faults[1:])).word == "not satisfied"
    assert replace(report, faults=()).word == "inconclusive"
    bent = replace(report.calibrations[0], holds=False)
    assert replace(report, calibrations=(bent,)).word == "not satisfied"
    with pytest.raises(SampleError, match="quick or full"):
        calibration.selftest("none")  # type: ignore[arg-type]


@pytest.mark.slow
def test_full_selftest_is_satisfied() -> None:
    report = calibration.selftest("full")
    assert report.word == "satisfied", (report.missed, [c for c in report.calibrations if not c.holds])

"""Planted generators and shuffles, each caught by its named test, by origin too; the worst get a verdict as well."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from cli_rng_support import Certify
from noise import from_bits
from numpy.typing import NDArray
from representatives import firsts, one_each, only

from certify.model import Label
from rng.battery import (
    NotRun,
    TestResult,
    calibration,
    cards,
    conclude,
    sequences,
    sp800_22,
    wagers,
    whole_stream,
)
from rng.battery.cards import dealt
from rng.battery.minimum_counts import rising_run_lengths
from rng.battery.planted import good, known, scaled, shuffles
from rng.battery.planted.catalogue import DEGENERATE, FAULTS, PlantedFault
from rng.battery.planted.equipment import FAULTS as EQUIPMENT
from rng.battery.planted.fault import results_of
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.sequences import waiting
from rng.battery.sequences.draws import IntegerDraws, digit_base
from rng.battery.sequences.recognised import known_relations
from rng.battery.stratified import HOUR, PAUSE, DrawOrigin, run
from rng.battery.suite import Suite, Test, at_least
from rng.battery.wagers import Projection
from rng.errors import SampleError
from rng.given.rows import RecordPiece

LONG = {
    "comparator-timsort",
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

NAMED = {"known-generators", "congruential", "seeds"}
"""Tests whose labels say which generator it is, by which state, and what comes next."""


@pytest.mark.parametrize(
    "fault",
    [pytest.param(one, marks=[pytest.mark.slow] * (one.name in LONG)) for one in FAULTS],
    ids=lambda fault: fault.name,
)
def test_planted_fault_is_caught(fault: PlantedFault) -> None:
    finding = calibration.find_fault(fault)
    assert finding.caught, f"{fault.name}: {fault.caught_by} gives {finding.p_values}"


@pytest.mark.parametrize(
    "fault",
    [one for one in FAULTS if one.caught_by in NAMED and one.name not in LONG],
    ids=lambda fault: fault.name,
)
def test_the_words_for_a_generator_are_a_label_of_the_evidence(fault: PlantedFault) -> None:
    (result,) = fault.results(1)
    assert isinstance(result, TestResult)
    labels = [*result.labels, *(relation.name for relation in known_relations())]
    assert [one for one in labels if not re.fullmatch(get_args(Label)[1].pattern, one)] == []
    assert any(re.search(" come | come: |, then ", one) for one in result.labels) == (
        fault.caught_by != "seeds" and fault.name != "dotnet-shuffle"
    )


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


def test_mersenne_twister_fails_the_whole_battery_only_by_what_is_linear() -> None:
    # Of a seed beyond the small ones, each of which is tried.
    verdict = conclude(sequences.run(known.mt19937(3_000_000_019, 40_000), 1 << 32))
    assert verdict.word == "not satisfied"
    assert {d.test for d in verdict.decisions if d.rejected} == {"linear-complexity", "linear-halves"}


def test_short_sample_is_inconclusive_never_a_pass() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 5, 100)
    verdict = conclude(cards.run(decks))
    assert verdict.word == "inconclusive"
    assert any(isinstance(r, NotRun) and r.minimum_sample for r in cards.run(decks))


def test_thirty_two_bit_modulo_cannot_be_sampled_but_is_counted() -> None:
    by_bits = {row.bits: row for row in map(calibration.counted_bias, calibration.WORD_SIZES)}
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


# The worst generators get a verdict too: no input stops the battery, none passes for want of observations.


COUNT = 20_000
QUICK = tuple(fault for fault in DEGENERATE if fault.name in ("constant-draws", "counter", "stuck-top-bit"))
"""One that stands still, one that goes on evenly, and one with a bit that stands still."""


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Certify:
    return Certify(capsys, monkeypatch)


@pytest.mark.parametrize("fault", only(DEGENERATE, *QUICK), ids=lambda fault: fault.name)
def test_degenerate_draws_get_a_verdict_from_every_test(
    certify: Certify, tmp_path: Path, fault: PlantedFault
) -> None:
    path = tmp_path / "draws"
    fault.make(good.aes_ctr, 5, COUNT).astype("<u4").tofile(path)
    call = ("test", "--draws", path, "--dtype", "u32", "--range", fault.below, "--suite", "sequences")
    made = certify.json(*call, code=1)
    assert [test["test"] for test in made["tests"]] == list(sequences.NAMES)
    unanswered = [t for t in made["tests"] if not t["p_values"] and "needed" not in t["reason"]]
    assert all("does not apply" in test["reason"] for test in unanswered)


@pytest.mark.parametrize("name", firsts(["highest-number-only", "all-bits-zero", "half-of-the-bits-zero"]))
def test_degenerate_bits_get_a_verdict_from_all_suites(certify: Certify, tmp_path: Path, name: str) -> None:
    (fault,) = (fault for fault in DEGENERATE if fault.name == name)
    path = tmp_path / "bits"
    fault.make(good.aes_ctr, 5, COUNT).astype("<u4").tofile(path)
    made = certify.json("test", "--bits", path, "--suite", "all", code=1)
    assert {test["suite"] for test in made["tests"]} == {"sp800-22", "whole-stream", "sequences"}


BELOW = (3, 41, (1 << 63) - 25, 1 << 64)
SHAPES = ("low", "high", "rising", "two values")


@pytest.mark.parametrize(
    ("below", "shape"),
    only(product(BELOW, SHAPES), (3, "low"), (3, "high"), (BELOW[2], "rising"), (BELOW[3], "two values")),
)
def test_no_shape_in_no_range_stops_a_sequence_test(below: int, shape: str) -> None:
    steps = np.arange(3_000, dtype=np.uint64)
    values = {
        "low": np.zeros_like(steps),
        "high": np.full_like(steps, below - 1),
        "rising": steps * np.uint64(below // 3_000) if below > 3_000 else np.sort(steps % np.uint64(below)),
        "two values": steps % np.uint64(2) * np.uint64(below - 1),
    }
    results = sequences.run(values[shape], below)
    assert not any(isinstance(r, NotRun) and r.failed for r in results)
    assert conclude(results).word == "not satisfied"


@pytest.mark.parametrize("length", [1, 100, 128, 6_272, 40_000])
@pytest.mark.parametrize("pattern", ["zeros", "ones", "alternating", "one step"])
def test_no_pattern_of_bits_stops_a_test(length: int, pattern: str) -> None:
    places = np.arange(length)
    bits = {
        "zeros": np.zeros(length, dtype=np.int64),
        "ones": np.ones(length, dtype=np.int64),
        "alternating": places % 2,
        "one step": places * 2 // length,
    }
    results = sp800_22.run(from_bits(bits[pattern]))
    assert not any(isinstance(result, NotRun) and result.failed for result in results)
    assert conclude(results).word == ("inconclusive" if length == 1 else "not satisfied")


@pytest.mark.parametrize(
    ("share", "word"), [(1.0, "not satisfied"), (0.52, "inconclusive"), (0.0, "not satisfied")]
)
def test_runs_are_no_evidence_for_bits_of_which_too_many_are_ones(share: float, word: str) -> None:
    # SP 800-22 2.3.4 (2): 52 % ones of 20,000 bits lie out of bounds, and the p-value is zero; the number of runs
    # given the number of ones is ordinary.
    ones = int(share * 20_000)
    bits = np.random.default_rng(5).permutation((np.arange(20_000) < ones).astype(np.int64))
    (runs,) = sp800_22.run(from_bits(bits), tests=["runs"])
    assert isinstance(runs, TestResult)
    assert runs.p_values == (0.0,)
    assert conclude([runs]).word == word


@pytest.mark.parametrize("cards_", [20, 32])
def test_cards_that_are_all_of_one_rank_have_none(cards_: int) -> None:
    # Every ball of a bingo called to its end has the rank and the suit of no card.
    shoe = cards.DeckShoe(cards_, (0,) * cards_, (0,) * cards_)
    assert (shoe.ranks, shoe.suits) == ((), ())
    draw = np.random.default_rng(5)
    decks = np.array([draw.permutation(cards_) for _ in range(1_000)], dtype=np.uint8)
    results = cards.run(decks, shoe=shoe)
    assert not any(isinstance(one, NotRun) and one.failed for one in results)
    assert conclude(results).word != "not satisfied"


def test_a_test_that_cannot_be_computed_takes_no_other_with_it_and_is_no_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(_draws: IntegerDraws) -> TestResult:
        raise SampleError("nothing to divide by")

    tests = (Test("poker", at_least(1), broken), *sequences.TESTS[:1])
    monkeypatch.setattr(sequences, "BATTERY", Suite("sequences", "numbers", sequences.__name__, tests))
    results = sequences.run(good.uniform_numbers(good.aes_ctr, 5, 40, 2_000), 40)
    assert isinstance(results[0], NotRun)
    assert "nothing to divide by" in results[0].reason
    assert isinstance(results[1], TestResult)
    assert conclude(results).word == "inconclusive"


@pytest.mark.parametrize("below", [2, 3, 7, 40, 1_000])
def test_good_output_never_has_as_few_observations_as_no_class_is_made_of(below: int) -> None:
    least = {test.name: int(test.minimum(below) or 0) for test in sequences.TESTS}
    counted = []
    for seed in range(50):
        numbers = good.uniform_numbers(good.aes_ctr, seed, below, 3_000)
        gaps, coupons = digit_base(below, waiting.MOST_GAP_BASE), digit_base(below, waiting.MOST_COUPONS)
        (visited,) = IntegerDraws(numbers[: least["gap"]], below).digits(gaps)
        (collected,) = IntegerDraws(numbers[: least["coupon-collector"]], below).digits(coupons)
        counts = (
            waiting.gap_lengths(visited, 0, 6 * gaps),
            waiting.coupon_lengths(collected, coupons, 10 * coupons),
            rising_run_lengths(numbers[: least["runs"]].astype(np.uint64), waiting.LONGEST_RUN),
        )
        counted.append([int(one.sum()) for one in counts])
    # Two classes expected ten times are made of forty observations at most, farther off than 1e-12 allows.
    assert ((np.mean(counted, axis=0) - 40) / np.std(counted, axis=0)).min() > 7.1


def test_the_largest_ranges_are_cut_exactly() -> None:
    for below in ((1 << 47) + 5, (1 << 63) - 25, 1 << 64):
        values = np.array([below * k // 7 + d for k in range(1, 7) for d in (-1, 0, 1)], dtype=np.uint64)
        for classes in (7, 4096, 65_536):
            expected = [int(value) * classes // below for value in values.tolist()]
            assert IntegerDraws(values, below).classes(values, classes).tolist() == expected


# What rounds come to: each test finds its planted fault, and passes rounds that know nothing of others.


ROUNDS = 40_000
LAW = tuple(Fraction(n, 20) for n in (9, 8, 2, 1))
NAMES = ("loses", "wins", "ties", "natural")
TABLES = {"table": (np.arange(ROUNDS) % 8, tuple(f"table {k}" for k in range(1, 9)))}


def rounds(seed: int) -> NDArray[np.int64]:
    """What independent rounds came to."""
    drawn = uniform_numbers(aes_ctr, seed, 20, ROUNDS)
    return np.searchsorted(np.cumsum([9, 8, 2, 1]), drawn, side="right").astype(np.int64)


def of(seen: NDArray[np.int64]) -> Projection:
    return Projection("main", NAMES, LAW, seen)


def smallest(seen: NDArray[np.int64], test: str) -> tuple[float, str]:
    (result,) = (one for one in wagers.run([of(seen)], TABLES) if one.test == test)
    assert isinstance(result, TestResult)
    place = int(np.argmin(result.p_values))
    return result.p_values[place] * len(result.p_values), result.labels[place]


def test_rounds_that_know_nothing_of_others_are_satisfied() -> None:
    results = [
        one
        for seed in range(12)
        for one in wagers.run([of(rounds(seed)), replace(of(rounds(seed + 100)), name="side")], TABLES)
    ]
    assert {one.test for one in results} == {"between-rounds", "over-time", "by-origin"}
    assert sum(conclude(results[k : k + 3]).word != "satisfied" for k in range(0, len(results), 3)) <= 1


def test_an_outcome_that_never_follows_another_is_found() -> None:
    seen = rounds(1)
    after = np.flatnonzero(seen[:-1] == 3) + 1
    seen[after[seen[after] == 3]] = 0
    assert smallest(seen, "between-rounds")[0] < 1e-6
    assert smallest(seen, "between-rounds")[1] == "main natural, 1 after main natural"


def test_an_outcome_that_repeats_that_of_three_rounds_before_is_found() -> None:
    seen = rounds(2)
    struck = np.flatnonzero(uniform_numbers(aes_ctr, 3, 20, ROUNDS) == 0)
    for place in struck[struck > 2].tolist():
        seen[place] = seen[place - 3]
    p_value, label = smallest(seen, "between-rounds")
    assert p_value < 1e-6
    assert ", 3 after" in label


def test_an_outcome_that_drifts_is_found() -> None:
    seen = rounds(4)
    fading = uniform_numbers(aes_ctr, 5, 1_000, ROUNDS) < 300 * np.arange(ROUNDS) / ROUNDS
    seen[(seen == 1) & fading] = 0
    assert smallest(seen, "over-time")[0] < 1e-6
    assert "wins" in smallest(seen, "over-time")[1] or "loses" in smallest(seen, "over-time")[1]


def test_an_hour_that_runs_cold_is_found() -> None:
    seen = rounds(6)
    part = slice(5 * ROUNDS // 16, 6 * ROUNDS // 16)
    cold = uniform_numbers(aes_ctr, 7, 4, ROUNDS // 16) != 0
    seen[part] = np.where((seen[part] == 3) & cold, 0, seen[part])
    p_value, label = smallest(seen, "over-time")
    assert p_value < 1e-4
    assert label == "parts of the sample, main natural"


def test_a_table_that_wins_more_is_found() -> None:
    seen = rounds(8)
    at_five = TABLES["table"][0] == 4
    changed = at_five & (seen == 1) & (uniform_numbers(aes_ctr, 9, 5, ROUNDS) == 0)
    seen[changed] = 0
    assert smallest(seen, "by-origin")[0] < 1e-6
    assert smallest(seen, "by-origin")[1].endswith("table 5")


def test_few_rounds_say_how_many_are_needed_and_certain_outcomes_are_left_out() -> None:
    few = list(wagers.run([of(rounds(1)[:50])]))
    assert all(isinstance(one, NotRun) and one.minimum_sample == wagers.LEAST_ROUNDS for one in few)
    certain = Projection("always", ("pays",), (Fraction(1),), np.zeros(500, dtype=np.int64))
    assert list(wagers.run([certain])) == []


@pytest.mark.parametrize("chance", [0.05, 0.5])
def test_the_unlikeliest_of_many_counts_is_no_unlikelier_than_stated(chance: float) -> None:
    drawn = uniform_numbers(aes_ctr, 11, 1_000, 200_000).reshape(1_000, 200) < 1_000 * chance
    counts = drawn.reshape(1_000, 8, 25).sum(axis=2).astype(np.int64)
    found = [wagers.extremes(row, np.full(8, 25), chance)[0] for row in counts]
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 1_000) ** 0.5


# What depends on the hour is found where an hour has few rows for its many faces, too.


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


def test_a_number_that_comes_first_after_a_pause_too_often_is_found() -> None:
    numbers, row = uniform_numbers(aes_ctr, 7, 37, 20_000), np.arange(20_000)
    pauses = uniform_numbers(aes_ctr, 8, 100, row.size) == 0
    moments = 40.0 * row + 3_600.0 * np.cumsum(pauses)
    origin = DrawOrigin((), np.empty(0, dtype=np.int64), (moments // 3_600 % 24).astype(np.int64), moments)
    found: dict[bool, TestResult | NotRun] = {}
    for faulty in (False, True):
        numbers[pauses & faulty & (row % 3 == 0)] = 5
        results = {result.test: result for result in run(numbers[:, None], WHEEL, origin)}
        assert tuple(results) == origin.names
        found[faulty] = results[PAUSE]
    assert isinstance(found[False], TestResult)
    assert isinstance(found[True], TestResult)
    assert found[False].labels[0] == "first row after a pause, place 1"
    assert min(found[False].decided) > 1e-3
    assert min(found[True].decided) == found[True].decided[0] < 1e-9


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

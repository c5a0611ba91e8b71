"""Shoes, wheels, dice, reels and balls: good output passes, each planted fault is found by its test."""

import tracemalloc
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from cli_rng_support import Certify
from representatives import firsts, only

from rng.battery import balls, dispersion, goodness, rows
from rng.battery.calibration import find_fault
from rng.battery.planted.equipment import (
    BALLS,
    DICE,
    FAULTS,
    REELS,
    WHEEL,
    reels_of_java,
)
from rng.battery.planted.fault import PlantedFault
from rng.battery.planted.good import aes_ctr
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import conclude
from rng.draws import Draw, Integer, OrderedSample, Permutation, Product, draw_many
from rng.errors import SampleError
from rng.streams import stream

SEED = bytes(range(32))
FOUND_BY_A_CHEAPER_ONE = (
    "rare-symbols-apart",
    "reels-of-java",
    "balls-of-three-before",
    "heavy-ball",
    "byte-positions",
    "one-new-shoe",
)
"""Faults whose test finds another one too, in fewer rows; reels of Java from the command line, new decks as decks."""

DEAR = ("shoe-of-layers", "cut-shoe", "byte-positions", "one-new-shoe", "reels-of-java")
"""Faults of whole shoes, and of a generator that is searched for: good ones take as long as these."""


def good(draw: Draw, count: int, index: int = 0) -> np.ndarray:
    return draw_many(stream(SEED, "battery-calibration", index), draw, count)


@pytest.mark.parametrize(
    "fault",
    only(FAULTS, *(one for one in FAULTS if one.name not in FOUND_BY_A_CHEAPER_ONE)),
    ids=lambda fault: fault.name,
)
def test_each_planted_fault_is_found(fault: PlantedFault) -> None:
    assert find_fault(fault).caught


def test_a_quick_run_finds_a_fault_by_each_test_that_must_find_one() -> None:
    quick = {fault.found_by for fault in FAULTS if fault.name not in FOUND_BY_A_CHEAPER_ONE}
    # Reels of one generator are found below, from the command line; a new deck among the faults of decks.
    assert {fault.found_by for fault in FAULTS} - quick == {"rows congruential", "cards unshuffled-deck"}


@pytest.mark.parametrize(
    "fault",
    only(FAULTS, *(one for one in FAULTS if one.sample <= 10_000 and one.name not in DEAR)),
    ids=lambda fault: fault.name,
)
def test_good_output_of_the_size_of_a_planted_fault_passes(fault: PlantedFault) -> None:
    draw = fault.draw
    assert draw is not None
    right = replace(fault, make=lambda _s, _i, n: good(draw, n))
    (honest,) = right.results(1)
    assert isinstance(honest, TestResult)
    assert min(honest.p_values) * len(honest.p_values) > 1e-3


@pytest.mark.parametrize(
    "draw",
    firsts([BALLS, WHEEL, DICE, REELS, Permutation(20), Product((BALLS, OrderedSample(12, 2), Integer(3)))]),
    ids=lambda draw: str(draw)[:40],
)
def test_good_output_of_every_kind_passes_and_each_test_stands_once(draw: Draw) -> None:
    results = rows.run_rows(draw, good(draw, 6_000, 3))
    names = [(result.suite, result.test) for result in results]
    assert len(names) == len(set(names))
    assert conclude(results).word != "not satisfied"
    assert any(isinstance(result, TestResult) for result in results)


def test_the_statistic_of_places_has_the_mean_of_its_law_over_all_samples() -> None:
    """Over all ordered samples of 3 of 5, one draw each: the mean of T is its degrees of freedom."""
    draw = OrderedSample(5, 3)
    every = np.array(list(permutations(range(5), 3)), dtype=np.uint8)
    n, k = 5, 3
    total = 0.0
    for row in every:
        counts = balls.place_counts(draw, row[None, :])
        drawn = counts.sum(axis=0)
        pearson = float((np.square(counts - 1 / n) * n).sum())
        pearson += float(np.square(drawn - k / n).sum() / ((n - k) / n))
        total += pearson * (n - 1) / n
    assert total / len(every) == pytest.approx(k * (n - 1))
    assert sum(balls.common_law(draw)) == 1
    common = [len(set(row) & {0, 1, 2}) for row in every.tolist()]
    assert [common.count(j) / 60 for j in range(4)] == pytest.approx(
        [float(p) for p in balls.common_law(draw)]
    )


def test_tests_of_balls_run_from_their_minimum_on() -> None:
    for draw in (BALLS, OrderedSample(10, 9), OrderedSample(5, 1)):
        for test in balls.TESTS:
            minimum = test.minimum(draw)
            if isinstance(minimum, int):
                (result,) = balls.run(draw, good(draw, minimum, 7), (test.name,))
                assert isinstance(result, TestResult)
                (short,) = balls.run(draw, good(draw, minimum - 1, 7), (test.name,))
                assert isinstance(short, NotRun)
                assert short.minimum_sample == minimum
            else:
                (refused,) = balls.run(draw, good(draw, 10), (test.name,))
                assert isinstance(refused, NotRun)
                assert refused.minimum_sample is None
    assert [item.test for item in balls.BATTERY.planned(BALLS, 100)] == list(balls.BATTERY.names)


def test_rows_that_are_none_are_refused() -> None:
    with pytest.raises(SampleError, match="row 1"):
        rows.run_rows(BALLS, np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 5]]))
    with pytest.raises(SampleError, match="row 0"):
        balls.run(BALLS, np.array([[1, 2, 3, 4, 5, 49]]))
    with pytest.raises(SampleError, match="empty plan"):
        balls.run(BALLS, good(BALLS, 2), ())


@pytest.mark.parametrize(
    "row",
    [
        (48, 0, 47, 1, 46, 2),
        pytest.param((0, 1, 2, 3, 4, 5), marks=pytest.mark.slow),
        pytest.param((5, 4, 3, 2, 1, 0), marks=pytest.mark.slow),
    ],
)
def test_balls_that_never_change_get_a_verdict(row: tuple[int, ...]) -> None:
    results = balls.run(OrderedSample(49, 6), np.tile(np.array(row, dtype=np.uint8), (12_000, 1)))
    assert conclude(results).word == "not satisfied"
    assert not any(isinstance(result, NotRun) and result.failed for result in results)
    (due,) = (result for result in results if isinstance(result, TestResult) and result.test == "due-balls")
    assert min(due.p_values) < 1e-8


def test_columns_that_follow_each_other_are_found_wherever_they_stand() -> None:
    draw = Product((Integer(22), Integer(30), Integer(100), Integer(22)))
    drawn = good(draw, 5_000, 11).copy()
    assert min(p for r in rows.column_pairs(draw, drawn) for p in r.p_values) > 1e-4
    far = drawn.copy()
    far[::6, 3] = far[::6, 0]  # columns that are no neighbours
    found = {r.test: dict(zip(r.labels, r.p_values, strict=True)) for r in rows.column_pairs(draw, far)}
    assert found["column-pairs"]["columns 1 and 4"] < 1e-9
    assert found["column-matches"]["columns 1 and 4"] < 1e-9
    # 3,000 pairs of values among 5,000 rows: only classes of neighbouring values can tell.
    wide = drawn.copy()
    wide[::6, 2] = wide[::6, 1] * 100 // 30
    found = {r.test: dict(zip(r.labels, r.p_values, strict=True)) for r in rows.column_pairs(draw, wide)}
    assert found["column-pairs"]["columns 2 and 3"] < 1e-9


def test_the_classes_of_columns_have_their_exact_probabilities() -> None:
    for below, bins in ((7, 3), (100, 17), (5, 5), (22, 1)):
        classes = rows._classes(np.arange(below), below, bins)
        assert np.bincount(classes, minlength=bins).tolist() == rows._sizes(below, bins).tolist()
        assert rows._sizes(below, bins).min() * 2 > rows._sizes(below, bins).max()


def test_a_ball_and_the_bonus_are_drawn_apart_and_tested_so() -> None:
    draw = Product((OrderedSample(69, 5), OrderedSample(26, 1)))
    drawn = good(draw, 6_000, 12).copy()
    honest = {r.test: r for r in rows.column_pairs(draw, drawn)}
    assert len(honest["column-pairs"].p_values) == 5
    drawn[::5, 5] = drawn[::5, 2] % 26
    assert min(rows.column_pairs(draw, drawn)[0].p_values) < 1e-9


def test_gaps_and_common_balls_are_counted_as_a_table_of_appearances_says() -> None:
    draw = OrderedSample(12, 4)
    drawn = good(draw, 3_000, 13)
    appeared = np.array([[ball in row for ball in range(12)] for row in drawn.tolist()])
    common = (appeared[1:] & appeared[:-1]).sum(axis=1)
    law = balls.common_law(draw)
    fit = goodness.chi_square_fit(np.bincount(common, minlength=5), law, ordered=True)
    (told,) = balls.run(draw, drawn, ("common-with-last",))
    assert isinstance(told, TestResult)
    assert told.p_values[0] == fit.p_value
    means = [
        dispersion.mean_p(row, np.array([float(p) for p in law])) for row in balls.in_common(draw, drawn, 16)
    ]
    assert told.p_values[1:] == tuple(means)


def test_a_large_pool_takes_no_table_of_its_tickets_by_draws() -> None:
    draw = OrderedSample(4_096, 20)
    drawn = good(draw, 40_000, 14)
    tracemalloc.start()
    (result,) = balls.run(draw, drawn, ("common-with-last",))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(result, TestResult)
    assert peak < 4_096 * 40_000  # the table, one byte a place


def test_reels_of_one_generator_are_found_across_the_columns_from_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "reels.csv"
    spins = reels_of_java(aes_ctr, 1, 3_000)
    path.write_text("\n".join(",".join(map(str, spin)) for spin in spins.tolist()) + "\n")
    certify = Certify(capsys, monkeypatch)
    made = certify.json("test", "--draws", path, "--range", "24,24,24,24,24", code=1)
    rejected = {f"{t['suite']}/{t['test']}" for t in made["tests"] if t["verdict"] == "not satisfied"}
    assert "rows/congruential" in rejected

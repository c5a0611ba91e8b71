"""Shoes, wheels, dice, balls and bit streams: good output passes, each planted fault is found by its test."""

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from cli_rng_support import Certify
from cli_support import refuses
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from noise import from_bits
from representatives import firsts, only

from rng.battery import NotRun, TestResult, balls, conclude, dispersion, goodness, rows
from rng.battery.calibration import find_fault
from rng.battery.planted.equipment import BALLS, DICE, FAULTS, REELS, WHEEL, reels_of_java
from rng.battery.planted.fault import PlantedFault
from rng.battery.planted.good import aes_ctr
from rng.battery.sp800_22 import judge, run
from rng.draws import Draw, Integer, OrderedSample, Permutation, Product, draw_many
from rng.errors import SampleError
from rng.streams import stream

SEED = bytes(range(32))
FOUND_BY_A_CHEAPER_ONE = (
    "rare-symbols-apart",
    "reels-of-java",
    "balls-of-three-before",
    "heavy-ball",
    "one-new-shoe",
)
"""Faults whose test finds another one too, in fewer rows; reels of Java from the command line, new decks as decks."""

DEAR = ("shoe-of-layers", "byte-positions", "one-new-shoe", "reels-of-java")
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
    refuses(
        SampleError,
        ("row 1", lambda: rows.run_rows(BALLS, np.array([[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 5]]))),
        ("row 0", lambda: balls.run(BALLS, np.array([[1, 2, 3, 4, 5, 49]]))),
        ("empty plan", lambda: balls.run(BALLS, good(BALLS, 2), ())),
    )


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
    for name, reading in (("column-pairs", "difference"), ("column-matches", "alike")):
        label, p_value = next(iter(found[name].items()))
        assert label.startswith(f"values {reading} at places 1, 4, such as 1, ")
        assert p_value < 1e-9
    # 3,000 pairs of values among 5,000 rows.
    wide = drawn.copy()
    wide[::6, 2] = wide[::6, 1] * 100 // 30
    result = next(r for r in rows.column_pairs(draw, wide) if r.test == "column-pairs")
    assert " in order at places 2, 3" in result.labels[0]
    assert result.p_values[0] < 1e-9


def test_a_ball_and_the_bonus_are_drawn_apart_and_tested_so() -> None:
    draw = Product((OrderedSample(69, 5), OrderedSample(26, 1)))
    drawn = good(draw, 6_000, 12).copy()
    honest = {r.test: r for r in rows.column_pairs(draw, drawn)}
    assert honest["column-pairs"].parameters["rows"] == 5 * 5
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
    asked = ("--draws", path, "--range", "24,24,24,24,24", "--tests", "congruential")
    made = certify.json("test", *asked, code=1)
    assert "rows/congruential" in {
        f"{t['suite']}/{t['test']}" for t in made["tests"] if t["verdict"] == "not satisfied"
    }


# Planted faults in bit streams, each found by the test that is there to find it; and a sound stream, passed.


Bits = np.ndarray  # type: ignore[type-arg]
N = 1_000_000


def sound(count: int = N, label: int = 1) -> Bits:
    cipher = Cipher(algorithms.AES(label.to_bytes(32, "big")), modes.CTR(bytes(16))).encryptor()
    return np.unpackbits(np.frombuffer(cipher.update(bytes(-(-count // 8))), dtype=np.uint8))[:count]


def biased(bits: Bits) -> Bits:
    """One zero in a hundred turned into a one."""
    wide = sound(8 * N, 2).reshape(N, 8)
    return bits | (np.packbits(wide, axis=1).ravel() < 3)


def uneven_blocks(bits: Bits) -> Bits:
    """Blocks of 128 bits alternate between 46 and 54 percent of ones."""
    chance = np.packbits(sound(8 * N, 3).reshape(N, 8), axis=1).ravel() < 20
    heavy = (np.arange(N) // 128) % 2 == 0
    return np.where(chance, heavy, bits).astype(np.uint8)


def sticky(bits: Bits) -> Bits:
    """One bit in sixty-four repeats the one before it."""
    repeat = np.packbits(sound(8 * N, 4).reshape(N, 8), axis=1).ravel() < 4
    out = bits.copy()
    out[1:][repeat[1:]] = bits[:-1][repeat[1:]]
    return out


def burst(bits: Bits) -> Bits:
    """Eighteen ones in a row in one block of ten thousand out of four."""
    out = bits.copy()
    for start in range(0, N, 40_000):
        out[start : start + 18] = 1
    return out


def dependent_rows(bits: Bits) -> Bits:
    """Every thirty-second word of 32 bits is the sum of the two before it."""
    rows = bits[: N // 32 * 32].reshape(-1, 32).copy()
    rows[31::32] = rows[30::32][: len(rows[31::32])] ^ rows[29::32][: len(rows[31::32])]
    return np.concatenate((rows.ravel(), bits[rows.size :]))


def periodic(bits: Bits) -> Bits:
    """One bit in twenty-one follows a square wave of period 100."""
    out = bits.copy()
    out[::21] = ((np.arange(N)[::21] // 50) % 2).astype(np.uint8)
    return out


def patterned(bits: Bits) -> Bits:
    """The pattern 000010111 written over every thousandth place."""
    out = bits.copy()
    for start in range(0, N - 9, 1000):
        out[start : start + 9] = (0, 0, 0, 0, 1, 0, 1, 1, 1)
    return out


def runs_of_nine(bits: Bits) -> Bits:
    """Ten ones in every third block of 1032 bits."""
    out = bits.copy()
    for start in range(100, N - 20, 3 * 1032):
        out[start : start + 10] = 1
    return out


def repeated(bits: Bits) -> Bits:
    """Seven bits in 280 copied from 140 bits before them."""
    out = bits[: N // 280 * 280].reshape(-1, 280).copy()
    out[:, 140:147] = out[:, :7]
    return np.concatenate((out.ravel(), bits[out.size :]))


def shift_register(bits: Bits) -> Bits:
    """A shift register of 89 cells, x^89 + x^38 + 1."""
    out = bits.copy()
    for start in range(89, N, 38):
        end = min(start + 38, N)
        out[start:end] = out[start - 89 : end - 89] ^ out[start - 38 : end - 38]
    return out


def no_zero_words(bits: Bits) -> Bits:
    """Every aligned byte of zeros is replaced by its complement."""
    octets = np.packbits(bits)
    octets[octets == 0] = 255
    return np.unpackbits(octets)


def repeated_word(bits: Bits) -> Bits:
    """Every hundredth word of 16 bits is the same."""
    out = bits[: N // 1600 * 1600].reshape(-1, 1600).copy()
    out[:, :16] = out[0, :16]
    return out.ravel()


def drifting(bits: Bits) -> Bits:
    """More ones in the first half, more zeros in the second, none in all."""
    flip = np.packbits(sound(8 * N, 5).reshape(N, 8), axis=1).ravel() < 4
    return np.where(flip, np.arange(N) < N // 2, bits).astype(np.uint8)


BIT_FAULTS: list[tuple[Callable[[Bits], Bits], str]] = [
    (biased, "frequency"),
    (uneven_blocks, "block-frequency"),
    (sticky, "runs"),
    (burst, "longest-run"),
    (dependent_rows, "rank"),
    (periodic, "fft"),
    (patterned, "non-overlapping-template"),
    (runs_of_nine, "overlapping-template"),
    (repeated, "universal"),
    (shift_register, "linear-complexity"),
    (repeated_word, "serial"),
    (no_zero_words, "approximate-entropy"),
    (drifting, "cumulative-sums"),
]


@pytest.mark.parametrize(("fault", "test"), BIT_FAULTS, ids=lambda value: getattr(value, "__name__", value))
def test_planted_fault_is_found(fault: Callable[[Bits], Bits], test: str) -> None:
    (result,) = run(from_bits(fault(sound())), tests=[test], constants="exact")
    assert isinstance(result, TestResult)
    assert min(result.p_values) < 1e-6, result.p_values


def leashed(bits: Bits) -> Bits:
    """A generator that corrects its own balance: one step in 32 goes back towards it."""
    correct = (np.packbits(sound(8 * N, 6).reshape(N, 8), axis=1).ravel() < 8).tolist()
    position, out = 0, bits.tolist()
    for at, pull in enumerate(correct):
        if pull and position:
            out[at] = int(position < 0)
        position += 2 * out[at] - 1
    return np.array(out, dtype=np.uint8)


@pytest.mark.parametrize("test", firsts(["random-excursions", "random-excursions-variant"]))
def test_corrected_balance_is_found_by_the_excursions(test: str) -> None:
    (result,) = run(from_bits(leashed(sound())), tests=[test], constants="exact")
    assert isinstance(result, TestResult)
    assert min(result.p_values) < 1e-6


def test_a_sound_stream_passes_over_many_sequences() -> None:
    bits = from_bits(sound(60 * 40_000, 7))
    ran = [run(bits.segment(i * 40_000, 40_000), constants="exact") for i in range(60)]
    judged = judge(ran, 40_000, "exact")
    assert {r.test for r in judged} >= {"frequency", "rank", "fft", "cumulative-sums"}
    assert all(min(result.uniformity or 0.0, result.proportion_p) > 1e-4 for result in judged)

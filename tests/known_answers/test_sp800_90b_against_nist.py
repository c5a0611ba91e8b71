"""The min-entropy estimators against NIST's own program on NIST's own files.

Expected values: usnistgov/SP800-90B_EntropyAssessment at 68ed165, ``cpp/selftest/refdata``; files from its ``bin``.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

from rng.battery import sp800_90b
from rng.battery.planted import good
from rng.battery.sp800_90b import assess, estimate, predictors
from rng.errors import SampleError

FILES = Path(__file__).parents[2] / "fixtures" / "vectors" / "sp800-90b"
WIDTHS = {"rand1_short": 1, "rand4_short": 4, "rand8_short": 8}


def rows(name):
    with (FILES / "known_answers.csv").open() as stream:
        yield from (row for row in csv.DictReader(stream) if row["file"] == name)


@pytest.mark.parametrize("name", WIDTHS)
def test_every_value_that_nist_prints_is_found(name):
    found = assess(sp800_90b.read_samples(FILES / f"{name}.bin", WIDTHS[name]), WIDTHS[name])
    assert not found.enough  # NIST warns of these files too
    compared = 0
    for row in rows(name):
        expected = float(row["expected"])
        if row["on"] == "assessment":
            value = getattr(found, row["value"])
        else:
            estimates = found.literal if row["on"] == "literal" else found.bitstring
            (one,) = (e for e in estimates if e.estimator == row["estimator"])
            value = one.min_entropy if row["value"] == "min_entropy" else one.details[row["value"]]
            if (row["estimator"], row["value"]) == ("compression", "p"):
                # The program prints p of a block, to the accuracy of its own search.
                assert value == pytest.approx(expected, rel=1e-8)
                continue
        assert value == pytest.approx(expected, rel=1e-9), row
        compared += 1
    assert compared >= 40


def test_the_worked_example_of_the_most_common_value():
    # SP 800-90B 6.3.1: 0 comes eight times in twenty.
    sample = [0, 1, 1, 2, 0, 1, 2, 2, 0, 1, 0, 1, 1, 0, 2, 2, 1, 0, 2, 1]
    found = estimate.most_common_value(np.array(sample, dtype=np.uint8))
    assert found.details["p_hat"] == 0.4
    assert found.details["p_u"] == pytest.approx(0.6895, abs=1e-4)
    assert found.min_entropy == pytest.approx(0.5363, abs=1e-4)


def test_the_worked_example_of_collisions_and_of_the_chain():
    # SP 800-90B 6.3.2 and 6.3.3.
    text = "1000111001010101110011000111001010101110"
    bits = np.array([int(c) for c in text], dtype=np.uint8)
    found = estimate.collision(bits)
    assert (found.details["v"], round(found.details["x_bar"], 4)) == (14, 2.7143)
    assert round(found.details["sigma_hat"], 4) == 0.4688
    assert found.min_entropy == pytest.approx(0.4483, abs=2e-4)
    chain = estimate.markov(bits)
    assert chain.min_entropy == pytest.approx(0.761, abs=5e-4)


def test_repeated_tuples_are_those_counted_one_by_one():
    symbols = good.chacha20(4, 300).astype(np.uint8) & np.uint8(3)
    text = symbols.tobytes()
    pairs, most = estimate.repetitions(symbols)
    for length in range(1, most.size + 1):
        seen = {}
        for start in range(len(text) - length + 1):
            piece = text[start : start + length]
            seen[piece] = seen.get(piece, 0) + 1
        agreeing = sum(count * (count - 1) // 2 for count in seen.values())
        if length < most.size:
            assert (int(pairs[length]), int(most[length])) == (agreeing, max(seen.values()))
        else:
            assert max(seen.values()) == 1


@pytest.mark.parametrize("width", [1, 2, 8])
@pytest.mark.parametrize("shape", ["constant", "counter", "two halves"])
def test_noise_without_entropy_is_given_none(width, shape):
    steps = np.arange(6_200)
    symbols = {"constant": 0 * steps, "counter": steps, "two halves": steps // 3_100}[shape] % (1 << width)
    found = assess(symbols.astype(np.uint8), width)
    assert found.min_entropy < 0.01


def test_a_biased_source_is_assessed_below_its_true_entropy():
    # One with probability 3/4: 0.415 bits. What counts and predicts comes close; the compression estimate is
    # known to fall far below for biased bits, and the smallest of all is what counts.
    bits = (good.chacha20(9, 60_000) < np.uint32(3 << 30)).astype(np.uint8)
    found = assess(bits, 1)
    by_name = {e.estimator: e.min_entropy for e in found.literal}
    for name in ("most-common-value", "multi-most-common-in-window", "multi-markov", "lz78y"):
        assert 0.40 < by_name[name] < 0.415
    assert 0.2 < found.min_entropy == min(by_name.values()) < 0.415


def test_samples_that_do_not_fit_are_refused(tmp_path):
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(7_000) + b"\x04" + bytes(10))
    with pytest.raises(SampleError, match="byte 7000 is 4, expected a sample of 2 bits"):
        sp800_90b.read_samples(path, 2)
    with pytest.raises(SampleError, match="expected at least 6100"):
        assess(np.zeros(10, dtype=np.uint8), 1)
    with pytest.raises(SampleError, match="expected 1 to 8"):
        assess(np.zeros(10_000, dtype=np.uint8), 9)
    with pytest.raises(SampleError, match="not a readable file"):
        sp800_90b.read_samples(tmp_path / "absent", 1)


def test_the_local_bound_is_the_chance_of_which_no_streak_is_as_long():
    # Feller's formula against the chain of streaks, counted step by step.
    streak, trials = 5, 200
    p = predictors.local_bound(streak, trials)
    state = np.zeros(streak)
    state[0] = 1.0
    for _ in range(trials):
        state = np.concatenate(([(1 - p) * state.sum()], p * state[:-1]))
    assert state.sum() == pytest.approx(estimate.ALPHA, abs=1e-6)

"""The worst generators get a verdict too: no input stops the battery, none passes for want of observations."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from cli_rng_support import Certify
from representatives import firsts, only

from rng.battery import cards, sequences, sp800_22
from rng.battery.bits import from_bits
from rng.battery.minimum_counts import geometric_log_moment, renewals_at_most, runs_at_most, slopes_below
from rng.battery.planted import good
from rng.battery.planted.catalogue import DEGENERATE, PlantedFault
from rng.battery.result import NotRun, TestResult
from rng.battery.sequences.draws import IntegerDraws
from rng.battery.suite import Suite, Test, at_least
from rng.battery.verdict import conclude
from rng.errors import SampleError

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


def test_bounds_on_too_few_observations_hold_and_are_of_use() -> None:
    # Tossing a coin until both sides were seen takes three tosses in the mean; rising runs of 40 about 2.7.
    waits = geometric_log_moment([1.0, 0.5])
    sets, runs = [], []
    for seed in range(400):
        coins = good.uniform_numbers(good.aes_ctr, seed, 2, 60).tolist()
        seen, complete = set[int](), 0
        for coin in coins:
            seen.add(coin)
            if len(seen) == 2:
                seen, complete = set(), complete + 1
        sets.append(complete)
    for few in (8, 10, 12, 14):
        bound = renewals_at_most(few, 60, waits, slopes_below(np.log(2)))
        share = float(np.mean([count <= few for count in sets]))
        assert share <= bound + 3 * np.sqrt(bound / 400)
        runs.append(bound)
    assert runs[0] < 1e-3 < runs[-1]
    assert runs_at_most(50, 1_000, 40) < 1e-30


def test_the_largest_ranges_are_cut_exactly() -> None:
    for below in ((1 << 47) + 5, (1 << 63) - 25, 1 << 64):
        values = np.array([below * k // 7 + d for k in range(1, 7) for d in (-1, 0, 1)], dtype=np.uint64)
        for classes in (7, 4096, 65_536):
            expected = [int(value) * classes // below for value in values.tolist()]
            assert IntegerDraws(values, below).classes(values, classes).tolist() == expected

"""Every item of the regulators' lists is answered by tests that exist; plans and results fit together."""

import re
from pathlib import Path

import numpy as np
import pytest
from cli_support import refuses
from regulators_lists import LISTS
from representatives import only

from rng.battery import cards, sequences, sp800_22, whole_stream, words
from rng.battery.bits import from_bytes
from rng.battery.cards import nulls
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.result import NotRun, TestResult
from rng.battery.sequences import lagged
from rng.battery.two_stage import BatteryPlan, conclude_plan
from rng.battery.verdict import ALONE, conclude, decide_each
from rng.errors import SampleError
from rng.shuffle import deal_decks
from rng.streams import stream


def test_every_listed_item_is_answered_by_a_test_that_exists():
    known = {f"cards/{name}" for name in cards.NAMES}
    known |= {f"sequences/{name}" for name in sequences.NAMES}
    known |= {f"sp800-22/{name}" for name in sp800_22.TESTS}
    known |= {f"whole-stream/{name}" for name in whole_stream.NAMES}
    for name, items in LISTS.items():
        for item, tests in items.items():
            assert tests, f"{name}: {item}"
            assert set(tests) <= known, f"{name}: {item}"
    assert [len(items) for items in LISTS.values()] == [7, 10, 15, 4]


def test_every_result_fits_the_plan_made_for_its_sample():
    decks = fisher_yates(aes_ctr, 21, 2_300)
    numbers = uniform_numbers(aes_ctr, 22, 40, 55_000)
    plan = BatteryPlan((*cards.BATTERY.planned(cards.four_suits(40), 2_300), *sequences.planned(55_000, 40)))
    results = [
        result
        for result in (*cards.run(decks), *sequences.run(numbers, 40))
        if isinstance(result, TestResult)
    ]
    verdict = conclude_plan(plan, results)
    assert verdict.word == "satisfied"
    assert verdict.plan_digest == plan.digest()
    # What is found only in part, or by cases, has its power measured by planted faults and states none.
    measured = {"after-hands", "congruential", "copies", "known-generators"}
    for result in results:
        said = result.detectable
        assert (
            "% power at p < " in said
            or "% chance of" in said
            or "found whenever" in said
            or (result.test in measured)
        ), (result.test, said)
        assert result.null
        assert len(result.labels) in (0, len(result.p_values))
        assert len(set(result.labels)) == len(result.labels)


@pytest.mark.parametrize("below", only([2, 3, 5, 10, 17, 40, 64, 65, 1000, 65_537, 1 << 32], 2, 40, 1 << 32))
def test_sequence_tests_run_from_their_minimum_on(below):
    for test in sequences.TESTS:
        minimum = test.minimum(below)
        if minimum is not None:
            for size in (minimum, minimum + 1):
                (result,) = sequences.run(uniform_numbers(aes_ctr, 23, below, size), below, [test.name])
                assert isinstance(result, TestResult)
                assert min(result.p_values) > 1e-5
            (short,) = sequences.run(uniform_numbers(aes_ctr, 23, below, minimum - 1), below, [test.name])
            assert isinstance(short, NotRun)
            assert short.minimum_sample == minimum


@pytest.mark.parametrize("cards_in_deck", only([20, 40, 52], 40))
def test_card_tests_run_from_their_minimum_on(cards_in_deck):
    for test in cards.TESTS:
        minimum = test.minimum(cards.four_suits(cards_in_deck))
        assert isinstance(minimum, int)
        for size in (minimum, minimum + 1):
            (result,) = cards.run(fisher_yates(aes_ctr, 24, size, cards_in_deck), [test.name])
            assert isinstance(result, TestResult)
            assert min(result.p_values) > 1e-5
        (short,) = cards.run(fisher_yates(aes_ctr, 24, minimum - 1, cards_in_deck), [test.name])
        assert isinstance(short, NotRun)
        assert short.minimum_sample == minimum


FEWEST_OF_FORTY = {
    "card-position": 400,
    "rank-position": 160,
    "suit-position": 100,
    "each-position": 400,
    "fullest-cell": 16,
    "position-pairs": 100,
    "serial-correlation": 1000,
    "runs": 100,
    "fixed-points": 32,
    "matches-next-deck": 64,
    "fisher-yates-draws": 400,
    "scaling": 32,
    "inversions": 32,
    "descents": 32,
    "rising-sequences": 32,
    "duplicates": 2,
    "dispersion": 100,
    "lagged-places": 64,
    "matches-at-all-lags": 200,
    "unshuffled-deck": 1,
    "disguised-copies": 2,
    "hand-compositions": 1000,
    "dealt-pairs": 100,
    "dealt-triples": 100,
    "signs-between-rounds": 100,
    "after-hands": 100,
    "since-last-deck": 33,
    "alike-apart": 100,
    "known-generators": 16,
}
"""How many decks of forty cards each test needs: a plan that was fixed by these numbers stays as it is."""


def test_forty_cards_need_as_many_decks_as_ever():
    needed = {test.name: test.minimum(cards.four_suits(40)) for test in cards.TESTS}
    new = {name: size for name, size in needed.items() if name not in FEWEST_OF_FORTY}
    assert not new, f"a new test of decks: add to FEWEST_OF_FORTY {new}"
    assert list(needed.items()) == list(FEWEST_OF_FORTY.items())


SHOES = {
    "eight decks of 52": cards.shoe_of(13, 4, decks=8),
    "two jokers": cards.shoe_of(13, 4, jokers=2),
    "one suit": cards.shoe_of(21, 1),
    "two decks of forty": cards.shoe_of(10, 4, decks=2),
}


@pytest.mark.parametrize("name", only(SHOES, "two jokers", "one suit", "two decks of forty"))
def test_a_shoe_of_any_size_is_tested_and_what_does_not_apply_says_why(name):
    shoe = SHOES[name]
    decks = deal_decks(stream(bytes(32), "battery-calibration", 5), 1_500, shoe.cards)
    results = cards.run(decks, shoe=shoe)
    assert conclude(results).word != "not satisfied"
    done = {result.test for result in results if isinstance(result, TestResult)}
    assert {"position-pairs", "fixed-points", "inversions", "duplicates"} <= done | {
        result.test for result in results if isinstance(result, NotRun) and result.minimum_sample
    }
    refused = {r.test: r.reason for r in results if isinstance(r, NotRun) and r.minimum_sample is None}
    if shoe.cards % 2:
        assert "even number" in refused.pop("runs")
    if not any(shoe.suits):
        assert "no suits" in refused.pop("suit-position")
        assert "neither suits nor ranks" in refused.pop("hand-compositions")
    if not any(shoe.suits):
        assert all(
            "no ranks" in refused.pop(test)
            for test in ("dealt-pairs", "dealt-triples", "after-hands", "alike-apart")
        )
    if name in ("two jokers", "one suit"):
        assert "no equal halves" in refused.pop("signs-between-rounds")
    assert not refused


def test_the_law_of_inversions_in_floating_point_is_the_counted_one(
    monkeypatch,
):
    exact = nulls.probabilities(nulls.inversions(30))
    monkeypatch.setattr(nulls, "COUNTED", 10)
    law = nulls.inversion_law.__wrapped__(30)
    assert np.allclose(law.probabilities, [float(p) for p in exact], rtol=0, atol=1e-14)
    assert (law.mean, law.variance) == nulls.mean_and_variance(nulls.inversions(30))


def test_groups_that_are_none_and_decks_that_are_too_large_are_refused():
    refuses(
        SampleError,
        ("numbered from 0", lambda: cards.DeckShoe(3, ranks=(0, 0, 2))),
        ("at least one each", lambda: cards.shoe_of(13, 0)),
        (
            "expected 52 cards, got 40",
            lambda: cards.run(fisher_yates(aes_ctr, 1, 50, 40), shoe=cards.shoe_of(13, 4)),
        ),
        ("uint8 or uint16", lambda: cards.run(np.zeros((2, 1025), dtype=np.uint16))),
    )


def test_those_tests_weigh_more_that_the_table_says_find_a_fault_alone():
    page = (Path(__file__).parents[2] / "docs/methods/power.md").read_text()
    table = re.findall(r"^\| (\S+ \S+) \| \d+ \| (\d+) \| \d+ \|$", page, re.MULTILINE)
    assert {name for name, alone in table if int(alone)} == ALONE
    results = [
        TestResult((0.5, 0.5), suite="sequences", test="congruential"),
        TestResult((0.5,), suite="sequences", test="poker"),
    ]
    first, second, other = decide_each(results, 0.03, 0.05)
    assert (first.threshold, second.threshold, other.threshold) == pytest.approx((0.01, 0.015, 0.03))


def test_a_test_that_looks_at_a_part_is_one_of_the_whole_sample_that_was_planned(
    monkeypatch,
):
    """A campaign of craps ended without a pack: planned on 2,960,000 numbers, run on the first 2^20 of them."""
    monkeypatch.setattr(lagged, "MOST_LOOKED_AT", 30_000)
    (sums,) = sequences.run(uniform_numbers(aes_ctr, 23, 6, 40_000), 6, ["lagged-sums"])
    assert isinstance(sums, TestResult)
    assert (sums.sample_size, sums.parameters) == (40_000, {"looked_at": 30_000})
    monkeypatch.setattr(words, "MOST_BYTES", 1 << 15)
    bits = from_bytes(aes_ctr(24, 1 << 14).tobytes())
    (found,) = whole_stream.run(bits, ["word-relations"])
    assert isinstance(found, TestResult)
    assert (found.sample_size, found.parameters) == (bits.length, {"looked_at": 1 << 18})
    assert bits.length > 1 << 18

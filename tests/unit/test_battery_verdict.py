"""One decision from many tests: plan, Holm, thresholds; every item of the regulators' lists has tests that exist."""

import json
import math
import pickle
import re
from dataclasses import asdict, replace
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import plain_definitions
import pytest
from cli_support import refuses
from hypothesis import given, strategies as st
from regulators_lists import LISTS
from representatives import only

from certify.certification import bit_sequences
from certify.certification.bit_sequences import Cut, cut_of
from rng.battery import (
    ALONE,
    BatteryPlan,
    NotRun,
    PlannedTest,
    TestResult,
    balls,
    cards,
    conclude,
    conclude_plan,
    decide_each,
    from_bytes,
    holm,
    sequences,
    sp800_22,
    suspects,
    whole,
    whole_stream,
    words,
)
from rng.battery.cards import nulls
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.sequences import lagged
from rng.battery.whole import Whole
from rng.draws import OrderedSample, deal_decks
from rng.errors import SampleError
from rng.streams import stream

p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def result(test, *p_values, size=1000):
    labels = tuple(f"part {i}" for i in range(len(p_values)))
    return TestResult(p_values, labels).run_as("cards", test, size)


@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.sampled_from([Fraction(1), Fraction(1, 3)])), min_size=1, max_size=7
    )
)
def test_holm_is_the_closure_of_bonferroni_whatever_each_weighs(weighted):
    # By closed testing, a hypothesis is rejected when every subset that holds it is rejected by Bonferroni.
    p_values, weights = zip(*weighted, strict=True)
    adjusted, _ = holm(p_values, weights)
    indices = range(len(p_values))
    for i in indices:
        subsets = [s for size in range(1, len(p_values) + 1) for s in combinations(indices, size) if i in s]
        closed = max(
            min(1.0, min(p_values[j] * float(sum(weights[k] for k in s) / weights[j]) for j in s))
            for s in subsets
        )
        assert adjusted[i] == pytest.approx(closed)
    if set(weights) == {Fraction(1)}:
        assert holm(p_values)[0] == adjusted


@given(p_lists)
def test_threshold_and_adjusted_value_agree(p_values):
    verdict = conclude([result("a", *p_values)])
    ordered = sorted(verdict.decisions, key=lambda d: d.p_value)
    still = True
    for decision in ordered:  # the step-down form: stop at the first p-value above its threshold
        still = still and decision.p_value <= decision.threshold
        assert decision.rejected == still


def test_words():
    good, bad = result("a", 0.5, 0.2), result("b", 1e-9)
    short = NotRun("cards", "c", "10 decks, at least 40 are needed", 40)
    inapplicable = NotRun("cards", "d", "does not apply")
    assert conclude([good]).word == "satisfied"
    assert conclude([good, bad]).word == "not satisfied"
    assert conclude([good, short]).word == "inconclusive"
    assert conclude([good, inapplicable]).word == "satisfied"
    assert conclude([bad, short]).word == "not satisfied"
    assert conclude([inapplicable]).word == "inconclusive"
    assert conclude([good, bad]).word_of("cards", "a") == "satisfied"
    assert conclude([good, short]).word_of("cards", "c") == "inconclusive"


def test_a_p_value_at_its_threshold_is_rejected():
    assert conclude([result("a", 0.01)]).word == "not satisfied"
    assert conclude([result("a", 0.005, 0.9)]).word == "not satisfied"
    assert conclude([result("a", 0.005000001, 0.9)]).word == "satisfied"


def test_second_threshold_is_stricter():
    verdict = conclude([result("a", 0.03)])
    assert (verdict.word, verdict.second_word) == ("satisfied", "not satisfied")


def test_verdict_does_not_depend_on_the_order_of_results():
    results = [result("b", 0.001, 0.4), result("a", 0.7), NotRun("cards", "c", "why", 5)]
    assert conclude(results) == conclude(results[::-1])
    json.dumps(asdict(conclude(results)), allow_nan=False)


@pytest.mark.parametrize(
    "results",
    [[], [result("a", 0.5), result("a", 0.5)], [result("a", float("nan"))], [result("a", -0.1)]],
    ids=["empty", "twice", "nan", "negative"],
)
def test_what_is_no_evidence_is_refused(results):
    with pytest.raises(SampleError):
        conclude(results)


def plan():
    return BatteryPlan((PlannedTest("cards", "a", 1000), PlannedTest("cards", "b", 1000)))


def test_plan_digest_changes_with_every_part():
    digests = {
        plan().digest(),
        replace(plan(), alpha=0.02).digest(),
        replace(plan(), enlargement=8).digest(),
        BatteryPlan((PlannedTest("cards", "a", 1000),)).digest(),
        BatteryPlan((PlannedTest("cards", "a", 1000), PlannedTest("cards", "b", 2000))).digest(),
    }
    assert len(digests) == 5
    assert plan().digest() == plan().digest()


@pytest.mark.parametrize("tests", [(), (PlannedTest("cards", "a", 1), PlannedTest("cards", "a", 2))])
def test_empty_or_repeating_plan_is_refused(tests):
    with pytest.raises(SampleError):
        BatteryPlan(tests)


def test_clear_first_samples_decide_alone():
    assert conclude_plan(plan(), [result("a", 0.5), result("b", 0.4)]).word == "satisfied"
    hopeless = conclude_plan(plan(), [result("a", 1e-12), result("b", 0.4)])
    assert (hopeless.word, hopeless.stages) == ("not satisfied", 1)
    with pytest.raises(SampleError, match="already decides"):
        conclude_plan(plan(), [result("a", 0.5), result("b", 0.4)], [result("a", 0.5, size=4000)])


def test_borderline_first_sample_asks_for_one_fresh_sample():
    borderline = [result("a", 0.001), result("b", 0.4)]
    assert suspects(plan(), borderline) == ("cards/a",)
    waiting = conclude_plan(plan(), borderline)
    assert waiting.word == "inconclusive"
    assert any("4 times as large" in reason for reason in waiting.reasons)
    cleared = conclude_plan(plan(), borderline, [result("a", 0.3, size=4000)])
    assert (cleared.word, cleared.stages, cleared.plan_digest) == ("satisfied", 2, plan().digest())
    confirmed = conclude_plan(plan(), borderline, [result("a", 0.002, size=4000)])
    assert confirmed.word == "not satisfied"


def test_a_fresh_sample_does_not_make_up_for_a_test_that_was_too_short():
    wider = BatteryPlan((*plan().tests, PlannedTest("cards", "c", 0)))
    short = NotRun("cards", "c", "1000 decks, at least 4000 are needed", 4000)
    first = [result("a", 0.001), result("b", 0.4), short]
    cleared = conclude_plan(wider, first, [result("a", 0.3, size=4000)])
    assert (cleared.word, cleared.second_word) == ("inconclusive", "inconclusive")
    assert cleared.not_run == (short,)
    assert cleared.word_of("cards", "c") == "inconclusive"
    confirmed = conclude_plan(wider, first, [result("a", 0.002, size=4000)])
    assert (confirmed.word, confirmed.second_word) == ("not satisfied", "not satisfied")


def test_a_fresh_sample_clears_at_the_second_threshold_only_what_it_looked_at():
    fresh = [result("a", 0.3, size=4000)]
    alone = [result("a", 0.001), result("b", 0.4)]
    assert conclude_plan(plan(), alone).second_word == "inconclusive"
    assert conclude_plan(plan(), alone, fresh).second_word == "satisfied"
    both = [result("a", 0.001), result("b", 0.03)]
    assert suspects(plan(), both) == ("cards/a",)
    assert conclude_plan(plan(), both).second_word == "not satisfied"
    decided = conclude_plan(plan(), both, fresh)
    assert (decided.word, decided.second_word) == ("satisfied", "not satisfied")


@pytest.mark.parametrize(("alpha", "words"), [(0.01, "below 1%"), (0.005, "below 0.5%")])
def test_the_rule_names_its_level(alpha, words):
    assert words in replace(plan(), alpha=alpha).rule()


def test_the_hard_threshold_is_one_of_adjusted_p_values():
    # Adjusted for two tests it is 1.2e-6, above the hard threshold of 1e-6.
    assert suspects(plan(), [result("a", 6e-7), result("b", 0.4)]) == ("cards/a",)
    assert suspects(plan(), [result("a", 4e-7), result("b", 0.4)]) == ()


@pytest.mark.parametrize(
    "fresh",
    [[result("a", 0.3, size=3999)], [result("b", 0.3, size=4000)], []],
    ids=["too small", "another test", "nothing"],
)
def test_fresh_sample_is_held_to_the_rule(fresh):
    with pytest.raises(SampleError):
        conclude_plan(plan(), [result("a", 0.001), result("b", 0.4)], fresh)


def test_results_other_than_planned_are_refused():
    refuses(
        SampleError,
        ("differ", lambda: conclude_plan(plan(), [result("a", 0.5)])),
        ("planned on 1000", lambda: conclude_plan(plan(), [result("a", 0.5, size=999), result("b", 0.5)])),
    )


@pytest.mark.parametrize("alpha", [math.nan, 0.0, 1.0, -1.0, math.inf])
def test_a_threshold_that_is_no_share_decides_nothing(alpha):
    # Compared with NaN, no p-value lies at or below it: five thousand equal numbers were satisfied.
    with pytest.raises(SampleError, match="expected numbers between 0 and 1"):
        conclude([result("a", 0.0)], alpha=alpha)


def test_a_published_zero_that_does_not_reject_is_evidence_for_nothing():
    lacking = replace(result("a", 0.0), deciding=(0.6,))
    verdict = conclude([lacking, result("b", 0.5)])
    assert (verdict.word, verdict.word_of("cards", "a"), verdict.word_of("cards", "b")) == (
        "inconclusive",
        "inconclusive",
        "satisfied",
    )
    assert "cards a: a condition of the test fails, so that it decides nothing" in verdict.reasons
    assert conclude([lacking, result("b", 0.0)]).word == "not satisfied"
    assert conclude([replace(lacking, deciding=(1e-9,))]).word == "not satisfied"


CAGE = OrderedSample(49, 6)
ROWS = np.argsort(aes_ctr(4, 200 * 49).reshape(200, 49), axis=1)[:, :6].astype(np.uint8)
SAMPLES = [
    (sequences.BATTERY, sequences.IntegerDraws(uniform_numbers(aes_ctr, 1, 37, 500), 37), "frequency"),
    (cards.BATTERY, cards.DealtDecks(fisher_yates(aes_ctr, 2, 100), cards.four_suits(40)), "descents"),
    (balls.BATTERY, balls.DrawnBalls(CAGE, ROWS), "dispersion"),
]


def copied(it):
    """What arrives of what is sent."""
    return pickle.loads(pickle.dumps(it))  # noqa: S301 - our own bytes


def sent(work, items):
    """What an executor does to work: it is written down and read elsewhere."""
    there = copied(work)
    return (copied(there(copied(item))) for item in items)


@pytest.mark.parametrize(("suite", "sample", "name"), SAMPLES, ids=[suite.name for suite, _, _ in SAMPLES])
def test_a_test_that_is_sent_away_finds_the_same(suite, sample, name):
    told = []
    there = suite.run(sample, [name], running=sent, tell=lambda *far: told.append(far))
    assert there == suite.run(sample, [name])
    assert told == [(1, 1, "tests")]


def test_passes_over_a_stream_that_are_sent_away_find_the_same():
    bits = from_bytes(aes_ctr(7, 40_000).tobytes())
    assert whole_stream.run(bits, running=sent) == whole_stream.run(bits)


def test_every_suite_refuses_an_empty_choice_and_a_test_that_is_none():
    for suite, sample, _ in SAMPLES:
        with pytest.raises(SampleError, match="never a pass"):
            suite.run(sample, [])
        with pytest.raises(SampleError, match=f"no such test of {suite.name}: tarot"):
            suite.run(sample, ["tarot"])


def test_long_data_gives_a_hundred_sequences_spread_evenly(monkeypatch):
    monkeypatch.setattr(bit_sequences, "LONGEST_WHOLE", 1 << 12)
    monkeypatch.setattr(bit_sequences, "USUAL_LENGTH", 64)
    bits = from_bytes(aes_ctr(3, 1_000).tobytes())
    cut = cut_of(bits, None, None)
    assert cut == Cut(100, 64, Fraction(5))
    assert cut.held == 500
    begun = [bytes(segment.packed) for segment in cut.segments(bits)]
    assert begun == [bytes(bits.packed[8 * 5 * i : 8 * 5 * i + 8]) for i in range(100)]


def test_whoever_names_a_number_of_sequences_or_a_length_gets_all_of_them(
    monkeypatch,
):
    monkeypatch.setattr(bit_sequences, "LONGEST_WHOLE", 1 << 12)
    bits = from_bytes(aes_ctr(3, 1_000).tobytes())
    assert cut_of(bits, 500, None) == Cut(500, 64)
    assert cut_of(bits, None, 64) == Cut(500, 64)


def test_blocks_transformed_are_spread_over_a_very_long_stream_and_counted(
    monkeypatch,
):
    monkeypatch.setattr(whole, "BLOCK", 400)
    monkeypatch.setattr(whole, "MOST_BLOCKS", 4)
    bits = from_bytes(aes_ctr(4, 100).tobytes())
    stream = Whole(bits)
    assert (stream.blocks, stream.length, stream.transformed) == (4, 400, 1_600)
    signs = (2 * bits.unpacked().astype(np.int64) - 1).reshape(8, 400)[::2].tolist()
    assert stream.lagged.products.tolist() == plain_definitions.lagged(signs, stream.lags)


def test_what_names_the_generator_comes_first_however_many_others_are_graver():
    graver = [result(test, *[1e-300] * 6) for test in ("dispersion", "lagged-places")]
    first, *_ = conclude([*graver, result("known-generators", 1e-20)]).reasons
    assert first.startswith("cards known-generators part 0: p = 1e-20")
    # What repeats itself is no generator of that name, though its sums are uneven too.
    first, *_ = conclude([*graver, result("known-generators", 1e-8)]).reasons
    assert first.startswith("cards dispersion part 0: p = 1e-300")


def test_good_decks_too_few_for_any_visit_to_be_planned_are_not_rejected():
    # No class of two ranks is due often enough in 300 decks: nothing is possible, which once gave p = 0.
    dealt = np.random.default_rng(1).permuted(np.tile(np.arange(52, dtype=np.uint8), (300, 1)), axis=1)
    verdict = conclude(cards.run(dealt, ("after-hands",)))
    assert verdict.word == "satisfied"
    assert min(one.p_value for one in verdict.decisions) > 0.5


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
    drawn = sequences.BATTERY.planned(40, 55_000, parameters={"below": 40})
    plan = BatteryPlan((*cards.BATTERY.planned(cards.four_suits(40), 2_300), *drawn))
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


def ran(suite, count, size, name):
    """A test of so many numbers below a count, or of so many decks of that many cards."""
    if suite is cards:
        return cards.run(fisher_yates(aes_ctr, 24, size, count), [name])
    return sequences.run(uniform_numbers(aes_ctr, 23, count, size), count, [name])


COUNTS = [2, 3, 5, 10, 17, 40, 64, 65, 1000, 65_537, 1 << 32]


@pytest.mark.parametrize(
    ("suite", "count"),
    only([*((sequences, n) for n in COUNTS), *((cards, n) for n in (20, 40, 52))], (sequences, 1 << 32)),
)
def test_tests_run_from_their_minimum_on(suite, count):
    for test in suite.TESTS:
        minimum = test.minimum(cards.four_suits(count) if suite is cards else count)
        assert minimum is not None or suite is sequences
        for size in (minimum, minimum + 1) if minimum is not None else ():
            (result,) = ran(suite, count, size, test.name)
            assert isinstance(result, TestResult)
            assert min(result.p_values) > 1e-5
            (short,) = ran(suite, count, minimum - 1, test.name)
            assert isinstance(short, NotRun)
            assert short.minimum_sample == minimum


FEWEST_OF_FORTY = {
    "card-position": 400,
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
    exact = nulls.counted_law(nulls.inversions(30))
    monkeypatch.setattr(nulls, "COUNTED", 10)
    law = nulls.inversion_law.__wrapped__(30)
    assert np.allclose(law.probabilities, [float(p) for p in exact.probabilities], rtol=0, atol=1e-14)
    assert (law.mean, law.variance) == (exact.mean, exact.variance)


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

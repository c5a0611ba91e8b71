"""Every item of the regulators' lists is answered by tests that exist; plans and results fit together."""

from __future__ import annotations

import pytest

from rng.battery import cards, coverage, sequences, sp800_22
from rng.battery.plan import Plan
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.result import NotRun, TestResult
from rng.battery.two_stage import conclude_plan


def test_every_listed_item_is_answered_by_a_test_that_exists() -> None:
    known = {f"cards/{name}" for name in cards.NAMES}
    known |= {f"sequences/{name}" for name in sequences.NAMES}
    known |= {f"sp800-22/{name}" for name in sp800_22.TESTS}
    for name, items in coverage.LISTS.items():
        for item, tests in items.items():
            assert tests, f"{name}: {item}"
            assert set(tests) <= known, f"{name}: {item}"
    assert [len(items) for items in coverage.LISTS.values()] == [7, 10, 15, 4]


def test_every_result_fits_the_plan_made_for_its_sample() -> None:
    decks = fisher_yates(aes_ctr, 21, 4_000)
    numbers = uniform_numbers(aes_ctr, 22, 40, 55_000)
    plan = Plan((*cards.planned(4_000), *sequences.planned(55_000, 40)))
    results = [
        result
        for result in (*cards.run(decks), *sequences.run(numbers, 40))
        if isinstance(result, TestResult)
    ]
    verdict = conclude_plan(plan, results)
    assert verdict.word == "satisfied"
    assert verdict.plan_digest == plan.digest()
    for result in results:
        assert result.detectable
        assert result.null
        assert len(result.labels) in (0, len(result.p_values))
        assert len(set(result.labels)) == len(result.labels)


@pytest.mark.parametrize("below", [2, 3, 5, 10, 17, 40, 64, 65, 1000, 65_537, 1 << 32])
def test_sequence_tests_run_from_their_minimum_on(below: int) -> None:
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


@pytest.mark.parametrize("cards_in_deck", [20, 40, 52])
def test_card_tests_run_from_their_minimum_on(cards_in_deck: int) -> None:
    for test in cards.TESTS:
        for size in (test.minimum_decks, test.minimum_decks + 1):
            (result,) = cards.run(fisher_yates(aes_ctr, 24, size, cards_in_deck), [test.name])
            assert isinstance(result, TestResult)
            assert min(result.p_values) > 1e-5
        (short,) = cards.run(fisher_yates(aes_ctr, 24, test.minimum_decks - 1, cards_in_deck), [test.name])
        assert isinstance(short, NotRun)
        assert short.minimum_sample == test.minimum_decks

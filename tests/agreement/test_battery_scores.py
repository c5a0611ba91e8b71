"""Faults of a known form are found by their likelihood ratio, and no fault of one digit is pooled away."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rng.battery import cards, dispersion, sequences
from rng.battery.cards import permutations as digits
from rng.battery.planted import good, shuffles
from rng.battery.result import NotRun, TestResult


@given(st.integers(1, 12), st.integers(2, 60), st.sampled_from(["modulo", "scaled"]))
def test_words_are_counted_one_by_one(bits: int, below: int, form: dispersion.Form) -> None:
    words = np.arange(1 << bits)
    numbers = words % below if form == "modulo" else words * below >> bits
    assert (
        dispersion.words_for_each(bits, below, form).tolist()
        == np.bincount(numbers, minlength=below).tolist()
    )


@given(st.integers(2, 400), st.data())
def test_the_bound_of_one_binomial_score_is_never_below_its_tail(trials: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, trials))
    exact = float(special.bdtrc(hits - 1, trials, 0.25)) if hits else 1.0
    weights = [np.array([0.0, 0.0, 0.0, 1.0])]
    bound = dispersion.score_tail([np.array([trials - hits, 0, 0, hits])], weights)
    assert exact * (1 - 1e-9) <= bound
    assert bound == 1.0 or bound < 60 * exact


def test_draws_of_a_shuffle_that_runs_upwards_are_recovered() -> None:
    # Each of the 24 draws of a shuffle of four cards from the first position on, played forward.
    played: dict[tuple[int, ...], list[int]] = {}
    for first in range(4):
        for second in range(3):
            for third in range(2):
                deck = [0, 1, 2, 3]
                for place, draw in enumerate((first, second, third)):
                    deck[place], deck[place + draw] = deck[place + draw], deck[place]
                played[tuple(deck)] = [third, second, first]
    assert len(played) == 24
    for order in permutations(range(4)):
        tables = digits.digit_tables(np.array([order], dtype=np.uint8), "draws upwards")
        assert [int(table.argmax()) for table in tables] == played[order]


def test_a_fault_of_one_digit_is_found_by_its_digit_and_lost_in_the_sum() -> None:
    decks = shuffles.one_draw_sticks(good.aes_ctr, 1, 4_000, 20, 30)
    (result,) = cards.run(decks, ["fisher-yates-draws"])
    assert isinstance(result, TestResult)
    worst = min(range(len(result.decided)), key=lambda i: result.decided[i])
    assert result.labels[worst] == "digit of 21 values"
    assert result.decided[worst] * len(result.decided) < 1e-4 < result.decided[0]


def test_digits_from_a_bag_are_too_even_all_together() -> None:
    # Each of the cyclic shifts of the ids equally often: the first digits are even beyond chance.
    shifts = np.array([np.roll(np.arange(40), k) for k in range(40)] * 25, dtype=np.uint8)
    (result,) = cards.run(shifts, ["fisher-yates-draws"])
    assert isinstance(result, TestResult)
    assert result.p_values[-1] == 1.0
    assert result.decided[-1] < 1e-12


def test_a_range_that_is_a_power_of_two_has_no_remainder_to_look_for() -> None:
    (result,) = sequences.run(good.uniform_numbers(good.aes_ctr, 2, 64, 500), 64, ["scaling"])
    assert isinstance(result, NotRun)
    assert not result.undecided


@pytest.mark.parametrize("below", [6, 37, 1_000])
def test_good_numbers_are_not_rejected_by_any_form(below: int) -> None:
    # 120 samples of 300 numbers: no more at or below 5 % than the binomial law allows.
    found = 0
    for seed in range(120):
        draws = good.uniform_numbers(good.chacha20, 700 + seed, below, 300)
        (result,) = sequences.run(draws, below, ["scaling"])
        assert isinstance(result, TestResult)
        found += min(result.decided) * len(result.decided) <= 0.05
    assert special.bdtrc(found - 1, 120, 0.05) > 1e-3 if found else True


@pytest.mark.slow
def test_good_decks_are_not_rejected_by_any_form() -> None:
    for seed in range(12):
        (result,) = cards.run(shuffles.fisher_yates(good.chacha20, 60 + seed, 100), ["scaling"])
        assert isinstance(result, TestResult)
        assert min(result.decided) * len(result.decided) > 1e-3

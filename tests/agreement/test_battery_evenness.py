"""Counts that are too even are found by the exact law of both tails, and good ones are not."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import product

import numpy as np
import plain_definitions
import pytest
from scipy import special

from rng.battery import balls, cards, dispersion, goodness, sequences
from rng.battery.cell_sums import CellSum, empty_value, lower_bound_tail, pearson_lower_tail, pearson_value
from rng.battery.planted import even, good, shuffles
from rng.battery.result import TestResult
from rng.battery.verdict import conclude
from rng.draws import OrderedSample


def pearson_law(trials: int, shares: tuple[float, ...]) -> dict[float, float]:
    """The law of Pearson's statistic by counting every sequence of outcomes."""
    law: dict[float, float] = defaultdict(float)
    for outcome in product(range(len(shares)), repeat=trials):
        counts = np.bincount(outcome, minlength=len(shares))
        statistic = sum((c - trials * p) ** 2 / (trials * p) for c, p in zip(counts, shares, strict=True))
        law[round(float(statistic), 12)] += math.prod(shares[i] for i in outcome)
    return law


@pytest.mark.parametrize("shares", [(0.25, 0.25, 0.25, 0.25), (0.5, 0.3, 0.2)])
@pytest.mark.parametrize("slope", [-40.0, -1.0, -0.01, 0.05, 0.4, 3.0])
def test_the_moment_function_is_that_of_counting_every_sequence(
    shares: tuple[float, ...], slope: float
) -> None:
    law = pearson_law(7, shares)
    exact = math.log(sum(chance * math.exp(slope * value) for value, chance in law.items()))
    assert CellSum(7, Counter(shares), pearson_value).log_moment(slope) == pytest.approx(exact, abs=1e-9)


def test_the_bound_on_the_lower_tail_is_never_below_the_tail_and_near_it() -> None:
    shares = (0.25, 0.25, 0.25, 0.25)
    law = pearson_law(8, shares)
    for value in sorted(law)[:6]:
        tail = sum(chance for other, chance in law.items() if other <= value)
        assert tail <= pearson_lower_tail(value, shares, 8) * (1 + 1e-9)
    assert pearson_lower_tail(0.0, shares, 8) == pytest.approx(law[0.0], rel=1e-6)


def test_empty_cells_follow_the_classical_occupancy_law() -> None:
    # Feller, An Introduction to Probability Theory 1 (1968), IV.2: P(m cells empty) for 10 balls in 6 cells.
    def empty(m: int) -> float:
        signs = ((-1) ** j * math.comb(6 - m, j) * (1 - (m + j) / 6) ** 10 for j in range(7 - m))
        return math.comb(6, m) * math.fsum(signs)

    cells = CellSum(10, {1 / 6: 6}, empty_value)
    for slope in (-3.0, 0.5):
        exact = math.log(sum(empty(m) * math.exp(slope * m) for m in range(6)))
        assert cells.log_moment(slope) == pytest.approx(exact, abs=1e-9)
    assert lower_bound_tail(cells.log_moment, 0.0) == pytest.approx(empty(0), rel=1e-6)


@pytest.mark.parametrize("below", [2, 6, 37, 1_000])
def test_good_numbers_are_not_called_too_even(below: int) -> None:
    # 150 samples of 250 numbers: p-values at or below 5 % may not be more than the binomial law allows.
    smallest = []
    for seed in range(150):
        draws = good.uniform_numbers(good.chacha20, 900 + seed, below, 250)
        results = sequences.run(draws, below, ["dispersion", "frequency"])
        smallest.append([min(r.decided) * len(r.decided) for r in results if isinstance(r, TestResult)])
    for column in zip(*smallest, strict=True):
        found = sum(p <= 0.05 for p in column)
        assert special.bdtrc(found - 1, 150, 0.05) > 1e-3 if found else True


def test_good_decks_and_balls_are_not_called_too_even() -> None:
    decks = shuffles.fisher_yates(good.chacha20, 31, 1_000)
    rows = shuffles.fisher_yates(good.chacha20, 32, 2_000, 49)[:, :6].astype(np.uint32)
    results = [*cards.run(decks, ["dispersion"]), *balls.run(OrderedSample(49, 6), rows, ("dispersion",))]
    assert conclude(results).word == "satisfied"


def test_decks_whose_first_cards_come_from_a_bag_are_found() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 33, 2_000).copy()
    wanted = even.bag(good.aes_ctr, 34, 2_000, 40, 400)
    for deck, card in zip(decks, wanted, strict=True):
        place = int(np.flatnonzero(deck == card)[0])
        deck[0], deck[place] = deck[place], deck[0]
    (result,) = cards.run(decks, ["dispersion"])
    assert isinstance(result, TestResult)
    worst = min(range(len(result.decided)), key=lambda i: result.decided[i])
    assert result.decided[worst] < 1e-12
    assert result.labels[worst].startswith("position 1,")
    assert conclude([result]).word == "not satisfied"


def test_balls_whose_last_place_is_made_up_for_are_found() -> None:
    rows = shuffles.fisher_yates(good.aes_ctr, 35, 4_000, 49)[:, :6].astype(np.uint32)
    rows[:, 5] = even.bag(good.aes_ctr, 36, 4_000, 49, 490)
    distinct = np.array([len(set(row)) == 6 for row in rows.tolist()])
    (result,) = balls.run(OrderedSample(49, 6), rows[distinct], ("dispersion",))
    assert isinstance(result, TestResult)
    assert min(result.decided) < 1e-9


def test_a_single_published_tail_lets_the_bag_pass_and_both_tails_do_not() -> None:
    fit = goodness.uniform_fit(np.full(6, 100, dtype=np.int64))
    assert fit.p_value == 1.0
    assert fit.two_sided == pytest.approx(
        2 * math.exp(math.lgamma(601) - 6 * math.lgamma(101) - 600 * math.log(6))
    )


def test_a_statistic_noticed_in_the_upper_tail_is_bounded_where_one_full_cell_outweighs_all_others() -> None:
    # 100 numbers below 52 in one block: steep slopes give the cell that holds all of them the largest weight.
    rows = np.random.default_rng(7).integers(0, 52, (400, 100))
    p_values = [
        dispersion.dispersion_p(int(dispersion.equal_pairs(row, 100, 52)), 1, 100, 52) for row in rows
    ]
    assert min(p_values) > 1e-4
    assert sum(p < 1 for p in p_values) > 2


def test_equal_pairs_are_counted_as_defined() -> None:
    values = good.uniform_numbers(good.aes_ctr, 37, 7, 500).astype(np.int64)
    for size in dispersion.block_sizes(500):
        assert dispersion.equal_pairs(values, size, 7) == plain_definitions.equal_pairs(values.tolist(), size)

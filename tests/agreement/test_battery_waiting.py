"""Due numbers, balls drawn together and three reels: laws by counting, bets by their definition, good draws passed."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import plain_definitions
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from representatives import firsts

from rng.battery import balls, dispersion, e_values, rows, sequences
from rng.battery.planted import good, scaled
from rng.battery.planted.equipment import BALLS, KENO, REELS
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import conclude
from rng.draws import OrderedSample, draw_many
from rng.streams import stream


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 200), st.sampled_from([(5, 1), (6, 2), (7, 3)]), st.integers(1, 14))
def test_bets_on_due_numbers_are_those_of_the_definition(
    seed: int, kind: tuple[int, int], draws: int
) -> None:
    numbers, drawn = kind
    keys = good.aes_ctr(seed, draws * numbers).reshape(draws, numbers)
    made = np.argsort(keys, axis=1)[:, :drawn]
    tilts, ages = np.log([0.5, 2.0]), [1, 3]
    prices = e_values.log_prices(numbers, drawn, tilts)
    fast = e_values.capital(made, numbers, np.array(ages), tilts, prices)
    plain = plain_definitions.capital(made.tolist(), numbers, ages, tilts.tolist(), prices)
    assert fast.tolist() == [pytest.approx(row, abs=1e-9) for row in plain]


def test_the_price_of_a_bet_is_its_mean_over_every_draw() -> None:
    prices = e_values.log_prices(6, 3, np.log([2.0]))
    for size in range(7):
        mean = np.mean([2.0 ** len(set(draw) & set(range(size))) for draw in combinations(range(6), 3)])
        assert math.exp(prices[size, 0]) == pytest.approx(float(mean), rel=1e-12)


def test_neighbours_and_marked_balls_have_the_law_of_every_subset() -> None:
    for n, k in ((7, 3), (6, 4), (5, 1)):
        subsets = list(combinations(range(n), k))
        neighbours = Counter(sum(b - a == 1 for a, b in pairwise(s)) for s in subsets)
        law = balls.neighbour_law(n, k)
        assert [float(p) for p in law] == pytest.approx([neighbours[j] / len(subsets) for j in range(k)])
        marked = Counter(sum(ball < 3 for ball in s) for s in subsets)
        law = balls.marked_law(n, k, 3)
        assert [float(p) for p in law] == pytest.approx([marked[j] / len(subsets) for j in range(k + 1)])


def test_the_mean_of_numbers_with_a_law_is_bounded_by_its_exact_tail() -> None:
    law = np.array([0.25, 0.5, 0.25])  # the sum of 20 of them is a binomial number of 40 coins
    for total in (32, 36):
        exact = sum(math.comb(40, k) for k in range(total, 41)) / 2**40
        counts = np.array([0, 40 - total, total - 20])
        assert 2 * exact <= dispersion.mean_p(counts, law) < 40 * exact


def test_due_numbers_are_found_where_gaps_and_poisson_see_nothing() -> None:
    avoided = scaled.due_avoided(good.aes_ctr, 3, 300_000, 37, 185, 10)
    results = sequences.run(avoided, 37, ["due-numbers", "gap", "poisson"])
    smallest = {r.test: min(r.decided) * len(r.decided) for r in results if isinstance(r, TestResult)}
    assert smallest["due-numbers"] < 1e-4 < min(smallest["gap"], smallest["poisson"])


@pytest.mark.parametrize(
    ("ranges", "draws"), firsts([((6, 37), (BALLS,)), ((2, 1_000), (KENO,))]), ids=["some", "others"]
)
def test_good_draws_of_every_kind_pass(ranges: tuple[int, ...], draws: tuple[OrderedSample, ...]) -> None:
    for below in ranges:
        results = sequences.run(good.uniform_numbers(good.chacha20, 8, below, 3_000), below, ["due-numbers"])
        assert conclude(results).word == "satisfied"
    for draw in draws:
        made = draw_many(stream(bytes(32), "battery-calibration", draw.size), draw, 2_000)
        assert conclude(balls.run(draw, made, ("compositions", "together", "due-balls"))).word == "satisfied"
    reels = draw_many(stream(bytes(32), "battery-calibration", 77), REELS, 3_000)
    (triples,) = rows.beside(REELS, reels, tests=("column-triples",))
    assert conclude([triples]).word == "satisfied"


def test_good_numbers_make_no_bettor_rich() -> None:
    # 150 samples of 200 numbers: no capital above a hundred in more than its due, 1 % of 8 sets each.
    rich = 0
    for seed in range(150):
        draws = good.uniform_numbers(good.chacha20, 3_000 + seed, 12, 200)
        (result,) = sequences.run(draws, 12, ["due-numbers"])
        assert isinstance(result, TestResult)
        rich += min(result.decided) <= 0.01
    assert rich <= 8


def test_where_every_ball_is_drawn_there_is_nothing_to_wait_for() -> None:
    made = np.tile(np.arange(6, dtype=np.uint8), (200, 1))
    for result in balls.run(OrderedSample(6, 6), made, ("compositions", "together", "due-balls")):
        assert isinstance(result, NotRun)
        assert not result.undecided


def test_capital_and_its_p_value_are_inverse() -> None:
    assert e_values.p_value(math.log(50)) == pytest.approx(0.02)

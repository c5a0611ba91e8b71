"""What rounds come to: each test finds its planted fault, and passes rounds that know nothing of others."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from rng.battery import projections
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.projections import Projection
from rng.battery.result import NotRun, TestResult
from rng.battery.verdict import conclude

ROUNDS = 40_000
LAW = tuple(Fraction(n, 20) for n in (9, 8, 2, 1))
NAMES = ("loses", "wins", "ties", "natural")
TABLES = {"table": (np.arange(ROUNDS) % 8, tuple(f"table {k}" for k in range(1, 9)))}


def rounds(seed: int) -> NDArray[np.int64]:
    """What independent rounds came to."""
    drawn = uniform_numbers(aes_ctr, seed, 20, ROUNDS)
    return np.searchsorted(np.cumsum([9, 8, 2, 1]), drawn, side="right").astype(np.int64)


def of(seen: NDArray[np.int64]) -> Projection:
    return Projection("main", NAMES, LAW, seen)


def smallest(seen: NDArray[np.int64], test: str) -> tuple[float, str]:
    (result,) = (one for one in projections.run([of(seen)], TABLES) if one.test == test)
    assert isinstance(result, TestResult)
    place = int(np.argmin(result.p_values))
    return result.p_values[place] * len(result.p_values), result.labels[place]


def test_rounds_that_know_nothing_of_others_are_satisfied() -> None:
    results = [
        one
        for seed in range(12)
        for one in projections.run([of(rounds(seed)), replace(of(rounds(seed + 100)), name="side")], TABLES)
    ]
    assert {one.test for one in results} == {"between-rounds", "over-time", "by-origin"}
    assert sum(conclude(results[k : k + 3]).word != "satisfied" for k in range(0, len(results), 3)) <= 1


def test_an_outcome_that_never_follows_another_is_found() -> None:
    seen = rounds(1)
    after = np.flatnonzero(seen[:-1] == 3) + 1
    seen[after[seen[after] == 3]] = 0
    assert smallest(seen, "between-rounds")[0] < 1e-6
    assert smallest(seen, "between-rounds")[1] == "main natural, 1 after main natural"


def test_an_outcome_that_repeats_that_of_three_rounds_before_is_found() -> None:
    seen = rounds(2)
    struck = np.flatnonzero(uniform_numbers(aes_ctr, 3, 20, ROUNDS) == 0)
    for place in struck[struck > 2].tolist():
        seen[place] = seen[place - 3]
    p_value, label = smallest(seen, "between-rounds")
    assert p_value < 1e-6
    assert ", 3 after" in label


def test_an_outcome_that_drifts_is_found() -> None:
    seen = rounds(4)
    fading = uniform_numbers(aes_ctr, 5, 1_000, ROUNDS) < 300 * np.arange(ROUNDS) / ROUNDS
    seen[(seen == 1) & fading] = 0
    assert smallest(seen, "over-time")[0] < 1e-6
    assert "wins" in smallest(seen, "over-time")[1] or "loses" in smallest(seen, "over-time")[1]


def test_an_hour_that_runs_cold_is_found() -> None:
    seen = rounds(6)
    part = slice(5 * ROUNDS // 16, 6 * ROUNDS // 16)
    cold = uniform_numbers(aes_ctr, 7, 4, ROUNDS // 16) != 0
    seen[part] = np.where((seen[part] == 3) & cold, 0, seen[part])
    p_value, label = smallest(seen, "over-time")
    assert p_value < 1e-4
    assert label == "parts of the sample, main natural"


def test_a_table_that_wins_more_is_found() -> None:
    seen = rounds(8)
    at_five = TABLES["table"][0] == 4
    changed = at_five & (seen == 1) & (uniform_numbers(aes_ctr, 9, 5, ROUNDS) == 0)
    seen[changed] = 0
    assert smallest(seen, "by-origin")[0] < 1e-6
    assert smallest(seen, "by-origin")[1].endswith("table 5")


def test_few_rounds_say_how_many_are_needed_and_certain_outcomes_are_left_out() -> None:
    few = list(projections.run([of(rounds(1)[:50])]))
    assert all(isinstance(one, NotRun) and one.minimum_sample == projections.LEAST_ROUNDS for one in few)
    certain = Projection("always", ("pays",), (Fraction(1),), np.zeros(500, dtype=np.int64))
    assert list(projections.run([certain])) == []


@pytest.mark.parametrize("chance", [0.05, 0.5])
def test_the_unlikeliest_of_many_counts_is_no_unlikelier_than_stated(chance: float) -> None:
    drawn = uniform_numbers(aes_ctr, 11, 1_000, 200_000).reshape(1_000, 200) < 1_000 * chance
    counts = drawn.reshape(1_000, 8, 25).sum(axis=2).astype(np.int64)
    found = [projections.extremes(row, np.full(8, 25), chance)[0] for row in counts]
    assert np.mean(np.array(found) <= 0.05) <= 0.05 + 3 * (0.05 * 0.95 / 1_000) ** 0.5

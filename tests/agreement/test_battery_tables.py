"""What players meet is tested cell by cell and by bets that no player wins; good decks pass."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rng.battery import cards, cell_sums, dispersion, e_values
from rng.battery.cards import between_rounds, dealt
from rng.battery.cards.decks import DeckShoe
from rng.battery.planted import good, shuffles, tables
from rng.battery.result import TestResult

NEW = ("dealt-pairs", "dealt-triples", "signs-between-rounds", "after-hands")


def plainly(reading: str, seen: tuple[int, ...], groups: int) -> object:
    """What some groups are read as, by its words."""
    four = Counter(seen[:-1]).most_common(1)[0]
    filling = four[1] == 4 and (1 + (seen[-1] == four[0]))
    return {
        "in order": seen,
        "in any order": tuple(sorted(seen)),
        "sum": sum(seen) % groups,
        "alike": sum(a == b for a, b in combinations(seen, 2)),
        "four and the fifth": int(filling),
    }[reading]


@pytest.mark.parametrize("reading", dealt.READINGS)
@pytest.mark.parametrize(("sizes", "places"), [((2, 2, 2), 2), ((3, 2, 1), 3), ((5, 1, 1), 5), ((6, 1), 6)])
def test_law_of_every_reading_is_that_of_every_order(
    reading: str, sizes: tuple[int, ...], places: int
) -> None:
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    orders = list(permutations(groups, places))
    classes = dealt.READINGS[reading](np.array(orders).T, len(sizes)).tolist()
    law = dealt.law(reading, sizes, places)
    assert sum(law) == 1
    assert all(law[number] == Fraction(count, len(orders)) for number, count in Counter(classes).items())
    if reading == "four and the fifth" and places < 5:
        return
    together = set(zip(classes, (plainly(reading, order, len(sizes)) for order in orders), strict=True))
    assert len(together) == len(set(classes)) == len({word for _, word in together})


def test_every_projection_is_counted_where_the_shoe_has_its_groups() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 8, 2_000)
    for name, rows in dealt.WITHIN.items():
        (result,) = cards.run(decks, [name])
        assert isinstance(result, TestResult)
        assert len(result.labels) == len(rows) - (
            name == "hand-compositions"
        )  # ranks of six cards are too many orders
    (after,) = cards.run(decks, ["after-hands"])
    assert isinstance(after, TestResult)
    assert len(after.labels) == len(dealt.AFTER)


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.0, 0.1, 0.5, 1.0]))
def test_cells_have_exact_binomial_tails(hits: int, trials: int, chance: float) -> None:
    hits = min(hits, trials)
    law = [math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(trials + 1)]
    exact = min(1.0, 2 * min(math.fsum(law[: hits + 1]), math.fsum(law[hits:])))
    found = float(cell_sums.two_sided(np.array([hits]), trials, np.array([chance]))[0])
    assert found == pytest.approx(exact, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("trials", "chance"), [(1, 0.3), (6, 0.5), (12, 0.1)])
def test_capital_bet_at_fair_prices_is_worth_its_stake_on_the_average(trials: int, chance: float) -> None:
    # Over every sequence of hits and misses: no betting rule gains from fair draws.
    hits = np.arange(trials + 1)
    capital = np.exp(e_values.log_capital(hits, np.full(trials + 1, trials), np.full(trials + 1, chance)))
    law = special.comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)
    assert float(capital @ law) == pytest.approx(1.0, rel=1e-12)


def test_capital_grows_where_an_event_never_comes() -> None:
    never = float(e_values.log_capital(np.array([0]), np.array([400]), np.array([0.1]))[0])
    assert e_values.p_value(never) < 1e-15


def test_trend_is_bounded_by_its_exact_law() -> None:
    # Two stretches of ten rounds: the score is half the difference of two binomial numbers.
    law = special.comb(10, np.arange(11)) / 2**10
    both = np.outer(law, law)
    for first, second in ((1, 9), (0, 8)):
        reached = sum(both[a, b] for a in range(11) for b in range(11) if b - a >= second - first)
        found = dispersion.trend_p(np.array([first, second]), np.array([10.0, 10.0]), 0.5)
        assert 2 * reached <= found < 40 * reached


def test_each_new_test_finds_its_fault_and_names_it() -> None:
    rare = tables.withheld(good.aes_ctr, 5, 60_000, 1, 3, tables.is_natural)
    (result,) = cards.run(rare, ["dealt-pairs"])
    assert isinstance(result, TestResult)
    worst = result.labels[int(np.argmin(result.decided))]
    assert worst.startswith("ranks in any order at places 1, 2, such as 1, ")
    follows = good.altered(shuffles.fisher_yates, 15, 7_000, good.later(1), ..., tables.colour_follows)(
        good.aes_ctr, 6, 30_000
    )
    (result,) = cards.run(follows, ["signs-between-rounds"])
    assert isinstance(result, TestResult)
    assert (
        result.labels[int(np.argmin(result.decided))]
        == "suits 1 and 2, place 1 and place 40 of 1 rounds before"
    )


@pytest.mark.slow
def test_good_decks_are_rejected_no_more_often_than_stated() -> None:
    found = dict.fromkeys(NEW, 0)
    for seed in range(120):
        for result in cards.run(shuffles.fisher_yates(good.chacha20, 400 + seed, 150), list(NEW)):
            assert isinstance(result, TestResult)
            found[result.test] += min(result.decided) * len(result.decided) <= 0.05
    for name, count in found.items():
        assert special.bdtrc(count - 1, 120, 0.05) > 1e-3 if count else True, name


def test_halves_are_only_halves() -> None:
    thirteen = cards.shoe_of(13, 4)
    assert set(between_rounds.half_signs(thirteen)) == {"suits 1 and 2", "suits 1 and 3", "suits 1 and 4"}
    assert between_rounds.half_signs(DeckShoe(21)) == {}

"""Cards and hands: nulls against every order of few cards, faults found cell by cell and by their likelihood."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial

import card_definitions as definitions
import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from scipy import special

from rng.battery import TestResult, cards, cell_sums, dispersion, e_values, projections
from rng.battery.cards import (
    between_rounds,
    dealt,
    kernels,
    nulls,
    permutations as digits,
    positions,
    repeated_decks,
    successive,
)
from rng.battery.cards.decks import DeckShoe, four_suits
from rng.battery.cards.permutations import MEASURES, counts_of
from rng.battery.planted import good, shuffles, tables
from rng.battery.planted.good import aes_ctr
from rng.battery.planted.shuffles import fisher_yates

Statistic = Callable[[Sequence[int]], int]


def all_orders(n: int) -> NDArray[np.uint8]:
    return np.array(list(permutations(range(n))), dtype=np.uint8)


def census(statistic: Statistic, n: int, classes: int) -> tuple[int, ...]:
    values = [statistic(deck) for deck in permutations(range(n))]
    return tuple(values.count(value) for value in range(classes))


@pytest.mark.parametrize("n", range(2, 8))
@pytest.mark.parametrize(
    ("statistic", "null"),
    [
        (definitions.fixed_points, nulls.fixed_points),
        (definitions.inversions, nulls.inversions),
        (definitions.descents, nulls.descents),
        (lambda deck: definitions.rising_sequences(deck) - 1, nulls.descents),
        (definitions.successions, nulls.successions),
    ],
    ids=["fixed points", "inversions", "descents", "rising", "successions"],
)
def test_null_counts_every_order(
    statistic: Statistic, null: Callable[[int], tuple[int, ...]], n: int
) -> None:
    assert null(n) == census(statistic, n, len(null(n)))


@pytest.mark.parametrize("n", range(2, 8))
def test_the_law_of_neighbours_counts_every_order(n: int) -> None:
    line, step = [0] * n, list(range(n))
    counts = census(lambda deck: definitions.neighbours(deck, line, step), n, n)
    assert repeated_decks.neighbour_law((n,)).probabilities == nulls.counted_law(counts).probabilities


def test_the_sum_of_neighbours_kept_is_bounded_by_its_exact_law() -> None:
    law = repeated_decks.neighbour_law((6,))
    exact = np.ones(1)
    for _ in range(5):
        exact = np.convolve(exact, [float(p) for p in law.probabilities])
    for total in range(exact.size):
        tail = 2 * min(exact[: total + 1].sum(), exact[total:].sum())
        assert between_rounds.total_p(total, 5, law) >= min(1.0, tail) * (1 - 1e-9)


def test_a_deck_is_named_by_the_places_of_the_deck_before() -> None:
    decks = fisher_yates(aes_ctr, 9, 20_000, 8)
    named = np.concatenate(list(between_rounds.relative(decks)))
    assert len(named) == len(decks) - 1
    for t in (0, 1, 16_383, 16_384, 19_998):
        assert [decks[t].tolist().index(card) for card in decks[t + 1]] == named[t].tolist()


@pytest.mark.parametrize(
    "null",
    [nulls.fixed_points, nulls.inversions, nulls.descents, nulls.successions],
)
def test_null_of_forty_cards_counts_all_orders(null: Callable[[int], tuple[int, ...]]) -> None:
    assert sum(null(40)) == factorial(40)


def test_moments_of_forty_cards() -> None:
    # Means and variances of the literature: 1 and 1; n(n-1)/4 and n(n-1)(2n+5)/72; (n-1)/2 and (n+1)/12.
    laws = [nulls.counted_law(null(40)) for null in (nulls.fixed_points, nulls.inversions, nulls.descents)]
    assert [law.mean for law in laws] == [1, 390, Fraction(39, 2)]
    assert [law.variance for law in laws] == [1, Fraction(40 * 39 * 85, 72), Fraction(41, 12)]


@pytest.mark.parametrize("n", [6, 130])
def test_compiled_loops_equal_definitions(n: int) -> None:
    decks = fisher_yates(aes_ctr, 11, 60, n)
    plain = [deck.tolist() for deck in decks]
    assert kernels.inverse(decks).tolist() == [definitions.inverse(deck) for deck in plain]
    assert kernels.fisher_yates_draws(decks).tolist() == [definitions.fisher_yates_draws(d) for d in plain]
    assert kernels.lehmer_code(decks).tolist() == [definitions.lehmer_code(deck) for deck in plain]
    assert MEASURES["inversions"](decks).tolist() == list(map(definitions.inversions, plain))
    assert MEASURES["descents"](decks).tolist() == list(map(definitions.descents, plain))
    rising = MEASURES["rising sequences"](decks) + 1
    assert rising.tolist() == list(map(definitions.rising_sequences, plain))


def test_tables_equal_plain_counting() -> None:
    decks = fisher_yates(aes_ctr, 12, 50, 8)
    plain = [deck.tolist() for deck in decks]
    counts = positions.position_counts(decks)
    assert all(
        counts[i, card] == sum(deck[i] == card for deck in plain) for i in range(8) for card in range(8)
    )


def test_lehmer_code_and_draws_take_every_value_once() -> None:
    codes = {tuple(definitions.lehmer_code(deck)) for deck in permutations(range(6))}
    draws = {tuple(definitions.fisher_yates_draws(deck)) for deck in permutations(range(6))}
    assert codes == set(product(*(range(6 - i) for i in range(6))))
    assert draws == set(product(*(range(i + 1) for i in range(6))))


def covariance_spectrum(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Eigenvalues of the exact covariance of a vector over equally likely outcomes."""
    centred = vectors - vectors.mean(axis=0)
    return np.linalg.eigvalsh(centred.T @ centred / len(vectors))


def assert_chi_square(vectors: NDArray[np.float64], freedom: int) -> None:
    """A quadratic form is chi-square in the limit exactly if the spectrum is 1 (df times) and 0."""
    spectrum = covariance_spectrum(vectors)
    assert np.allclose(spectrum[-freedom:], 1.0)
    assert np.allclose(spectrum[:-freedom], 0.0, atol=1e-9)


@pytest.mark.parametrize("n", [3, 5, 6])
def test_position_table_is_chi_square_after_correction(n: int) -> None:
    indicators = (all_orders(n)[:, :, None] == np.arange(n)).reshape(-1, n * n)
    assert_chi_square(indicators * np.sqrt(n * (n - 1) / n), (n - 1) ** 2)
    mean = np.mean([positions.table_statistic(deck.reshape(n, n).astype(np.int64)) for deck in indicators])
    assert mean == pytest.approx((n - 1) ** 2)


def test_group_table_is_chi_square_after_correction() -> None:
    n, groups = 6, 3
    decks = all_orders(n) // 2
    table = (decks[:, :, None] == np.arange(groups)).reshape(-1, n * groups)
    # Expectation of a cell is 2/6; the statistic is (n-1)/n · sum (O - E)²/E.
    assert_chi_square(table * np.sqrt((n - 1) / n * 3), (n - 1) * (groups - 1))


def test_whole_deck_serial_product_has_the_stated_variance() -> None:
    n = 5
    centred = all_orders(n) - (n - 1) / 2
    products = centred @ centred.T
    sigma = (n * n - 1) / 12
    assert products.mean() == pytest.approx(0)
    assert products.var() == pytest.approx(n * n * sigma**2 / (n - 1))
    assert products.var() == pytest.approx(successive.whole_deck_variance(n))


def test_matches_of_independent_orders_are_distributed_like_fixed_points() -> None:
    orders = all_orders(5)
    counts = np.zeros(6, dtype=np.int64)
    for deck in orders[::7]:
        counts += np.bincount((orders == deck).sum(axis=1), minlength=6)
    assert tuple(counts // len(orders[::7])) == nulls.fixed_points(5)
    assert tuple(counts_of(orders, "fixed points", 6)) == nulls.fixed_points(5)


def test_inversions_tell_even_orders_from_odd_ones_and_there_are_as_many() -> None:
    values = MEASURES["inversions"](all_orders(6))
    even = [(6 - definitions.cycles(deck)) % 2 == 0 for deck in permutations(range(6))]
    assert (values % 2 == 0).tolist() == even
    assert sum(even) == 360


# What players meet is tested cell by cell and by bets that no player wins; good decks pass.


def plainly(reading: str, seen: tuple[int, ...], groups: int) -> object:
    """What some groups are read as, by its words."""
    four = Counter(seen[:-1]).most_common(1)[0]
    filling = four[1] == 4 and (1 + (seen[-1] == four[0]))
    return {
        "in order": seen,
        "in any order": tuple(sorted(seen)),
        "sum": sum(seen) % groups,
        "difference": (seen[0] - seen[-1]) % groups,
        "alike": sum(a == b for a, b in combinations(seen, 2)),
        "four and the fifth": int(filling),
    }[reading]


@pytest.mark.parametrize("reading", projections.READINGS)
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize(
    ("sizes", "places"), [((2, 2, 2), 2), ((3, 2, 1), 3), ((1, 1, 1), 4), ((5, 1, 1), 5), ((6, 1), 6)]
)
def test_law_of_every_reading_is_that_of_every_order(
    reading: str, replaced: bool, sizes: tuple[int, ...], places: int
) -> None:
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    every = list(product(groups, repeat=places) if replaced else permutations(groups, places))
    if not every:
        return
    shape = (len(sizes),) * places
    classes = projections.READINGS[reading](np.array(every).T, shape).tolist()
    ways, total = projections.ways_of(reading, (sizes,) * places, replaced=replaced)
    assert total == len(every) == ways.sum()
    assert Counter(classes) == {number: count for number, count in enumerate(ways.tolist()) if count}
    if reading == "four and the fifth" and places < 5:
        return
    together = set(zip(classes, (plainly(reading, order, len(sizes)) for order in every), strict=True))
    assert len(together) == len(set(classes)) == len({word for _, word in together})


@pytest.mark.parametrize("lag", [1, 2])
@pytest.mark.parametrize("spared", [0.0, 1.0])
def test_what_follows_a_condition_is_no_unlikelier_than_stated_over_every_sequence(
    monkeypatch: pytest.MonkeyPatch, lag: int, spared: float
) -> None:
    # The condition is what follows: how often it is met depends on what came after it before.
    monkeypatch.setattr(projections, "SPARED", spared)
    law = np.array([0.7, 0.3])
    found = []
    for sequence in product(range(2), repeat=11):
        seen = np.array(sequence)
        found.append((projections.after(seen, law, seen, law, lag)[0], float(law[seen].prod())))
    for level in {p_value for p_value, _ in found}:
        assert math.fsum(chance for p_value, chance in found if p_value <= level) <= level * (1 + 1e-9)
    assert min(found)[0] < 0.25


def test_every_projection_is_counted_where_the_shoe_has_its_groups() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 8, 2_000)
    for name, rows in dealt.LISTS.items():
        (result,) = cards.run(decks, [name])
        assert isinstance(result, TestResult)
        assert len(result.labels[0].split()) <= 24
        assert result.parameters["rows"] == len(rows(four_suits(40)) if callable(rows) else rows)


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
        == "suits 1 and 2 at place 1, equal to suits 1 and 2 at place 1 from the end of 1 before"
    )


def test_halves_are_only_halves() -> None:
    thirteen = cards.shoe_of(13, 4)
    halved = {name for name in dealt.HALVES if dealt.groups_of(thirteen, name)}
    assert halved == {"suits 1 and 2", "suits 1 and 3", "suits 1 and 4"}
    assert not any(dealt.groups_of(DeckShoe(21), name) for name in dealt.HALVES)


# Faults of a known form are found by their likelihood ratio, and no fault of one digit is pooled away.


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

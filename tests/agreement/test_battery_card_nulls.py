"""The null distributions of the card tests, against every order of few cards and against textbook definitions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import card_definitions as definitions
import numpy as np
import pytest
from numpy.typing import NDArray

from rng.battery.cards import between_rounds, kernels, nulls, positions, successive
from rng.battery.cards.permutations import MEASURES, counts_of, successor_statistic, successor_table
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
    assert between_rounds.neighbour_law(n).probabilities == nulls.probabilities(counts)


def test_the_sum_of_neighbours_kept_is_bounded_by_its_exact_law() -> None:
    law = between_rounds.neighbour_law(6)
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
    assert nulls.mean_and_variance(nulls.fixed_points(40)) == (1, 1)
    assert nulls.mean_and_variance(nulls.inversions(40)) == (390, Fraction(40 * 39 * 85, 72))
    assert nulls.mean_and_variance(nulls.descents(40)) == (Fraction(39, 2), Fraction(41, 12))


@pytest.mark.parametrize("n", [6, 40])
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
    pairs = positions.pair_tables(decks, tuple(range(8)))
    followers = successor_table(decks)
    plain = [deck.tolist() for deck in decks]
    places = [(i, j) for i in range(8) for j in range(i + 1, 8)]
    for (pair, (i, j)), a, b in product(enumerate(places), range(8), range(8)):
        assert pairs[pair, a, b] == sum(deck[i] == a and deck[j] == b for deck in plain)
    for a, b in product(range(8), range(8)):
        neighbours = [(deck[i - 1], deck[i]) for deck in plain for i in range(8)]
        assert followers[a, b] == neighbours.count((a, b))
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


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_successor_table_is_chi_square(n: int) -> None:
    orders = all_orders(n)
    tables = np.zeros((len(orders), n, n))
    rows = np.arange(len(orders))
    for i in range(n):
        tables[rows, orders[:, i - 1], orders[:, i]] = 1
    upper = np.triu_indices(n, 1)
    p, q = 1 / (n - 1), 1 / ((n - 1) * (n - 2))
    sums = (tables + tables.transpose(0, 2, 1))[:, *upper] / np.sqrt(2 * p)
    differences = (tables - tables.transpose(0, 2, 1))[:, *upper] / np.sqrt(2 * p + 4 * q)
    _, freedom = successor_statistic(np.zeros((n, n), dtype=np.int64), 1)
    whitened = np.concatenate([sums, differences], axis=1)
    assert_chi_square(whitened, freedom)
    # The statistic itself is the squared length of that, less its mean, on every single order.
    lengths = np.square(whitened - whitened.mean(axis=0)).sum(axis=1)
    for deck, length in zip(orders[:: n + 1], lengths[:: n + 1], strict=True):
        counts = successor_table(deck[None].astype(np.uint8))
        assert successor_statistic(counts, 1)[0] == pytest.approx(length)


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


def test_pair_probabilities_over_every_order() -> None:
    decks = all_orders(8)[:: 8 * 7]  # any share will do for the shape; the exact counts follow
    exact = positions.pair_probabilities((0, 0, 0, 0, 1, 1, 1, 1))
    pairs = [(a // 4, b // 4) for a, b in permutations(range(8), 2)]
    for a, b in product(range(2), range(2)):
        assert exact[a, b] == pytest.approx(pairs.count((a, b)) / len(pairs))
    assert (
        positions.pair_tables(decks, (0, 0, 0, 0, 1, 1, 1, 1)).sum(axis=(1, 2)).tolist() == [len(decks)] * 28
    )

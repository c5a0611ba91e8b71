"""What repeats or avoids something drawn a little before: counts by their plain definitions, nulls by counting."""

from __future__ import annotations

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rng.battery import balls, e_values, rows
from rng.battery.cards import between_rounds
from rng.battery.cards.decks import DeckShoe
from rng.battery.planted import good
from rng.battery.result import TestResult
from rng.battery.sequences import lagged, waiting
from rng.battery.words import after_bytes, agreements, exclusive_ors, weights_p
from rng.draws import Integer, OrderedSample, Product, Repetition


@given(st.integers(2, 9), st.lists(st.integers(0, 8), min_size=6, max_size=30))
def test_sums_of_three_are_those_of_their_definition(below: int, drawn: list[int]) -> None:
    values = [number % below for number in drawn]
    found = lagged.three_counts(np.array(values), below, 5)
    pairs = [(j, k) for j in range(1, 6) for k in range(j + 1, 6)]
    signs = [(1, 1)] if below == 2 else [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    for pair, (j, k) in enumerate(pairs):
        for sign, (near, far) in enumerate(signs):
            seen = Counter(
                (values[i] + near * values[i - j] + far * values[i - k]) % below
                for i in range(5, len(values))
            )
            assert found[pair, sign].tolist() == [seen[value] for value in range(below)]


@pytest.mark.parametrize("below", [3, 6, 37, 40, 128])
@pytest.mark.parametrize("size", [50, 3_000])
def test_sums_of_two_are_those_of_their_definition(
    monkeypatch: pytest.MonkeyPatch, below: int, size: int
) -> None:
    # Of 3,000 numbers several blocks are made, as of the largest samples.
    monkeypatch.setattr(lagged, "SIZE", 1 << 10)
    values = good.uniform_numbers(good.aes_ctr, size + below, below, size).astype(np.int64)
    lags = 20
    differences, sums, blocks, length = lagged.two_counts(values, below, lags)
    assert blocks == (1 if size == 50 else 3)
    cut = values[: blocks * length].reshape(blocks, length)
    for lag in range(1, lags + 1):
        for found, signed in (
            (differences, cut[:, lag:] - cut[:, :-lag]),
            (sums, cut[:, lag:] + cut[:, :-lag]),
        ):
            assert found[lag - 1].tolist() == np.bincount(signed.ravel() % below, minlength=below).tolist()


@pytest.mark.parametrize("below", [2, 3])
def test_a_value_of_a_sum_is_binomial_over_every_sequence(below: int) -> None:
    size, farthest = 7, 3
    trials = size - farthest
    laws: dict[tuple[int, int, int], Counter[int]] = {}
    for values in product(range(below), repeat=size):
        counts = lagged.three_counts(np.array(values), below, farthest)
        for at, count in np.ndenumerate(counts):
            laws.setdefault(at, Counter())[int(count)] += 1  # type: ignore[arg-type]
    for law in laws.values():
        for count in range(trials + 1):
            chance = math.comb(trials, count) * (below - 1) ** (trials - count) / below**trials
            assert law[count] / below**size == pytest.approx(chance)


def test_bets_on_streaks_are_worth_their_stake_on_the_average_of_every_sequence() -> None:
    capital = np.zeros(waiting.LONGEST)
    for signs in product((-1.0, 1.0), repeat=11):
        cases, went_on = waiting.continued(np.array(signs, dtype=np.float32))
        capital += np.exp(e_values.log_capital(went_on, cases, np.full(waiting.LONGEST, 0.5)))
    assert capital / 2**11 == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("below", [3, 4, 36, 37])
def test_the_inner_half_is_as_large_as_the_outer(below: int) -> None:
    signs = waiting.inner_half(np.arange(below, dtype=np.uint64), below)
    assert signs.sum() == 0
    assert np.count_nonzero(signs == 0) == below % 2


def test_bets_on_cards_apart_are_worth_their_stake_on_the_average_of_every_order() -> None:
    groups, tilts = np.array([0, 0, 1, 1, 1, 2]), np.log(e_values.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(7), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    won = [
        np.exp(between_rounds.capital(np.array([order], dtype=np.uint8), groups, sizes, tilts, prices, 5))
        for order in permutations(range(6))
    ]
    assert np.mean(won, axis=0) == pytest.approx(1.0, rel=1e-9)


def test_bets_on_cards_apart_are_those_placed_one_by_one() -> None:
    groups, tilts = np.arange(30) % 4, np.log(e_values.TILTS)
    sizes = np.bincount(groups)
    share = np.arange(sizes.max() + 1)[:, None] / np.maximum(np.arange(31), 1)[None, :]
    prices = np.log1p(np.minimum(share, 1.0)[:, :, None] * np.expm1(tilts))
    decks = np.argsort(good.aes_ctr(6, 20 * 30).reshape(20, 30), axis=1).astype(np.uint8)
    won = np.zeros((7, tilts.size))
    for deck in decks:
        left = sizes.copy()
        for place, group in enumerate(groups[deck]):
            for apart in range(1, min(place, 7) + 1):
                before = groups[deck[place - apart]]
                won[apart - 1] += tilts * (before == group) - prices[left[before], 30 - place]
            left[group] -= 1
    assert between_rounds.capital(decks, groups, sizes, tilts, prices, 7) == pytest.approx(won, rel=1e-9)


def test_packs_laid_on_each_other_are_seen_and_ranks_alone_make_no_faces() -> None:
    shoe = DeckShoe(24, ranks=tuple(range(12)) * 2, suits=(0, 1) * 12)
    decks = np.argsort(good.aes_ctr(5, 200 * 12).reshape(200, 12), axis=1).astype(np.uint8)
    result = between_rounds.equal_runs_apart(np.hstack([decks, decks + 12]).astype(np.uint8), shoe)
    assert result.p_values[0] < 1e-100
    assert result.labels[0] == "ranks alike, 12 apart"
    assert len(set(between_rounds.faces(shoe))) == 12


@pytest.mark.parametrize(("columns", "below"), [(3, 6), (4, 3), (5, 2)])
def test_patterns_of_equal_numbers_have_the_law_of_every_row(columns: int, below: int) -> None:
    every = np.array(list(product(range(below), repeat=columns)), dtype=np.uint8)
    counted = rows.counts_of(every)
    law = rows.patterns(columns, below)
    assert sum(law.values()) == pytest.approx(1.0)
    for pattern, chance in law.items():
        assert counted[pattern] / len(every) == pytest.approx(chance)


def test_columns_alike_need_one_range_and_three_columns() -> None:
    two, mixed = Repetition(Integer(6), 2), Product((Integer(6), Integer(6), Integer(7)))
    few = np.zeros((50, 3), dtype=np.uint8)
    assert rows.beside(two, few[:, :2], tests=[rows.NAME]) == ()
    assert rows.beside(mixed, few, tests=[rows.NAME]) == ()
    (short,) = rows.beside(Repetition(Integer(6), 3), few, tests=[rows.NAME])
    assert short.minimum_sample == rows.LEAST_ROWS  # type: ignore[union-attr]


@pytest.mark.parametrize("held", [1 << 23, 1_500])
def test_balls_in_common_are_counted_lag_by_lag(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    # Of two hundred draws all at once, and seventy-five in a piece.
    monkeypatch.setattr(balls, "HELD", held)
    draw = OrderedSample(20, 5)
    drawn = np.argsort(good.aes_ctr(3, 200 * 20).reshape(200, 20), axis=1)[:, :5].astype(np.uint8)
    found = balls.in_common(draw, drawn, 16)
    for lag in range(1, 17):
        common = Counter(len({*drawn[i]} & {*drawn[i - lag]}) for i in range(lag, 200))
        assert found[lag - 1].tolist() == [common[balls_] for balls_ in range(6)]


@given(st.binary(min_size=24, max_size=80))
def test_relations_within_words_are_those_of_their_definition(data: bytes) -> None:
    octets = np.frombuffer(data[: len(data) // 8 * 8], dtype=np.uint8)
    bits = np.unpackbits(octets).reshape(-1, 64)
    same, before = agreements(octets)
    cases, ones = after_bytes(octets)
    quarter, words = octets.reshape(-1, 4), np.unpackbits(octets).reshape(-1, 32)
    for a, b in ((0, 1), (17, 63), (5, 5)):
        assert same[a, b] == np.count_nonzero(bits[:, a] == bits[:, b])
        assert before[a, b] == np.count_nonzero(bits[1:, a] == bits[:-1, b])
    for byte in range(4):
        for value in {*quarter[:-1, byte].tolist()}:
            follow = words[1:][quarter[:-1, byte] == value]
            assert cases[byte, value] == len(follow)
            assert ones[byte, value].tolist() == follow.sum(axis=0).tolist()
    xors = exclusive_ors(octets, 3)
    for j, k in ((0, 1), (0, 3), (1, 2), (2, 3)):
        seen = Counter(
            int(octets[i]) ^ (int(octets[i - j]) if j else 0) ^ int(octets[i - k])
            for i in range(3, octets.size)
        )
        assert xors[j, k].tolist() == [seen[value] for value in range(256)]


def test_ones_in_a_word_spread_as_they_should() -> None:
    words = good.aes_ctr(9, 1 << 15)
    assert weights_p(words.view(np.uint8), 32) > 1e-3
    ones = np.bitwise_count(words)
    assert weights_p(words[(ones > 10) & (ones < 22)].view(np.uint8), 32) < 1e-30
    assert weights_p(words[(ones < 13) | (ones > 19)].view(np.uint8), 32) < 1e-30


def test_the_farthest_cell_has_its_exact_tail() -> None:
    p_value, at = lagged.farthest_cell(np.array([[10, 20, 30], [20, 20, 20]]), np.array([60, 60]))
    assert at in (0, 2)
    exact = 6 * 2 * float(special.bdtrc(29, 60, 1 / 3))
    assert p_value == pytest.approx(min(exact, 6 * 2 * float(special.bdtr(10, 60, 1 / 3))))


def test_what_is_planted_is_named() -> None:
    draw = Repetition(Integer(24), 5)
    made = np.stack([good.uniform_numbers(good.aes_ctr, 80 + i, 24, 40_000) for i in range(5)], axis=1)
    made[2:400, 2] = made[:398, 1]
    (_, matches) = rows.column_pairs(draw, made)
    assert isinstance(matches, TestResult)
    assert matches.labels[-1] == "column 3 and column 2 of 2 before"
    assert matches.p_values[-1] < 1e-20

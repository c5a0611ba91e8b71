"""Tests that name a known generator or its next outputs, against the generators themselves and good numbers."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import plain_definitions
import pytest
from hypothesis import given, strategies as st
from scipy import special

from certify.model import Label
from rng.battery import cards, conclude
from rng.battery.planted import known
from rng.battery.planted.good import Output, aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.sequences import (
    congruential,
    lattices,
    linear,
    recognised,
)
from rng.battery.sequences.draws import IntegerDraws

LABEL = get_args(Label)[1]


@given(st.lists(st.lists(st.integers(-50, 50), min_size=4, max_size=4), min_size=4, max_size=4))
def test_a_reduced_basis_spans_the_same_lattice_with_short_vectors(rows: list[list[int]]) -> None:
    volume = round(np.linalg.det(np.array(rows, dtype=float)))
    if volume == 0:
        return
    short = lattices.reduced(rows)
    assert abs(round(np.linalg.det(np.array(short, dtype=float)))) == abs(volume)
    inside = np.linalg.solve(np.array(rows, dtype=float).T, np.array(short, dtype=float).T)
    assert np.allclose(inside, np.rint(inside), atol=1e-6)
    # |b1| <= 2^(3/4) · volume^(1/4) (Cohen, theorem 2.6.2).
    assert np.linalg.norm(short[0]) <= 2**0.75 * abs(volume) ** 0.25 + 1e-9


def made_by(generator: congruential.Congruential, ranges: list[int], every: int = 1) -> list[int]:
    state, values = 987_654_321 % generator.m, []
    for below in ranges:
        values.append(generator.number(state, below))
        for _ in range(every):
            state = generator.following(state)
    return values


@pytest.mark.parametrize("below", [37, 52])
@pytest.mark.parametrize("generator", congruential.GENERATORS, ids=lambda generator: generator.name)
def test_the_state_of_a_known_generator_is_found(generator: congruential.Congruential, below: int) -> None:
    size, ranges = congruential.LEAST_DRAWS, (below,) * congruential.LEAST_DRAWS
    values = made_by(generator, [below] * (congruential.ATTEMPTS * size + 3))
    if generator.absolute:
        # Only the lowest bit of a number says something of a state, whose sign is not known.
        found = [*congruential.sought(values[:size], ranges, [generator])]
        assert [one.p_value < 1e-12 for one in found] == [True] * (below % 2 == 0)
        return
    for attempt in range(congruential.ATTEMPTS):
        (one,) = congruential.sought(values[attempt * size :][:size], ranges, [generator])
        if one.p_value < congruential.CERTAIN:
            break
    coming = ", ".join(map(str, values[-3:]))
    assert one.told(attempt * size, ranges, len(values) - 3).endswith(
        f"after {len(values) - 3} come {coming}"
    )


@pytest.mark.parametrize("below", [37, 40])
@pytest.mark.parametrize(
    ("name", "words"), [(linear.MERSENNE, known.mt19937), (linear.MERSENNE_OF_PHP_5, known.php_5_mt_rand)]
)
def test_halves_that_a_twister_will_give_are_named(
    name: str, words: Callable[[int, int], Output], below: int
) -> None:
    values = known.scaled(words(3_000_000_001, 31_000), 32, below)
    (label,) = (
        one for one in linear.run(IntegerDraws(values[:30_000], below)).labels if one.startswith(name)
    )
    coming = label.rpartition(": ")[2].split(", ")
    assert len(coming) == linear.NAMED
    for number, half in map(str.split, coming):
        assert half == ("upper" if 2 * int(values[int(number) - 1]) >= below else "lower")


def test_bets_on_copies_and_on_cosines_win_no_more_than_is_fair() -> None:
    every = np.array([*product(range(3), repeat=9)], dtype=np.uint64)
    won = [1 / recognised.copied(row, 3, 1)[0] for row in every]
    relation = recognised.Relation("sum", (2, 1), ())
    lost = [recognised.absolute_p(row, 3, relation) for row in every[::4]]
    for level in (0.01, 0.05, 0.2, 0.5):
        assert np.mean([p <= level for p in won]) <= level
        assert np.mean([p <= level for p in lost]) <= level


@pytest.mark.parametrize("below", [6, 37])
def test_a_generator_that_others_draw_from_as_well_is_named_and_no_other(below: int) -> None:
    taken = np.cumsum(1 + uniform_numbers(aes_ctr, 3, 2, 50_000).astype(np.int64))
    states = known.minstd(77, int(taken[-1]) + 1, 16_807)
    found = dict(congruential.polled(IntegerDraws(known.scaled(states, 31, below)[taken], below)))
    named = [label for label in found if ": state" in label]
    assert [label.partition(",")[0] for label in named] == ["MINSTD 16807"]
    assert states[taken[int(named[0].split()[8].rstrip(",")) - 1]] == int(named[0].split()[5])
    assert min(p for label, p in found.items() if label not in named) > 1e-4


@pytest.mark.parametrize("cards_in_deck", [40, 52])
@pytest.mark.parametrize(
    "name", ["java.util.Random nextInt", "Delphi Random", "Microsoft C rand, modulo", "MINSTD 48271, modulo"]
)
def test_the_state_behind_the_draws_of_a_deck_is_found(name: str, cards_in_deck: int) -> None:
    generator = next(g for g in congruential.GENERATORS if g.name == name)
    ranges = tuple(range(cards_in_deck, 1, -1))
    values = made_by(generator, [*ranges, *ranges[:3]])
    (one,) = congruential.sought(values[: len(ranges)], ranges, [generator])
    assert one.state == 987_654_321 % generator.m
    assert one.told(0, ranges, len(ranges)).endswith(", ".join(map(str, values[-3:])))
    # A generator of another multiplier is not accused.
    other = made_by(replace(generator, a=generator.a + 8), list(ranges))
    assert all(each.p_value > 1e-4 for each in congruential.sought(other, ranges, congruential.GENERATORS))


@pytest.mark.parametrize("step", [2, 5, 8])
@pytest.mark.parametrize(
    "name", ["MINSTD 16807, modulo", "Numerical Recipes, modulo", "Microsoft C rand, scaled"]
)
def test_a_generator_is_found_by_every_so_many_of_its_outputs(name: str, step: int) -> None:
    generator = next(g for g in congruential.GENERATORS if g.name == name)
    ranges = (37,) * congruential.LEAST_DRAWS
    values = made_by(generator, list(ranges), step)
    leap = congruential.leaping(generator, step)
    assert (leap in congruential.LEAPS) == bool(generator.m & (generator.m - 1))
    found, without = (congruential.by_lattice(one, values, ranges) for one in (leap, generator))
    assert found is not None
    assert found.p_value < 1e-90
    assert without is None or without.p_value >= 1e-90


def test_wichmann_and_hill_are_one_congruential_generator() -> None:
    x, y, z = 1_001, 2_002, 3_003
    m = 30269 * 30307 * 30323
    one = next(g for g in congruential.GENERATORS if g.name == "Wichmann and Hill")
    state = (x * 30307 * 30323 + y * 30269 * 30323 + z * 30269 * 30307) % m
    for _ in range(200):
        x, y, z = 171 * x % 30269, 172 * y % 30307, 170 * z % 30323
        state = one.following(state)
        assert one.number(state, 1_000) == math.floor((x / 30269 + y / 30307 + z / 30323) % 1 * 1_000)


def test_good_numbers_follow_a_state_as_seldom_as_stated() -> None:
    generator, ranges = congruential.GENERATORS[8], (20,) * congruential.LEAST_DRAWS
    numbers = uniform_numbers(aes_ctr, 12, 20, 500 * congruential.LEAST_DRAWS).reshape(500, -1).tolist()
    found = [congruential.by_lattice(generator, sample, ranges) for sample in numbers]
    assert all(found)
    assert special.bdtrc(sum(one.p_value <= 0.05 for one in found if one) - 1, 500, 0.05) > 1e-4
    decks = fisher_yates(aes_ctr, 41, 40)
    (result,) = cards.run(decks, ["known-generators"])
    assert conclude([result]).word == "satisfied"


@pytest.mark.parametrize("ranges", [(6, 6, 6, 6, 6, 6, 6, 6), (10, 9, 8, 7, 6, 5, 4, 3)])
def test_states_by_their_lowest_bits_are_those_of_a_search_through_all(ranges: tuple[int, ...]) -> None:
    small = congruential.Congruential("small", 5, 3, 1 << 12, "modulo", dropped=3, powers=True)
    for state in (77, 1_234, 4_001):
        values = []
        for below in ranges:
            values.append(small.number(state, below))
            state = small.following(state)
        spans = [1 if small.scales(below) else min(below & -below, 8) for below in ranges]
        fit = []
        for start in range(1 << 6):
            current, right = start, True
            for value, span in zip(values, spans, strict=True):
                right &= (current >> 3) % span == value % span
                current = (5 * current + 3) % (1 << 12)
            fit += [start] * right
        assert congruential.fitting(small, 6, values, spans) == fit
        arrays = [
            np.array(one, dtype=np.uint64) for one in (values, ranges, [small.shift(b) for b in ranges])
        ]
        whole = {congruential.completed(start, 6, 12, 5, 3, *arrays) for start in fit} - {-1}
        for one in whole:
            for value, below in zip(values, ranges, strict=True):
                assert small.number(one, below) == value
                one = small.following(one)
        assert {-1} < {one % 64 for one in whole} | {-1} <= {*fit, -1}


@pytest.mark.parametrize("begun", [0, 33])
@pytest.mark.parametrize("name", ["V8 Math.random", "LuaJIT math.random"])
def test_what_a_linear_generator_puts_out_next_is_named(name: str, begun: int) -> None:
    v8, luajit = linear.LINEAR
    size, words, tops = (
        linear.LEAST_DRAWS,
        [np.array([seed], np.uint64) for seed in (9**19, 7**22, 5**27, 3**40)],
        [],
    )
    for _ in range(begun + size + 3):
        words, put_out = luajit.following(words)
        tops.append(int(put_out[0]) >> 12)
    made = {
        v8.name: known.v8_random(11, begun + size + 3, 37).tolist(),
        luajit.name: [top * 37 >> 52 for top in tops],
    }
    values = made[name][begun:]
    (label,) = (
        one for one in dict(linear.found_in(values[:size], [37] * size)) if one.startswith(f"{name}: state")
    )
    assert label.endswith(", ".join(map(str, values[-3:])))


def test_equations_are_those_of_their_generators() -> None:
    mask = (1 << 64) - 1
    v8, luajit = linear.LINEAR
    first, second = 0x0123456789ABCDEF, 0xFEDCBA9876543210
    joined = first | second << 64
    for equation in linear.equations(v8, 200):
        x, y = first, second
        first = y
        x ^= x << 23 & mask
        x ^= x >> 17
        second = x ^ y ^ (y >> 26)
        assert (equation & joined).bit_count() % 2 == first >> 63
    state = [0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x0F1E2D3C4B5A6978, 0x8877665544332211]
    joined = sum(word << 64 * place for place, word in enumerate(state))
    for equation in linear.equations(luajit, 200):
        # L'Ecuyer, Mathematics of Computation 68 (1999), 261-269, table 7 (k, q, s of each component).
        for place, (k, q, s) in enumerate(((63, 31, 18), (58, 19, 28), (55, 24, 7), (47, 21, 8))):
            b = ((state[place] << q & mask) ^ state[place]) >> (k - s)
            state[place] = b ^ ((state[place] & mask << (64 - k) & mask) << s & mask)
        top = (state[0] ^ state[1] ^ state[2] ^ state[3]) >> 63
        assert (equation & joined).bit_count() % 2 == top


def test_good_halves_obey_no_generator() -> None:
    for seed in range(4):
        numbers = uniform_numbers(aes_ctr, seed, 37, linear.LEAST_DRAWS).tolist()
        assert set(dict(linear.found_in(numbers, [37] * len(numbers))).values()) == {1.0}


def test_solved_equations_are_those_of_the_definition_and_hold() -> None:
    words = aes_ctr(4, 400).view(np.uint64).reshape(-1, 2)
    masks = [
        upper << 64 | lower for upper, lower in [*(words[:70] & np.uint64(3)).tolist(), *words[:30].tolist()]
    ]
    bits = (aes_ctr(5, 100) >> np.uint32(31)).tolist()
    further, held, _ = linear.solved(masks, bits)
    assert (further, held) == plain_definitions.excess(list(zip(masks, bits, strict=True)))
    assert further >= 66
    state = words[90].tolist()[0] << 64 | 12_345
    right = [(mask & state).bit_count() % 2 for mask in masks]
    assert [(mask & linear.solved(masks, right)[2]).bit_count() % 2 for mask in masks] == right


def test_states_of_known_generators_keep_their_relations() -> None:
    minstd = [(a, 0, known.LARGEST_INT) for a in (16807, 16807**2, 48271, 48271**2)]
    generators = [(0x5DEECE66D, 11, 1 << 48), *minstd]
    for relation, (a, c, m) in zip(recognised.CONGRUENTIAL, generators, strict=True):
        states = [77]
        for _ in range(2_000):
            states.append((a * states[-1] + c) % m)
        lags, times = (0, *relation.lags), (1, *relation.times)
        sums = {
            sum(t * states[i - k] for k, t in zip(lags, times, strict=True)) % m for i in range(1_600, 2_000)
        }
        # The same sum everywhere, and so near a multiple of the modulus that the top bits alone show it.
        assert len(sums) == 1
        assert math.cos(2 * math.pi * sums.pop() / m) > 0.99


@pytest.mark.parametrize("below", [2, 6, 37])
def test_no_other_multiplier_and_no_good_generator_is_taken_for_a_known_one(below: int) -> None:
    others = (
        known.congruential(99, 69621, 0, known.LARGEST_INT, 0, 8_192).astype(np.int64) * below >> 31,
        known.congruential(99, 0x5DEECE66D + 8, 11, 1 << 48, 17, 8_192).astype(np.int64) * below >> 31,
        uniform_numbers(aes_ctr, 31, below, 8_192),
    )
    for numbers in others:
        result = recognised.run_known_lags(IntegerDraws(numbers.astype(np.uint32), below))
        assert min(result.p_values) * len(result.p_values) > 1e-3
        assert [one for one in result.labels if not LABEL.fits(one)] == []

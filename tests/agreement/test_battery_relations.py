"""Relations at any distance: compiled sums and searches equal their definitions, and good numbers keep none."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from representatives import only

from rng.battery import sequences
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.known import congruential
from rng.battery.result import TestResult
from rng.battery.sequences import recognised
from rng.battery.sequences.recognised import Relation
from rng.battery.verdict import conclude

DIRECTED = ["power-of-two-lags", "known-lags", "linear-halves"]


def sums_by_definition(values: list[int], relation: Relation, below: int, moved: int) -> list[int]:
    terms = list(zip(relation.lags, relation.times, strict=True))
    return [
        (values[i] + moved + sum(times * values[i - lag] for lag, times in terms)) % below
        for i in range(relation.lags[0], len(values))
    ]


@pytest.mark.parametrize("below", [2, 3, 40, 1_000, (1 << 63) - 25, 1 << 64])
def test_sums_of_a_relation_equal_their_definition(below: int) -> None:
    values = aes_ctr(6, 400).view(np.uint64) % np.uint64(min(below, (1 << 64) - 1))
    signs = [Relation("two lags", (31, 3), both) for both in product((-1, 1), repeat=2)]
    for relation in (*signs, *(relation for relation, _ in recognised.differences(1_024))):
        if relation.lags[0] < values.size:
            compiled = recognised.sums_of(values, relation, below, below // 5)
            assert compiled.tolist() == sums_by_definition(values.tolist(), relation, below, below // 5)


@pytest.mark.parametrize("bits", [8, 11, 16])
def test_differences_vanish_in_the_bits_that_are_named(bits: int) -> None:
    words = congruential(77, 1_103_515_245, 12_345, 1 << bits, 0, 4_096).astype(np.uint64)
    enough = [relation for relation, reached in recognised.differences(words.size) if reached >= bits]
    assert enough
    for relation in enough:
        assert len(set(recognised.sums_of(words, relation, 1 << bits, 0).tolist())) == 1


@pytest.mark.parametrize("multiplier", [69_069, 1_812_433_253, 2_891_336_453, 22_695_477, 0x5DEECE66D])
@pytest.mark.parametrize("leap", [1, 8])
def test_any_multiplier_of_a_power_of_two_is_found(multiplier: int, leap: int) -> None:
    words = congruential(5, multiplier, 11, 1 << 32, 0, 4_096 * leap)[::leap]
    for below in (6, 37, 52):
        scaled = (words.astype(np.uint64) * np.uint64(below) >> np.uint64(32)).astype(np.uint32)
        for numbers in (scaled, words % np.uint32(below), (words >> np.uint32(16)) % np.uint32(below)):
            (result,) = sequences.run(numbers, below, ["power-of-two-lags"])
            assert isinstance(result, TestResult)
            assert min(result.decided) < 1e-8


def test_the_stretch_without_the_middle_number_is_the_longest() -> None:
    numbers = uniform_numbers(aes_ctr, 8, 37, 4_096).astype(np.uint64)
    stretch = recognised.longest_without(numbers, 18)
    places = [-1, *np.flatnonzero(numbers == 18).tolist(), numbers.size]
    assert stretch.size == max(b - a - 1 for a, b in pairwise(places))
    assert 18 not in stretch.tolist()


@pytest.mark.parametrize("below", only([3, 6, 17, 37, 52, 1_001, 1 << 32], 3, 52, 1_001, 1 << 32))
def test_good_numbers_keep_no_relation(below: int) -> None:
    numbers = uniform_numbers(aes_ctr, 13, below, 40_000)
    assert conclude(sequences.run(numbers, below, DIRECTED)).word == "satisfied"

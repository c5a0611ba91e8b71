"""Seeds of generators of runtimes: what the runtimes themselves draw is found again, good numbers are nobody's."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from rng.battery import sequences
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.known import glibc_random, mt19937
from rng.battery.result import NotRun, TestResult
from rng.battery.sequences import seeds
from rng.battery.verdict import conclude

MASK = (1 << 64) - 1
TWISTER, BY_ARRAY, GLIBC, SPLIT_MIX, PLUS, STAR = seeds.GENERATORS


def split_mix(seed: int, count: int) -> list[int]:
    """SplitMix64 after its definition, in integers of any size."""
    words = []
    for k in range(1, count + 1):
        word = (seed + k * 0x9E3779B97F4A7C15) & MASK
        word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        word = (word ^ (word >> 27)) * 0x94D049BB133111EB & MASK
        words.append(word ^ (word >> 31))
    return words


def xoshiro(seed: int, count: int, *, plus: bool) -> list[int]:
    """xoshiro256++ or xoshiro256** after their definition."""

    def turned(word: int, bits: int) -> int:
        return (word << bits | word >> (64 - bits)) & MASK

    state, words = split_mix(seed, 4), []
    for _ in range(count):
        a, b, c, d = state
        words.append((turned((a + d) & MASK, 23) + a) & MASK if plus else turned(b * 5 & MASK, 7) * 9 & MASK)
        c, d = c ^ a, d ^ b
        state = [a ^ d, b ^ c, c ^ (b << 17 & MASK), turned(d, 45)]
    return words


def drawn(draw: Callable[[], int]) -> list[int]:
    return [draw() for _ in range(seeds.FOLLOWED)]


def foretold(values: Sequence[int], below: int, first: int, count: int) -> set[tuple[str, str, int]]:
    """Generator, way and seed of whatever foretells nearly all numbers."""
    names = [
        (name, seeds.WAYS[way]) for g, name in enumerate(seeds.GENERATORS) for way in seeds.ways_of(g, below)
    ]
    found = seeds.agreements(np.array(values, dtype=np.uint64), below, first, count)
    return {(*name, one.seed) for name, one in zip(names, found, strict=True) if one.numbers > 40}


def test_splitmix_is_the_published_one() -> None:
    """Known answers of the reference program for the seed 1234567 (prng.di.unimi.it/splitmix64.c)."""
    assert split_mix(1_234_567, 3) == [
        6_457_827_717_110_365_317,
        3_203_168_211_198_807_973,
        9_817_491_932_198_370_423,
    ]


@pytest.mark.parametrize("below", [2, 6, 37, 52, 64, 1_000])
def test_what_python_draws_is_found(below: int) -> None:
    seed = 31_337
    python = random.Random(seed)  # noqa: S311 - it is what is looked for
    assert (BY_ARRAY, seeds.WAYS[seeds.TOP_BITS], seed) in foretold(
        drawn(lambda: python.randrange(below)), below, seed - 500, 1_000
    )
    python.seed(seed)
    assert (BY_ARRAY, seeds.WAYS[seeds.TWO_WORDS], seed) in foretold(
        drawn(lambda: int(python.random() * below)), below, seed - 500, 1_000
    )


@pytest.mark.parametrize("below", [2, 6, 37, 64])
def test_what_numpy_draws_is_found(below: int) -> None:
    seed = (1 << 32) - 7
    numbers = np.random.RandomState(seed).randint(0, below, seeds.FOLLOWED).tolist()
    assert (TWISTER, seeds.WAYS[seeds.LOW_BITS], seed) in foretold(numbers, below, seed - 300, 307)


@pytest.mark.parametrize("seed", [0, 1, 20_000, 3_000_000_000])
def test_remainders_and_shares_of_the_twister_and_of_glibc_are_found(seed: int) -> None:
    words = mt19937(seed, seeds.FOLLOWED).astype(np.uint64)
    for numbers, way in (
        (words % np.uint64(37), seeds.REMAINDER),
        ((words >> np.uint64(1)) % np.uint64(37), seeds.REMAINDER_WITHOUT_LAST),
        (words * np.uint64(37) >> np.uint64(32), seeds.SCALED),
    ):
        assert (TWISTER, seeds.WAYS[way], seed) in foretold(numbers.tolist(), 37, seed, 3)
    if 0 < seed < 1 << 31:
        additive = glibc_random(seed, seeds.FOLLOWED).astype(np.uint64)
        found = foretold((additive % np.uint64(37)).tolist(), 37, seed, 3)
        assert {entry[:2] for entry in found} == {(GLIBC, seeds.WAYS[seeds.REMAINDER])}


def test_glibc_gives_its_published_numbers() -> None:
    """The first numbers of ``rand()`` of glibc for the seed 1, printed in many places: 1804289383, 846930886."""
    values = glibc_random(1, seeds.FOLLOWED)
    assert values[:2].tolist() == [1_804_289_383, 846_930_886]
    for seed in (0, 1):  # srand(0) is srand(1)
        assert (GLIBC, seeds.WAYS[seeds.REMAINDER], seed) in foretold(
            (values % 1_000).tolist(), 1_000, seed, 1
        )


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (SPLIT_MIX, split_mix(77, seeds.FOLLOWED)),
        (PLUS, xoshiro(77, seeds.FOLLOWED, plus=True)),
        (STAR, xoshiro(77, seeds.FOLLOWED, plus=False)),
    ],
)
def test_generators_of_64_bits_are_found(name: str, words: list[int]) -> None:
    assert foretold([word % 37 for word in words], 37, 0, 100) == {(name, seeds.WAYS[seeds.REMAINDER], 77)}
    assert foretold([word * 37 >> 64 for word in words], 37, 0, 100) == {(name, seeds.WAYS[seeds.SCALED], 77)}


@pytest.mark.parametrize("below", [2, 6, 37, 52, 1_000, 1 << 32])
def test_good_numbers_are_no_seeds(below: int) -> None:
    numbers = uniform_numbers(aes_ctr, 17, below, 200)
    (result,) = sequences.run(numbers, below, [seeds.NAME])
    assert isinstance(result, TestResult)
    assert conclude([result]).word == "satisfied"
    assert len(result.labels) == len(result.p_values)


def test_parts_of_a_range_find_what_the_whole_finds() -> None:
    values = mt19937(1_000, seeds.FOLLOWED).astype(np.uint64) % np.uint64(6)
    tried = seeds.Seeds(900, 200, "")
    parts = [seeds.agreements(values, 6, *part) for part in tried.parts(33)]
    assert seeds.longest(parts) == seeds.agreements(values, 6, tried.first, tried.count)


def test_words_of_more_than_32_bits_are_not_looked_for() -> None:
    numbers = aes_ctr(17, 400).view(np.uint64) >> np.uint64(24)
    (result,) = sequences.run(numbers, 1 << 40, [seeds.NAME])
    assert isinstance(result, NotRun)

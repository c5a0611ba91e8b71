"""Counts that are too even, relations at any distance, seeds of runtimes: faults found, good numbers passed."""

import math
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise, product

import numpy as np
import plain_definitions
import pytest
from numpy.typing import NDArray

from rng.battery import (
    NotRun,
    TestResult,
    balls,
    cards,
    conclude,
    dispersion,
    from_bytes,
    goodness,
    sequences,
    whole_stream,
)
from rng.battery.cell_sums import (
    CellSum,
    empty_value,
    lower_bound_tail,
    pearson_lower_tail,
    pearson_value,
    worst,
)
from rng.battery.planted import good, known, scaled, shuffles
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.known import congruential, mt19937, php_5_mt_rand
from rng.battery.rows import column_pairs
from rng.battery.sequences import linear, recognised, seeds
from rng.battery.sequences.recognised import Relation
from rng.draws import Integer, OrderedSample, Repetition


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


def test_decks_whose_first_cards_come_from_a_bag_are_found() -> None:
    decks = shuffles.fisher_yates(good.aes_ctr, 33, 2_000).copy()
    wanted = scaled.bag(good.aes_ctr, 34, 2_000, 40, 400)
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
    rows[:, 5] = scaled.bag(good.aes_ctr, 36, 4_000, 49, 490)
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


def fullest(result: TestResult | NotRun) -> tuple[str, float]:
    """The smallest deciding p-value of a result, corrected for their number, and what it is of."""
    assert isinstance(result, TestResult)
    return worst(np.array(result.decided), result.labels)


def classes_from_bag(seed: int, count: int, below: int, classes: int, size: int) -> NDArray[np.uint32]:
    """Numbers that are random within a class, the classes from a bag; a class is a share of the range."""
    within = good.uniform_numbers(good.aes_ctr, seed, below // classes, count)
    return within + scaled.bag(good.aes_ctr, seed + 1, count, classes, size) * (below // classes)


@pytest.mark.parametrize(
    ("numbers", "below", "of"),
    [
        (classes_from_bag(41, 60_000, 36, 2, 100), 36, "2 parts of the range"),
        (classes_from_bag(42, 60_000, 36, 3, 300), 36, "3 parts of the range"),
        (np.cumsum(scaled.bag(good.aes_ctr, 43, 20_000, 37, 3_700)) % 37, 37, "steps"),
    ],
    ids=["halves", "thirds", "steps"],
)
def test_numbers_of_which_only_a_class_or_a_step_is_held_even_are_found(
    numbers: NDArray[np.integer], below: int, of: str
) -> None:
    (result,) = sequences.run(numbers.astype(np.uint32), below, ["dispersion"])
    label, p_value = fullest(result)
    assert p_value < 1e-6
    assert label == f"{of}, blocks of every size"


def test_dice_that_come_to_more_than_half_in_every_second_throw_are_found() -> None:
    rows = good.uniform_numbers(good.aes_ctr, 46, 6, 60_000).reshape(-1, 3)
    more = rows.sum(axis=1) > 7
    half = min(more.sum(), (~more).sum())
    even_rows = np.stack([rows[more][:half], rows[~more][:half]], axis=1).reshape(-1, 3)
    draw = Repetition(Integer(6), 3)
    for thrown, found in ((even_rows, True), (rows, False)):
        (result, _) = column_pairs(draw, thrown)
        label, p_value = fullest(result)
        assert (label == "columns added up, blocks of every size" and p_value < 1e-6) is found


@pytest.mark.parametrize(("label", "fault"), [("ones, blocks of every size", 0), ("trend of ones", 1)])
def test_ones_that_are_balanced_or_drift_are_found(label: str, fault: int) -> None:
    bits = good.uniform_numbers(good.aes_ctr, 47, 1 << 30, 1 << 20)
    if fault:
        ones = bits / (1 << 30) < 0.5 + np.linspace(-0.01, 0.01, bits.size)
    else:
        ones = scaled.bag(good.aes_ctr, 48, bits.size, 2, 4_000) == 1
    (result,) = whole_stream.run(from_bytes(np.packbits(ones).tobytes()), ["word-dispersion"])
    assert fullest(result)[0] == label
    assert fullest(result)[1] < 1e-6


@pytest.mark.parametrize("law", [(1.0,), (1.0, 0.0), (1 - 1e-6, 1e-6)])
def test_of_what_is_certain_or_too_rare_nothing_is_said(law: tuple[float, ...]) -> None:
    assert dispersion.classes_p(np.zeros(1_000, dtype=np.int64), law) == 1.0


# Relations at any distance: compiled sums and searches equal their definitions, and good numbers keep none.


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
    stretch = linear.longest_without(numbers, 18)
    places = [-1, *np.flatnonzero(numbers == 18).tolist(), numbers.size]
    assert stretch.size == max(b - a - 1 for a, b in pairwise(places))
    assert 18 not in stretch.tolist()


# Seeds of generators of runtimes: what the runtimes themselves draw is found again, good numbers are nobody's.


TWISTER, BY_ARRAY, PHP_5 = seeds.GENERATORS


def drawn(draw: Callable[[], int]) -> list[int]:
    return [draw() for _ in range(seeds.FOLLOWED)]


def foretold(values: Sequence[int], below: int, first: int, count: int) -> set[tuple[str, str, int]]:
    """Generator, way and seed of whatever foretells nearly all numbers."""
    names = [(name, seeds.WAYS[way]) for name in seeds.GENERATORS for way in seeds.ways_of(below)]
    found = seeds.agreements(np.array(values, dtype=np.uint64), below, first, count)
    return {(*name, one.seed) for name, one in zip(names, found, strict=True) if one.numbers > 40}


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
def test_remainders_and_shares_of_the_twister_are_found(seed: int) -> None:
    words = mt19937(seed, seeds.FOLLOWED).astype(np.uint64)
    for numbers, way in (
        (words % np.uint64(37), seeds.REMAINDER),
        ((words >> np.uint64(1)) % np.uint64(37), seeds.REMAINDER_WITHOUT_LAST),
        (words * np.uint64(37) >> np.uint64(32), seeds.SCALED),
    ):
        assert (TWISTER, seeds.WAYS[way], seed) in foretold(numbers.tolist(), 37, seed, 3)


@pytest.mark.parametrize("seed", [77, 40_000])
def test_the_twister_of_php_5_is_found(seed: int) -> None:
    # mt_rand(0, 36): the upper 31 bits, scaled.
    numbers = known.scaled(php_5_mt_rand(seed, seeds.FOLLOWED) >> np.uint32(1), 31, 37).tolist()
    assert (PHP_5, seeds.WAYS[seeds.SCALED], seed) in foretold(numbers, 37, seed - 50, 100)


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

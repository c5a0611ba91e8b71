"""The null distributions of the sequence tests and their compiled loops, against enumeration and plain Python."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import plain_definitions
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rng.battery import goodness, lanes
from rng.battery.minimum_counts import rising_probabilities, rising_run_lengths
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.sequences import frequency, lagged, serial, waiting
from rng.battery.sequences.draws import IntegerDraws, class_probabilities, digit_base

digit_lists = st.lists(st.integers(0, 3), max_size=60)


@given(digit_lists)
def test_gap_loop_equals_its_definition(digits: list[int]) -> None:
    compiled = waiting.gap_lengths(np.array(digits, dtype=np.int64), 1, 6)
    assert compiled.tolist() == plain_definitions.gap_lengths(digits, 1, 6)


@given(digit_lists)
def test_coupon_loop_equals_its_definition(digits: list[int]) -> None:
    compiled = waiting.coupon_lengths(np.array(digits, dtype=np.int64), 4, 9)
    assert compiled.tolist() == plain_definitions.coupon_lengths(digits, 4, 9)


@given(digit_lists)
def test_run_loop_equals_its_definition(digits: list[int]) -> None:
    compiled = rising_run_lengths(np.array(digits, dtype=np.uint64), 3)
    assert compiled.tolist() == plain_definitions.rising_run_lengths(digits, 3)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=200))
def test_berlekamp_massey_on_words_equals_lists(bits: list[int]) -> None:
    assert lanes.linear_complexity(np.array(bits, dtype=np.uint8)) == plain_definitions.linear_complexity(
        bits
    )


def test_stretches_of_equal_neighbours_count_every_arrangement() -> None:
    rows = [(sum(row), sum(b > a for a, b in pairwise((0, *row)))) for row in product((0, 1), repeat=9)]
    for equal in range(10):
        seen = [stretches for ones, stretches in rows if ones == equal]
        for stretches in set(seen):
            tails = sum(s <= stretches for s in seen), sum(s >= stretches for s in seen)
            exact = min(1.0, 2 * min(tails) / len(seen))
            assert serial.stretches_p(stretches, equal, 9) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("length", [63, 64, 65, 127, 128, 129, 640, 1000])
def test_berlekamp_massey_at_word_boundaries(length: int) -> None:
    bits = (aes_ctr(length, length) & 1).astype(np.uint8)
    assert lanes.linear_complexity(bits) == plain_definitions.linear_complexity(bits.tolist())


@pytest.mark.parametrize(
    ("size", "distance", "below"),
    [
        (2_000, 0.04, 0.99676943191713676985),
        (16_000, 0.016, 0.99945234913828052085),
    ],
)
def test_kolmogorov_tail_is_that_of_marsaglia_tsang_and_wang(
    size: int, distance: float, below: float
) -> None:
    # J. Statistical Software 8 (2003), no. 18, values of K(n, d) in the comments of its program.
    assert goodness.kolmogorov_tail(distance, size) == pytest.approx(1 - below, rel=1e-6)


@pytest.mark.parametrize("size", [100, 1_000, 60_000])
@pytest.mark.parametrize("scaled", [0.6, 0.9, 1.3, 1.8, 2.3])
def test_kolmogorov_tail_against_the_approximation_of_stephens(size: int, scaled: float) -> None:
    # J. Royal Statistical Society B 32 (1970), table 1: good to a few percent, and a second way.
    root = size**0.5
    stephens = special.kolmogorov((root + 0.12 + 0.11 / root) * scaled / root)
    assert goodness.kolmogorov_tail(scaled / root, size) == pytest.approx(stephens, rel=0.03)


def test_overlaps_are_judged_with_the_degrees_of_that_mean() -> None:
    result = serial.run_overlaps(IntegerDraws(uniform_numbers(aes_ctr, 6, 40, 50_000), 40))
    base = int(result.labels[-1].rsplit(" ", 1)[1])
    assert result.degrees_of_freedom == base**4 - base**3
    # With the degrees of a plain chi-square on tuples each of them would be above 0.9999.
    assert all(0.001 < p < 0.999 for p in result.p_values)


@pytest.mark.parametrize("n", range(1, 12))
def test_linear_complexity_counts_every_sequence(n: int) -> None:
    lengths = [plain_definitions.linear_complexity(list(bits)) for bits in product((0, 1), repeat=n)]
    assert [lengths.count(k) for k in range(n + 1)] == [lanes.complexity_count(n, k) for k in range(n + 1)]
    for last in range(n + 1):
        assert lanes.sum_of_counts(n, 0, last) == sum(length <= last for length in lengths)
        tails = sum(length <= last for length in lengths), sum(length >= last for length in lengths)
        assert lanes.two_sided_p(n, last) == min(1.0, 2 * min(tails) / 2**n)


def test_gap_probabilities_by_enumeration() -> None:
    exact = waiting.gap_probabilities(3, 5)
    firsts = [next((i for i, d in enumerate(digits) if d == 0), 5) for digits in product(range(3), repeat=5)]
    assert list(exact) == [Fraction(firsts.count(r), 3**5) for r in range(6)]


def test_coupon_probabilities_by_enumeration() -> None:
    exact = waiting.coupon_probabilities(3, 7)
    ends = [
        next((t for t in range(3, 7) if len(set(digits[:t])) == 3), 7)
        for digits in product(range(3), repeat=6)
    ]
    assert list(exact) == [Fraction(ends.count(t), 3**6) for t in range(8)]


@pytest.mark.parametrize("base", [2, 3, 4, 6])
def test_poker_probabilities_by_enumeration(base: int) -> None:
    kinds = [len(set(hand)) for hand in product(range(base), repeat=5)]
    exact = waiting.poker_probabilities(base)
    assert exact == [Fraction(kinds.count(r), base**5) for r in range(1, 6)]


@pytest.mark.parametrize("below", [2, 3, 5])
def test_rising_probabilities_by_enumeration(below: int) -> None:
    exact = rising_probabilities(below, 8)
    lengths = []
    for values in product(range(below), repeat=6):
        length = 1
        while length < 6 and values[length] > values[length - 1]:
            length += 1
        lengths.append(length)
    assert list(exact[:5]) == [Fraction(lengths.count(r), below**6) for r in range(1, 6)]
    assert sum(exact) == 1


@pytest.mark.parametrize(("base", "length", "size"), [(2, 2, 8), (2, 3, 8), (3, 2, 6)])
def test_overlap_statistic_has_its_degrees_of_freedom_on_average(base: int, length: int, size: int) -> None:
    total = 0.0
    for digits in product(range(base), repeat=size):
        draws = IntegerDraws(np.array(digits, dtype=np.uint8), base)
        counts = serial.overlapping_counts(draws, base, length)
        assert counts.sum() == size
        total += serial.good_difference(counts, base, length)
    assert total / base**size == pytest.approx(base**length - base ** (length - 1))


@given(st.integers(2, 500), st.integers(2, 60))
def test_digits_are_exactly_uniform(below: int, most: int) -> None:
    base = digit_base(below, most)
    every = IntegerDraws(np.arange(below, dtype=np.uint16), below)
    counts = np.bincount(np.concatenate(list(every.digits(base))), minlength=base)
    assert len(set(counts.tolist())) == 1
    assert counts.sum() >= 0.95 * below or base == 2


@given(st.integers(2, 400), st.integers(2, 50))
def test_class_probabilities_count_every_value(below: int, classes: int) -> None:
    classes = min(classes, below)
    every = IntegerDraws(np.arange(below, dtype=np.uint16), below)
    leading = frequency.leading_counts(every, classes)
    trailing = frequency.trailing_counts(every, classes)
    assert list(class_probabilities(below, classes)) == [Fraction(int(c), below) for c in leading]
    exact = frequency.trailing_probabilities(below, classes)
    assert list(exact) == [Fraction(int(c), below) for c in trailing]


def test_windows_repeat_exactly_when_their_numbers_do() -> None:
    values = np.array([5, 1, 2, 3, 9, 1, 2, 3, 7, 1, 2, 3], dtype=np.uint8)
    assert lagged.repeated_windows(IntegerDraws(values, 10), 3) == 2
    assert lagged.repeated_windows(IntegerDraws(values, 10), 4) == 0


@pytest.mark.parametrize("below", [7, 1 << 20])
def test_correlations_equal_plain_sums(below: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rng.battery.sequences.draws.CHUNK", 300)
    values = uniform_numbers(aes_ctr, 8, below, 1000)
    m = min(below, 1 << 16)
    plain = [2 * (int(v) * m // below) - (m - 1) for v in values]
    draws = IntegerDraws(values, below)
    sums, pairs = serial.lagged_sums(draws)
    for lag, total, count in zip(serial.LAGS, sums, pairs, strict=True):
        assert total == sum(a * b for a, b in zip(plain, plain[lag:], strict=False))
        assert count == 1000 - lag
    assert serial.variance(below) == pytest.approx(sum((2 * k - m + 1) ** 2 for k in range(m)) / m)

"""Null laws and compiled loops of the tests of sequences and streams, against enumeration and plain Python."""

from fractions import Fraction
from itertools import pairwise, permutations, product

import card_definitions as definitions
import numpy as np
import plain_definitions
import pytest
from hypothesis import given, settings, strategies as st
from scipy import special

from rng.battery import NotRun, TestResult, from_bytes, goodness, lanes, whole_stream
from rng.battery.cards import kernels, nulls, repeated_decks, successive
from rng.battery.cards.decks import DeckShoe, first_invalid, four_suits, shoe_of
from rng.battery.minimum_counts import rising_probabilities, rising_run_lengths
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.battery.sequences import (
    frequency,
    lagged,
    serial,
    waiting,
)
from rng.battery.sequences.draws import IntegerDraws, class_probabilities, digit_base
from rng.battery.suite import Test
from rng.errors import SampleError


@pytest.mark.parametrize(
    ("compiled", "plain", "kind", "limits"),
    [
        (waiting.gap_lengths, plain_definitions.gap_lengths, np.int64, (1, 6)),
        (waiting.coupon_lengths, plain_definitions.coupon_lengths, np.int64, (4, 9)),
        (rising_run_lengths, plain_definitions.rising_run_lengths, np.uint64, (3,)),
    ],
)
@given(digits=st.lists(st.integers(0, 3), max_size=60))
def test_loops_equal_their_definitions(compiled, plain, kind, limits, digits) -> None:  # type: ignore[no-untyped-def]
    assert compiled(np.array(digits, dtype=kind), *limits).tolist() == plain(digits, *limits)


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
        total += serial.good_difference(counts, base)
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


# The null laws and compiled loops of the tests between rounds, of known generators and of whole streams.


SHOES = {
    20: four_suits(20),
    40: four_suits(40),
    54: shoe_of(13, 4, jokers=2),
    104: shoe_of(13, 4, decks=2),
    21: DeckShoe(21),
}


def exchanged(deck: list[int]) -> int:
    """The code that a deck shares with its inverse, places and cards exchanged."""
    lower, upper = sorted(
        sum((card + 7) ** 2 * pow(0x9E3779B97F4A7C15, place + 1, 2**64) for place, card in enumerate(order))
        % 2**64
        for order in (deck, definitions.inverse(deck))
    )
    return lower ^ upper * upper % 2**64


@pytest.mark.parametrize("cards", SHOES)
def test_compiled_loops_of_decks_equal_definitions(cards: int) -> None:
    decks, shoe = fisher_yates(aes_ctr, 31, 40, cards), SHOES[cards]
    plain = [deck.tolist() for deck in decks]
    line, step = repeated_decks.lines(shoe)
    measures = [
        [
            definitions.inversions(deck),
            definitions.descents(deck),
            definitions.descents(definitions.inverse(deck)),
            definitions.fixed_points(deck),
            definitions.successions(deck),
            definitions.neighbours(deck, line.tolist(), step.tolist()),
        ]
        for deck in plain
    ]
    found, where = repeated_decks.extremes_of(decks, shoe)
    assert found.tolist() == [
        [min(column) for column in zip(*measures, strict=True)],
        np.max(measures, axis=0).tolist(),
    ]
    assert [measures[t][k] for k, t in enumerate(where[0].tolist())] == found[0].tolist()
    faces, suits = repeated_decks.faces(shoe)
    codes = repeated_decks.codes_of(decks, shoe, 5).tolist()
    forms = [
        definitions.without_cut,
        definitions.without_mirror,
        lambda deck: definitions.without_suits(deck, faces.tolist(), suits.tolist()),
        lambda deck: deck[:5],
        lambda deck: deck[-5:],
    ]
    assert codes[:-1] == [[definitions.code_of(form(deck)) for deck in plain] for form in forms]
    assert codes[-1] == [exchanged(deck) for deck in plain]
    for lag, table in zip((1, 7), successive.lagged_tables(decks, np.array([1, 7])), strict=True):
        assert table.tolist() == definitions.lagged_places(plain, lag)


def test_a_row_that_is_no_deck_is_found_as_by_sorting() -> None:
    decks = fisher_yates(aes_ctr, 3, 30, 20)
    for row, place, card in ((0, 0, 20), (7, 19, 255), (29, 3, int(decks[29, 4]))):
        wrong = decks.copy()
        wrong[row, place] = card
        assert first_invalid(wrong) == row
    assert first_invalid(decks) is None


@pytest.mark.parametrize("lengths", [(3, 3), (6,), (2, 2, 2), (1, 4, 1)])
def test_neighbours_over_every_order(lengths: tuple[int, ...]) -> None:
    line = [name for name, length in enumerate(lengths) for _ in range(length)]
    step = [place for length in lengths for place in range(length)]
    counts = [definitions.neighbours(deck, line, step) for deck in permutations(range(6))]
    assert repeated_decks.line_lengths(np.array(line), np.array(step)) == lengths
    for least in range(6):
        share = sum(count >= least for count in counts) / 720
        kept = repeated_decks.neighbour_law(lengths).probabilities[least:]
        assert float(sum(kept)) == pytest.approx(share)


def test_each_measure_of_one_deck_has_its_exact_tail() -> None:
    ordered = np.array([[0, 0, 0, 6, 5, 5], [0, 0, 0, 6, 5, 5]])
    # Six cards in the order of their ids: one of 720 orders, and twice that where both tails count; forwards and
    # backwards where neighbours may be either way.
    assert repeated_decks.tails(ordered, 6, (6,)) == pytest.approx([2 / 720] * 3 + [1 / 720] * 2 + [2 / 720])


def products_of(blocks, length: int, lags: int) -> lanes.Lagged:
    power = lanes.power_of(blocks, lanes.transform_size(length + lags))
    return lanes.lagged_of(*power, length, lags)


@given(st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=12, max_size=12), min_size=1, max_size=4))
@settings(deadline=None)
def test_products_by_transform_equal_their_definition(blocks: list[list[int]]) -> None:
    found = products_of([np.array(block, dtype=np.float32) for block in blocks], 12, 8)
    assert found.products.tolist() == plain_definitions.lagged(blocks, 8)
    assert found.terms.tolist() == [len(blocks) * (12 - k) for k in range(1, 9)]


def test_products_of_long_sequences_are_exact() -> None:
    signs = 1 - 2 * (aes_ctr(5, 300_000) >> np.uint32(31)).astype(np.int64)
    found = products_of(
        [signs[:150_000].astype(np.float32), signs[150_000:].astype(np.float32)], 150_000, 100_000
    )
    for lag in (1, 2, 999, 77_777, 100_000):
        exact = sum(int((half[:-lag] * half[lag:]).sum()) for half in (signs[:150_000], signs[150_000:]))
        assert found.products[lag - 1] == exact


def test_no_smaller_p_value_than_its_probability_over_every_sequence_of_signs() -> None:
    p_values = []
    for signs in product((-1, 1), repeat=10):
        found = products_of([np.array(signs, dtype=np.float32)], 10, 5)
        p_values.append((lanes.farthest(found)[0], lanes.highest_peak(found)[0]))
    for column in zip(*p_values, strict=True):
        for level in (0.001, 0.01, 0.05, 0.1, 0.3):
            assert np.mean([p <= level for p in column]) <= level


def test_the_strongest_frequency_is_no_stronger_than_stated() -> None:
    rates = [
        lanes.highest_peak(products_of(np.array_split(words.astype(np.float32), 2), 250, 100))[0] <= 0.05
        for words in 1.0 - 2.0 * (aes_ctr(9, 500_000).reshape(1_000, 500) >> np.uint32(31))
    ]
    assert np.mean(rates) <= 0.05 + 3 * (0.05 * 0.95 / 1_000) ** 0.5


@pytest.mark.parametrize("below", [6, 21, 40, 54])
def test_signs_of_numbers_are_balanced(below: int) -> None:
    for sign in (lagged.upper_half, lagged.parity):
        values = sign(np.arange(below, dtype=np.uint64), below)
        assert (values.sum(), (values == 0).sum()) == (0, below % 2)


def test_most_and_least_frequent_numbers_have_exact_tails() -> None:
    samples = list(product(range(3), repeat=5))
    for sample in samples[::7]:
        most = max(sample.count(value) for value in range(3))
        exact = sum(other.count(0) >= most for other in samples) / len(samples)
        assert frequency.most_frequent(most, 5, 3) == pytest.approx(min(1.0, 3 * exact))
        least = min(sample.count(value) for value in range(3))
        below = sum(other.count(0) <= least for other in samples) / len(samples)
        assert frequency.least_frequent(least, 5, 3) == pytest.approx(min(1.0, 3 * below))
    large = np.array([5, 1 << 40, 5, 7, 5], dtype=np.uint64)
    assert sorted(frequency.value_counts(IntegerDraws(large, 1 << 41)).tolist()) == [1, 1, 3]


def test_lanes_of_words_are_every_sixty_fourth_bit() -> None:
    bits = from_bytes(aes_ctr(2, 60).tobytes())
    whole = whole_stream.Whole(bits)
    plain = bits.unpacked()
    for place in (0, 7, 8, 63):
        assert whole.lane(place, 30).tolist() == plain[place::64].tolist()


@pytest.mark.parametrize("test", whole_stream.WHOLE_STREAM, ids=lambda test: test.name)
def test_tests_of_a_whole_stream_run_from_their_minimum_on(test: Test[None, whole_stream.Whole]) -> None:
    bits = from_bytes(aes_ctr(3, 1_000).tobytes())
    least = test.minimum(None)
    assert isinstance(least, int)
    for size in (least, least + 1):
        (result,) = whole_stream.run(bits.segment(0, size), [test.name])
        assert isinstance(result, TestResult)
        assert min(result.p_values) * len(result.p_values) > 1e-3
        assert result.detectable
        assert result.null
    (short,) = whole_stream.run(bits.segment(0, least - 1), [test.name])
    assert isinstance(short, NotRun)
    assert short.minimum_sample == least
    for wrong, said in ((["poker"], "no such test"), ([], "never a pass")):
        with pytest.raises(SampleError, match=said):
            whole_stream.run(bits, wrong)


def test_sum_of_chances_of_every_law_is_one() -> None:
    assert sum(nulls.counted_law(nulls.successions(40)).probabilities) == 1
    assert kernels.mixed_in(np.uint64(0), 5) == definitions.code_of([5])

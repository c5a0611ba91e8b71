"""SP 800-22: compiled kernels, exact constants and laws against readable definitions, direct counts and samples."""

import hashlib
import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sp800_22_definitions as definitions
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, settings, strategies as st
from noise import from_bits
from scipy.fft import rfft
from scipy.stats import chi2

from rng.battery.sp800_22 import fft, linearity, templates, walks
from rng.battery.sp800_22.fft import count_below, split
from rng.battery.sp800_22.linearity import linear_complexities, rank_counts, rank_probability
from rng.battery.sp800_22.nulls import _walk_within, null_of
from rng.battery.sp800_22.ones_and_runs import count_runs, exact_probabilities, longest_runs
from rng.battery.sp800_22.patterns import distance_counts, exact_moments
from rng.battery.sp800_22.sample import BitSample, count_windows
from rng.battery.sp800_22.templates import (
    aperiodic_templates,
    occurrences,
    overlapping_occurrences as overlapping_occurrences,
)
from rng.battery.sp800_22.walks import visit_probabilities

# Sequences with long runs, short periods and no pattern at all, of lengths around word and byte boundaries.
BITS = st.one_of(
    st.lists(st.integers(0, 1), min_size=4, max_size=400),
    st.lists(st.tuples(st.integers(0, 1), st.integers(1, 90)), min_size=1, max_size=12).map(
        lambda runs: [bit for bit, length in runs for _ in range(length)] + [0, 1, 1, 0]
    ),
    st.tuples(st.lists(st.integers(0, 1), min_size=1, max_size=9), st.integers(10, 40)).map(
        lambda pattern: pattern[0] * pattern[1]
    ),
)


def hashed_bits(count: int, label: str) -> list[int]:
    data = b"".join(hashlib.sha256(f"{label} {i}".encode()).digest() for i in range(count // 256 + 1))
    return np.unpackbits(np.frombuffer(data, dtype=np.uint8))[:count].tolist()


@given(BITS, st.integers(2, 150))
def test_ones_in_blocks(bits: list[int], m: int) -> None:
    assert BitSample(from_bits(bits)).blocks(m).sum(axis=1).tolist() == definitions.block_ones(bits, m)


@given(BITS)
def test_ones_and_runs(bits: list[int]) -> None:
    sample = BitSample(from_bits(bits))
    assert (sample.ones, count_runs(sample)) == (sum(bits), definitions.count_runs(bits))


@given(BITS, st.sampled_from([8, 16, 24, 64, 128]))
def test_longest_runs(bits: list[int], m: int) -> None:
    found = longest_runs(BitSample(from_bits(bits)).blocks(m))
    assert found.tolist() == definitions.longest_runs(bits, m)


@given(BITS, st.integers(2, 20), st.integers(2, 20))
def test_matrix_ranks(bits: list[int], rows: int, columns: int) -> None:
    found = rank_counts(BitSample(from_bits(bits)), rows, columns)
    assert found.tolist() == definitions.rank_counts(bits, rows, columns)


def test_matrix_ranks_of_full_size() -> None:
    bits = hashed_bits(40 * 1024, "rank")
    assert rank_counts(BitSample(from_bits(bits)), 32, 32).tolist() == definitions.rank_counts(bits, 32, 32)


@given(BITS)
def test_weak_frequencies(bits: list[int]) -> None:
    bound = len(bits) * math.log(20)
    found = count_below(np.array(bits, dtype=np.uint8), (bound, bound / 2))
    assert found == (definitions.peaks_below(bits, bound), definitions.peaks_below(bits, bound / 2))


@pytest.mark.parametrize("n", [1 << 15, 2 * 129 * 131, 40_000, 66 * 601, 101_010, 32_770, 32_771, 1_000_000])
def test_frequencies_at_the_bound_and_far_from_it_are_counted_as_double_precision_counts_them(n: int) -> None:
    # The second signal repeats itself: a few frequencies hold all its power.
    for bits in (np.array(hashed_bits(n, "spectrum"), dtype=np.uint8), np.resize(hashed_bits(31, "a"), n)):
        spectrum = np.fft.rfft(2.0 * bits - 1)[: n // 2]
        powers = np.sort(spectrum.real**2 + spectrum.imag**2)
        for rank in range(n // 8, n // 2, n // 8):
            for apart in (1e-10, 1.5e-6, 3e-6, 0.3):
                bounds = (powers[rank] * (1 - apart), powers[rank] * (1 - apart / 2))
                assert count_below(bits.astype(np.uint8), bounds) == tuple(np.sum(powers < b) for b in bounds)


def test_lengths_split_into_near_factors() -> None:
    assert (split(1_000_000), split(66 * 601), split(32_771), split(1000)) == (
        (1000, 1000),
        (66, 601),
        None,
        None,
    )


@given(BITS, st.integers(2, 5), st.integers(1, 3))
def test_templates(bits: list[int], m: int, blocks: int) -> None:
    if len(bits) // blocks < m:
        return
    found = occurrences(BitSample(from_bits(bits)), m, blocks)
    for template in aperiodic_templates(m):
        digits = [int(digit) for digit in format(template, f"0{m}b")]
        assert found[:, template].tolist() == definitions.template_occurrences(bits, digits, blocks)


@settings(max_examples=20)
@given(st.integers(5, 16), st.integers(1, 60))
def test_overlapping_templates(m: int, salt: int) -> None:
    # Three of four bits are ones, so that runs of all lengths occur.
    first, second = hashed_bits(2100, f"a{salt}"), hashed_bits(2100, f"b{salt}")
    bits = [a | b for a, b in zip(first, second, strict=True)]
    found = overlapping_occurrences(BitSample(from_bits(bits)).blocks(1032), m)
    assert found.tolist() == definitions.overlapping_occurrences(bits, m, 1032)


@given(BITS, st.integers(1, 7), st.integers(1, 6))
def test_distances(bits: list[int], width: int, start: int) -> None:
    blocks = len(bits) // width - start
    if blocks < 1:
        return
    counts = distance_counts(BitSample(from_bits(bits)).blocks(width), start)
    found = {distance: int(count) for distance, count in enumerate(counts) if count}
    assert found == dict(definitions.pattern_distances(bits, width, start))


@given(BITS, st.integers(1, 150))
def test_linear_complexities(bits: list[int], m: int) -> None:
    found = linear_complexities(BitSample(from_bits(bits)).blocks(m))
    assert found.tolist() == [definitions.linear_complexity(b) for b in definitions.blocks_of(bits, m)]


@pytest.mark.parametrize("m", [500, 511, 512, 513, 1000])
def test_linear_complexities_of_long_blocks(m: int) -> None:
    bits = [0] * m + hashed_bits(3 * m, f"complexity {m}") + [0] * (m - 1) + [1] + [1, 0, 0] * m
    found = linear_complexities(BitSample(from_bits(bits)).blocks(m))
    assert found.tolist() == [definitions.linear_complexity(b) for b in definitions.blocks_of(bits, m)]


@given(BITS, st.integers(1, 9))
def test_patterns_on_a_ring(bits: list[int], m: int) -> None:
    assert BitSample(from_bits(bits)).ring_counts(m).tolist() == definitions.ring_counts(bits, m)


@given(BITS, st.integers(0, 40), st.integers(1, 24))
def test_patterns_from_any_place(bits: list[int], start: int, width: int) -> None:
    places = len(bits) - start - width + 1
    if places < 1:
        return
    counts = count_windows(np.array(bits[start:], dtype=np.uint8), width)
    text = "".join(map(str, bits))
    for place in range(start, start + places):
        counts[int(text[place : place + width], 2)] -= 1
    assert not counts.any()


@given(BITS)
def test_walks(bits: list[int]) -> None:
    found, points = BitSample(from_bits(bits)).walk, [0, *definitions.walk(bits)]
    assert (found.lowest, found.highest, found.end) == (min(points), max(points), points[-1])


@given(BITS)
def test_excursions(bits: list[int]) -> None:
    found = BitSample(from_bits(bits)).walk
    assert found.cycles == len(definitions.cycles(bits))
    for state in (-4, -3, -2, -1, 1, 2, 3, 4):
        assert found.near[state + 4].tolist() == definitions.visits_by_cycle(bits, state)
    for state in range(-9, 10):
        assert found.far[state + 9] == definitions.visits(bits, state)


def test_longest_run_probabilities_by_listing_all_blocks() -> None:
    longest = [max(map(len, format(block, "012b").split("0"))) for block in range(1 << 12)]
    classes = np.bincount(np.clip(longest, 2, 5) - 2) / (1 << 12)
    assert exact_probabilities(12, 2, 5) == tuple(classes)


# The exact constants and laws against direct counts, listings and samples.


def aes_bits(count: int, label: int) -> np.ndarray:  # type: ignore[type-arg]
    cipher = Cipher(algorithms.AES(label.to_bytes(32, "big")), modes.CTR(bytes(16))).encryptor()
    return np.unpackbits(np.frombuffer(cipher.update(bytes(count // 8)), dtype=np.uint8))


def test_linear_complexity_probabilities_by_listing_all_blocks() -> None:
    counts = Counter(definitions.linear_complexity(block) for block in itertools.product((0, 1), repeat=12))
    classes = np.zeros(7)
    for complexity, count in counts.items():
        classes[linearity.class_of(np.array([complexity]), 12)[0]] += count
    assert linearity.exact_probabilities(12) == tuple(classes / 2**12)


@pytest.mark.parametrize("m", [500, 501, 1000, 4999])
def test_linear_complexity_classes_are_those_of_the_formula(m: int) -> None:
    # 2.10.4 (4) and (5), in fractions; 2^-m is left out as it decides nothing.
    mean = Fraction(m, 2) + Fraction(9 + (-1) ** (m + 1), 36)
    for complexity in range(m // 2 - 6, m // 2 + 7):
        t = (-1) ** m * (complexity - mean) + Fraction(2, 9)
        edges = [Fraction(k, 2) for k in (-5, -3, -1, 1, 3, 5)]
        expected = sum(t > edge for edge in edges)
        assert linearity.class_of(np.array([complexity]), m).tolist() == [expected]


def test_overlapping_probabilities_are_those_of_hamano_and_kaneko() -> None:
    found = templates.exact_probabilities(9)
    expected = (0.364091, 0.185659, 0.139381, 0.100571, 0.0704323, 0.139865)
    assert found == pytest.approx(expected, abs=6e-7)


def test_rank_probabilities_by_listing_all_matrices() -> None:
    counts = Counter(definitions.matrix_rank(rows) for rows in itertools.product(range(16), repeat=3))
    for rank, count in counts.items():
        assert rank_probability(rank, 3, 4) == pytest.approx(count / 16**3, rel=1e-12)


def test_excursion_probabilities_sum_to_one_and_are_rounded_by_the_program() -> None:
    for state in range(1, 5):
        assert sum(visit_probabilities(state)) == pytest.approx(1, abs=1e-15)
    assert visit_probabilities(3, "reference")[4] == 0.0160751029


def test_maurer_moments_are_those_of_the_standard_and_of_coron_and_naccache() -> None:
    # Mean and variance: SP 800-22 2.9.4 (5). Correction c at L = 6, 7, 8 and K = 1000 · 2^L: SAC 1998.
    for width, mean, variance, d, e in (
        (6, 5.2177052, 2.954, 0.3489769, 0.3941338),
        (7, 6.1962507, 3.125, 0.3631815, 0.3813210),
        (8, 7.1836656, 3.238, 0.3732189, 0.3730195),
    ):
        blocks = 1000 * 2**width
        found, deviation = exact_moments(width, blocks)
        assert found == pytest.approx(mean, abs=6e-8)
        assert deviation == pytest.approx(math.sqrt((d + e / 1000) * variance / blocks), rel=2e-4)


def test_spectrum_has_the_exact_variance_and_not_the_programs() -> None:
    n, samples = 2048, 20_000
    signal = 2.0 * aes_bits(n * samples, 3).reshape(samples, n) - 1
    below = (np.abs(rfft(signal, axis=1)[:, : n // 2]) ** 2 < n * math.log(20)).sum(axis=1)
    mean, variance = fft.expectation(n, "exact")
    # The sample variance of 20,000 counts has a standard error of one percent.
    assert below.var() / variance == pytest.approx(1, abs=0.04)
    assert below.var() / fft.expectation(n, "reference")[1] > 1.02
    # At finite lengths the law of a squared modulus is not quite exponential: the mean is off by order 1.
    assert abs(below.mean() - mean) < 1


@pytest.mark.parametrize("n", [9, 14])
def test_walk_law_by_listing_all_walks(n: int) -> None:
    farthest = [max(map(abs, definitions.walk(bits))) for bits in itertools.product((0, 1), repeat=n)]
    z = np.arange(1, n + 2, dtype=np.float64)
    expected = [sum(far < reach for far in farthest) / 2**n for reach in z]
    assert _walk_within(n, z) == pytest.approx(np.array(expected), abs=1e-12)


def test_frequency_law_in_whole_numbers() -> None:
    n = 100
    bins, passing = [Fraction(0)] * 10, Fraction(0)
    for ones in range(n + 1):
        p = math.erfc(abs(2 * ones - n) / math.sqrt(2 * n))
        chance = Fraction(math.comb(n, ones), 2**n)
        bins[min(int(10 * p), 9)] += chance
        passing += chance if p >= 0.01 else 0
    null = null_of("frequency", n, 0.01, "reference")
    assert null.bins == pytest.approx([float(b) for b in bins], abs=1e-9)
    assert null.passing == pytest.approx(float(passing), abs=1e-9)


@pytest.mark.parametrize("test", ["frequency", "rank", "fft", "universal", "cumulative-sums", "serial"])
@pytest.mark.parametrize("constants", ["reference", "exact"])
def test_laws_are_laws(test: str, constants: str) -> None:
    null = null_of(test, 1_000_000, 0.01, constants)  # type: ignore[arg-type]
    assert sum(null.bins) == pytest.approx(1, abs=1e-9)
    assert all(0.08 < b < 0.12 for b in null.bins)
    assert null.exact == (test != "serial")
    assert 0.985 < null.passing < 0.995


def test_cumulative_sums_tail_is_a_probability_everywhere() -> None:
    for n in (100, 1001):
        tails = [walks.tail(z, n) for z in range(1, n + 1)]
        assert all(0 <= p <= 1 for p in tails)
        assert all(following <= p + 1e-12 for p, following in itertools.pairwise(tails))


def test_cumulative_sums_tails_of_many_distances_are_those_of_each() -> None:
    z = np.arange(200, 5000, 7)
    each = np.array([walks.tail(int(value), 1_000_000) for value in z])
    assert walks.tails(z / 1000) == pytest.approx(each, abs=1e-13)


def test_mean_number_of_weak_frequencies_is_that_of_their_laws() -> None:
    # The square of frequency 0 over n is chi-square with one degree, twice that of any other with two.
    threshold = math.log(20)
    expected = chi2.cdf(threshold, 1) + 499 * chi2.cdf(2 * threshold, 2)
    assert fft.expectation(1000, "exact")[0] == pytest.approx(expected, rel=1e-12)


def test_the_law_of_runs_is_that_of_all_sequences() -> None:
    n, level = 16, 0.01
    bins, passing = [0] * 10, 0
    for number in range(1 << n):
        bits = [number >> place & 1 for place in range(n)]
        share = sum(bits) / n
        if share in (0.0, 1.0):
            continue
        runs = 1 + sum(a != b for a, b in itertools.pairwise(bits))
        p = math.erfc(abs(runs - 2 * n * share * (1 - share)) / (2 * math.sqrt(2 * n) * share * (1 - share)))
        p = 0.0 if abs(share - 0.5) > 2 / math.sqrt(n) else p
        bins[min(int(10 * p), 9)] += 1
        passing += p >= level
    null = null_of("runs", n, level, "exact")
    assert null.exact
    assert null.bins == pytest.approx([count / sum(bins) for count in bins], abs=1e-12)
    assert null.passing == pytest.approx(passing / sum(bins), abs=1e-12)


@pytest.mark.parametrize("blocks", [1, 2])
def test_the_law_of_block_frequency_is_that_of_its_blocks(blocks: int) -> None:
    bins, passing = [0.0] * 10, 0.0
    every = list(itertools.product(range(129), repeat=blocks))
    p_values = chi2.sf([4 * 128 * sum((k / 128 - 0.5) ** 2 for k in ones) for ones in every], blocks)
    for ones, p in zip(every, p_values.tolist(), strict=True):
        chance = math.prod(math.comb(128, k) for k in ones) / 2 ** (128 * blocks)
        bins[min(int(10 * p), 9)] += chance
        passing += chance * (p >= 0.01)
    null = null_of("block-frequency", 128 * blocks + 5, 0.01, "exact")
    assert null.exact
    assert null.bins == pytest.approx(bins, abs=1e-12)
    assert null.passing == pytest.approx(passing, abs=1e-12)


def test_good_sequences_of_two_thousand_bits_have_uneven_p_values_of_runs_as_their_law_says() -> None:
    # Judged by one tenth each, three of eighteen good samples of 10,000 such sequences were rejected.
    null = null_of("runs", 2_000, 0.01, "exact")
    assert 10_000 * sum((share - 0.1) ** 2 / 0.1 for share in null.bins) > 8

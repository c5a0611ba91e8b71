"""The exact constants and laws against direct counts, listings and samples."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sp800_22_definitions as definitions
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from scipy.fft import rfft
from scipy.stats import chi2

from rng.battery.bits import from_bits
from rng.battery.sp800_22 import fft, linear_complexity, run_streams, templates, walks
from rng.battery.sp800_22.nulls import _walk_within, null_of
from rng.battery.sp800_22.patterns import exact_moments
from rng.battery.sp800_22.rank import rank_probability
from rng.battery.sp800_22.streams import BINS, UNIFORMITY_LEVEL, _uniformity
from rng.battery.sp800_22.walks import visit_probabilities


def aes_bits(count: int, label: int) -> np.ndarray:  # type: ignore[type-arg]
    cipher = Cipher(algorithms.AES(label.to_bytes(32, "big")), modes.CTR(bytes(16))).encryptor()
    return np.unpackbits(np.frombuffer(cipher.update(bytes(count // 8)), dtype=np.uint8))


def test_linear_complexity_probabilities_by_listing_all_blocks() -> None:
    counts = Counter(definitions.linear_complexity(block) for block in itertools.product((0, 1), repeat=12))
    classes = np.zeros(7)
    for complexity, count in counts.items():
        classes[linear_complexity.class_of(np.array([complexity]), 12)[0]] += count
    assert linear_complexity.exact_probabilities(12) == tuple(classes / 2**12)


@pytest.mark.parametrize("m", [500, 501, 1000, 4999])
def test_linear_complexity_classes_are_those_of_the_formula(m: int) -> None:
    # 2.10.4 (4) and (5), in fractions; 2^-m is left out as it decides nothing.
    mean = Fraction(m, 2) + Fraction(9 + (-1) ** (m + 1), 36)
    for complexity in range(m // 2 - 6, m // 2 + 7):
        t = (-1) ** m * (complexity - mean) + Fraction(2, 9)
        edges = [Fraction(k, 2) for k in (-5, -3, -1, 1, 3, 5)]
        expected = sum(t > edge for edge in edges)
        assert linear_complexity.class_of(np.array([complexity]), m).tolist() == [expected]


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


@pytest.mark.slow
@pytest.mark.parametrize("constants", ["reference", "exact"])
def test_laws_hold_on_thousands_of_sequences(constants: str) -> None:
    bits = from_bits(aes_bits(3000 * 40_000, 11))
    names = ("frequency", "rank", "fft", "cumulative-sums")
    report = run_streams(bits, 3000, 40_000, tests=names, constants=constants)  # type: ignore[arg-type]
    for result in report.results:
        assert result.exact_null
        assert result.uniformity is not None
        assert result.uniformity > 1e-3, result.test
        assert result.proportion_p > 1e-3, result.test
    # The law that the standard takes for granted is refuted, at its own level, by the same good sequences.
    plain = {result.test: _uniformity(result.counts, (1 / BINS,) * BINS) for result in report.results}
    assert plain["fft"] is not None
    assert plain["fft"] < UNIFORMITY_LEVEL


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

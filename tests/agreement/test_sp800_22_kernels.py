"""The compiled kernels count what the readable definitions count, bit for bit."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sp800_22_definitions as definitions
from hypothesis import given, settings
from hypothesis import strategies as st

from rng.battery.bits import from_bits
from rng.battery.sp800_22.fft import count_below, count_below_in_one_pass, split
from rng.battery.sp800_22.linear_complexity import linear_complexities
from rng.battery.sp800_22.ones_and_runs import block_ones, count_runs, exact_probabilities, longest_runs
from rng.battery.sp800_22.patterns import distance_counts
from rng.battery.sp800_22.rank import rank_counts
from rng.battery.sp800_22.sample import BitSample, count_windows, ones_in_windows, walk_extremes
from rng.battery.sp800_22.templates import aperiodic_templates, occurrences
from rng.battery.sp800_22.templates import overlapping_occurrences as overlapping_occurrences

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
    assert block_ones(BitSample(from_bits(bits)), m).tolist() == definitions.block_ones(bits, m)


@given(BITS)
def test_ones_and_runs(bits: list[int]) -> None:
    sample = BitSample(from_bits(bits))
    assert (sample.ones, count_runs(sample)) == (sum(bits), definitions.count_runs(bits))


@given(BITS, st.sampled_from([8, 16, 24, 64, 128]))
def test_longest_runs(bits: list[int], m: int) -> None:
    blocks = len(bits) // m
    found = longest_runs(BitSample(from_bits(bits)).octets, blocks, m)
    assert found.tolist() == definitions.longest_runs(bits, m)


@given(BITS, st.integers(2, 20), st.integers(2, 20))
def test_matrix_ranks(bits: list[int], rows: int, columns: int) -> None:
    found = rank_counts(BitSample(from_bits(bits)).words, len(bits) // (rows * columns), rows, columns)
    assert found.tolist() == definitions.rank_counts(bits, rows, columns)


def test_matrix_ranks_of_full_size() -> None:
    bits = hashed_bits(40 * 1024, "rank")
    assert rank_counts(BitSample(from_bits(bits)).words, 40, 32, 32).tolist() == definitions.rank_counts(
        bits, 32, 32
    )


@given(BITS)
def test_weak_frequencies(bits: list[int]) -> None:
    bound = len(bits) * math.log(20)
    found = count_below_in_one_pass(np.array(bits, dtype=np.uint8), (bound, bound / 2))
    assert found == (definitions.peaks_below(bits, bound), definitions.peaks_below(bits, bound / 2))


@pytest.mark.parametrize("n", [1 << 15, 2 * 129 * 131, 40_000, 66 * 601, 65 * 1000, 101_010, 32_770, 32_771])
def test_weak_frequencies_in_one_pass_and_in_two(n: int) -> None:
    bits = np.array(hashed_bits(n, "spectrum"), dtype=np.uint8)
    bounds = (n * math.log(20), n * 0.5)
    assert count_below(bits, bounds) == count_below_in_one_pass(bits, bounds)


@pytest.mark.parametrize("n", [1 << 15, 2 * 129 * 131, 65 * 1000, 1_000_000])
def test_a_frequency_at_the_bound_is_counted_as_double_precision_counts_it(n: int) -> None:
    bits = np.array(hashed_bits(n, "at the bound"), dtype=np.uint8)
    spectrum = np.fft.rfft(2.0 * bits - 1)[: n // 2]
    powers = np.sort(spectrum.real**2 + spectrum.imag**2)
    for rank in range(n // 8, n // 2, n // 8):
        # Single precision cannot tell these two bounds apart, and one frequency lies between them.
        bounds = (powers[rank] * (1 - 1e-10), powers[rank] * (1 + 1e-10))
        assert count_below(bits, bounds) == (np.sum(powers < bounds[0]), np.sum(powers < bounds[1]))


@pytest.mark.parametrize("strong", [np.zeros, lambda n, dtype: np.arange(n, dtype=dtype) % 2])
def test_a_frequency_that_stands_out_is_counted_in_double_precision(strong: Callable[..., Any]) -> None:
    bits = strong(1 << 16, dtype=np.uint8)
    bits[:5000] ^= np.array(hashed_bits(5000, "stands out"), dtype=np.uint8)
    bounds = (bits.size * 2.995732274, bits.size * math.log(20))
    assert count_below(bits, bounds) == count_below_in_one_pass(bits, bounds)


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
    found = overlapping_occurrences(BitSample(from_bits(bits)).words, 2, m)
    assert found.tolist() == definitions.overlapping_occurrences(bits, m, 1032)


@given(BITS, st.integers(1, 7), st.integers(1, 6))
def test_distances(bits: list[int], width: int, start: int) -> None:
    blocks = len(bits) // width - start
    if blocks < 1:
        return
    counts = distance_counts(BitSample(from_bits(bits)).words, width, start, blocks)
    found = {distance: int(count) for distance, count in enumerate(counts) if count}
    assert found == dict(definitions.pattern_distances(bits, width, start))


@given(BITS, st.integers(1, 150))
def test_linear_complexities(bits: list[int], m: int) -> None:
    found = linear_complexities(BitSample(from_bits(bits)).words, len(bits) // m, m)
    assert found.tolist() == [definitions.linear_complexity(b) for b in definitions.blocks_of(bits, m)]


@pytest.mark.parametrize("m", [500, 511, 512, 513, 1000])
def test_linear_complexities_of_long_blocks(m: int) -> None:
    bits = [0] * m + hashed_bits(3 * m, f"complexity {m}") + [0] * (m - 1) + [1] + [1, 0, 0] * m
    found = linear_complexities(BitSample(from_bits(bits)).words, len(bits) // m, m)
    assert found.tolist() == [definitions.linear_complexity(b) for b in definitions.blocks_of(bits, m)]


@given(BITS, st.integers(1, 9))
def test_patterns_on_a_ring(bits: list[int], m: int) -> None:
    assert BitSample(from_bits(bits)).ring_counts(m).tolist() == definitions.ring_counts(bits, m)


@given(BITS, st.integers(0, 40), st.integers(1, 24))
def test_patterns_from_any_place(bits: list[int], start: int, width: int) -> None:
    places = len(bits) - start - width + 1
    if places < 1:
        return
    counts = count_windows(BitSample(from_bits(bits)).octets, start, places, width)
    text = "".join(map(str, bits))
    for place in range(start, start + places):
        counts[int(text[place : place + width], 2)] -= 1
    assert not counts.any()


@given(BITS, st.integers(1, 70), st.integers(1, 70))
def test_ones_in_windows(bits: list[int], stride: int, width: int) -> None:
    count = max(0, (len(bits) - width) // stride + 1) if len(bits) >= width else 0
    found = ones_in_windows(BitSample(from_bits(bits)).words, count, stride, width)
    assert found.tolist() == [sum(bits[i * stride : i * stride + width]) for i in range(count)]


@given(BITS)
def test_walks(bits: list[int]) -> None:
    sample, walk = BitSample(from_bits(bits)), definitions.walk(bits)
    expected = (walk[-1], max(0, *walk), min(0, *walk))
    assert walk_extremes(sample.octets, sample.length) == expected


@given(BITS)
def test_excursions(bits: list[int]) -> None:
    found = BitSample(from_bits(bits)).excursions
    assert found.cycles == len(definitions.cycles(bits))
    for state in (-4, -3, -2, -1, 1, 2, 3, 4):
        assert found.near[state + 4].tolist() == definitions.visits_by_cycle(bits, state)
    for state in range(-9, 10):
        assert found.far[state + 9] == definitions.visits(bits, state)


def test_longest_run_probabilities_by_listing_all_blocks() -> None:
    longest = [max(map(len, format(block, "012b").split("0"))) for block in range(1 << 12)]
    classes = np.bincount(np.clip(longest, 2, 5) - 2) / (1 << 12)
    assert exact_probabilities(12, 2, 5) == tuple(classes)

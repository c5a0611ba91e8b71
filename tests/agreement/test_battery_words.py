"""Words of a stream and what comes again in it: laws compared with counting, faults found, good streams passed."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from rng.battery import dispersion, whole_stream, word_counts, words
from rng.battery import whole as scan
from rng.battery.bits import from_bytes
from rng.battery.planted import good
from rng.battery.planted.known import additive
from rng.battery.result import TestResult
from rng.battery.verdict import conclude

NEW = tuple(test.name for test in (*words.WORDS, *whole_stream.RECURRENCE))


@given(st.binary(min_size=8, max_size=64))
def test_words_are_counted_bit_by_bit(octets: bytes) -> None:
    whole = octets[: len(octets) // 8 * 8]
    found = word_counts.count_words(np.frombuffer(octets, dtype=np.uint8))
    text = "".join(format(octet, "08b") for octet in whole)
    assert found.words == len(whole) // 8
    for width in (8, 16, 32, 64):
        cut = [text[i : i + width] for i in range(0, len(text), width)]
        assert found.ones(width).tolist() == [sum(word[i] == "1" for word in cut) for i in range(width)]
        if width > 8:
            assert found.odd[width] == sum(word.count("1") % 2 for word in cut)
    assert found.bytes.tolist() == np.bincount(list(whole), minlength=256).tolist()


@given(st.binary(min_size=1, max_size=40))
def test_the_longest_run_is_that_of_the_text(octets: bytes) -> None:
    text = "".join(format(octet, "08b") for octet in octets)
    longest = max(n for n in range(1, len(text) + 1) if "0" * n in text or "1" * n in text)
    whole = np.frombuffer(octets, dtype=np.uint8)
    assert scan.runs_of(whole).longest == longest
    parts = [scan.runs_of(whole[start : start + 3]) for start in range(0, whole.size, 3)]
    assert functools.reduce(scan.Runs.then, parts, scan.Runs()).longest == longest


def test_a_stream_in_pieces_is_counted_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    octets = good.aes_ctr(6, 25_003).view(np.uint8)[:100_009]
    octets[50_000:50_200] = 0
    whole = scan.scan(octets)
    monkeypatch.setattr(scan, "PIECE", 4_096)
    monkeypatch.setattr(scan, "LEAST_BLOCK", 300)
    cut = scan.cuts(octets.size)
    assert octets.size > 20 * cut.piece > 40 * cut.block
    found = scan.scan(octets)
    assert found.runs == whole.runs
    assert (found.words.words, found.words.odd) == (whole.words.words, whole.words.odd)
    assert (found.words.lanes == whole.words.lanes).all()
    assert np.concatenate(found.windows).tolist() == scan.windows(octets).tolist()
    for width in (8, 16):
        words = octets[: octets.size // 2 * 2].view(f"u{width // 8}")
        for doubling, pairs in enumerate(found.pairs[width]):
            size = (cut.block * 8 // width) << doubling
            assert pairs == dispersion.equal_pairs(words, size, 1 << width)
        assert 2 * size > words.size * 0.99


@pytest.mark.parametrize("length", [2, 3, 4, 7])
def test_the_law_of_the_longest_run_is_that_of_every_sequence(length: int) -> None:
    free = sum(
        "0" * length not in (text := "".join(bits)) and "1" * length not in text
        for bits in product("01", repeat=11)
    )
    assert whole_stream.run_shorter_than(length, 11) == pytest.approx(free / 2**11, rel=1e-12)


@given(st.integers(0, 3), st.integers(0, 60), st.integers(8, 30), st.integers(0, 200))
def test_the_longest_repeat_is_found_wherever_it_is(seed: int, first: int, length: int, gap: int) -> None:
    octets = good.aes_ctr(seed, 100).view(np.uint8).copy()
    second = first + length + gap
    octets[second : second + length] = octets[first : first + length]
    octets[[first - 1, first + length]] ^= np.uint8(1)
    stretch, _, _ = whole_stream.longest_repeat(octets, [scan.windows(octets)])
    text = octets.tobytes()
    expected = max(
        (n for n in range(8, 60) if any(text.find(text[i : i + n], i + 1) >= 0 for i in range(400 - n))),
        default=0,
    )
    assert stretch == expected


def test_repetitions_have_the_law_of_occupancy() -> None:
    # 40 words of 64 values: the chance of at most r that came before, by the classical sum (Feller, IV.2).
    def seen(m: int) -> float:
        ways = sum((-1) ** j * math.comb(m, j) * (m - j) ** 40 for j in range(m + 1))
        return float(Fraction(math.comb(64, m) * ways, 64**40))

    for again in (2, 3, 22):
        below = math.fsum(seen(m) for m in range(40 - again, 41))
        above = math.fsum(seen(m) for m in range(1, 40 - again + 1))
        exact = min(1.0, 2 * min(below, above))
        assert exact <= words.repetitions_p(again, 40, 64) * (1 + 1e-6)
        assert words.repetitions_p(again, 40, 64) < 40 * exact


def test_a_good_stream_passes_at_every_size() -> None:
    for size in (800, 2_000, 16_384, 400_000):
        results = whole_stream.run(from_bytes(good.chacha20(size, size // 4).tobytes()), NEW)
        assert all(isinstance(result, TestResult) for result in results)
        assert conclude(results).word == "satisfied"


def test_good_short_streams_are_rejected_no_more_often_than_stated() -> None:
    found = dict.fromkeys(NEW, 0)
    for seed in range(100):
        for result in whole_stream.run(from_bytes(good.chacha20(5_000 + seed, 250).tobytes()), NEW):
            assert isinstance(result, TestResult)
            found[result.test] += min(result.decided) * len(result.decided) <= 0.05
    for name, count in found.items():
        assert special.bdtrc(count - 1, 100, 0.05) > 1e-3 if count else True, name


def test_upper_bytes_of_a_lagged_generator_are_found_in_words_of_eight_bits() -> None:
    # The upper bytes of additive generators of lags 55 and 24, and 607 and 273: no bit of them is linear alone.
    for long, short in ((55, 24), (607, 273)):
        state = good.aes_ctr(9, long)
        octets = (additive(state, 40_000, long, short) >> np.uint32(24)).astype(np.uint8)
        results = word_counts.run(from_bytes(octets.tobytes()), ("known-lags",))
        assert conclude(results).word == "not satisfied"


def test_words_of_both_widths_stand_together_and_short_streams_leave_tests_out() -> None:
    results = word_counts.run(from_bytes(good.chacha20(3, 12_500).tobytes()))
    labels = {
        label.partition(",")[0]
        for result in results
        if isinstance(result, TestResult)
        for label in result.labels
    }
    assert {"8 bits", "32 bits"} <= labels
    assert len({result.test for result in results}) == len(results)
    assert conclude(results).word == "satisfied"
    assert word_counts.run(from_bytes(b"\x00" * 50)) == ()

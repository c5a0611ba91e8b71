"""Of very long streams what is tested is spread evenly over all of them, and what is said is what was done."""

from fractions import Fraction

import numpy as np
import plain_definitions

from certify.certification import bit_sequences
from certify.certification.bit_sequences import Cut, cut_of
from rng.battery import whole
from rng.battery.bits import from_bytes
from rng.battery.planted.good import aes_ctr
from rng.battery.whole import Whole


def test_long_data_gives_a_hundred_sequences_spread_evenly(monkeypatch):
    monkeypatch.setattr(bit_sequences, "LONGEST_WHOLE", 1 << 12)
    monkeypatch.setattr(bit_sequences, "USUAL_LENGTH", 64)
    bits = from_bytes(aes_ctr(3, 1_000).tobytes())
    cut = cut_of(bits, None, None)
    assert cut == Cut(100, 64, Fraction(5))
    assert cut.held == 500
    begun = [bytes(segment.packed) for segment in cut.segments(bits)]
    assert begun == [bytes(bits.packed[8 * 5 * i : 8 * 5 * i + 8]) for i in range(100)]


def test_whoever_names_a_number_of_sequences_or_a_length_gets_all_of_them(
    monkeypatch,
):
    monkeypatch.setattr(bit_sequences, "LONGEST_WHOLE", 1 << 12)
    bits = from_bytes(aes_ctr(3, 1_000).tobytes())
    assert cut_of(bits, 500, None) == Cut(500, 64)
    assert cut_of(bits, None, 64) == Cut(500, 64)


def test_blocks_transformed_are_spread_over_a_very_long_stream_and_counted(
    monkeypatch,
):
    monkeypatch.setattr(whole, "BLOCK", 400)
    monkeypatch.setattr(whole, "MOST_BLOCKS", 4)
    bits = from_bytes(aes_ctr(4, 100).tobytes())
    stream = Whole(bits)
    assert (stream.blocks, stream.length, stream.transformed) == (4, 400, 1_600)
    signs = (2 * bits.unpacked().astype(np.int64) - 1).reshape(8, 400)[::2].tolist()
    assert stream.lagged.products.tolist() == plain_definitions.lagged(signs, stream.lags)

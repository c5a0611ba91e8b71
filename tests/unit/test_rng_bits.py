"""Bit streams: order of bits, files and pipes, and what is refused with its offset."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rng.battery import bits as bits_module
from rng.battery.bits import (
    BitStream,
    from_bits,
    from_bytes,
    open_raw,
    read_ascii,
    read_raw,
)
from rng.errors import SampleError


@given(st.lists(st.integers(0, 1), min_size=1, max_size=300))
def test_every_form_holds_the_same_bits(values):
    stream = from_bits(values)
    assert stream.unpacked().tolist() == values
    text = "".join(map(str, values))
    packer = bits_module._Packer("memory", None)
    packer.add(text.encode())
    assert packer.finish().unpacked().tolist() == values
    words = "".join(format(int(word), "064b") for word in stream.words())
    assert words[: len(values)] == text
    assert set(words[len(values) :]) == {"0"}
    assert len(words) - len(values) >= 128


@given(st.binary(min_size=2, max_size=40), st.data())
def test_segments_are_slices(data, draw):
    stream = from_bytes(data)
    start = draw.draw(st.integers(0, stream.length - 1))
    length = draw.draw(st.integers(1, stream.length - start))
    assert (
        stream.segment(start, length).unpacked().tolist()
        == stream.unpacked()[start : start + length].tolist()
    )


def test_bits_beyond_the_length_do_not_count():
    stream = BitStream(np.array([0xFF, 0xFF], dtype=np.uint8), 11)
    assert stream.octets().tolist() == [0xFF, 0xE0]
    assert int(stream.words()[0]) == 0xFFE0 << 48


def test_raw_files_are_mapped_and_not_loaded(tmp_path):
    path = tmp_path / "bits.bin"
    path.write_bytes(bytes(range(256)))
    stream = open_raw(path)
    assert isinstance(stream.packed, np.memmap)
    assert stream.length == 2048
    assert open_raw(path, limit=13).unpacked().tolist() == stream.unpacked()[:13].tolist()


def test_a_mapped_file_may_be_larger_than_what_is_read_of_it(tmp_path):
    path = tmp_path / "large.bin"
    with path.open("wb") as file:
        file.truncate(1 << 36)
    stream = open_raw(path)
    assert stream.length == 1 << 39
    assert not stream.segment((1 << 39) - 64, 64).unpacked().any()


def test_text_may_hold_blanks_and_line_ends():
    text = b"  1100\t1001\r\n0000 1111\n1"
    stream = read_ascii(io.BytesIO(text))
    assert stream.unpacked().tolist() == [1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert read_ascii(io.BytesIO(text), limit=5).unpacked().tolist() == [1, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"0101201", "byte 4 is '2', expected 0, 1 or white space"),
        (b"01 \n x", "byte 5 is 'x'"),
        (b"0\xff", r"byte 1 is '\\xff'"),
        (b"", "no bits to test"),
        (b" \n", "no bits to test"),
    ],
)
def test_malformed_text_is_refused_with_its_offset(data, message):
    with pytest.raises(SampleError, match=f"^lab: {message}" if "byte" in message else message):
        read_ascii(io.BytesIO(data), source="lab")


def test_the_offset_counts_from_the_beginning_and_not_from_the_piece(monkeypatch):
    monkeypatch.setattr(bits_module, "CHUNK_BYTES", 7)
    with pytest.raises(SampleError, match="byte 100 is '!'"):
        read_ascii(io.BytesIO(b"01" * 50 + b"!"))


def test_pieces_of_any_size_make_the_same_stream(monkeypatch):
    data, seen = b"0110 1" * 33, []
    whole = read_ascii(io.BytesIO(data)).unpacked().tolist()
    raw = read_raw(io.BytesIO(data)).unpacked().tolist()
    monkeypatch.setattr(bits_module, "CHUNK_BYTES", 5)
    monkeypatch.setattr(bits_module, "SPOOL_BYTES", 16)
    assert read_ascii(io.BytesIO(data), progress=seen.append).unpacked().tolist() == whole
    assert read_raw(io.BytesIO(data)).unpacked().tolist() == raw
    assert seen[-1] == len(data)
    assert read_raw(io.BytesIO(data), limit=12).unpacked().tolist() == raw[:12]


def test_too_few_bits_are_refused(tmp_path):
    path = tmp_path / "bits.bin"
    path.write_bytes(b"ab")
    for refused in (lambda: open_raw(path, limit=17), lambda: read_raw(io.BytesIO(b"ab"), limit=17)):
        with pytest.raises(SampleError, match="17 bits asked of 16"):
            refused()
    (tmp_path / "empty").touch()
    for name in ("empty", "absent"):
        with pytest.raises(SampleError, match="not a readable file"):
            open_raw(tmp_path / name)
    with pytest.raises(SampleError, match="2 sequences of 9 bits asked of 16"):
        open_raw(path).segments(2, 9)
    with pytest.raises(SampleError, match="bits 10 to 20 asked of 16"):
        open_raw(path).segment(10, 10)


def test_only_zero_and_one_are_bits():
    with pytest.raises(SampleError, match="bit 2 where"):
        from_bits([0, 1, 2])
    with pytest.raises(SampleError, match="2 dimensions"):
        from_bits(np.zeros((2, 2), dtype=np.uint8))

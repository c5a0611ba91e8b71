"""Words of the generator and what reads them: bits, streams, draws, and numbers that are given."""

import copy
import io
import pickle
import threading

import numpy as np
import pytest
from cli_support import written
from hypothesis import given, strategies as st
from noise import from_bits

from rng.battery import (
    CHUNK_BYTES,
    BitStream,
    bits,
    bits as bits_module,
    from_bytes,
    open_raw,
    read_ascii,
    read_raw,
)
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.draws import deal_decks
from rng.errors import DoubledItemError, DrbgError, RangeError, SampleError
from rng.generator import PURPOSES, registered
from rng.given import numbers, rows as given_rows
from rng.given.decks import RecordLayout, read_deck_records
from rng.given.encodings import PlainText
from rng.given.records import RecordForm, read_number_cells
from rng.streams import MASTER_SEED_BYTES, stream, stream_seed

SEED = bytes(range(32))


def test_streams_differ_in_every_coordinate():
    seeds = [SEED, SEED[::-1], SEED + b"\0"]
    names = list(PURPOSES)
    indices = [0, 1, 2, 255, 256, 2**32, 2**64 - 1]
    derived = {(s, p, i): stream_seed(s, p, i) for s in seeds for p in names for i in indices}
    assert len(set(derived.values())) == len(derived)
    words = {stream(*key).read(8) for key in derived}
    assert len(words) == len(derived)


def test_unregistered_purposes_are_refused():
    for name in ("", "Simulation-decks", "decks", "export "):
        with pytest.raises(RangeError, match="not registered"):
            stream(SEED, name, 0)
        with pytest.raises(RangeError):
            registered(name)


@pytest.mark.parametrize("seed", [b"", bytes(31), "a" * 32, None, 7])
def test_short_or_wrong_master_seeds_are_refused(seed):
    assert MASTER_SEED_BYTES == 32
    with pytest.raises(RangeError, match="master seed"):
        stream(seed, "export", 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [-1, 2**64, 1.0, True, "0"])
def test_indices_out_of_range_are_refused(index):
    with pytest.raises(RangeError, match="index"):
        stream(SEED, "export", index)  # type: ignore[arg-type]


def test_a_stream_is_never_copied_or_pickled_and_shows_no_secret():
    source = stream(SEED, "export", 1)
    source.word()
    for refused in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(DrbgError, match="never"):
            refused(source)  # type: ignore[operator]
    assert repr(source) == "<Stream export/1, 1 words drawn>"


def test_a_stream_belongs_to_one_thread():
    source = stream(SEED, "export", 1)
    source.word()
    caught = []

    def draw():
        for call in (source.word, lambda: deal_decks(source, 1, 40)):
            try:
                call()
            except DrbgError as error:
                caught.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert len(caught) == 2
    assert source.drawn == 1


def test_a_closed_stream_serves_nothing_more():
    source = stream(SEED, "export", 1)
    source.word()
    source.close()
    with pytest.raises(DrbgError):
        source.word()


def test_negative_reads_and_skips_are_refused():
    source = stream(SEED, "export", 1)
    assert source.read(0) == b""
    for wrong in (-1, 1.5):
        with pytest.raises(RangeError):
            source.read(wrong)  # type: ignore[arg-type]
    source.window(3)
    for wrong_count in (-1, 10**6):
        with pytest.raises(RangeError):
            source.skip(wrong_count)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=300))
def test_every_form_holds_the_same_bits(values):
    stream = from_bits(values)
    assert stream.unpacked().tolist() == values
    text = "".join(map(str, values))
    assert read_ascii(io.BytesIO(text.encode())).unpacked().tolist() == values


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


def test_raw_files_are_mapped_and_not_loaded(tmp_path):
    path = written(tmp_path / "bits.bin", bytes(range(256)))
    stream = open_raw(path)
    assert isinstance(stream.packed, np.memmap)
    assert stream.length == 2048


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


def test_too_few_bits_are_refused(tmp_path):
    path = written(tmp_path / "bits.bin", b"ab")
    with pytest.raises(SampleError, match="17 bits requested of 16"):
        BitStream(np.frombuffer(b"ab", dtype=np.uint8), 17)
    (tmp_path / "empty").touch()
    for name in ("empty", "absent"):
        with pytest.raises(SampleError, match="not a readable file"):
            open_raw(tmp_path / name)
    with pytest.raises(SampleError, match="bits 10 to 20 requested of 16"):
        open_raw(path).segment(10, 10)


DECKS = fisher_yates(aes_ctr, 3, 200)


def csv(decks):
    return "".join(",".join(map(str, deck)) + "\n" for deck in decks.tolist()).encode()


def decks_of(data, form="binary", **options):
    """Decks of bytes, or of text."""
    if form == "csv":
        return read_deck_records(io.BytesIO(data), RecordLayout(), source="memory")
    return numbers.binary_decks(bits.stored(io.BytesIO(data)), **options)


def draws_of(data, below, form="text", **options):
    """Numbers of text, or of words."""
    if form == "text":
        return numbers.text_draws(io.BytesIO(data), below, **options)
    return numbers.binary_draws(bits.stored(io.BytesIO(data)), below, form, **options)  # type: ignore[arg-type]


def test_decks_in_every_format(tmp_path):
    path = written(tmp_path / "decks.u8", DECKS.tobytes())
    heading = ",".join(f"p{i}" for i in range(40)).encode() + b"\n"
    assert np.array_equal(numbers.binary_decks(bits.mapped(path)), DECKS)
    assert isinstance(numbers.binary_decks(bits.mapped(path)).base, np.memmap)
    assert np.array_equal(decks_of(DECKS.tobytes()), DECKS)
    for text in (csv(DECKS), heading + csv(DECKS), csv(DECKS).strip()):
        assert np.array_equal(decks_of(text, "csv"), DECKS)


def test_small_pieces_give_the_same_decks(monkeypatch):
    monkeypatch.setattr(numbers, "CHUNK_BYTES", 97)
    monkeypatch.setattr(bits, "SPOOL_BYTES", 1000)
    seen = []
    assert np.array_equal(decks_of(DECKS.tobytes(), progress=seen.append), DECKS)
    assert seen[-1] == DECKS.size
    assert np.array_equal(decks_of(csv(DECKS), "csv"), DECKS)


def test_a_first_deck_that_begins_with_a_blank_is_no_heading():
    assert np.array_equal(decks_of(b" " + csv(DECKS), "csv"), DECKS)


class Endless:
    """A stream without any end of a record, which counts what is read of it."""

    def __init__(self, byte):
        self.byte, self.read_so_far = byte, 0

    def read(self, size=-1, /):
        self.read_so_far += size
        return self.byte * size


@pytest.mark.parametrize("byte", [b"1", b"\0", b","], ids=["digits", "zeros", "commas"])
def test_text_without_records_is_refused_before_it_fills_the_memory(byte):
    for read in (
        lambda stream: numbers.text_draws(PlainText(stream), 40),
        lambda stream: read_deck_records(PlainText(stream), RecordLayout(), source="memory"),
    ):
        stream = Endless(byte)
        with pytest.raises(SampleError, match=r"byte 0|memory:1: "):
            read(stream)
        assert stream.read_so_far <= 2 * CHUNK_BYTES


def test_numbers_need_no_line_ends(monkeypatch):
    monkeypatch.setattr(numbers, "CHUNK_BYTES", 97)
    monkeypatch.setattr(numbers, "LONGEST_RECORD", 97)
    given = uniform_numbers(aes_ctr, 4, 1 << 20, 1000).tolist()
    text = " ".join(map(str, given)).encode()
    assert draws_of(text, 1 << 20).tolist() == given


def spoilt(deck, position, card):
    decks = DECKS.copy()
    decks[deck, position] = card
    return decks.tobytes()


@pytest.mark.parametrize(
    ("data", "form", "message"),
    [
        (b"", "binary", "no decks"),
        (b"", "csv", "no decks"),
        (DECKS.tobytes()[:-3], "binary", "byte 7960: a truncated deck of 37 bytes"),
        (spoilt(7, 12, 40), "binary", "deck 7, byte 292: card id 40"),
        (spoilt(150, 39, int(DECKS[150, 0])), "binary", "deck 150, byte 6039: .* second time"),
        (csv(DECKS[:2])[:-4] + b"\n", "csv", ":2: 39 cards, expected 40"),
        (csv(DECKS[:1]).replace(b",", b";", 1), "csv", ":1: 2 cards, expected 40"),
        (csv(DECKS[:1]).replace(b",", b" ", 1), "csv", ":1: 39 cards"),
        (csv(DECKS[:1]).replace(b"\n", b"1\n"), "csv", ":1: card .*1, expected 0 to 39"),
        (b"9" * 30 + b"," + csv(DECKS[:1]), "csv", ":1: 41 cards"),
        (b"-" + csv(DECKS[:2]), "csv", ":1: '-.*names no card"),
        (b"0" + b",1" * 200_000, "csv", ":1: 200001 cards"),
        (bytes(200_000), "csv", r":1: '\\x00"),
    ],
)
def test_malformed_decks_are_refused_where_they_lie(data, form, message):
    with pytest.raises(SampleError, match=message):
        decks_of(data, form)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("form", "size"), [("u8", 1), ("u16", 2), ("u32", 4), ("u64", 8)])
def test_draws_in_every_format(tmp_path, form, size, order):
    given = uniform_numbers(aes_ctr, 4, 200, 1000)
    path = written(tmp_path / "draws", given.astype(f"{order}u{size}").tobytes())
    opened = numbers.binary_draws(bits.mapped(path), 200, form, big_endian=order == ">")
    assert opened.tolist() == given.tolist()
    assert draws_of(path.read_bytes(), 200, form, big_endian=order == ">").tolist() == given.tolist()


def test_draws_in_text():
    given = uniform_numbers(aes_ctr, 4, 1 << 32, 1000).tolist()
    text = "\r\n".join(map(str, given)).encode()
    assert draws_of(text, 1 << 32).tolist() == given
    largest = [(1 << 63) - 1, 9_999_999_999_999_999_999, 0]
    text = " ".join(map(str, largest)).encode()
    assert draws_of(text, 1 << 64).tolist() == largest
    with pytest.raises(SampleError, match=f"byte 20: {largest[1]} is not below"):
        draws_of(text, 1 << 63)
    top = (1 << 64) - 1
    assert draws_of(b"%d 7" % top, 1 << 64).tolist() == [top, 7]
    with pytest.raises(SampleError, match=f"byte 2: {top + 1} is not below"):
        draws_of(b"7 %d" % (top + 1), 1 << 64)


def test_signed_draws_are_counted_from_the_smallest():
    given = [-100, 100, 0, -1, 7]
    text = " ".join(map(str, given)).encode()
    expected = [number + 100 for number in given]
    assert draws_of(text, 201, first=-100).tolist() == expected
    for form in ("i8", "i16", "i32", "i64"):
        words = np.array(given, dtype=f"<{form[0]}{int(form[1:]) // 8}").tobytes()
        assert draws_of(words, 201, form, first=-100).tolist() == expected
    extremes = b"-9223372036854775808 9223372036854775807 -3"
    read = draws_of(extremes, 1 << 64, first=-(1 << 63)).tolist()
    assert read == [0, (1 << 64) - 1, (1 << 63) - 3]


@pytest.mark.parametrize(
    ("data", "form", "first", "message"),
    [
        (b"1 -101", "text", -100, "byte 2: -101 is not from -100 to 99"),
        (b"1 100", "text", -100, "byte 2: 100 is not from -100 to 99"),
        (b"1 --1", "text", -100, "byte 2 is '-'"),
        (b"1-1", "text", -100, "byte 1 is '-'"),
        (b"3 -", "text", -100, "byte 2 is '-'"),
        (b"\x00\x9b", "i8", -100, "number 1, byte 1: -101 is not from -100 to 99"),
        (b"\x00\x9b", "u8", -100, "u8 holds no numbers from -100"),
        (b"0 -18446744073709551615", "text", -100, "byte 2: -18446744073709551615 is not"),
    ],
)
def test_signed_draws_out_of_range_are_refused(data, form, first, message):
    with pytest.raises(SampleError, match=message):
        draws_of(data, 200, form, first=first)


@pytest.mark.parametrize(
    ("data", "form", "message"),
    [
        (b"", "text", "no numbers"),
        (b" \n", "text", "no numbers"),
        (b"1\n2\n200\n", "text", "byte 4: 200 is not below 200"),
        (b"1\n-2\n", "text", "byte 2 is '-'"),
        (b"1\n2.5\n", "text", "byte 3 is '.'"),
        (b"1" * 20, "text", "byte 0: 1{20} is not below 200"),
        (b"1" * 21, "text", "more than 20 digits"),
        (b"1 " + b"2" * 200_000, "text", "byte 2: a number of more than 20 digits"),
        (b"1 2\x00" + bytes(200_000), "text", r"byte 3 is '\\x00'"),
        (b"\x01\x02\x03", "u16", "byte 2: a truncated number"),
        (b"\x01\xc8\x03", "u8", "number 1, byte 1: 200 is not below 200"),
        (b"\x00\x01\x00\x00", "u16", "number 0, byte 0: 256"),
    ],
)
def test_malformed_draws_are_refused_where_they_lie(data, form, message):
    with pytest.raises(SampleError, match=message):
        draws_of(data, 200, form)


def test_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(SampleError, match="nowhere"):
        bits.mapped(tmp_path / "nowhere")


@pytest.mark.parametrize("card", ["7", "KD", "ah"])
def test_a_first_line_that_repeats_a_card_is_a_deck_and_no_heading(card):
    for numbered in ("", ",".join(f"c{place}" for place in range(1, 41)) + "\n"):
        text = numbered + ",".join([card] * 40) + "\n"
        with pytest.raises(DoubledItemError, match="deck 0: card"):
            read_deck_records(PlainText(io.BytesIO(text.encode())), RecordLayout(), source="lab")


FORM = given_rows.RowForm((given_rows.RecordPiece(1, tuple(range(37))),), fixed=True)
DECK = bytes(range(40))
READ = {
    "words of rows": lambda count: given_rows.read_row_words(
        io.BytesIO(bytes(count)), FORM, "u1", source="w"
    ),
    "words": lambda count: numbers.binary_draws(np.zeros(count, np.uint8), 37, "u8", source="w"),
    "text": lambda count: numbers.text_draws(io.BytesIO(b"7 " * count), 37, source="w"),
    "cells": lambda count: read_number_cells(io.BytesIO(b"7\n" * count), RecordForm(), "w", below=37),
    "decks": lambda count: numbers.binary_decks(np.frombuffer(DECK * count, np.uint8), source="w"),
    "decks of text": lambda count: read_deck_records(
        io.BytesIO((",".join(map(str, DECK)) + "\n").encode() * count), RecordLayout(), source="w"
    ),
}


@pytest.mark.parametrize("read", READ.values(), ids=READ)
def test_more_than_memory_holds_is_refused_while_it_is_read(monkeypatch, read):
    monkeypatch.setattr(numbers, "MOST_ROWS", 2)
    assert len(read(2)) == 2
    with pytest.raises(SampleError, match="w: more than 2 numbers, decks or rows"):
        read(3)

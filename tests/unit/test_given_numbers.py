"""Reading decks and numbers: every format, and every refusal with its place."""

import io

import numpy as np
import pytest
from cli_support import written

from rng.battery import bits
from rng.battery.bits import CHUNK_BYTES
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.errors import SampleError
from rng.given import numbers

DECKS = fisher_yates(aes_ctr, 3, 200)


def csv(decks):
    return "".join(",".join(map(str, deck)) + "\n" for deck in decks.tolist()).encode()


def decks_of(data, form="binary", **options):
    """Decks of bytes, or of text."""
    if form == "csv":
        return numbers.text_decks(io.BytesIO(data), **options)
    return numbers.binary_decks(numbers.stored(io.BytesIO(data)), **options)


def draws_of(data, below, form="text", **options):
    """Numbers of text, or of words."""
    if form == "text":
        return numbers.text_draws(io.BytesIO(data), below, **options)
    return numbers.binary_draws(numbers.stored(io.BytesIO(data)), below, form, **options)  # type: ignore[arg-type]


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
        lambda stream: numbers.text_draws(stream, 40),
        lambda stream: numbers.text_decks(stream),
    ):
        stream = Endless(byte)
        with pytest.raises(SampleError, match="byte 0"):
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
        (csv(DECKS[:2])[:-4] + b"\n", "csv", "a deck of 39 cards"),
        (csv(DECKS[:1]).replace(b",", b";", 1), "csv", "';', expected digits"),
        (csv(DECKS[:1]).replace(b",", b" ", 1), "csv", "byte 0: a deck of 40 cards"),
        (csv(DECKS[:1]).replace(b"\n", b"1\n"), "csv", "byte 10"),
        (b"9" * 30 + b"," + csv(DECKS[:1]), "csv", "more than 19 digits"),
        (b"-" + csv(DECKS[:2]), "csv", "byte 0 is '-'"),
        (b"0" + b",1" * 200_000, "csv", "byte 0: a deck of 200001 cards"),
        (bytes(200_000), "csv", r"byte 0 is '\\x00'"),
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

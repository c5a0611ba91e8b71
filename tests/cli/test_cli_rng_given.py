"""`certify rng test` reads what laboratories are given, and asks where it could misread it."""

import bz2
import collections
import gzip
import io
import lzma
from types import SimpleNamespace
from typing import cast

import pytest
from cli_rng_support import VECTORS, Certify
from hypothesis import given as any_of, strategies as st

from rng.battery import ByteSource
from rng.battery.planted import good
from rng.errors import SampleError
from rng.given.encodings import Decoded, Unpacked
from rng.given.reader import OutputReader
from rng.outside import SizeLimit

PI = VECTORS / "sp800-22" / "pi.bin"
QUICK = ("--tests", "frequency,runs")


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


PACKERS = pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bz2", "xz"]
)


@PACKERS
def test_what_is_packed_is_unpacked(certify, tmp_path, pack):
    data = PI.read_bytes()
    plain = certify.json("test", "--bits", PI, *QUICK)
    path = tmp_path / "packed"
    path.write_bytes(pack(data[:50_000]) + pack(data[50_000:]))
    for given, stdin in ((path, b""), ("-", path.read_bytes())):
        made = certify.json("test", "--bits", given, *QUICK, stdin=stdin)
        assert made["tests"] == plain["tests"]
        assert made["input"]["sha256"] == plain["input"]["sha256"]


@PACKERS
def test_what_is_packed_and_damaged_is_refused(certify, tmp_path, pack):
    packed = pack(PI.read_bytes())
    for damaged in (packed[:-20], packed[:1000] + bytes(50) + packed[1050:], packed + b"more"):
        path = tmp_path / "packed"
        path.write_bytes(damaged)
        assert "damaged" in certify.refused("test", "--bits", path)


def test_a_prefix_of_hexadecimal_digits_is_found_wherever_the_text_is_cut():
    words = [0xA0, 0x00, 0x0F, 0x10, 0xC0, 0x00]
    text = " ".join(f"0x{word:02x}" for word in words).encode()
    for size in range(1, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        stream = SimpleNamespace(read=lambda _=-1, left=pieces: left.pop(0) if left else b"")
        decoded = Decoded(stream, "hex", "given")
        assert b"".join(iter(decoded.read, b"")) == bytes(words)


def test_what_unpacks_without_end_is_stopped(monkeypatch, tmp_path):
    def read(packed):
        unpacked = Unpacked(io.BytesIO(packed), "bomb")
        return sum(map(len, iter(lambda: unpacked.read(1 << 16), b"")))

    packed = gzip.compress(bytes(1 << 24))
    assert read(packed) == 1 << 24
    with monkeypatch.context() as bounded:
        bounded.setattr("rng.given.encodings.UNPACKED", SizeLimit("a sample", 1 << 20))
        with pytest.raises(SampleError, match="bomb: unpacks to more than 1048576 bytes: expected a sample"):
            read(packed)
    # A file of 600 megabytes of this kind would be read for hours, onto a disk: what is so dense is stopped at once.
    monkeypatch.setattr("rng.given.encodings.NOT_YET_DENSE", 1 << 18)
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        with pytest.raises(SampleError, match="unpacks to more than 200 times its size"):
            read(pack(bytes(1 << 20)))
        assert read(pack(good.aes_ctr(5, 1 << 16).astype("<u8").tobytes())) == 1 << 19
    hungry = lzma.compress(b"1", filters=[{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 30}])
    with pytest.raises(SampleError, match="Memory usage limit"):
        read(hungry)


@any_of(
    st.sampled_from([gzip.compress, bz2.compress, lzma.compress]),
    st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), max_size=4),
)
def test_any_damage_to_packed_data_is_refused_or_read(pack, places):
    packed = bytearray(pack(b"0123456789" * 40))
    for share, broken in places:
        at = int(share * len(packed))
        packed[at : at + 2] = broken
    said = "damaged: "
    try:
        unpacked = Unpacked(io.BytesIO(bytes(packed)), "damaged")
        collections.deque(iter(lambda: unpacked.read(1 << 16), b""), maxlen=0)
    except SampleError as error:
        said = str(error)
    assert said.startswith("damaged: ")


def test_a_stream_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr("rng.given.reader.STREAM", SizeLimit("a sample", 1 << 20))
    reader = OutputReader(cast(ByteSource, SimpleNamespace(read=bytes)))
    with pytest.raises(SampleError, match="more than 1048576 bytes from a stream: expected a sample"):
        collections.deque(iter(lambda: reader.read(1 << 16), b""), maxlen=0)

"""Forms that programs write: what a library's reader takes is read, what is no output as it is is named."""

import base64
import json
import tracemalloc
import uuid
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from rng.given.decks import RecordLayout
from rng.given.reader import read
from rng.given.records import RecordForm
from rng.given.source import GivenOutput
from tests.cli_rng_support import Certify

DECKS = np.array([np.random.default_rng(seed).permutation(40) for seed in range(3)])
LINES = [",".join(map(str, deck)) for deck in DECKS.tolist()]
HEADING = ",".join(f"карта {place}" for place in range(40))
PLAIN = "\n".join(LINES).encode()


@pytest.fixture
def certify(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Certify:
    return Certify(capsys, monkeypatch)


@pytest.mark.parametrize(
    "written",
    [
        PLAIN.decode().encode("utf-16"),
        PLAIN.decode().encode("utf-8-sig"),
        b"# made by hand\n" + PLAIN + b"\n# the end\n",
        PLAIN.replace(b"\n", b",\n") + b",",
        b"\n".join(b",".join(b'"%d"' % card for card in deck) for deck in DECKS.tolist()),
        b"\n".join(b",".join(b"%d.0" % card for card in deck) for deck in DECKS.tolist()),
        f"{HEADING}\n".encode() + PLAIN,
        f"{HEADING}\n".encode("cp1251") + PLAIN,
        f"{HEADING}\n{LINES[0]}\n{HEADING}\n{LINES[1]}\n{LINES[2]}".encode(),
        ",".join(f"c{place}" for place in range(1, 41)).encode() + b"\n" + PLAIN,
    ],
)
def test_decks_in_every_dress_are_the_same(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "decks"
    path.write_bytes(written)
    assert np.array_equal(read(GivenOutput("decks", path)).rows, DECKS)


@pytest.mark.parametrize(
    "written", [b"7.0\n12.0\n", b"# wheel\n7\n12\n", b'"7"\n"12"\n', b"7,\n12,\n", "7\n12\n".encode("utf-16")]
)
def test_numbers_in_every_dress_are_the_same(tmp_path: Path, written: bytes) -> None:
    path = tmp_path / "numbers"
    path.write_bytes(written)
    assert read(GivenOutput("draws", path, below=37)).rows.tolist() == [7, 12]
    layout = RecordLayout(form=RecordForm(columns=("Número",)))
    path.write_bytes("Número\n".encode("latin-1") + b"7.0\n12\n")
    assert read(GivenOutput("draws", path, below=37, layout=layout)).rows.tolist() == [7, 12]


def test_faces_of_two_digits_are_those_of_one(certify: Certify, tmp_path: Path) -> None:
    path, faces = tmp_path / "draws", ("--balls", "6/49", "--faces", "--tests", "places")
    path.write_text("01,02,07,40,33,49\n" * 3)
    assert certify.json("test", "--draws", path, *faces, code=4)["input"]["count"] == 3
    path.write_text("time,a,b,c,d,e,f\n2016-12-31T23:59:60Z,01,02,07,40,33,49\n")
    timed = ("--time", "time", "--columns", "a..f")
    assert certify.json("test", "--draws", path, *faces, *timed, code=4)["input"]["count"] == 1


def uuids(form: Callable[[uuid.UUID], bytes]) -> bytes:
    draw = np.random.default_rng(1)
    return b"".join(form(uuid.UUID(bytes=draw.bytes(16), version=4)) for _ in range(64))


@pytest.mark.parametrize(
    ("written", "options", "message"),
    [
        (b"\x93NUMPY\x01\x00" + bytes(range(256)), (), "a NumPy array"),
        (b"PAR1" + bytes(range(256)), (), "a Parquet table"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), (), "a PNG image"),
        (b"RIFF\x24\x00\x00\x00WAVE" + bytes(range(256)), (), "a WAV or another RIFF file"),
        (b"%PDF-1.7\n" + bytes(range(256)), (), "a PDF"),
        (bytes([0, 1, 1, 0, 1]) * 20, (), "one bit a byte"),
        (uuids(lambda one: one.bytes), (), "UUIDs"),
        (uuids(lambda one: f"{one}\n".encode()), (), "UUIDs"),
        (uuids(lambda one: one.hex.encode()), ("--hex",), "UUIDs"),
        (base64.b64encode(uuids(lambda one: one.bytes)), ("--base64",), "UUIDs"),
    ],
)
def test_what_is_no_output_as_it_is_is_named(
    certify: Certify, tmp_path: Path, written: bytes, options: tuple[str, ...], message: str
) -> None:
    path = tmp_path / "given"
    path.write_bytes(written)
    assert message in certify.refused("test", "--bits", path, *options)
    assert read(GivenOutput("bits", path, raw=True)).count == 8 * len(written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (json.dumps(DECKS.tolist()), "say --json-lines"),
        ("deck,pos,card\n0,0,7\n0,1,3\n", "expected a deck a line"),
        ("12," * 1_400_000, ":1: 4194304 characters and more"),
    ],
)
def test_other_shapes_of_decks_are_refused_with_what_is_expected(
    certify: Certify, tmp_path: Path, written: str, message: str
) -> None:
    path = tmp_path / "decks"
    path.write_text(written)
    assert message in certify.refused("test", "--decks", path)


@pytest.mark.parametrize("kind", [("--bits",), ("--decks",), ("--draws", "--range", 256, "--dtype", "u8")])
def test_what_has_no_end_is_refused_in_one_message_and_little_memory(
    certify: Certify, tmp_path: Path, kind: tuple[str | int, ...]
) -> None:
    sparse = tmp_path / "sparse"
    with sparse.open("wb") as made:
        made.truncate(100 << 30)
    tracemalloc.start()
    for path, message in ((sparse, "more than 8589934592"), (Path("/dev/zero"), "a device without end")):
        (said,) = certify.refused("test", kind[0], path, *kind[1:]).splitlines()
        assert message in said
    assert tracemalloc.get_traced_memory()[1] < 1 << 25
    tracemalloc.stop()


def test_what_is_left_out_is_named(certify: Certify, tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("\n".join(map(str, np.random.default_rng(2).integers(0, 37, 3_000).tolist())))
    given = ("test", "--draws", path, "--range", 37)
    assert "every other test" in certify(*given, "--tests", "frequency").out

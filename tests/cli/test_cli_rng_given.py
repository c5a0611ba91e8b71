"""`certify rng test` reads what laboratories are given, and asks where it could misread it."""

import base64
import bz2
import codecs
import collections
import gzip
import io
import lzma
import tarfile
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from cli_rng_support import VECTORS, Certify
from hypothesis import given as any_of
from hypothesis import strategies as st

from rng.battery.bits import ByteSource
from rng.battery.planted import good
from rng.errors import SampleError
from rng.given.encodings import Decoded, Unpacked
from rng.given.reader import OutputReader
from rng.given.records import Cells, RecordForm
from rng.outside import SizeLimit

PI = VECTORS / "sp800-22" / "pi.bin"
QUICK = ("--tests", "frequency,runs")


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def test_text_under_bits_is_refused_with_the_option_that_reads_it(certify, tmp_path):
    data = PI.read_bytes()[:2000]
    plain = certify.json("test", "--bits", PI, *QUICK)["tests"]
    written = {
        "--ascii": "".join(map(str, np.unpackbits(np.frombuffer(PI.read_bytes(), dtype=np.uint8)).tolist())),
        "--hex": PI.read_bytes().hex("\n", 40),
        "--base64": base64.encodebytes(PI.read_bytes()).decode(),
    }
    for option, text in written.items():
        path = tmp_path / "bits.txt"
        path.write_text(text)
        assert f"say {option}" in certify.refused("test", "--bits", path)
        assert f"say {option}" in certify.refused("test", "--bits", "-", stdin=text.encode())
        assert certify.json("test", "--bits", path, option, *QUICK)["tests"] == plain
    path.write_text("12, 7, 33, 0\n" * 50)
    assert "--draws FILE --range N" in certify.refused("test", "--bits", path)
    # Whoever means the bytes says so, and a stuck source is no text.
    assert certify("test", "--bits", path, "--raw", *QUICK).code == 1
    path.write_bytes(b"U" * len(data))
    assert certify("test", "--bits", path, *QUICK).code == 1


@pytest.mark.parametrize(
    ("option", "text", "where"),
    [("--hex", "00ff0g", "byte 5"), ("--hex", "00ff0", "byte 5"), ("--base64", "AAAA*AAA", "byte 4")],
)
def test_text_of_bits_that_is_malformed_is_refused(certify, tmp_path, option, text, where):
    path = tmp_path / "bits.txt"
    path.write_text(text)
    assert where in certify.refused("test", "--bits", path, option)


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


def test_archives_are_refused_by_name(certify, tmp_path):
    path = tmp_path / "a"
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        archive.add(PI, "pi.bin")
    for content, name in (
        (b"PK\x03\x04" + bytes(100), "a zip archive"),
        (b"Rar!\x1a\x07" + bytes(100), "a rar archive"),
        (b"\x28\xb5\x2f\xfd" + bytes(100), "packed by zstd"),
        (b"\x04\x22\x4d\x18" + bytes(100), "packed by lz4"),
        (lzma.compress(PI.read_bytes(), format=lzma.FORMAT_ALONE), "packed by lzma"),
        (tarred.getvalue(), "a tar archive"),
        (gzip.compress(tarred.getvalue()), "a tar archive"),
    ):
        path.write_bytes(content)
        assert name in certify.refused("test", "--bits", path)
        assert name in certify.refused("test", "--bits", "-", stdin=content)
    # Whoever says that the bytes are meant gets a verdict on them.
    assert certify("test", "--bits", path, "--raw", *QUICK).code in (0, 1)
    raw = certify.json("test", "--bits", PI, "--raw", *QUICK)
    assert raw["input"]["sha256"] == certify.json("test", "--bits", PI, *QUICK)["input"]["sha256"]


def test_text_of_bits_in_its_other_dresses_is_asked_about(certify, tmp_path):
    data = PI.read_bytes()[:40_000]
    path, plain = tmp_path / "bits.txt", tmp_path / "plain"
    plain.write_bytes(data)
    expected = certify.json("test", "--bits", plain, *QUICK)["tests"]
    lines = [data[start : start + 16] for start in range(0, len(data), 16)]
    for text, option in (
        ("\n".join(f"0x{line.hex()}" for line in lines), "--hex"),
        (", ".join(f"0x{byte:02X}" for byte in data), "--hex"),
        (base64.urlsafe_b64encode(data).decode(), "--base64"),
    ):
        path.write_text(text)
        assert f"say {option}" in certify.refused("test", "--bits", path)
        assert certify.json("test", "--bits", path, option, *QUICK)["tests"] == expected
    # The addresses of a dump would be read as data.
    path.write_text("".join(f"{16 * n:08x}  {line.hex(' ')}\n" for n, line in enumerate(lines)))
    assert "hexadecimal dump" in certify.refused("test", "--bits", path)
    path.write_bytes(base64.b64encode(data).decode().encode("utf-16"))
    assert "UTF-16" in certify.refused("test", "--bits", path)
    path.write_bytes(codecs.BOM_UTF8 + data.hex().encode())
    assert "say --hex" in certify.refused("test", "--bits", path)


def test_a_prefix_of_hexadecimal_digits_is_found_wherever_the_text_is_cut():
    words = [0xA0, 0x00, 0x0F, 0x10, 0xC0, 0x00]
    text = " ".join(f"0x{word:02x}" for word in words).encode()
    for size in range(1, len(text)):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        stream = SimpleNamespace(read=lambda _=-1, left=pieces: left.pop(0) if left else b"")
        decoded = Decoded(stream, "hex", "given")
        assert b"".join(iter(decoded.read, b"")) == bytes(words)


def test_signed_numbers_say_where_they_begin(certify, tmp_path):
    values = np.random.default_rng(4).integers(-100, 101, 10_000)
    path = tmp_path / "numbers"
    path.write_text("".join(f"{value}\n" for value in values))
    given = ("--range", 201, "--tests", "frequency,gap")
    assert "--first -100" in certify.refused("test", "--draws", path, *given)
    expected = certify.json("test", "--draws", path, "--first", -100, *given)["tests"]
    path.write_bytes(values.astype("<i2").tobytes())
    assert (
        certify.json("test", "--draws", path, "--first", -100, "--dtype", "i16", *given)["tests"] == expected
    )
    path.write_text("n,value\n" + "".join(f"{n},{value}\n" for n, value in enumerate(values)))
    columns = ("--columns", 2, "--first", -100)
    assert certify.json("test", "--draws", path, *columns, *given)["tests"] == expected
    path.write_text("-5\n-4\n")  # no heading, though it begins with a mark
    assert (
        certify.json("test", "--draws", path, "--columns", 1, "--first", -100, *given, code=4)["input"][
            "count"
        ]
        == 2
    )
    assert "beyond words" in certify.refused("test", "--draws", path, "--range", 1 << 64, "--first", -1)
    assert "--draws only" in certify.refused("test", "--bits", PI, "--dtype", "i32")


@pytest.mark.parametrize("number", ["nan", "inf", "-inf", "NaN", "1e999"])
def test_a_number_that_is_not_finite_is_no_option(certify, tmp_path, number):
    # Five thousand equal numbers were satisfied at an alpha that no p-value lies below.
    path = tmp_path / "draws"
    path.write_bytes(bytes(5_000))
    call = ("test", "--draws", path, "--dtype", "u8", "--range", 6)
    assert "alpha" in certify.refused(*call, "--alpha", number)
    assert "claimed" in certify.refused("noise", "--samples", path, "--claimed", number)


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
    monkeypatch.setattr("rng.given.encodings.NOT_YET_DENSE", 1 << 22)
    for pack in (gzip.compress, bz2.compress, lzma.compress):
        with pytest.raises(SampleError, match="unpacks to more than 200 times its size"):
            read(pack(bytes(1 << 24)))
        assert read(pack(good.aes_ctr(5, 1 << 20).astype("<u8").tobytes())) == 1 << 23
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


def test_several_files_are_one_in_their_order(certify, tmp_path):
    data = PI.read_bytes()
    parts = [tmp_path / name for name in ("a", "b", "c")]
    parts[0].write_bytes(data[:40_000])
    parts[1].write_bytes(gzip.compress(data[40_000:70_001]))
    parts[2].write_bytes(data[70_001:])
    given = [argument for part in parts for argument in ("--bits", part)]
    made, plain = certify.json("test", *given, *QUICK), certify.json("test", "--bits", PI, *QUICK)
    assert made["tests"] == plain["tests"]
    assert made["input"]["sha256"] == plain["input"]["sha256"]
    assert all(str(part) in made["input"]["source"] for part in parts)
    turned = certify.json("test", *given[2:], *given[:2], *QUICK)
    assert turned["input"]["sha256"] != plain["input"]["sha256"]
    assert "twice" in certify.refused("test", "--bits", PI, "--bits", PI)


def dice(path, count=10_000, faces=6):
    values = np.random.default_rng(18).integers(1, faces + 1, count)
    path.write_text("\n".join(map(str, values.tolist())) + "\n")
    return path


def test_faces_of_a_die_count_from_one(certify, tmp_path):
    path = dice(tmp_path / "dice.txt")
    assert "say --first 1" in certify.refused("test", "--draws", path, "--range", 6)
    named = ("--tests", "frequency,serial-dimensions")
    made = certify.json("test", "--draws", path, "--range", 6, "--first", 1, *named)
    zero_based = tmp_path / "zero.txt"
    zero_based.write_text("".join(f"{int(line) - 1}\n" for line in path.read_text().split()))
    assert certify.json("test", "--draws", zero_based, "--range", 6, *named)["tests"] == made["tests"]
    zero_based.write_text("1\n0\n")
    assert "byte 2: 0 is not from 1 to 6" in certify.refused(
        "test", "--draws", zero_based, "--range", 6, "--first", 1
    )


def test_ten_thousand_outcomes_get_a_verdict(certify, tmp_path):
    balls = np.random.default_rng(6).integers(49, size=10_000).tolist()
    path, few, loaded = (tmp_path / f"{name}.txt" for name in ("balls", "few", "loaded"))
    for file, numbers in ((path, balls), (few, balls[1:]), (loaded, [max(ball, 1) for ball in balls])):
        file.write_text("".join(f"{ball}\n" for ball in numbers))
    made = certify.json("test", "--draws", path, "--range", 49)
    assert made["verdict"] == "satisfied"
    (poisson,) = (test for test in made["tests"] if test["test"] == "poisson")
    assert poisson["verdict"] == "not applicable"
    assert "at least 11760 are needed" in poisson["reason"]
    # Fewer stay open, and so does a test that is asked for by name.
    assert certify("test", "--draws", few, "--range", 49).code == 4
    assert certify("test", "--draws", path, "--range", 49, "--tests", "poisson,frequency").code == 4
    assert certify("test", "--draws", loaded, "--range", 49, "--tests", "frequency").code == 1


def test_a_double_zero_is_asked_about(certify, tmp_path):
    spins = np.random.default_rng(38).integers(0, 38, 20_000).tolist()
    wheel, plain = tmp_path / "wheel.txt", tmp_path / "plain.txt"
    wheel.write_text("".join("00\n" if spin == 37 else f"{spin}\n" for spin in spins))
    plain.write_text("".join(f"{spin}\n" for spin in spins))
    assert "--double-zero 37" in certify.refused("test", "--draws", wheel, "--range", 38)
    read = certify.json(
        "test", "--draws", wheel, "--range", 38, "--double-zero", 37, "--tests", "frequency,gap"
    )
    assert (
        read["tests"]
        == certify.json("test", "--draws", plain, "--range", 38, "--tests", "frequency,gap")["tests"]
    )
    # Padded numbers are no double zero: 007 is 7 and 000 is 0.
    plain.write_text("".join(f"{spin:03d}\n" for spin in spins))
    assert (
        certify.json("test", "--draws", plain, "--range", 38, "--tests", "frequency,gap")["tests"]
        == read["tests"]
    )


def test_numbers_are_taken_from_columns_and_json_lines(certify, tmp_path):
    values = [int(line) for line in dice(tmp_path / "dice.txt").read_text().split()]
    given = ("--range", 6, "--first", 1, "--tests", "frequency,gap")
    expected = certify.json("test", "--draws", tmp_path / "dice.txt", *given)["tests"]
    path = tmp_path / "table"
    for text, options in (
        ("id;time;face\n" + "".join(f"{i};12:30;{v}\n" for i, v in enumerate(values)), ("--columns", 3)),
        ("".join(f"{i}\t{v}\n" for i, v in enumerate(values)), ("--columns", 2, "--separator", "TAB")),
        ("".join(f'{{"spin":{i},"face":{v}}}\n' for i, v in enumerate(values)), ("--json-lines", "face")),
        (
            "".join(f"[{a},{b}]\n" for a, b in zip(values[::2], values[1::2], strict=True)),
            ("--json-lines", ""),
        ),
    ):
        path.write_text(text)
        assert certify.json("test", "--draws", path, *options, *given)["tests"] == expected
    path.write_text("id,face\n1,6\n2,7\n")
    message = certify.refused("test", "--draws", path, "--columns", 2, *given)
    assert "line 3: '7', expected a number from 1 to 6" in message
    path.write_text("id,face\n1,6\n2,00\n")
    assert "--double-zero" in certify.refused("test", "--draws", path, "--columns", 2, "--range", 38)
    path.write_text("id,face\n")
    assert "no numbers to test" in certify.refused("test", "--draws", path, "--columns", 2, *given)
    assert "2 columns, expected at least 9" in certify.refused(
        "test", "--draws", path, "--columns", 9, *given
    )
    assert "goes with" in certify.refused("test", "--bits", PI, "--columns", 2)


def test_a_line_with_more_cells_than_headings_is_refused(certify, tmp_path):
    for line in ("Rossi,3", "Rossi,3,,", '"Rossi, A.",3'):
        cells = Cells(RecordForm(columns=("number",)))
        assert cells.of("player,number", "line 1") is None
        assert cells.of(line, "line 2") == ["3"]
    # A comma within a name would put a seat where the number was expected.
    path = tmp_path / "draws.csv"
    path.write_text("player,number\nVerdi,1\nRossi, A.,3,5\n")
    message = certify.refused("test", "--draws", path, "--range", 6, "--columns", "number")
    assert "line 3: 4 columns, expected the 2 of the heading" in message


def test_a_device_without_end_is_not_read(certify):
    for call in (("--bits", "/dev/zero"), ("--draws", "/dev/zero", "--range", 256, "--dtype", "u8")):
        assert "a device without end" in certify.refused("test", *call)


def test_a_stream_without_end_is_stopped(monkeypatch):
    monkeypatch.setattr("rng.given.reader.STREAM", SizeLimit("a sample", 1 << 20))
    reader = OutputReader(cast(ByteSource, SimpleNamespace(read=bytes)))
    with pytest.raises(SampleError, match="more than 1048576 bytes from a stream: expected a sample"):
        collections.deque(iter(lambda: reader.read(1 << 16), b""), maxlen=0)

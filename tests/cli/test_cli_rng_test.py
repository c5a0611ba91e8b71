"""`certify rng test`: formats, suites, verdicts and refusals."""

import io
import json
import random

import numpy as np
import pytest
from cli_rng_support import VECTORS, Certify
from cli_support import written

from certify.certification import output_tests
from certify.errors import TrustError
from certify.seal.tested import reason_of, require_numbers
from rng.battery.sequences import seeds
from rng.battery.sp800_90b import assessment
from rng.draws import OrderedSample, draw_many
from rng.streams import stream

PI = VECTORS / "sp800-22" / "pi.bin"


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def borderline(path):
    """800,000 bits with 1,900 ones too many: frequency p of about 2e-5."""
    bits = np.zeros(800_000, dtype=np.uint8)
    bits[: 400_000 + 1_900] = 1
    # Spread so evenly that the excess alone is seen.
    place = np.arange(bits.size) * 387_421 % bits.size
    spread = np.empty_like(bits)
    spread[place] = bits
    path.write_bytes(np.packbits(spread).tobytes())
    return path


def test_a_borderline_sample_is_decided_by_a_fresh_one(certify, tmp_path):
    first = borderline(tmp_path / "first.bin")
    alone = certify.json("test", "--bits", first, "--tests", "frequency", code=1)
    assert alone["borderline"] == ["sp800-22/frequency"]
    fresh = certify.generated(tmp_path / "fresh.bin", "--bits", 3_200_000)
    options = ("test", "--bits", first, "--tests", "frequency", "--fresh")
    cleared = certify.json(*options, fresh)
    assert (cleared["verdict"], cleared["stages"]) == ("satisfied", 2)
    reason = reason_of(cleared["input"]["sha256"])
    assert "verdict 'satisfied', as follows" in require_numbers(json.dumps(cleared).encode(), reason)
    with pytest.raises(TrustError, match="not what follows"):
        require_numbers(json.dumps(cleared | {"borderline": []}).encode(), reason)
    assert [test["test"] for test in cleared["fresh"]["tests"]] == ["frequency"]
    fresh.write_bytes(first.read_bytes() * 4)
    assert certify.json(*options, fresh, code=1)["verdict"] == "not satisfied"
    fresh.write_bytes(first.read_bytes())
    assert "same data" in certify.refused(*options, fresh)
    fresh.write_bytes(PI.read_bytes())
    assert "expected at least 4" in certify.refused(*options, fresh)
    assert "same data" in certify.refused(*options, first)


def test_what_is_read_in_pieces_is_whole():
    from rng.given.reader import OutputReader

    reader = OutputReader(io.BytesIO(b"0123456789"))
    assert reader.peek(4) == b"0123"
    assert reader.read(2) + reader.read(100) + reader.read(100) == b"0123456789"


def test_more_seeds_are_tried_where_they_are_asked_for(certify, tmp_path, monkeypatch):
    seed = 1_000_000_123
    monkeypatch.setitem(seeds.RANGES, "clock", seeds.Seeds(seed - 150, 300, "three hundred seconds"))
    monkeypatch.setattr(output_tests, "PART_OF_SEEDS", 128)
    at = random.Random(seed)  # noqa: S311 - it is what is looked for
    numbers = written(tmp_path / "numbers.txt", "\n".join(str(at.randrange(37)) for _ in range(2_000)))
    asked = ("test", "--draws", numbers, "--range", 37, "--tests", "seeds,frequency")
    assert certify.json(*asked)["verdict"] == "satisfied"
    found = certify.json(*asked, "--seeds", "clock", "--executor", "threads:2", code=1)
    (named,) = [result for result in found["tests"] if result["test"] == "seeds"]
    assert any(f"seed {seed}" in label for label in named["labels"])
    few = written(tmp_path / "few.txt", "\n".join(numbers.read_text().split()[:40]))
    said = certify.refused("test", "--draws", few, "--range", 37, "--seeds", "clock")
    assert "expected at least 64 numbers" in said
    assert "goes with --draws" in certify.refused("test", "--bits", few, "--seeds", "all")


MASTER = bytes(range(40))
LOTTERY = OrderedSample(49, 6)


def drawn(draw, count, index=0):
    return draw_many(stream(MASTER, "battery-calibration", index), draw, count).astype(np.int64)


def lines(rows, mark=" "):
    return "".join(mark.join(map(str, row)) + "\n" for row in rows.tolist())


def test_balls_in_ascending_order_are_asked_about(certify, tmp_path):
    lottery = drawn(LOTTERY, 10_000) + 1
    path = written(tmp_path / "draws", lines(np.sort(lottery, axis=1)))
    given = ("test", "--draws", path, "--balls", "6/49", "--faces", "--tests", "places")
    assert "--order any" in certify.refused(*given)
    assert certify.json(*given, "--order", "any")["verdict"] == "satisfied"
    assert certify.json(*given, "--order", "any") == certify.json(*given, "--order", "any")
    assert certify(*given, "--order", "drawn").code == 1
    # What the order cannot hide is found: one ball of a hundred draws is another one.
    heavy = np.sort(lottery, axis=1)
    chosen = np.flatnonzero(~(heavy == 7).any(axis=1))[::40]
    heavy[chosen, 0] = 7
    path.write_text(lines(heavy))
    assert certify(*given, "--order", "any").code == 1


def test_a_fresh_sample_of_rows_decides_a_borderline_one(certify, tmp_path):
    first, fresh = tmp_path / "first", tmp_path / "fresh"
    given = ("test", "--draws", first, "--balls", "6/49", "--tests", "common-with-last,places")
    for struck in range(140, 0, -3):
        rows = drawn(LOTTERY, 3_000, 7)
        rows[np.flatnonzero((rows != 8).all(axis=1))[:struck], -1] = 8
        first.write_text(lines(rows))
        found = certify.json(*given, code=certify(*given).code)
        if found["borderline"]:
            break
    assert found["borderline"] == ["balls/places"]
    fresh.write_text(lines(drawn(LOTTERY, 12_000, 8)))
    assert certify.json(*given, "--fresh", fresh)["verdict"] == "satisfied"


NOISE = VECTORS / "sp800-90b" / "rand4_short.bin"


def test_enough_samples_satisfy_a_claim(certify, monkeypatch, tmp_path):
    monkeypatch.setattr(assessment, "SAMPLES_REQUIRED", 10_000)
    made = certify.json("noise", "--samples", NOISE, "--width", 4, "--claimed", 3)
    assert (made["verdict"], made["sp800_90b"]["claimed"]) == ("satisfied", 3)
    assert "6.3.10" in certify("noise", "--samples", NOISE, "--width", 4).out
    (tmp_path / "more").write_bytes(NOISE.read_bytes() * 2)
    made = certify.json("noise", "--samples", tmp_path / "more", "--width", 4)
    assert "of 20000 bytes the first 10000 are assessed" in made["sp800_90b"]["reason"]

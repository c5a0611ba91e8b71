"""`certify rng noise`: raw noise by SP 800-90B and AIS 20/31, from the command line."""

import gzip
import hashlib

import pytest

from rng.battery.planted import good
from rng.battery.sp800_90b import assessment
from tests.cli_rng_support import VECTORS, Certify

NOISE = VECTORS / "sp800-90b" / "rand4_short.bin"


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def test_too_few_samples_are_assessed_and_decide_nothing(certify):
    made = certify.json("noise", "--samples", NOISE, "--width", 4, code=4)
    found = made["sp800_90b"]
    assert found["min_entropy"] == pytest.approx(3.2154882678767365, rel=1e-9)
    assert found["smallest"] == "compression on bits"
    assert len(found["literal"]) == 7
    assert len(found["bitstring"]) == 10
    assert "1000000 are required" in found["reason"]


def test_a_claim_above_the_assessment_is_a_finding_however_few(certify):
    made = certify.json("noise", "--samples", NOISE, "--width", 4, "--claimed", 3.5, code=1)
    assert made["verdict"] == "not satisfied"


def test_enough_samples_satisfy_a_claim(certify, monkeypatch, tmp_path):
    monkeypatch.setattr(assessment, "SAMPLES_REQUIRED", 10_000)
    made = certify.json("noise", "--samples", NOISE, "--width", 4, "--claimed", 3)
    assert (made["verdict"], made["sp800_90b"]["claimed"]) == ("satisfied", 3)
    assert "6.3.10" in certify("noise", "--samples", NOISE, "--width", 4).out
    (tmp_path / "more").write_bytes(NOISE.read_bytes() * 2)
    made = certify.json("noise", "--samples", tmp_path / "more", "--width", 4)
    assert "of 20000 bytes the first 10000 are assessed" in made["sp800_90b"]["reason"]


def test_procedures_take_their_own_files(certify, tmp_path):
    raw, short = tmp_path / "raw", tmp_path / "short"
    raw.write_bytes(good.chacha20(3, 230_000).tobytes())
    short.write_bytes(bytes(100))
    made = certify.json("noise", "--raw-bits", raw)
    (procedure,) = made["ais_20_31"]
    assert (procedure["procedure"], procedure["verdict"], procedure["tests"]) == ("B", "satisfied", 9)
    both = certify.json("noise", "--raw-bits", raw, "--internal-bits", short, code=4)
    assert [one["verdict"] for one in both["ais_20_31"]] == ["inconclusive", "satisfied"]
    raw.write_bytes(b"\x55" * 920_000)  # as many ones as zeros, and no bit ever follows its equal
    failed = certify.json("noise", "--raw-bits", raw, code=1)
    assert [one["test"] for one in failed["ais_20_31"][0]["failed"]] == ["T6b"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), 5, "nothing to assess"),
        (("--claimed", 1), 2, "--claimed goes with --samples only"),
        (("--samples", NOISE, "--width", 3), 2, "expected a sample of 3 bits"),
        (("--samples", "absent"), 2, "absent"),
        (("--samples", NOISE, "--width", 9), 2, "9"),
    ],
)
def test_wrong_calls_are_refused(certify, arguments, code, message):
    assert message in certify.refused("noise", *arguments, code=code)


def test_noise_that_is_written_as_text_or_packed_is_asked_about(certify, tmp_path):
    path = tmp_path / "noise"
    data = hashlib.shake_256(b"noise").digest(8_000)
    for content, what in ((data.hex().encode(), "text (hex)"), (gzip.compress(data), "packed data")):
        path.write_bytes(content)
        for option in ("--samples", "--raw-bits", "--internal-bits"):
            assert what in certify.refused("noise", option, path)
    assert certify("noise", "--samples", path, "--raw").code == 4
    # Samples of a converter may all be printable.
    path.write_bytes(bytes(60 + byte % 32 for byte in data))
    assert certify("noise", "--samples", path).code == 4

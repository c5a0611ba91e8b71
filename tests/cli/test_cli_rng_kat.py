"""The generator at the command line: noise, published vectors, its own faults."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from cli_rng_support import VECTORS, Certify
from cli_support import written

from rng.battery.planted import good
from rng.battery.sp800_90b import assessment

SAMPLES = sorted((VECTORS / "acvp").iterdir())
CTR = VECTORS / "acvp" / "ctrDRBG-1.0_AES-256.sample.json"


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def test_all_samples_pass(certify):
    report = certify.json("kat", *SAMPLES)
    assert report["failed"] == []
    assert report["tests"] == report["passed"] == 29
    assert report["groups"] == 13
    assert len(report["files"]) == len(SAMPLES)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_text_ends_with_the_counts(certify, sample):
    call = certify("kat", sample)
    tests = certify.json("kat", sample)["tests"]
    assert call.code == 0
    assert call.out.rstrip().endswith(f"{tests} tests, {tests} passed")


def altered(tmp_path):
    """The published vectors with one returned byte changed."""
    document = json.loads(CTR.read_text())
    test = document["testGroups"][0]["tests"][0]
    test["returnedBits"] = f"{int(test['returnedBits'][:2], 16) ^ 1:02X}" + test["returnedBits"][2:]
    return written(tmp_path / "altered.json", json.dumps(document))


def test_one_wrong_bit_fails_exactly_its_test(certify, tmp_path):
    path = altered(tmp_path)
    report = certify.json("kat", path, code=1)
    assert report["passed"] == report["tests"] - 1
    assert [Path(failure["file"]) for failure in report["failed"]] == [path]
    assert "FAILED" in certify("kat", path).out


def test_a_prompt_goes_with_its_expected_results(certify, tmp_path):
    document = json.loads(CTR.read_text())
    answers = {key: document[key] for key in document if key != "testGroups"}
    answers["testGroups"] = [
        {
            "tgId": group["tgId"],
            "tests": [{"tcId": t["tcId"], "returnedBits": t.pop("returnedBits")} for t in group["tests"]],
        }
        for group in document["testGroups"]
    ]
    prompt, expected = tmp_path / "prompt.json", tmp_path / "expectedResults.json"
    prompt.write_text(json.dumps(document))
    expected.write_text(json.dumps(answers))
    assert certify.json("kat", prompt, expected)["passed"] == certify.json("kat", CTR)["passed"]
    # A prompt alone has no answers: nothing is checked, which is never a pass.
    assert certify.json("kat", prompt, code=5)["tests"] == 0


def test_a_file_without_tests_is_never_a_pass(certify, tmp_path):
    path = written(tmp_path / "none.json", '{"algorithm": "ctrDRBG", "testGroups": []}')
    assert certify("kat", path).code == 5


@pytest.mark.parametrize("content", ["{", "{}", "COUNT = 0\nKey 17", "", "[1, 2]", "\0"])
def test_a_malformed_file_is_refused(certify, tmp_path, content):
    path = written(tmp_path / "bad", content)
    assert str(path) in certify.refused("kat", path)
    assert str(path) in certify.refused("kat", CTR, path)


def test_wrong_calls_of_kat_are_refused(certify, tmp_path):
    certify.refused("kat")
    certify.refused("kat", tmp_path / "absent.json")


NOISE = VECTORS / "sp800-90b" / "rand4_short.bin"


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
def test_wrong_calls_about_noise_are_refused(certify, arguments, code, message):
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

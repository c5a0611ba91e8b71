"""`certify rng kat`: exit codes and the shape of its JSON."""

import json
from pathlib import Path

import pytest
from cli_rng_support import VECTORS, Certify

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
    path = tmp_path / "altered.json"
    path.write_text(json.dumps(document))
    return path


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
    path = tmp_path / "none.json"
    path.write_text('{"algorithm": "ctrDRBG", "testGroups": []}')
    assert certify("kat", path).code == 5


@pytest.mark.parametrize("content", ["{", "{}", "COUNT = 0\nKey 17", "", "[1, 2]", "\0"])
def test_a_malformed_file_is_refused(certify, tmp_path, content):
    path = tmp_path / "bad"
    path.write_text(content)
    assert str(path) in certify.refused("kat", path)
    assert str(path) in certify.refused("kat", CTR, path)


def test_wrong_calls_are_refused(certify, tmp_path):
    certify.refused("kat")
    certify.refused("kat", tmp_path / "absent.json")

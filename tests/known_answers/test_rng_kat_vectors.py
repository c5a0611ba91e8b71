"""The generator against published vectors, cut-offs and golden decks; anything wrong in a file is found and named."""

import importlib.util
import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from cli_support import written

from rng.draws import deal_decks
from rng.entropy import critbinom, proportion_cutoff, proportion_window, repetition_cutoff
from rng.errors import RangeError, VectorError
from rng.kat import run_kat_files
from rng.shuffle import shuffle
from rng.streams import stream, stream_seed

ACVP = Path(__file__).parents[2] / "fixtures" / "vectors" / "acvp"
SAMPLES = sorted(ACVP.glob("*.json"))
CAVS = sorted(ACVP.glob("cavs_*.txt"))


def load(path):
    return json.loads(path.read_text())


def save(tmp_path, name, document):
    return written(tmp_path / name, json.dumps(document))


def halves(tmp_path, document):
    """Split a complete file into a prompt and its expected results."""
    prompt, expected = json.loads(json.dumps(document)), json.loads(json.dumps(document))
    for group in prompt["testGroups"]:
        for test in group["tests"]:
            del test["returnedBits"]
    for group in expected["testGroups"]:
        for test in group["tests"]:
            for key in list(test):
                if key not in ("tcId", "returnedBits"):
                    del test[key]
        for key in list(group):
            if key not in ("tgId", "tests"):
                del group[key]
    return save(tmp_path, "prompt.json", prompt), save(tmp_path, "expectedResults.json", expected)


@pytest.mark.parametrize("path", [*SAMPLES, *CAVS], ids=lambda p: p.name)
def test_against_nist_vectors(path):
    report = run_kat_files([path])
    assert report.failed == ()
    assert report.not_run == ()
    assert report.passed == report.tests > 0
    assert report.holds


def test_all_files_together_are_counted():
    document = run_kat_files([*SAMPLES, *CAVS]).to_json()
    assert (document["groups"], document["tests"], document["passed"]) == (13, 29, 29)
    assert document["failed"] == ()
    assert len(document["files"]) == 8
    assert sum(a["tests"] for a in document["algorithms"]) == 29


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.name)
def test_prompt_and_expected_results_are_put_together(sample, tmp_path):
    whole = run_kat_files([sample])
    prompt, expected = halves(tmp_path, load(sample))
    for order in ([prompt, expected], [expected, prompt]):
        report = run_kat_files(order)
        assert (report.groups, report.tests, report.passed) == (whole.groups, whole.tests, whole.tests)
        assert report.not_run == ()


def test_half_a_pair_is_not_run_and_never_passes(tmp_path):
    prompt, expected = halves(tmp_path, load(SAMPLES[0]))
    for half in (prompt, expected):
        report = run_kat_files([half])
        assert (report.tests, report.passed, report.holds) == (0, 0, False)
        assert [n.tests for n in report.not_run] == [12]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.name)
def test_a_wrong_answer_is_found_in_each_test(sample, tmp_path):
    document = load(sample)
    for group in document["testGroups"]:
        bits = group["tests"][1]["returnedBits"]
        group["tests"][1]["returnedBits"] = bits[:-1] + ("0" if bits[-1] != "0" else "1")
    report = run_kat_files([save(tmp_path, "flipped.json", document)])
    assert len(report.failed) == len(document["testGroups"])
    assert {f.test for f in report.failed} == {
        f"tcId {group['tests'][1]['tcId']}" for group in document["testGroups"]
    }
    assert report.passed == report.tests - len(report.failed)


@pytest.mark.parametrize("field", ["entropyInput", "persoString", "additionalInput"])
def test_a_wrong_input_fails(field, tmp_path):
    document = load(SAMPLES[0])
    test = document["testGroups"][0]["tests"][0]
    holder = test["otherInput"][0] if field == "additionalInput" else test
    holder[field] = ("0" if holder[field][0] != "0" else "1") + holder[field][1:]
    report = run_kat_files([save(tmp_path, "input.json", document)])
    assert [f.test for f in report.failed] == [f"tcId {test['tcId']}"]


def test_modes_not_offered_are_named_and_not_counted(tmp_path):
    document = load(SAMPLES[0])
    document["testGroups"][0]["mode"] = "TDES"
    report = run_kat_files([save(tmp_path, "tdes.json", document)])
    assert (report.groups, report.tests, report.passed) == (3, 9, 9)
    assert [(n.group, n.tests) for n in report.not_run] == [("tgId 3", 3)]
    assert "TDEA" in report.not_run[0].reason


def test_the_form_sent_over_the_wire_is_read(tmp_path):
    path = save(tmp_path, "wire.json", [{"acvVersion": "1.0"}, load(SAMPLES[1])])
    assert run_kat_files([path]).passed == 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("algorithm"), "algorithm"),
        (lambda d: d.update(algorithm="AES-GCM"), "AES-GCM"),
        (lambda d: d.update(testGroups={}), "testGroups"),
        (lambda d: d["testGroups"][1].pop("mode"), r"testGroups\[1\]\.mode"),
        (lambda d: d["testGroups"][0]["tests"][2].update(nonce="xyz"), r"tests\[2\]\.nonce: hexadecimal"),
        (lambda d: d["testGroups"][0]["tests"][0].update(entropyInput="ABC"), r"tests\[0\]\.entropyInput"),
        (lambda d: d["testGroups"][0]["tests"][0].update(otherInput=3), r"otherInput: list expected"),
        (
            lambda d: d["testGroups"][0]["tests"][0]["otherInput"][0].update(intendedUse="shake"),
            r"otherInput\[0\]\.intendedUse 'shake'",
        ),
        (lambda d: d["testGroups"][0].update(predResistance="yes"), "predResistance: bool expected"),
        (lambda d: d["testGroups"][0].update(returnedBitsLen=True), "returnedBitsLen: int expected"),
    ],
)
def test_a_malformed_json_file_is_refused_with_its_place(change, message, tmp_path):
    document = load(SAMPLES[0])
    change(document)
    path = save(tmp_path, "malformed.json", document)
    with pytest.raises(VectorError, match=message) as caught:
        run_kat_files([path])
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"algorithm": ', ":1:[0-9]+: not JSON"),
        ("[" * 100_000, "malformed|nested|JSON"),
        ("# HMAC_DRBG options: SHA-256\n[SHA-256]\nwhat is this\n", ":3"),
        ("# HMAC_DRBG options\n[SHA-256]\nEntropyInput = 00\n", ":3: EntropyInput before any COUNT"),
        ("# HMAC_DRBG options\n[SHA-256]\nCOUNT = 0\nNonce = 00\n", ":4: EntropyInput expected"),
        (
            "# HMAC_DRBG options\n[SHA-256]\nCOUNT = 0\nEntropyInput = 0g\n",
            ":4: EntropyInput: hexadecimal",
        ),
        ("# HMAC_DRBG options\n[SHA-256]\nCOUNT = 0\nEntropyInput = 00\n", "no ReturnedBits"),
        ("[SHA-256]\nCOUNT = 0\nEntropyInput = 00\n", "which DRBG"),
        ("", "no tests found"),
    ],
)
def test_a_malformed_text_file_is_refused_with_its_line(text, message, tmp_path):
    path = written(tmp_path / "vectors.unknown", text)
    with pytest.raises(VectorError, match=message):
        run_kat_files([path])


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(VectorError, match=r"absent\.json: cannot be read"):
        run_kat_files([tmp_path / "absent.json"])
    binary = written(tmp_path / "binary.rsp", b"\xff\xfe\x00")
    with pytest.raises(VectorError, match="byte 0"):
        run_kat_files([binary])


def test_a_wrong_intermediate_state_is_found(tmp_path):
    source = next(p for p in CAVS if "pr_false_HMAC" in p.name)
    text = source.read_text()
    # The V printed after the reseed: its first digit is changed.
    changed = text.replace("V   = c246fa97", "V   = d246fa97")
    assert changed != text
    path = written(tmp_path / source.name, changed)
    report = run_kat_files([path])
    assert [f.reason for f in report.failed] == ["after call 1 (reseed): V is not the published value"]


def test_response_files_without_states_and_with_dos_line_ends(tmp_path):
    source = next(p for p in CAVS if "pr_true_CTR" in p.name)
    lines = [ln for ln in source.read_text().splitlines() if not ln.startswith(("**", "\t"))]
    path = written(tmp_path / "CTR_DRBG.rsp", "\r\n".join(lines).encode())
    assert run_kat_files([path]).passed == 1


# The table jent_apt_cutoff_lookup of the Linux kernel's crypto/jitterentropy.c: window 512,
# alpha 2^-30, H = 1/osr for osr 1 to 15. That table counts the first sample of the window, which
# always equals itself, apart: 2 + critbinom(511, p, 1 - alpha).
JITTERENTROPY = (325, 422, 459, 477, 488, 494, 499, 502, 505, 507, 508, 509, 510, 511, 512)


def test_against_jitterentropy():
    alpha = Fraction(1, 1 << 30)
    ours = tuple(
        min(512, 2 + critbinom(511, Fraction(2.0 ** (-1 / osr)), alpha))
        for osr in range(1, len(JITTERENTROPY) + 1)
    )
    assert ours == JITTERENTROPY


@pytest.mark.parametrize(
    ("entropy", "alarm", "cutoff"), [(1.0, 20, 21), (8.0, 20, 4), (2.0, 30, 16), (0.5, 40, 81)]
)
def test_against_sp800_90b_repetition_formula(entropy, alarm, cutoff):
    assert repetition_cutoff(entropy, alarm) == cutoff


def test_against_scipy_binomial():
    from scipy.stats import binom

    for entropy, window, alarm in ((1.0, 1024, 20), (1.0, 512, 30), (4.0, 512, 20), (8.0, 512, 40)):
        expected = 1 + int(binom.isf(2.0**-alarm, window, 2.0**-entropy))
        assert proportion_cutoff(entropy, window, alarm) == expected


def test_windows_are_those_of_the_standard():
    assert (proportion_window(2), proportion_window(256)) == (1024, 512)


@pytest.mark.parametrize(("entropy", "alarm"), [(0.0, 30), (8.5, 30), (1.0, 19), (1.0, 41)])
def test_claims_outside_the_standard_are_refused(entropy, alarm):
    with pytest.raises(RangeError):
        repetition_cutoff(entropy, alarm)


ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "fixtures/vectors/redeal/golden-v1.json").read_text())["vectors"]
PROGRAM = ROOT / "docs" / "redeal.py"


def load_program():
    spec = importlib.util.spec_from_file_location("redeal", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REDEAL = load_program()


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda v: f"{v['purpose']}-{v['cards']}-{v['deck_number']}")
def test_against_golden_vectors(vector):
    seed, index = bytes.fromhex(vector["master_seed"]), int(vector["index"])
    assert stream_seed(seed, vector["purpose"], index).hex() == vector["stream_seed"]
    words = stream(seed, vector["purpose"], index)
    assert [f"{words.word():016x}" for _ in range(4)] == vector["first_words"]
    source = stream(seed, vector["purpose"], index)
    decks = deal_decks(source, vector["deck_number"] + 1, vector["cards"])
    assert decks[-1].tolist() == vector["deck"]


def test_plain_shuffle_gives_the_golden_first_deck():
    for vector in (v for v in GOLDEN if v["deck_number"] == 0):
        source = stream(bytes.fromhex(vector["master_seed"]), vector["purpose"], int(vector["index"]))
        assert list(shuffle(source, vector["cards"])) == vector["deck"]


@pytest.mark.parametrize(("purpose", "index"), [("simulation-decks", 5), ("evidence-sample", 2**63)])
def test_the_program_of_its_own_deals_the_same_decks(purpose, index):
    seed = bytes(range(100, 164))
    theirs = REDEAL.redeal(seed, purpose, index, 0, 3000)
    assert deal_decks(stream(seed, purpose, index), 3000, 40).tolist() == theirs


def test_the_program_runs_without_the_product():
    text = PROGRAM.read_text()
    assert "import rng" not in text
    assert "from rng" not in text
    assert "certify" not in text
    done = subprocess.run(
        [sys.executable, "-I", str(PROGRAM), bytes(32).hex(), "export", "0", "1", "2"],
        capture_output=True,
        text=True,
        check=True,
    )
    decks = [[int(card) for card in line.split()] for line in done.stdout.splitlines()]
    assert decks == deal_decks(stream(bytes(32), "export", 0), 3, 40).tolist()[1:]

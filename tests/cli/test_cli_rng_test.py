"""`certify rng test`: formats, suites, verdicts and refusals."""

import csv
import io
import json
import random
from pathlib import Path

import numpy as np
import pytest
from cli_rng_support import SEED, VECTORS, Certify
from cli_support import GAME, written
from representatives import only

from certify.certification import output_tests
from certify.errors import TrustError
from certify.seal.tested import reason_of, require_numbers
from rng.battery import sp800_22, whole_stream, word_counts
from rng.battery.bits import open_raw
from rng.battery.planted import good, known, shuffles
from rng.battery.sequences import seeds
from rng.battery.sp800_22.streams import run_streams

PI = VECTORS / "sp800-22" / "pi.bin"


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def published(stream):
    """The reference program's printed p-values of a stream by test, in its order."""
    names = {name.replace("-", ""): name for name in sp800_22.TESTS}
    values = {}
    for row in csv.DictReader((VECTORS / "sp800-22" / "known_answers.csv").open()):
        if row["stream"] == stream and row["source"].startswith("NIST STS 2.1.2 reference C"):
            values.setdefault(names[row["test"].lower()], []).append(row["p_value"])
    return values


def by_name(document):
    return {f"{test['suite']}/{test['test']}": test for test in document["tests"]}


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["pi", "e"])
def test_against_the_reference_program(certify, stream):
    made = certify.json("test", "--bits", VECTORS / "sp800-22" / f"{stream}.bin")
    assert made["input"]["kind"] == "bits"
    assert made["input"]["count"] == 1_000_000
    assert (made["alpha"], made["verdict"]) == (0.01, "satisfied")
    every = [*sp800_22.TESTS, *whole_stream.NAMES]
    assert [test["test"] for test in made["tests"] if test["suite"] != "sequences"] == every
    in_words = {test["test"] for test in made["tests"] if test["suite"] == "sequences"}
    assert {"known-lags", "gap", "poisson"} <= in_words <= set(word_counts.NAMES)
    expected = published(stream)
    assert sum(map(len, expected.values())) == 188
    program = [t for t in made["tests"] if t["suite"] == "sp800-22"]
    assert {t["test"]: [f"{p:.6f}" for p in t["p_values"]] for t in program} == expected


def test_both_constants_are_shown_where_they_differ(certify):
    asked = ("test", "--bits", PI, "--tests", "frequency,linear-complexity")
    reference = by_name(certify.json(*asked))["sp800-22/linear-complexity"]
    assert [round(p, 6) for p in reference["p_values"]] == [0.255475]
    assert [round(p, 6) for p in reference["p_values_exact"]] == [0.246801]
    exact = by_name(certify.json(*asked, "--constants", "exact"))["sp800-22/linear-complexity"]
    assert exact["p_values"] == reference["p_values_exact"]
    assert exact["p_values_reference"] == reference["p_values"]
    assert "p_values_exact" not in by_name(certify.json(*asked))["sp800-22/frequency"]


def test_settings_reach_the_tests(certify):
    made = certify.json(
        "test", "--bits", PI, "--tests", "block-frequency", "--set", "block-frequency.m=10000"
    )
    (test,) = made["tests"]
    assert test["parameters"] == {"m": 10_000}
    (plain,) = sp800_22.run(open_raw(PI), tests=["block-frequency"], settings={"block-frequency.m": 10_000})
    assert tuple(test["p_values"]) == plain.p_values  # type: ignore[union-attr]


def test_raw_ascii_and_standard_input_are_the_same_bits(certify, tmp_path):
    digits = "".join(map(str, np.unpackbits(np.fromfile(PI, dtype=np.uint8)).tolist()))
    text = written(tmp_path / "pi.txt", "\n".join(digits[at : at + 25] for at in range(0, len(digits), 25)))
    names = ("--tests", "frequency,runs,cumulative-sums")
    raw = certify.json("test", "--bits", PI, *names)["tests"]
    assert certify.json("test", "--bits", text, "--ascii", *names)["tests"] == raw
    assert certify.json("test", "--bits", "-", *names, stdin=PI.read_bytes())["tests"] == raw
    assert certify.json("test", "--bits", "-", "--ascii", *names, stdin=text.read_bytes())["tests"] == raw


def test_many_sequences_agree_with_the_library(certify):
    names = ["frequency", "cumulative-sums", "fft"]
    options = ("--tests", ",".join(names), "--streams", 60, "--length", 16_000)
    made = certify.json("test", "--bits", PI, *options, "--workers", 2)
    assert made == certify.json("test", "--bits", PI, *options)
    assert (made["input"]["streams"], made["input"]["length"]) == (60, 16_000)
    report = run_streams(open_raw(PI), 60, 16_000, tests=names, constants="exact")
    columns = {(c.test, c.label): c for c in report.results}
    for test in made["tests"]:
        for column in test["over_sequences"]:
            judged = columns[test["test"], column["label"]]
            assert column["passed"] == judged.passed
            assert column["uniformity_p"] == judged.uniformity
            assert column["tenths"] == list(judged.counts)
    reference = run_streams(open_raw(PI), 60, 16_000, tests=["fft"], constants="reference")
    assert by_name(made)["sp800-22/fft"]["p_values"] == list(reference.results[0].p_values)


def test_a_stuck_stretch_in_one_of_many_sequences_is_found(certify, tmp_path):
    data = bytearray(PI.read_bytes())
    data[50_000:51_000] = bytes(1000)
    path = written(tmp_path / "stuck.bin", data)
    options = ("--tests", "frequency,runs", "--streams", 50)
    made = certify.json("test", "--bits", path, *options, code=1)
    assert made["verdict"] == "not satisfied"
    assert any("smallest of 50" in reason for reason in made["reasons"])
    assert certify.json("test", "--bits", PI, *options)["verdict"] == "satisfied"


def decks_file(path, decks):
    path.write_bytes(np.asarray(decks, dtype=np.uint8).tobytes())
    return path


def test_decks_binary_csv_and_standard_input_are_the_same(certify, tmp_path):
    decks = shuffles.fisher_yates(good.aes_ctr, 1, 2_500)
    binary = decks_file(tmp_path / "decks.bin", decks)
    lines = [",".join(map(str, row)) for row in decks.tolist()]
    table = written(tmp_path / "decks.csv", "\n".join([",".join(f"c{i}" for i in range(40)), *lines]) + "\n")
    expected = certify.json("test", "--decks", binary, "--tests", "fixed-points,inversions,runs,duplicates")
    assert expected["input"]["count"] == 2_500
    assert {test["suite"] for test in expected["tests"]} == {"cards"}
    asked = ("--tests", ",".join(test["test"] for test in expected["tests"]))
    assert certify.json("test", *asked, "--decks", table)["tests"] == expected["tests"]
    assert certify.json("test", *asked, "--decks", table, "--csv")["tests"] == expected["tests"]
    assert (
        certify.json("test", *asked, "--decks", "-", stdin=binary.read_bytes())["tests"] == expected["tests"]
    )
    assert (
        certify.json("test", *asked, "--decks", "-", stdin=table.read_bytes())["tests"] == expected["tests"]
    )


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("dtype", only(["u8", "u16", "u32"], "u16"))
def test_draws_in_every_form_are_the_same(certify, tmp_path, dtype, order):
    numbers = good.uniform_numbers(good.aes_ctr, 1, 40, 5_000)
    text = written(tmp_path / "n.txt", "".join(f"{n}\n" for n in numbers.tolist()))
    binary = written(
        tmp_path / "n.bin",
        numbers.astype(f"{'<' if order == 'little' else '>'}{dtype[0]}{int(dtype[1:]) // 8}").tobytes(),
    )
    flags = ["--dtype", dtype, *(["--big-endian"] if order == "big" else [])]
    # Of the numbers as a whole and of each with the next, so that one read otherwise is seen.
    flags += ["--tests", "frequency,serial-dimensions,permutation"]
    expected = certify.json("test", "--draws", text, "--range", 40, *flags[-2:])
    assert expected["input"] | {"count": 5_000, "range": 40, "kind": "draws"} == expected["input"]
    made = certify.json("test", "--draws", binary, "--range", 40, *flags)
    assert made["tests"] == expected["tests"]
    again = certify.json("test", "--draws", "-", "--range", 40, *flags, stdin=binary.read_bytes())
    assert again["tests"] == expected["tests"]


def test_draws_of_whole_words_are_bits_as_well(certify, tmp_path):
    octets = PI.read_bytes()
    text = written(tmp_path / "pi.txt", "".join(f"{byte}\n" for byte in octets))
    options = ("--suite", "sp800-22", "--tests", "frequency,serial,fft")
    direct = certify.json("test", "--bits", PI, *options)
    assert certify.json("test", "--draws", text, "--range", 256, *options)["tests"] == direct["tests"]


def test_suite_all_runs_what_fits(certify):
    made = certify.json(
        "test", "--bits", PI, "--suite", "all", "--tests", "frequency,sequences/serial-dimensions"
    )
    assert list(by_name(made)) == ["sp800-22/frequency", "sequences/frequency", "sequences/serial-dimensions"]


def test_what_sp800_22_misses_the_sequences_find(certify, tmp_path):
    path = written(tmp_path / "mt.bin", known.mt19937(1, 41_000).astype("<u4").tobytes())
    found = certify.json(
        "test", "--bits", path, "--suite", "sequences", "--tests", "linear-complexity", code=1
    )
    assert found["tests"][0]["verdict"] == "not satisfied"


FAULTS = {
    "sattolo": (lambda: shuffles.sattolo(good.aes_ctr, 1, 512), "fixed-points,inversions"),
    "swap-with-any": (lambda: shuffles.swap_with_any(good.aes_ctr, 1, 4096), "card-position,fixed-points"),
    "riffles": (lambda: shuffles.riffles(good.aes_ctr, 1, 1024, 7), "rising-sequences,fixed-points"),
    "small-seed": (lambda: shuffles.small_seed(good.aes_ctr, 1, 16_384, 24), "duplicates,fixed-points"),
}
"""Bad shuffles, and tests that find them with one more."""


@pytest.mark.parametrize(
    ("fault", "whole"),
    [
        *((fault, fault == "sattolo") for fault in FAULTS),
        *(pytest.param(fault, True, marks=pytest.mark.slow) for fault in FAULTS if fault != "sattolo"),
    ],
)
def test_a_bad_shuffle_is_not_satisfied(certify, tmp_path, fault, whole):
    shuffled, names = FAULTS[fault]
    path = decks_file(tmp_path / "bad.bin", shuffled())
    call = certify("test", "--decks", path, *(() if whole else ("--tests", names))).expect(1)
    assert "verdict: NOT SATISFIED" in call.out


def test_wagers_of_a_game_join_the_family(certify, tmp_path):
    decks = shuffles.fisher_yates(good.aes_ctr, 1, 4_000)
    path = decks_file(tmp_path / "decks.bin", decks)
    fair = certify.json("test", "--decks", path, "--tests", "fixed-points", "--game", GAME)
    wagers = [test for test in fair["tests"] if test["test"].startswith("combinations-")]
    assert [test["test"] for test in wagers] == [
        "combinations-main",
        "combinations-partita-perfetta",
        "combinations-mano-di-poker",
    ]
    assert {sum(test["parameters"].values()) for test in wagers} == {4_000}
    # Every tenth deck begins with the King of Denari and the seven of Coppe.
    for row in decks[::10]:
        for place, card in ((0, 36), (1, 25)):
            other = int(np.flatnonzero(row == card)[0])
            row[[place, other]] = row[[other, place]]
    unfair = certify.json(
        "test", "--decks", decks_file(path, decks), "--tests", "fixed-points", "--game", GAME, code=1
    )
    assert by_name(unfair)["cards/combinations-main"]["verdict"] == "not satisfied"


def test_short_data_is_inconclusive_and_says_what_it_needs(certify, tmp_path):
    path = written(tmp_path / "short.bin", PI.read_bytes()[:1000])
    made = certify.json("test", "--bits", path, code=4)
    assert made["verdict"] == "inconclusive"
    in_words = {test["test"] for test in made["tests"] if test["suite"] == "sequences"}
    assert [test["test"] for test in made["tests"] if test["suite"] != "sequences"] == [
        *sp800_22.TESTS,
        *whole_stream.NAMES,
    ]
    assert set() != in_words <= set(word_counts.NAMES)
    universal = by_name(made)["sp800-22/universal"]
    assert universal["verdict"] == "inconclusive"
    assert (universal["p_values"], universal["parameters"]) == ([], {})
    assert "387840" in universal["reason"]
    assert by_name(made)["sp800-22/frequency"]["p_values"]
    path.write_bytes(bytes(1000))
    found = certify.json("test", "--bits", path, "--tests", "frequency,universal", code=1)
    assert found["verdict"] == "not satisfied"


def test_nothing_run_is_never_a_pass(certify, tmp_path):
    text = written(tmp_path / "n.txt", "1\n2\n3\n" * 1000)
    inapplicable = ("--draws", text, "--range", 40, "--tests", "linear-complexity")
    assert certify.json("test", *inapplicable, code=5)["verdict"] == "inconclusive"
    assert certify("test", "--bits", PI, "--tests", " , ").code == 5


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


def test_a_fresh_sample_is_not_looked_at_unless_needed(certify, tmp_path):
    absent = written(tmp_path / "fresh.bin", b"")
    made = certify.json("test", "--bits", PI, "--tests", "frequency", "--fresh", absent)
    assert (made["verdict"], made["stages"]) == ("satisfied", 1)
    assert "fresh" not in made


GOOD_DECK = bytes(range(40))
MALFORMED = [
    (("--decks",), GOOD_DECK + bytes(19), "byte 40"),
    (("--decks",), GOOD_DECK + bytes([*range(39), 40]), "byte 79"),
    (("--decks",), b"A" * 40, "no decks"),
    (("--decks", "--csv"), b"1,2,3\n", "line 1: 3 cards"),
    (("--decks",), ",".join(map(str, range(39))).encode() + b",x\n", "line 1: 'x'"),
    (("--decks",), b"", "empty|no decks"),
    (("--bits",), b"", "empty|no bits"),
    (("--bits", "--ascii"), b"0101\n2", "byte 5"),
    (("--bits", "--ascii"), b"\n\n", "no bits"),
    (("--draws", "--range=40"), b"1\n2\n40\n", "byte 4"),
    (("--draws", "--range=40"), b"1\n-2\n", "byte 2"),
    (("--draws", "--range=40"), b"1\n2.5\n", "byte 3"),
    (("--draws", "--range=40", "--dtype=u32"), bytes(7), "byte 4"),
    (("--draws", "--range=40", "--dtype=u16"), bytes(2) + b"\x28\x00", "byte 2"),
]


@pytest.mark.parametrize(("options", "content", "where"), MALFORMED)
@pytest.mark.parametrize("piped", [False, True])
def test_malformed_input_is_refused_with_its_offset(certify, tmp_path, options, content, where, piped):
    path = written(tmp_path / "bad", content)
    given = "-" if piped else path
    message = certify.refused("test", options[0], given, *options[1:], stdin=content)
    assert any(part in message for part in where.split("|")), message
    assert ("standard input" if piped else str(path)) in message
    assert message.count("\n") == 1


WRONG_CALLS = [
    (),
    ("--bits", PI, "--decks", PI),
    ("--bits", "absent.bin"),
    ("--draws", PI),
    ("--draws", PI, "--range", 1),
    ("--bits", PI, "--range", 40),
    ("--bits", PI, "--suite", "cards"),
    ("--decks", PI, "--suite", "sp800-22"),
    ("--decks", PI, "--suite", "sequences"),
    ("--decks", PI, "--dtype", "u8"),
    ("--draws", PI, "--range", 40, "--suite", "sp800-22"),
    ("--bits", PI, "--csv"),
    ("--bits", PI, "--tests", "monobit"),
    ("--bits", PI, "--tests", "cards/fixed-points"),
    ("--bits", PI, "--set", "block-frequency"),
    ("--bits", PI, "--set", "block-frequency.m=x"),
    ("--bits", PI, "--set", "block-frequency.k=8"),
    ("--bits", PI, "--set", "monobit.m=8"),
    ("--bits", PI, "--set", "serial.m=4", "--set", "serial.m=5"),
    ("--bits", PI, "--streams", 2, "--length", 500_001),
    ("--bits", PI, "--alpha", 1),
    ("--bits", PI, "--workers", 0),
    ("--bits", PI, "--game", GAME),
    ("--decks", PI, "--streams", 2),
]


@pytest.mark.parametrize("arguments", WRONG_CALLS, ids=lambda a: " ".join(Path(str(x)).name for x in a))
def test_wrong_calls_are_refused(certify, arguments):
    certify.refused("test", *arguments)


def test_text_names_every_test_and_the_rule(certify, tmp_path):
    short = written(tmp_path / "short.bin", PI.read_bytes()[:1000])
    call = certify("test", "--bits", short).expect(4)
    for name in (*sp800_22.TESTS, *whole_stream.NAMES):
        assert name in call.out
    assert "Holm" in call.out
    call = certify("test", "--bits", PI, "--tests", "frequency,runs").expect(0)
    assert call.out.rstrip().endswith("verdict: SATISFIED at 0.01; at the second threshold 0.05: satisfied")


def test_json_is_alone_on_both_outputs(certify):
    call = certify("test", "--bits", PI, "--tests", "runs", "--format", "json")
    assert call.err == ""
    assert call.json["tests"][0]["test"] == "runs"


def test_long_bits_are_cut_without_being_asked(certify, tmp_path):
    path = certify.generated(tmp_path / "long.bin", "--bits", 34_000_000, seed=SEED)
    made = certify.json("test", "--bits", path, "--tests", "frequency")
    assert (made["input"]["streams"], made["input"]["length"]) == (34, 1_000_000)
    whole = certify.json("test", "--bits", path, "--tests", "frequency", "--streams", 1)
    assert whole["tests"][0]["sample_size"] == 34_000_000


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

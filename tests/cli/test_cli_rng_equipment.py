"""The generator at the command line: noise, published vectors, equipment."""

import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from cli_rng_support import VECTORS, Certify
from cli_support import GAME, written
from representatives import few_tests

from rng.battery.planted import good
from rng.battery.sp800_90b import assessment
from rng.draws import Integer, OrderedSample, Product, Repetition, draw_many
from rng.streams import stream

SEED = bytes(range(40))
LOTTERY = OrderedSample(49, 6)
REELS = Product(tuple(Integer(below) for below in (22, 22, 30, 64, 100)))
CAGE = 'equipment = [{id = "cage", kind = "balls", balls = 49, draws = 6}]'
POCKETS = ["0", "00", *map(str, range(1, 37))]
WHEEL = f'equipment = [{{id = "wheel", kind = "wheel", stops = {json.dumps(POCKETS)}}}]'
SHOWN = ["7", "bar", "bar", "cherry", "cherry", "cherry"]
SYMBOLS = "\n".join(
    f'[[equipment]]\nid = "reel-{n}"\nkind = "reel"\nstops = {json.dumps(SHOWN)}' for n in (1, 2, 3)
)


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


def drawn(draw, count, index=0):
    return draw_many(stream(SEED, "battery-calibration", index), draw, count).astype(np.int64)


def lines(rows, mark=" "):
    return "".join(mark.join(map(str, row)) + "\n" for row in rows.tolist())


@pytest.fixture(scope="module")
def lottery():
    return drawn(LOTTERY, 10_000) + 1


def test_ten_thousand_draws_of_six_of_49_get_a_verdict_however_they_are_written(certify, tmp_path, lottery):
    path = written(tmp_path / "draws", lines(lottery))
    made = certify.json("test", "--draws", path, "--balls", "6/49", "--first", 1)
    assert made["verdict"] == "satisfied"
    assert made["input"]["count"] == 10_000
    table = "draw,day,b1,b2,b3,b4,b5,b6\n" + "".join(
        f"{n},2020-01-{n % 28 + 1:02d},{','.join(map(str, row))}\n" for n, row in enumerate(lottery.tolist())
    )
    records = "".join(json.dumps({"id": n, "balls": row}) + "\n" for n, row in enumerate(lottery.tolist()))
    words = (lottery - 1).astype(np.uint8).tobytes()
    for content, options in (
        (lines(lottery).encode(), ("--balls", "6/49", "--faces")),
        (lines(lottery).encode(), ("--equipment", CAGE, "--faces")),
        (gzip.compress(table.encode()), ("--balls", "6/49", "--faces", "--columns", "3-8")),
        (records.encode(), ("--balls", "6/49", "--first", 1, "--json-lines", "balls")),
        (words, ("--balls", "6/49", "--dtype", "u8")),
        (
            lottery.astype(">i4").tobytes(),
            ("--balls", "6/49", "--dtype", "i32", "--big-endian", "--first", 1),
        ),
    ):
        path.write_bytes(content)
        other = certify.json("test", "--draws", path, *options, "--tests", "places,common-with-last")
        expected = [test for test in made["tests"] if test["test"] in ("places", "common-with-last")]
        assert [test["p_values"] for test in other["tests"]] == [test["p_values"] for test in expected]
    assert certify("test", "--draws", "-", *options, "--tests", "places", stdin=content).code == 0


@pytest.mark.parametrize("tests", few_tests("frequency,runs,serial-dimensions"))
def test_balls_given_as_independent_numbers_are_asked_about(certify, tmp_path, lottery, tests):
    path = written(tmp_path / "draws", lines(lottery))
    assert "say --balls 6/49" in certify.refused(
        "test", "--draws", path, "--range", 49, "--first", 1
    ).replace("Say", "say")
    path.write_text("a,b,c,d,e,f\n" + lines(lottery, ","))
    assert "--balls 6/49" in certify.refused(
        "test", "--draws", path, "--range", 49, "--first", 1, "--columns", "1-6"
    )
    # Whoever says that each is drawn from all learns that they never meet.
    path.write_text(lines(lottery))
    columns = ("--range", ",".join(["49"] * 6), "--first", 1, "--tests", "column-matches")
    assert certify("test", "--draws", path, *columns).code == 1
    # Two dice a line meet often enough.
    path.write_text(lines(drawn(Repetition(Integer(6), 2), 10_000) + 1))
    two = ("--range", 6, "--first", 1, *tests)
    assert certify.json("test", "--draws", path, *two)["verdict"] == "satisfied"


def test_balls_in_ascending_order_are_asked_about(certify, tmp_path, lottery):
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


@pytest.mark.parametrize("tests", few_tests("rows/column-pairs,frequency"))
def test_reels_have_a_range_each(certify, tmp_path, tests):
    rows = drawn(REELS, 10_000)
    path = written(
        tmp_path / "reels.csv",
        "id,a,b,c,d,e\n" + "".join(f"{n},{line}" for n, line in enumerate(lines(rows, ",").splitlines(True))),
    )
    given = ("test", "--draws", path, "--range", "22,22,30,64,100", "--columns", "2-6")
    made = certify.json(*given, *tests)
    assert made["verdict"] == "satisfied"
    assert {test["suite"] for test in made["tests"]} == {
        "rows",
        *(f"sequences of column-{n}" for n in range(1, 6)),
    }
    rows[::9, 3] = rows[::9, 0]  # the fourth reel follows the first now and then: no neighbours
    path.write_text("".join(f"{n},{line}" for n, line in enumerate(lines(rows, ",").splitlines(True))))
    assert certify(*given, "--tests", "rows/column-pairs").code == 1
    assert "line 1: '22', expected a number from 0 to 21" in _with(certify, path, "0,22,0,0,0,0\n", given)
    assert "line 1: 5 columns" in _with(certify, path, "0,1,2,3,4\n", given)
    assert "goes with" in certify.refused("test", "--decks", path, "--range", "22,22")
    assert "such as 6/49" in certify.refused("test", "--draws", path, "--balls", "50/49")
    assert "both say" in certify.refused("test", "--draws", path, "--balls", "6/49", "--range", 49)


def _with(certify, path, text, given):
    path.write_text(text)
    return certify.refused(*given)


@pytest.mark.parametrize("tests", few_tests("frequency"))
def test_faces_are_read_as_the_equipment_shows_them(certify, tmp_path, tests):
    spins = drawn(Integer(38), 10_000)
    path = written(tmp_path / "spins", "".join(f"{POCKETS[spin]}\n" for spin in spins[:, 0].tolist()))
    assert "or --faces" in certify.refused("test", "--draws", path, "--equipment", WHEEL)
    few = ("--equipment", WHEEL, "--tests", "frequency,serial-dimensions")
    made = certify.json("test", "--draws", path, *few, "--faces")
    assert made["verdict"] == "satisfied"
    path.write_text(lines(spins))
    assert certify.json("test", "--draws", path, *few)["tests"] == made["tests"]
    # Stops that show the same are told apart at random, so that every stop is as likely as every other.
    rows = drawn(Repetition(Integer(6), 3), 20_000)
    path.write_text("".join(",".join(SHOWN[stop] for stop in row) + "\n" for row in rows.tolist()))
    given = ("test", "--draws", path, "--equipment", SYMBOLS)
    assert certify.json(*given, "--faces", *tests)["verdict"] == "satisfied"
    rows[::30, 1] = 0  # the second reel stops at 7 too often
    path.write_text("".join(",".join(SHOWN[stop] for stop in row) + "\n" for row in rows.tolist()))
    assert certify(*given, "--faces", *tests).code == 1
    # A 7 that is a face and a 1 that is a stop cannot be told apart.
    assert "say --faces" in _with(certify, path, "bar,1,bar\n", given)
    assert "'plum' is no face" in _with(certify, path, "7,bar,bar\n7,plum,7\n", (*given, "--faces"))


def test_equipment_is_that_of_a_game(certify, tmp_path):
    decks = drawn(OrderedSample(40, 40), 2_500)
    path = tmp_path / "decks.csv"
    suits = ("denari", "coppe", "spade", "bastoni")
    ranks = ("asso", "2", "3", "4", "5", "6", "7", "fante", "cavallo", "re")
    path.write_text(
        "".join(
            ";".join(f"{ranks[c // 4]} di {suits[c % 4]}" for c in deck) + "\n" for deck in decks.tolist()
        )
    )
    quick = ("--tests", "cards/fixed-points,cards/card-position")
    named = certify.json("test", "--decks", path, "--equipment", GAME, "--names", "italian", *quick)
    ids = written(tmp_path / "decks.bin", decks.astype(np.uint8).tobytes())
    plain = certify.json("test", "--decks", ids, *quick)
    assert named["tests"] == plain["tests"]
    assert (
        certify.json("test", "--draws", ids, "--equipment", GAME, "--dtype", "u8", *quick)["tests"]
        == plain["tests"]
    )
    assert "goes with decks without --equipment" in certify.refused(
        "test", "--decks", path, "--equipment", GAME, "--pack", 52
    )
    other = (
        "test",
        "--decks",
        path,
        "--equipment",
        'deck = {decks = 1, ranks = ["A", "K"], suits = ["x", "y"], shuffled = "before every round"}',
    )
    assert "other equipment" in certify.refused(*other, "--game", GAME)
    assert "one shoe" in certify.refused("test", "--decks", path, "--equipment", CAGE)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.toml", "nowhere.toml"),
        ('equipment = [{id = "c", kind = "balls", balls = 6, draws = 49}]', "49 draws: expected 1 to 6"),
        ('equipment = [{id = "c", kind = "urn"}]', 'equipment of the kind "urn"'),
        ('equipment = [{id = "c", kind = "dice", sides = 6, balls = 3}]', "not stated for a dice"),
        ('[[equipment]]\nid = "c"\nkind = "dice"\nsides = "six"', "--equipment:4"),
        ("colour = 1", "nothing to draw from"),
        ("a = " + "[" * 1000, "--equipment"),
    ],
)
def test_equipment_that_is_badly_stated_is_refused(certify, tmp_path, text, message):
    path = written(tmp_path / "draws", "1\n")
    assert message in certify.refused("test", "--draws", path, "--equipment", text)


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("1 2 3 4 5\n", (), "line 1: 5 cells, expected 6"),
        ("1 2 3 4 5 49\n", (), "'49', expected a number from 0 to 48 (numbers from 1? say --first 1)"),
        ("1 2 3 4 5 49\n0 1 2 3 4 5\n", ("--faces",), "line 2: '0' is no face"),
        ("1 2 3 4 5 00\n", (), "--double-zero"),
        ("a b c d e f\n", (), "no rows to test"),
        ("", (), "no rows to test"),
        ("1 2 3 4 5 -6\n", (), "numbers below zero?"),
        ("1 2 3 4 5 6.5\n", (), "'6.5' is no face"),
        ("\x00\x01\x02\x03\x04", ("--dtype", "u8"), "5 bytes left over, expected rows of 6 bytes"),
        # Rows that begin one byte late: what looks like a doubled ball is a heading, or a row that was cut.
        ("\x07" + "\x00\x01\x02\x03\x04\x07" * 2, ("--dtype", "u8"), "1 bytes left over, expected rows of 6"),
        ("\x00\x01\x02\x03\x04\x31", ("--dtype", "u8"), "row 1, place 6: '49'"),
    ],
)
def test_rows_that_the_equipment_cannot_give_are_refused_where_they_lie(
    certify, tmp_path, text, options, message
):
    path = written(tmp_path / "draws", text)
    assert message in certify.refused("test", "--draws", path, "--balls", "6/49", *options)


@pytest.mark.parametrize(
    ("text", "options", "row"),
    [("1 2 3 4 5 6\n1 2 3 4 5 5\n", (), 2), ("\x00\x01\x02\x03\x04\x04", ("--dtype", "u8"), 1)],
)
def test_a_ball_drawn_twice_is_a_finding(certify, tmp_path, text, options, row):
    made = certify.json(
        "test", "--draws", written(tmp_path / "draws", text), "--balls", "6/49", *options, code=1
    )
    assert (made["verdict"], made["input"]["count"]) == ("not satisfied", row)
    assert f"row {row}: an item comes twice" in made["reasons"][0]


def test_the_same_file_under_another_name_is_the_same_file(certify, tmp_path):
    path, linked = tmp_path / "a", tmp_path / "b"
    path.write_text("1\n2\n" * 500)
    linked.hardlink_to(path)
    assert "twice" in certify.refused("test", "--draws", path, "--draws", linked, "--range", 3)
    assert "again" in certify.refused("test", "--draws", path, "--fresh", linked, "--range", 3)


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"balls": [1, 2, 3, 4, 5, 6], "balls": [7, 8, 9, 10, 11, 12]}\n',
            "a JSON object with 'balls' expected",
        ),
        ('{"balls": [true, 2, 3, 4, 5, 6]}\n', "names or whole numbers"),
        ('{"balls": [1.0, 2, 3, 4, 5, 6]}\n', "names or whole numbers"),
        ('{"draw": {"balls": [1, 2, 3, 4, 5, 6]}}\n', "a JSON object with 'balls' expected"),
    ],
)
def test_json_that_two_readers_could_read_in_two_ways_is_refused(certify, tmp_path, text, message):
    path = written(tmp_path / "draws", text)
    given = ("test", "--draws", path, "--balls", "6/49", "--faces")
    assert message in certify.refused(*given, "--json-lines", "balls")
    assert "say --json-lines" in certify.refused(*given)


SAMPLES = sorted((VECTORS / "acvp").iterdir())
CTR = VECTORS / "acvp" / "ctrDRBG-1.0_AES-256.sample.json"


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

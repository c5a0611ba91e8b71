"""`certify rng test`: formats, suites, verdicts, refusals and its own report; `certify rng generate`: every kind."""

import hashlib
import io
import itertools
import json
import random
import re
import shutil
from contextlib import suppress
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from cli_rng_support import SEED, VECTORS, Certify
from cli_support import written
from cryptography.hazmat.primitives.serialization import Encoding
from representatives import few_tests
from seal_support import make_pki, pki

from certify.certification import output_tests
from certify.cli.main import run
from certify.errors import TrustError
from certify.evidence import TestedSample
from certify.evidence.read import read
from certify.report.battery import render_battery
from certify.report.figures.played import tenths
from certify.seal import read_attachments
from certify.seal.pdf_validation import read_signature, require_valid
from certify.seal.tested import reason_of, require_numbers
from rng.battery.sequences import seeds
from rng.battery.sp800_90b import assessment
from rng.draws import OrderedSample, draw_many
from rng.shuffle import shuffle
from rng.streams import stream
from rng.transcript import CHAIN_START, canonical, next_chain, record_stream
from rng.uniform import below

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


ASKED = ("test", "--bits", PI, "--tests", "frequency,runs")


@pytest.mark.parametrize(
    "named", few_tests("frequency,runs,serial,longest-repeat,random-excursions,random-excursions-variant")
)
def test_the_three_parts_say_the_same(certify, tmp_path, named):
    folder = tmp_path / "new" / "report"
    made = certify.json("test", "--bits", PI, *named, "--report", folder)
    assert sorted(p.name for p in folder.iterdir()) == ["battery.html", "battery.json", "battery.pdf"]
    assert json.loads((folder / "battery.json").read_text()) == made
    html = (folder / "battery.html").read_text()
    assert made["input"]["sha256"] in html
    for test in made["tests"]:
        assert f">{test['test']}<" in html
        assert test["detectable"].split("²")[0] in unescape(html)
    even = [test for test in made["tests"] if not test["discrete"]]
    assert {"runs", "serial"} <= {test["test"] for test in even}
    assert "longest-repeat" not in {test["test"] for test in even}
    values = [p for test in even for p in test.get("p_values_exact", test["p_values"])]
    assert f"Histogram of p-values by tenths: {', '.join(map(str, tenths(values)))}." in html
    # Nothing of the page comes from elsewhere.
    assert not re.findall(r"""(?:src|href)=["'](?!#|data:)""", html)
    # The page can be printed again from its numbers.
    read_back = read(TestedSample, made)
    assert isinstance(read_back, TestedSample), read_back
    assert render_battery(read_back) == ((folder / "battery.pdf").read_bytes(), html.encode())


@pytest.fixture
def unprinted(monkeypatch):
    """Leaves out the PDF, for tests that look at its twin alone."""
    monkeypatch.setattr("certify.report.battery.typeset", lambda *_, **__: b"")


@pytest.mark.usefixtures("unprinted")
def test_the_map_names_the_card_and_the_time_that_are_off(certify, tmp_path):
    generator = np.random.default_rng(7)
    decks = generator.permuted(np.tile(np.arange(40, dtype=np.uint8), (4_000, 1)), axis=1)
    # From the third quarter on card 17 comes first in every tenth deck, whatever it would have been.
    for deck in decks[2_000::10]:
        place = int(np.argmax(deck == 17))
        deck[[0, place]] = deck[[place, 0]]
    given = written(tmp_path / "decks.bin", decks.tobytes())
    made = certify.json(
        "test",
        "--decks",
        given,
        "--tests",
        "card-position,dispersion",
        "--report",
        tmp_path / "report",
        code=1,
    )
    by_place, in_time = made["residuals"]
    worst = by_place["largest"][0]
    assert (worst["row"], worst["column"], worst["residual"] > 10 > by_place["due"]) == (0, 17, True)
    assert {cell["column"] for cell in in_time["largest"]} == {17}
    assert min(cell["row"] for cell in in_time["largest"]) >= len(in_time["rows"]) // 2
    html = unescape((tmp_path / "report/battery.html").read_text())
    assert "place 1 of 40" in html
    assert "5 of hearts" in html


@pytest.mark.usefixtures("unprinted")
@pytest.mark.parametrize(("asked", "axes"), [((), ["block"]), (("--balls", "6/49"), ["place", "block"])])
def test_every_kind_of_numbers_has_its_maps(certify, tmp_path, asked, axes):
    generator = np.random.default_rng(8)
    given = tmp_path / "numbers.txt"
    rows = generator.permuted(np.tile(np.arange(49), (6_000, 1)), axis=1)[:, :6]
    given.write_text("\n".join(" ".join(map(str, row)) for row in rows.tolist()) + "\n")
    if not asked:
        given.write_text("\n".join(map(str, generator.integers(49, size=30_000).tolist())) + "\n")
    said = asked or ("--range", "49")
    tests = "places" if asked else "frequency,runs"
    call = certify("test", "--draws", given, *said, "--tests", tests, "--report", tmp_path / "report")
    assert call.code in {0, 4}
    made = json.loads((tmp_path / "report/battery.json").read_text())
    assert [table["axis"] for table in made["residuals"]] == axes
    assert max(cell["residual"] for table in made["residuals"] for cell in table["largest"]) < 5


@pytest.fixture(scope="module")
def signed_once(tmp_path_factory):
    """The folder of a page of tests that the laboratory's key signed, with its root and the key."""
    folder = tmp_path_factory.mktemp("signed")
    make_pki.write_identity(folder, "signer", pki().signer)
    issuers = b"".join(one.certificate.public_bytes(Encoding.PEM) for one in (pki().issuer, pki().root))
    (folder / "chain.pem").write_bytes(issuers)
    (folder / "root.pem").write_bytes(pki().root.certificate.public_bytes(Encoding.PEM))
    assert run(["rng", *map(str, (*ASKED, "--report", folder / "report", *_key(folder)))]) == 0
    return folder


@pytest.fixture
def signed(signed_once, tmp_path):
    """A copy of the page, and of all that lies beside it."""
    shutil.copytree(signed_once, tmp_path, dirs_exist_ok=True)
    return tmp_path / "report/battery.pdf"


def _key(folder):
    named = {"--key": "signer.key.pem", "--cert": "signer.pem", "--chain": "chain.pem"}
    return tuple(part for option, name in named.items() for part in (option, folder / name))


@pytest.fixture
def verified(capsys, signed, tmp_path):
    """Verifies the page by the command: its exit code, and how each step ended."""

    def verify(*options):
        code = run(
            ["verify", str(signed), "--trust", str(tmp_path / "root.pem"), "--format", "json", *options]
        )
        return code, {step["id"]: step["outcome"] for step in json.loads(capsys.readouterr().out)["steps"]}

    return verify


def test_a_key_signs_the_page_with_its_numbers(certify, tmp_path, signed):
    report = signed.read_bytes()
    numbers = (tmp_path / "report/battery.json").read_bytes()
    assert read_attachments(report) == {"battery.json": numbers}
    said = require_valid(read_signature(report), pki().root.certificate, [pki().issuer.certificate])
    assert "over the SHA-256 digest of all" in said
    html = (tmp_path / "report/battery.html").read_text()
    assert "unsigned HTML version" in html
    assert "Not signed" not in html
    middle = len(report) // 2
    forged = report[:middle] + bytes([report[middle] ^ 1]) + report[middle + 1 :]
    with pytest.raises(TrustError):
        require_valid(read_signature(forged), pki().root.certificate, [pki().issuer.certificate])
    key = _key(tmp_path)
    certify.refused(*ASKED, *key)
    certify.refused(*ASKED, "--report", tmp_path / "other", "--key", key[1])
    assert not (tmp_path / "other").exists()


def test_a_signed_page_is_verified_by_the_command(verified):
    code, steps = verified()
    assert code == 0
    assert steps["numbers"] == steps["identity"] == steps["objects"] == "holds"
    assert "evidence" not in steps
    assert steps["printed"] == "not checked"
    # What was computed cannot be computed again without the sample, and nobody is told that it was.
    code, steps = verified("--rerun")
    assert (code, steps["printed"], steps["tested-again"]) == (4, "holds", "not possible")


def test_a_key_signs_no_word_on_the_page_that_its_numbers_do_not_say(
    tmp_path, signed, verified, monkeypatch, certify
):
    draw = render_battery

    def lying(made, *rest):
        return draw(replace(made, reasons=("no test found anything",)), *rest)

    with monkeypatch.context() as issuer:
        issuer.setattr("certify.report.battery.render_battery", lying)
        certify.json(*ASKED, "--report", signed.parent, *_key(tmp_path))
    code, steps = verified("--rerun")
    assert (code, steps["numbers"], steps["printed"]) == (1, "holds", "fails")


def test_a_page_whose_signature_names_another_sample_is_refused(
    tmp_path, signed, verified, monkeypatch, certify
):
    monkeypatch.setattr("certify.cli.rng_document.reason_of", lambda digest: f"Tests of {digest[:15]}")
    certify.json(*ASKED, "--report", signed.parent, *_key(tmp_path))
    code, steps = verified()
    assert (code, steps["numbers"], steps["report-signature"]) == (1, "fails", "holds")


LIES = (
    lambda made: made["tests"][0].update(p_values=[1e-9], p_values_deciding=[1e-9]),
    lambda made: made["tests"][1].update(
        verdict="satisfied", p_values=[1e-9], p_values_deciding=[1e-9], adjusted_p=0.5
    ),
    lambda made: made["tests"][1].update(verdict="not satisfied"),
    lambda made: made["tests"][1].update(adjusted_p=0.9999),
    lambda made: made.update(verdict="inconclusive"),
    lambda made: made.update(reasons=["all is well"]),
    lambda made: made.update(rule="the laboratory's own judgement"),
    lambda made: made.update(family_size=1),
    lambda made: made.update(stages=2),
    lambda made: made["tests"].pop(),
    lambda made: made["tests"].append(made["tests"][0]),
)


def test_a_key_signs_no_verdict_that_does_not_follow_from_the_p_values_beside_it(signed):
    content = (signed.parent / "battery.json").read_bytes()
    reason = reason_of(json.loads(content)["input"]["sha256"])
    assert "as follows from its p-values" in require_numbers(content, reason)
    accepted = []
    for number, lie in enumerate(LIES):
        made = json.loads(content)
        lie(made)
        with suppress(TrustError):
            require_numbers(json.dumps(made).encode(), reason)
            accepted.append(number)
    assert accepted == []


@pytest.mark.parametrize(
    "named",
    [
        ("--streams", 3, "--tests", "frequency,serial,random-excursions"),
        ("--constants", "exact", "--tests", "frequency,runs"),
        ("--streams", 510, "--tests", "frequency,runs"),
    ],
)
@pytest.mark.usefixtures("unprinted")
def test_what_the_command_prints_follows_from_its_p_values(certify, named, tmp_path):
    call = certify("test", "--bits", PI, *named, "--report", tmp_path)
    assert call.code in {0, 1, 4}, call.err
    content = (tmp_path / "battery.json").read_bytes()
    assert require_numbers(content, reason_of(json.loads(content)["input"]["sha256"]))


@pytest.mark.usefixtures("unprinted")
def test_a_failing_column_is_not_covered_by_another_of_its_label(certify, tmp_path):
    certify("test", "--bits", PI, "--streams", 3, "--tests", "frequency", "--report", tmp_path)
    made = json.loads((tmp_path / "battery.json").read_bytes())
    (column,) = made["tests"][0]["over_sequences"]
    made["tests"][0]["over_sequences"] = [column | {"smallest_deciding": 1e-12}, column]
    with pytest.raises(TrustError, match="verdict 'satisfied', expected 'not satisfied'"):
        require_numbers(json.dumps(made).encode(), reason_of(made["input"]["sha256"]))


def test_every_kind_is_drawn_by_the_rule(certify, tmp_path):
    out = tmp_path / "out"
    master = bytes.fromhex(SEED)
    certify.generated(out, "--bits", 800)
    assert out.read_bytes() == stream(master, "export", 0).read(100)
    certify.generated(out, "--decks", 70_000)
    source = stream(master, "export", 0)
    decks = np.fromfile(out, dtype=np.uint8).reshape(-1, 40)
    assert len(decks) == 70_000
    assert [tuple(row) for row in decks[:50].tolist()] == [shuffle(source, 40) for _ in range(50)]
    certify.generated(out, "--draws", 300_000, "--range", 40)
    source = stream(master, "export", 0)
    numbers = [int(line) for line in out.read_text().split()]
    assert len(numbers) == 300_000
    assert numbers[:200] == [below(source, 40) for _ in range(200)]


def rechained(lines, number, change):
    """The transcript with one record changed and every chain digest made right again by the forger."""
    chain, forged = CHAIN_START, []
    for at, line in enumerate(lines, 1):
        record = json.loads(line)
        del record["chain"]
        if at == number:
            record |= change
        chain = next_chain(chain, record)
        forged.append(canonical({**record, "chain": chain}))
    return "\n".join(forged) + "\n"


def test_the_first_difference_is_named(certify, tmp_path):
    record = tmp_path / "t"
    certify.generated(tmp_path / "out", "--decks", 200_000, "--transcript", record)
    lines = record.read_text().splitlines()
    # Whoever changes a record without the chain is found at that record.
    broken = [*lines[:2], lines[2].replace('"rejected":', '"rejected":1'), *lines[3:]]
    record.write_text("\n".join(broken) + "\n")
    assert "record 3" in certify.json("replay", record, code=1)["reason"]
    record.write_text("\n".join([*lines[:2], *lines[3:]]) + "\n")
    assert "record 3" in certify.json("replay", record, code=1)["reason"]
    # Whoever mends the chain as well is found by the replay.
    record.write_text(rechained(lines, 4, {"value": "sha256:" + "0" * 64}))
    difference = certify.json("replay", record, code=1)["first_difference"]
    assert (difference["record"], difference["field"]) == (4, "value")
    call = certify("replay", record).expect(1)
    assert "FIRST DIFFERENCE in record 4, value" in call.out


def test_a_transcript_without_draws_is_never_a_pass(certify, tmp_path):
    recorder = record_stream(bytes(32), "export", 0)
    recorder.close()
    recorder.reveal()
    path = written(tmp_path / "t", recorder.text())
    assert certify("replay", path).code == 5
    path.write_text("")
    certify.refused("replay", path)


def test_a_failure_half_way_leaves_the_old_file(certify, tmp_path, monkeypatch):
    from certify.cli import rng_generate
    from rng.errors import DrbgError

    out = written(tmp_path / "out", b"old")
    calls = 0

    def fails_later(count):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise DrbgError("stopped for this test")
        return np.zeros((count, 40), dtype=np.uint8)

    drawn = rng_generate.plain_draws
    monkeypatch.setattr(rng_generate, "plain_draws", lambda one: replace(drawn(one), decks=fails_later))
    call = certify("generate", "--decks", 100_000, "--seed", SEED, "--out", out)
    assert (call.code, calls) == (3, 2)
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_transcript_that_a_forger_made_anew_is_not_the_published_one(certify, tmp_path):
    record = tmp_path / "t"
    made = certify.json(
        "generate", "--decks", 50, "--out", tmp_path / "out", "--transcript", record, "--seed", SEED
    )
    lines = record.read_text().splitlines()
    end = made["transcript"]["chain_before_reveal"]
    assert end == json.loads(lines[-2])["chain"]
    commitment, opening = made["transcript"]["commitment"], made["transcript"]["opening"]
    held = certify.json(
        "replay", record, "--commitment", commitment.upper(), "--opening", opening, "--chain", end
    )
    assert held["promised"] == ["commitment", "opening", "chain"]
    # The forger keeps nothing of play and computes the chain anew.
    (tmp_path / "cut").write_text(rechained([lines[0], *lines[-2:]], 2, {"end": 0}))
    cut = certify.json("replay", tmp_path / "cut", "--chain", end, code=1)
    assert "not the transcript that was promised" in cut["reason"]


def test_a_live_export_is_reseeded_between_rounds_and_replays(certify, tmp_path):
    out, record = tmp_path / "decks", tmp_path / "t"
    made = certify.json(
        "generate", "--decks", 23, "--live", "--reseed-rounds", 5, "--out", out, "--transcript", record
    )
    assert made["seed"] is None
    assert made["live"]["events"] == {"reseed: round limit reached": 4, "seed": 1}
    decks = np.frombuffer(out.read_bytes(), dtype=np.uint8).reshape(-1, 40)
    assert (np.sort(decks, axis=1) == np.arange(40)).all()
    end = ("--chain", made["transcript"]["chain_before_reveal"])
    every = [
        part
        for line in record.read_text().splitlines()
        for one in json.loads(line).get("commitments", [])
        for part in ("--commitment", one)
    ]
    opening = ("--opening", made["transcript"]["opening"])
    assert certify.json("replay", record, *every, *opening, *end)["draws_committed"] == 23
    # A record of reseeds that is left out breaks what the decks say.
    lines = record.read_text().splitlines()
    at = next(n for n, line in enumerate(lines, 1) if "round limit reached" in line)
    (tmp_path / "fewer").write_text(rechained([*lines[: at - 1], *lines[at:]], 0, {}))
    certify.json("replay", tmp_path / "fewer", code=1)


def test_a_live_export_is_reseeded_when_its_seed_is_old(certify, tmp_path, monkeypatch):
    ticks = itertools.count()
    monkeypatch.setattr("certify.cli.rng_replay.steady_seconds", lambda: float(next(ticks)))
    ask = ("generate", "--draws", 20, "--range", 37, "--live", "--reseed-seconds", 3, "--out", tmp_path / "o")
    events = certify.json(*ask)["live"]["events"]
    assert events["reseed: time limit reached"] > 3
    assert len((tmp_path / "o").read_text().split()) == 20


def test_a_machine_that_starts_twice_from_one_snapshot_is_told_by_the_file_of_inputs(
    certify, tmp_path, monkeypatch
):
    def snapshot():
        noise = hashlib.shake_256(b"the state of the machine").digest(1 << 16)
        given = itertools.count()
        monkeypatch.setattr("rng.entropy.os.urandom", lambda n: bytes(noise[next(given)] for _ in range(n)))

    ask = ("generate", "--bits", 800, "--live", "--seen", tmp_path / "seen", "--out")
    snapshot()
    first = certify.json(*ask, tmp_path / "first")
    assert first["live"]["seen"] == str(tmp_path / "seen")
    # The same machine goes on: other inputs, no alarm.
    certify.json(*ask, tmp_path / "second")
    snapshot()
    assert "for the second time: it was reset or cloned" in certify.refused(*ask, tmp_path / "third")
    assert not (tmp_path / "third").exists()

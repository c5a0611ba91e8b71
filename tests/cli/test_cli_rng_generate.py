"""`certify rng generate` and `replay`: what is written is what the rule says, and can be drawn again."""

import hashlib
import itertools
import json

import numpy as np
import pytest
from cli_rng_support import SEED, Certify
from cli_support import written

from rng.shuffle import shuffle
from rng.streams import stream
from rng.transcript import CHAIN_START, canonical, next_chain, record_stream
from rng.uniform import below


@pytest.fixture
def certify(capsys, monkeypatch):
    return Certify(capsys, monkeypatch)


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


def test_every_form_holds_the_same(certify, tmp_path):
    raw = certify.generated(tmp_path / "raw", "--bits", 8_000).read_bytes()
    digits = certify.generated(tmp_path / "ascii", "--bits", 7_999, "--ascii").read_text()
    assert digits == "".join(f"{byte:08b}" for byte in raw)[:7_999] + "\n"
    decks = np.fromfile(certify.generated(tmp_path / "decks", "--decks", 300), dtype=np.uint8)
    table = certify.generated(tmp_path / "csv", "--decks", 300, "--csv").read_text().splitlines()
    assert [list(map(int, line.split(","))) for line in table] == decks.reshape(-1, 40).tolist()
    text = certify.generated(tmp_path / "text", "--draws", 500, "--range", 200).read_text().split()
    for dtype in ("u8", "u16", "u32"):
        for order, flags in (("<", []), (">", ["--big-endian"])):
            options = ("--draws", 500, "--range", 200, "--dtype", dtype, *flags)
            words = np.fromfile(
                certify.generated(tmp_path / "words", *options), dtype=f"{order}u{int(dtype[1:]) // 8}"
            )
            assert words.tolist() == list(map(int, text))


ROUND_TRIPS = [
    (("--bits", 1_000_000), (), ("--bits", "--tests=frequency,runs")),
    (("--bits", 1_000_001, "--ascii"), (), ("--bits", "--ascii", "--tests=frequency,runs")),
    (("--decks", 3_000), (), ("--decks", "--tests=fixed-points,inversions")),
    (("--decks", 3_000, "--csv"), (), ("--decks", "--tests=fixed-points,inversions")),
    (("--draws", 60_000, "--range", 40), (), ("--draws", "--range=40", "--tests=frequency,gap")),
    (
        ("--draws", 60_000, "--range", 40, "--dtype", "u16"),
        (),
        ("--draws", "--range=40", "--dtype=u16", "--tests=frequency"),
    ),
    *(
        pytest.param(asked, (), read, marks=pytest.mark.slow)
        for asked, read in (
            (("--bits", 1_000_000), ("--bits",)),
            (("--decks", 3_000), ("--decks",)),
            (("--draws", 60_000, "--range", 40), ("--draws", "--range=40")),
        )
    ),
]


@pytest.mark.parametrize(("asked", "_", "read"), ROUND_TRIPS)
def test_what_is_generated_is_read_back_and_satisfies(certify, tmp_path, asked, _, read):
    out = certify.generated(tmp_path / "out", *asked)
    made = certify.json("test", read[0], out, *read[1:])
    assert made["verdict"] == "satisfied"
    assert made["input"]["count"] == asked[1]


def test_the_same_seed_gives_the_same_file_and_another_does_not(certify, tmp_path):
    first = certify.json("generate", "--decks", 100, "--out", tmp_path / "a", "--seed", SEED)
    second = certify.json("generate", "--decks", 100, "--out", tmp_path / "b", "--seed", SEED)
    assert first["output"]["sha256"] == second["output"]["sha256"]
    assert first["output"]["sha256"] == hashlib.sha256((tmp_path / "a").read_bytes()).hexdigest()
    drawn = certify.json("generate", "--decks", 100, "--out", tmp_path / "c")
    assert drawn["output"]["sha256"] != first["output"]["sha256"]
    again = certify.json("generate", "--decks", 100, "--out", tmp_path / "d", "--seed", drawn["seed"])
    assert again["output"]["sha256"] == drawn["output"]["sha256"]


def test_a_transcript_changes_nothing_and_replays(certify, tmp_path):
    plain = certify.generated(tmp_path / "plain", "--decks", 70_000)
    record = tmp_path / "t"
    made = certify.json(
        "generate", "--decks", 70_000, "--out", tmp_path / "out", "--transcript", record, "--seed", SEED
    )
    assert (tmp_path / "out").read_bytes() == plain.read_bytes()
    # What was published is not said, so that draws and chain are right and the end is not shown.
    replayed = certify.json("replay", record, code=4)
    assert replayed["holds"]
    assert replayed["first_difference"] is None
    assert replayed["draws"] == made["transcript"]["draws"] == 2
    assert replayed["chain"] == made["transcript"]["chain"]


@pytest.mark.parametrize("kind", [("--bits", 6400), ("--draws", 1000, "--range", 40)])
def test_a_seed_kept_back_is_given_to_the_replay(certify, tmp_path, kind):
    record = tmp_path / "t"
    certify.generated(tmp_path / "out", *kind, "--transcript", record, "--no-reveal")
    assert SEED not in record.read_text()
    assert certify("replay", record).code == 1
    assert certify.json("replay", record, "--seed", SEED, code=4)["holds"]
    other = certify.json("replay", record, "--seed", SEED[::-1], code=1)
    assert "not the one committed" in other["reason"]
    certify.refused("replay", record, "--seed", "xyz")


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


WRONG_CALLS = [
    (),
    ("--bits", 8, "--decks", 1),
    ("--bits", 12),
    ("--bits", 0),
    ("--decks", -1),
    ("--draws", 10),
    ("--draws", 10, "--range", 1),
    ("--draws", 10, "--range", 257, "--dtype", "u8"),
    ("--draws", 10, "--range", 40, "--big-endian"),
    ("--decks", 10, "--range", 40),
    ("--decks", 10, "--ascii"),
    ("--bits", 8, "--csv"),
    ("--bits", 8, "--dtype", "u8"),
    ("--bits", 8, "--no-reveal"),
    ("--bits", 8, "--seed", "00"),
    ("--bits", 8, "--seed", "zz"),
]


@pytest.mark.parametrize("arguments", WRONG_CALLS, ids=lambda a: " ".join(map(str, a)))
def test_wrong_calls_write_nothing(certify, tmp_path, arguments):
    seed = () if "--seed" in arguments else ("--seed", SEED)
    certify.refused("generate", *arguments, *seed, "--out", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [call for call in WRONG_CALLS if "--seed" not in call], ids=str)
def test_no_seed_is_drawn_for_a_wrong_call(certify, tmp_path, arguments):
    for out in (tmp_path / "out", tmp_path / "absent" / "out"):
        called = certify("generate", *arguments, "--out", out).expect(2)
        assert "drawn from the operating system" not in called.err
    drawn = certify("generate", "--bits", 8, "--out", tmp_path / "out").expect(0)
    assert drawn.err.startswith("seed ")


def test_places_that_cannot_be_written_are_refused_before_drawing(certify, tmp_path):
    ask = ("generate", "--bits", 8, "--seed", SEED)
    certify.refused(*ask, "--out", tmp_path / "absent" / "out")
    certify.refused(*ask, "--out", tmp_path)
    certify.refused(*ask, "--out", tmp_path / "o", "--transcript", tmp_path / "o")
    certify.refused(*ask, "--out", tmp_path / "o", "--transcript", tmp_path / "absent" / "t")
    certify.refused(*ask, "--out", "-", "--format", "json")
    assert list(tmp_path.iterdir()) == []


def test_a_failure_half_way_leaves_the_old_file(certify, tmp_path, monkeypatch):
    from certify.cli import rng_replay
    from rng.errors import DrbgError

    out = written(tmp_path / "out", b"old")
    calls = 0

    def fails_later(self, count):
        nonlocal calls
        calls += 1
        if calls == 2:
            raise DrbgError("stopped for this test")
        return np.zeros((count, 40), dtype=np.uint8)

    monkeypatch.setattr(rng_replay.PlainDraws, "decks", fails_later)
    call = certify("generate", "--decks", 100_000, "--seed", SEED, "--out", out)
    assert (call.code, calls) == (3, 2)
    assert out.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [out]


def test_a_replay_says_whether_it_is_the_published_transcript(certify, tmp_path):
    record = tmp_path / "t"
    made = certify.json(
        "generate", "--decks", 50, "--out", tmp_path / "out", "--transcript", record, "--seed", SEED
    )
    lines = record.read_text().splitlines()
    commitment = json.loads(lines[0])["commitments"][0]
    end = made["transcript"]["chain_before_reveal"]
    assert end == json.loads(lines[-2])["chain"]
    assert certify.json("replay", record, code=4)["promised"] == []
    assert certify("replay", record).out.count("NOT SHOWN") == 2
    opening = ("--opening", made["transcript"]["opening"])
    held = certify.json("replay", record, "--commitment", commitment.upper(), *opening, "--chain", end)
    assert held["promised"] == ["commitment", "opening", "chain"]
    # A chain alone says nothing of how the seed was chosen, a commitment alone nothing of the end.
    only_end = certify.json("replay", record, "--chain", made["transcript"]["chain"], code=4)
    assert only_end["end_shown"]
    assert only_end["draws_committed"] == 0
    told = certify("replay", record, "--commitment", commitment)
    assert (told.code, told.out.count("NOT SHOWN")) == (4, 2)
    assert "rest on seeds that were committed to" in told.out
    assert "NOT SHOWN: the end is not shown" in told.out
    # The forger keeps nothing of play and computes the chain anew.
    emptied = [lines[0], *lines[-2:]]
    (tmp_path / "cut").write_text(rechained(emptied, 2, {"end": 0}))
    cut = certify.json("replay", tmp_path / "cut", "--chain", end, code=1)
    assert "not the transcript that was promised" in cut["reason"]
    certify.refused("replay", record, "--chain", "xyz")
    certify.refused("replay", record, "--commitment", "00")
    certify.refused("replay", record, "--opening", "00")


def test_a_live_export_is_reseeded_between_rounds_and_replays(certify, tmp_path):
    out, record = tmp_path / "decks", tmp_path / "t"
    made = certify.json(
        "generate", "--decks", 23, "--live", "--reseed-rounds", 5, "--out", out, "--transcript", record
    )
    assert made["seed"] is None
    assert made["live"]["events"] == {"reseed: round limit reached": 4, "seed": 1}
    decks = np.frombuffer(out.read_bytes(), dtype=np.uint8).reshape(-1, 40)
    assert (np.sort(decks, axis=1) == np.arange(40)).all()
    commitments = [part for one in made["transcript"]["commitments"] for part in ("--commitment", one)]
    end = ("--chain", made["transcript"]["chain_before_reveal"])
    held = certify.json("replay", record, *commitments, *end, code=4)
    assert (held["holds"], held["draws"], held["promised"]) == (True, 23, ["commitment", "chain"])
    # The seed was committed to before play, its reseeds were not: five rounds are held, the others are named.
    assert held["draws_committed"] == 5
    assert [event["kind"] for event in held["events"]] == ["reseed"] * 4
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


@pytest.mark.parametrize(
    "options",
    [
        ("--reseed-rounds", 5),
        ("--seen", "x"),
        ("--live", "--seed", SEED),
        ("--live", "--no-reveal", "--transcript", "t"),
        ("--live", "--reseed-rounds", 0),
        ("--live", "--reseed-seconds", 0),
    ],
    ids=str,
)
def test_live_options_that_do_not_go_together_are_refused(certify, tmp_path, options):
    certify.refused("generate", "--decks", 5, "--out", tmp_path / "out", *options)
    assert list(tmp_path.iterdir()) == []
    bits = ("generate", "--bits", 8, "--live", "--reseed-rounds", 1, "--out", tmp_path / "out")
    assert "bits have no rounds" in certify.refused(*bits)


def test_a_transcript_without_its_last_line_end_is_not_canonical(certify, tmp_path):
    record = tmp_path / "t"
    certify.generated(tmp_path / "out", "--decks", 2, "--transcript", record)
    record.write_text(record.read_text().removesuffix("\n"))
    assert "line end expected" in certify.json("replay", record, code=1)["reason"]

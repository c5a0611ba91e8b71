"""`certify rng generate` and `replay`: what is written is what the rule says, and can be drawn again."""

import hashlib
import itertools
import json
from dataclasses import replace

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

"""Planted faults in the entropy source, in the process and in a transcript are all found."""

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable

import pytest

from rng.drbg import DrbgState, FixedSeed, HmacDrbg
from rng.entropy import (
    CombinedEntropy,
    MonitoredEntropy,
    OperatingSystemNoise,
    RecordedEntropy,
    RecordingEntropy,
    fresh_master_seed,
    system_entropy,
)
from rng.errors import DrbgError, EntropyError, RangeError, RngError, TranscriptError
from rng.generator import Generator
from rng.health import HealthTests, proportion_cutoff, repetition_cutoff
from rng.replay import replay, replay_file
from rng.shuffle import deal_decks, shuffle
from rng.streams import stream
from rng.transcript import Recorder, canonical, next_chain, record_generator, record_stream
from rng.uniform import below

SEED = bytes(range(32))


class Noise:
    """Healthy noise from a hash, replaced by a fault after so many samples."""

    def __init__(self, fault: Callable[[int], bytes] | None = None, after: int = 0, name: str = "") -> None:
        self.fault, self.after, self.given, self.name = fault, after, 0, name

    def samples(self, count: int) -> bytes:
        start, self.given = self.given, self.given + count
        if self.fault is not None and self.given > self.after:
            return self.fault(count)
        return hashlib.shake_256(f"{self.name} {start}".encode()).digest(count)


def stuck(count: int) -> bytes:
    return b"\x55" * count


def two_valued(count: int) -> bytes:
    return bytes(b & 1 for b in hashlib.shake_256(b"bits").digest(count))


def short(count: int) -> bytes:
    return bytes(range(count % 256))[: max(0, count - 1)]


def dying(count: int) -> bytes:
    raise EntropyError("the device is gone")


FAULTS = pytest.mark.parametrize(
    ("fault", "named"),
    [(stuck, "repetition count"), (two_valued, "times"), (short, "samples"), (dying, "gone")],
    ids=["stuck", "two-valued", "short", "dying"],
)


@FAULTS
def test_a_bad_source_does_not_start(fault: Callable[[int], bytes], named: str) -> None:
    events: list[str] = []
    with pytest.raises(EntropyError, match=named):
        MonitoredEntropy(Noise(fault), on_event=events.append)
    assert len(events) == 1
    assert events[0].startswith("failed")


@FAULTS
def test_a_source_that_fails_later_stops_the_generator_until_a_healthy_seed(
    fault: Callable[[int], bytes], named: str
) -> None:
    # Start-up takes 1,024 samples, the seed 32 and the nonce 16; the reseed then meets the fault.
    noise = Noise(fault, after=1024 + 48)
    generator = Generator(MonitoredEntropy(noise), "export", reseed_requests=1)
    shuffle(generator, 40)
    waiting = generator.window()
    assert len(waiting) > 8000
    with pytest.raises(EntropyError):
        deal_decks(generator, 100_000)
    assert generator.state is DrbgState.FAILED
    # Nothing is served any more, neither from the buffer nor from the DRBG.
    for call in (generator.word, lambda: shuffle(generator, 40), lambda: generator.read(1)):
        with pytest.raises(DrbgError, match="stopped until it is restarted"):
            call()
    # The same source, still latched, is not taken back.
    with pytest.raises(EntropyError):
        generator.restart()
    noise.fault = None
    source = generator._entropy
    assert isinstance(source, MonitoredEntropy)
    source.restart()
    generator.restart()
    assert generator.state is DrbgState.READY
    assert sorted(shuffle(generator, 40)) == list(range(40))
    # A fault that is only statistical may survive a few short reseeds before it is certain.
    kinds = [event.kind for event in generator.events if event.kind != "reseed"]
    assert kinds == ["seed", "failure", "failure", "seed"]


def test_a_fault_found_while_reseeding_on_request_stops_the_generator() -> None:
    generator = Generator(MonitoredEntropy(Noise(stuck, after=1024 + 48)), "export")
    generator.word()
    with pytest.raises(EntropyError):
        generator.reseed()
    with pytest.raises(DrbgError):
        generator.word()


def test_proportion_test_catches_a_value_that_is_too_frequent() -> None:
    tests = HealthTests(8.0)
    # One sample in 31 is the first one of the window: never twice in a row, but far too often.
    with pytest.raises(EntropyError, match="adaptive proportion"):
        tests.feed(bytes(range(31)) * 40)
    with pytest.raises(EntropyError):
        tests.feed(b"\x01")


@pytest.mark.parametrize(("entropy", "alarm"), [(8.0, 30), (8.0, 20), (1.0, 20), (2.5, 40)])
def test_the_repetition_test_fails_at_its_cutoff_and_not_before(entropy: float, alarm: int) -> None:
    tests = HealthTests(entropy, alarm_bits=alarm)
    run = b"\x07" * (repetition_cutoff(entropy, alarm) - 1)
    tests.feed(run + b"\x08" + run)
    with pytest.raises(EntropyError, match="repetition"):
        tests.feed(b"\x07")


@pytest.mark.parametrize("entropy", [8.0, 4.0])
def test_the_proportion_test_fails_at_its_cutoff_and_not_before(entropy: float) -> None:
    cutoff = proportion_cutoff(entropy, 512)
    # Every second sample is the first of its window, so that no two in a row are equal.
    samples = [0 if i % 2 == 0 else 1 + i % 200 for i in range(2 * cutoff - 1)]
    tests = HealthTests(entropy)
    tests.feed(bytes(samples[:-1]))
    with pytest.raises(EntropyError, match="adaptive proportion"):
        tests.feed(bytes(samples[-1:]))
    # The count begins anew with each window.
    fresh = HealthTests(entropy)
    tail = bytes(1 + i % 200 for i in range(512 - 2 * (cutoff - 1)))
    fresh.feed((bytes(samples[: 2 * (cutoff - 1)]) + tail) * 3)


def test_a_source_that_recovers_by_itself_is_not_believed() -> None:
    noise = Noise(dying, after=1024)
    source = MonitoredEntropy(noise)
    with pytest.raises(EntropyError, match="gone"):
        source.entropy_input(32, 32)
    noise.fault = None
    with pytest.raises(EntropyError, match="not restarted"):
        source.entropy_input(32, 32)
    source.restart()
    assert len(source.entropy_input(32, 32)) == 32


def test_healthy_noise_passes_for_long() -> None:
    tests = HealthTests(8.0)
    tests.feed(hashlib.shake_256(b"healthy").digest(300_000))
    assert tests.failure is None


def test_the_claimed_entropy_decides_how_many_samples_are_taken() -> None:
    noise = Noise()
    source = MonitoredEntropy(noise, entropy_bits=2.0)
    start = noise.given
    assert len(source.entropy_input(32, 2**20)) == 128
    assert noise.given - start == 128
    with pytest.raises(EntropyError, match="needed"):
        source.entropy_input(48, 48)


def test_a_combination_needs_every_source_and_depends_on_each() -> None:
    def combined(a: bytes, b: bytes) -> bytes:
        return CombinedEntropy([RecordedEntropy([a]), RecordedEntropy([b])]).entropy_input(48, 48)

    base = combined(bytes(56), bytes(56))
    assert len(base) == 48
    assert len({base, combined(bytes(55) + b"\1", bytes(56)), combined(bytes(56), bytes(55) + b"\1")}) == 3
    # Moving the border between the two inputs changes the result.
    assert combined(b"ab", b"c") != combined(b"a", b"bc")
    with pytest.raises(EntropyError):
        CombinedEntropy([MonitoredEntropy(Noise()), RecordedEntropy([])]).entropy_input(32, 64)
    with pytest.raises(RangeError):
        CombinedEntropy([RecordedEntropy([])])
    assert CombinedEntropy([MonitoredEntropy(Noise()), RecordedEntropy([])]).live


def test_the_operating_system_is_a_healthy_source() -> None:
    source = system_entropy()
    assert source.failure is None
    assert source.live
    assert source.entropy_input(48, 48) != source.entropy_input(48, 48)
    assert len(fresh_master_seed()) == 32
    assert fresh_master_seed() != fresh_master_seed()
    with pytest.raises(RangeError):
        fresh_master_seed(31)


def test_an_operating_system_that_refuses_is_an_entropy_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(count: int) -> bytes:
        raise OSError("no randomness")

    monkeypatch.setattr(os, "urandom", refuse)
    with pytest.raises(EntropyError, match="no randomness"):
        OperatingSystemNoise().samples(8)
    with pytest.raises(EntropyError):
        system_entropy()


def test_two_generators_share_no_stream() -> None:
    generators = [Generator(system_entropy(), "export") for _ in range(5)]
    words = [generator.word() for generator in generators for _ in range(200)]
    assert len(set(words)) == len(words)


def test_recorded_entropy_gives_the_same_generator_again() -> None:
    kept = RecordingEntropy(MonitoredEntropy(Noise()))
    first = Generator(kept, "export", reseed_requests=1)
    words = [first.word() for _ in range(20_000)]
    second = Generator(RecordedEntropy(kept.inputs), "export", reseed_requests=1)
    assert [second.word() for _ in range(20_000)] == words
    assert [(e.kind, e.detail, e.words) for e in first.events] == [
        (e.kind, e.detail, e.words) for e in second.events
    ]
    assert [e.kind for e in first.events] == ["seed", "reseed", "reseed"]


def test_purposes_personalise_the_seed() -> None:
    def first_word(purpose: str) -> int:
        return Generator(RecordedEntropy([bytes(32), bytes(16)]), purpose).word()

    assert first_word("export") != first_word("evidence-sample")
    with pytest.raises(RangeError):
        first_word("unregistered")


def in_child(function: Callable[[], object]) -> str:
    """What a function returns or raises in a forked child."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = repr(function())
        except RngError as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with os.fdopen(read) as pipe:
        return pipe.read()


def test_a_child_never_repeats_its_parents_live_stream() -> None:
    generator = Generator(system_entropy(), "export")
    generator.word()
    children = [in_child(lambda: [generator.word() for _ in range(3)]) for _ in range(2)]
    parent = repr([generator.word() for _ in range(3)])
    assert len({parent, *children}) == 3
    told = in_child(lambda: (generator.word(), [e.detail for e in generator.events]))
    assert "child process" in told


def test_a_child_is_refused_its_parents_replayable_stream() -> None:
    source = stream(SEED, "export", 0)
    source.word()
    assert in_child(source.word).startswith("DrbgError: this instance belongs to the parent process")
    assert in_child(lambda: deal_decks(source, 1)).startswith("DrbgError")
    own = in_child(lambda: stream(SEED, "export", 0).word())
    assert int(own) == stream(SEED, "export", 0).word()
    assert source.drawn == 1


def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    generator = Generator(system_entropy(), "export")
    with generator._drbg._lock:  # as if another thread of the parent were in the middle of a request
        told = in_child(lambda: generator._drbg._lock.locked())
    assert told == "False"
    assert in_child(generator.word) != repr(generator.word())


def _batch(index: int) -> bytes:
    return deal_decks(stream(SEED, "simulation-decks", index), 20).tobytes()


def test_forked_workers_deal_the_same_decks() -> None:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(_batch, range(6)) == [_batch(index) for index in range(6)]


class Unplugged(Noise):
    """Noise from a device that the operating system then loses: an error that is none of ours."""

    def samples(self, count: int) -> bytes:
        if self.given >= self.after:
            raise OSError(5, "Input/output error")
        return super().samples(count)


def test_a_source_that_raises_any_error_has_failed() -> None:
    told: list[str] = []
    # Start-up samples, entropy input and nonce are still given.
    source = MonitoredEntropy(Unplugged(after=1024 + 48), on_event=told.append)
    generator = Generator(source, "export")
    generator.word()
    with pytest.raises(EntropyError, match="Input/output error"):
        generator.reseed()
    assert source.failure is not None
    assert "Input/output error" in told[-1]
    assert generator.state is DrbgState.FAILED
    with pytest.raises(DrbgError):
        generator.word()


class Interrupted:
    """An entropy input of a caller's own that fails with an error of its own."""

    live = True

    def __init__(self) -> None:
        self.calls = 0

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        self.calls += 1
        if self.calls > 2:
            raise KeyboardInterrupt
        return bytes(min_bytes)


def test_no_byte_is_served_after_a_reseed_that_was_cut_short() -> None:
    drbg = HmacDrbg(Interrupted())
    drbg.generate(4)
    with pytest.raises(KeyboardInterrupt):
        drbg.reseed()
    assert drbg.state is DrbgState.FAILED
    with pytest.raises(DrbgError):
        drbg.generate(4)


def test_start_up_looks_at_1024_samples() -> None:
    noise = Noise()
    MonitoredEntropy(noise)
    assert noise.given == 1024
    with pytest.raises(EntropyError, match="repetition count"):
        MonitoredEntropy(Late())


class Late:
    """Noise whose last samples of 1,024 are stuck."""

    def samples(self, count: int) -> bytes:
        return Noise().samples(1016) + b"\x55" * (count - 1016)


# Transcripts.


def played() -> Recorder:
    """Some play of every kind, closed and revealed."""
    recorder = record_stream(SEED, "round-exercise", 4)
    recorder.below(6)
    recorder.shuffle(40)
    recorder.deal(40, 5)
    recorder.deal_decks(30)
    recorder.together_below((6, 6, 6))
    recorder.many_below(37, 10)
    recorder.read(11)
    recorder.close()
    recorder.reveal()
    return recorder


def test_an_honest_transcript_holds() -> None:
    recorder = played()
    report = replay(recorder.text())
    assert report.holds
    assert report.draws == 7
    assert report.to_json()["first_difference"] is None
    source = stream(SEED, "round-exercise", 4)
    assert recorder.records[1]["value"] == [below(source, 6)]
    assert recorder.records[2]["value"] == list(shuffle(source, 40))
    assert recorder.records[2]["purpose"] == "round-exercise"


def test_recorded_draws_are_the_unrecorded_ones() -> None:
    recorder, plain = record_stream(SEED, "export", 1), stream(SEED, "export", 1)
    assert recorder.shuffle(40) == shuffle(plain, 40)
    assert recorder.deal_decks(9).tolist() == deal_decks(plain, 9).tolist()
    assert recorder.read(20) == plain.read(20)


def test_a_live_generator_is_replayed_with_its_reseeds() -> None:
    recorder = record_generator(system_entropy(), "export", reseed_requests=1)
    recorder.shuffle(40)
    recorder.deal_decks(6000)
    recorder.reseed()
    recorder.below(10)
    recorder.close()
    recorder.reveal()
    events = [(r["event"], r["detail"]) for r in recorder.records if "event" in r]
    assert events[0][0] == "seed"
    assert events.count(("reseed", "reseed interval reached")) >= 2
    assert ("reseed", "requested") in events
    assert replay(recorder.text()).holds


def test_a_live_generator_that_failed_and_was_restarted_is_replayed() -> None:
    noise = Noise(stuck, after=1024 + 48)
    source = MonitoredEntropy(noise)
    recorder = record_generator(source, "export")
    recorder.shuffle(40)
    with pytest.raises(EntropyError):
        recorder.reseed()
    noise.fault = None
    source.restart()
    assert isinstance(recorder.source, Generator)
    recorder.source.restart()
    recorder.shuffle(40)
    recorder.close()
    recorder.reveal()
    assert [r["event"] for r in recorder.records if "event" in r] == ["seed", "failure", "seed"]
    assert replay(recorder.text()).holds


def test_a_draw_that_failed_halfway_leaves_a_transcript_that_replays() -> None:
    # One large draw meets a reseed that succeeds and then one that fails; the draw is not recorded.
    source = MonitoredEntropy(noise := Noise(dying, after=1024 + 48 + 32))
    recorder = record_generator(source, "export", reseed_requests=1)
    recorder.shuffle(40)
    with pytest.raises(EntropyError):
        recorder.deal_decks(50_000)
    noise.fault = None
    source.restart()
    assert isinstance(recorder.source, Generator)
    recorder.source.restart()
    recorder.shuffle(40)
    recorder.deal_decks(6000)
    recorder.close()
    recorder.reveal()
    events = [r["event"] for r in recorder.records if "event" in r]
    assert events[:4] == ["seed", "reseed", "failure", "seed"]
    assert replay(recorder.text()).holds


def test_seeds_are_hidden_until_the_reveal() -> None:
    recorder = record_stream(SEED, "export", 0)
    recorder.below(6)
    with pytest.raises(TranscriptError, match="after play"):
        recorder.reveal()
    recorder.close()
    assert SEED.hex() not in recorder.text()
    with pytest.raises(TranscriptError, match="nothing is revealed"):
        replay(recorder.text())
    assert replay(recorder.text(), [SEED]).holds
    with pytest.raises(TranscriptError, match="not the one committed"):
        replay(recorder.text(), [SEED[::-1]])
    with pytest.raises(TranscriptError, match="closed"):
        recorder.below(6)
    recorder.reveal()
    assert SEED.hex() in recorder.text()
    assert SEED.hex() not in repr(recorder)


def test_changing_any_record_is_found_at_that_record() -> None:
    lines = played().lines
    for number, line in enumerate(lines, 1):
        record = json.loads(line)
        for field in record:
            changed = dict(record)
            changed[field] = "changed" if field != "chain" else "00" * 32
            text = "\n".join([*lines[: number - 1], canonical(changed), *lines[number:]])
            with pytest.raises(TranscriptError, match=f"record {number}:"):
                replay(text)


def test_dropping_any_record_is_found() -> None:
    lines = played().lines
    for number in range(len(lines) - 1):
        with pytest.raises(TranscriptError, match=rf"record {number + 1}:"):
            replay("\n".join(lines[:number] + lines[number + 1 :]))
    for kept in range(len(lines) - 1):
        with pytest.raises(TranscriptError):
            replay("\n".join(lines[:kept]))


def test_swapping_any_two_records_is_found() -> None:
    lines = played().lines
    for a in range(len(lines)):
        for b in range(a + 1, len(lines)):
            swapped = list(lines)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            with pytest.raises(TranscriptError, match=f"record {a + 1}:"):
                replay("\n".join(swapped))


def rechained(records: list[dict[str, object]]) -> str:
    """A transcript whose chain was computed anew after tampering."""
    chain = hashlib.sha256(b"rng transcript 1").hexdigest()
    lines = []
    for record in records:
        chain = next_chain(chain, record)
        lines.append(canonical({**record, "chain": chain}))
    return "\n".join(lines)


@pytest.mark.parametrize("draw", range(7))
def test_a_changed_value_with_a_new_chain_is_found_by_the_replay(draw: int) -> None:
    records = [dict(record) for record in played().records]
    at = next(i for i, record in enumerate(records) if record.get("draw") == draw)
    value = records[at]["value"]
    records[at]["value"] = value[::-1] if isinstance(value, list) and len(set(value)) > 1 else "other"
    report = replay(rechained(records))
    assert not report.holds
    assert report.first_difference is not None
    assert (report.first_difference.record, report.first_difference.field) == (at + 1, "value")


def test_a_dropped_or_swapped_draw_with_a_new_chain_is_found_by_the_replay() -> None:
    records = [dict(record) for record in played().records]
    dropped = records[:2] + records[3:]
    with pytest.raises(TranscriptError, match="count of draws"):
        replay(rechained(dropped))
    dropped[-2] = {"end": 6}
    assert replay(rechained(dropped)).first_difference is not None
    swapped = [*records[:2], records[3], records[2], *records[4:]]
    difference = replay(rechained(swapped)).first_difference
    assert difference is not None
    assert difference.record == 3


@pytest.mark.parametrize(
    "record",
    [
        {"draw": 0, "op": "decks", "n": 40, "count": 10**15},
        {"draw": 0, "op": "bytes", "count": -1},
        {"draw": 0, "op": "below", "n": [0]},
        {"draw": 0, "op": "below", "n": "6"},
        {"draw": 0, "op": "deal", "n": 40},
        {"draw": 0, "op": "roulette"},
        {"event": "reseed", "detail": "requested"},
        {"event": "seed"},
    ],
)
def test_a_hostile_record_is_a_difference_not_a_crash(record: dict[str, object]) -> None:
    header = played().records[0]
    body = [header, record, {"end": int("draw" in record)}]
    report = replay(rechained(body), [SEED])
    assert report.first_difference is not None
    assert report.first_difference.record == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "header"),
        ('{"chain":"x","n":' + "9" * 5000 + "}", "record 1: not JSON"),
        (rechained([{**played().records[0], "commitments": 5}, {"end": 0}]), "record 1: a list of comm"),
        ("{", "record 1: not JSON"),
        ("[]", "record 1: an object"),
        ('{"chain":"00"}', "record 1: the chain breaks"),
        (rechained([{"transcript": 2}]), "version 1"),
        (rechained([{"transcript": 1, "consumption_rule": 9}]), "byte-consumption rule"),
        (rechained([{"transcript": 1, "consumption_rule": 1}]), "the end is missing"),
    ],
)
def test_malformed_transcripts_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(TranscriptError, match=message):
        replay(text, [SEED])


STRANGE: list[object] = [None, True, -1, 1.5, 10**30, "x", "00" * 32, [], [1], [None], [[]], {}, {"a": 1}]


@pytest.mark.parametrize("record", range(len(played().records)))
def test_a_strange_value_anywhere_is_refused_or_a_difference(record: int) -> None:
    for field in played().records[record]:
        for value in STRANGE:
            records = [dict(r) for r in played().records]
            if records[record][field] == value:
                continue
            records[record][field] = value
            try:
                assert not replay(rechained(records)).holds
            except TranscriptError:
                continue


def test_transcript_files_are_read_and_named(tmp_path: object) -> None:
    from pathlib import Path

    path = Path(str(tmp_path)) / "play.transcript"
    with pytest.raises(TranscriptError, match="cannot be read"):
        replay_file(path)
    path.write_text(played().text())
    assert replay_file(path).holds
    path.write_bytes(b"\xff")
    with pytest.raises(TranscriptError, match="byte 0"):
        replay_file(path)


def test_a_fixed_seed_serves_once() -> None:
    seed = FixedSeed(bytes(48))
    seed.entropy_input(48, 48)
    with pytest.raises(EntropyError):
        seed.entropy_input(48, 48)

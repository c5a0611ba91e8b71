"""Planted faults in the entropy source, the process and its memory are all found; no copy repeats its parent."""

import ctypes
import hashlib
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from cli_support import refuses
from noise import Noise, dying, recorded_words, short, stuck, two_valued

from rng import words as forks
from rng.draws import deal_decks
from rng.drbg import DrbgState, HmacDrbg
from rng.entropy import (
    HealthTests,
    MonitoredEntropy,
    OperatingSystemNoise,
    RecordedEntropy,
    RecordingEntropy,
    SeenInputs,
    fresh_master_seed,
    proportion_cutoff,
    repetition_cutoff,
    system_entropy,
)
from rng.errors import DrbgError, EntropyError, RangeError, RngError
from rng.generator import ROUND_LIMIT, TIME_LIMIT, Generator, RoundLimits
from rng.replay import replay
from rng.shuffle import shuffle
from rng.streams import Stream, stream
from rng.transcript import record_generator
from rng.uniform import many_below
from rng.words import WordSource

SEED = bytes(range(32))


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
        deal_decks(generator, 100_000, 40)
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


def test_proportion_test_catches_a_value_that_is_too_frequent() -> None:
    tests = HealthTests(8.0)
    # One sample in 31 is the first one of the window: never twice in a row, but far too often.
    refuses(
        EntropyError,
        ("adaptive proportion", lambda: tests.feed(bytes(range(31)) * 40)),
        ("", lambda: tests.feed(b"\x01")),
    )


@pytest.mark.parametrize(
    ("entropy", "alarm"), [(8.0, 30), (8.0, 20), (1.0, 20), pytest.param(2.5, 40, marks=pytest.mark.slow)]
)
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
    refuses(
        EntropyError,
        ("no randomness", lambda: OperatingSystemNoise().samples(8)),
        ("", lambda: system_entropy()),
    )


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


def in_child(function: Callable[[], object], fork: Callable[[], int] = os.fork) -> str:
    """What a function returns or raises in a forked child."""
    read, write = os.pipe()
    child = fork()
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
    assert in_child(lambda: deal_decks(source, 1, 40)).startswith("DrbgError")
    own = in_child(lambda: stream(SEED, "export", 0).word())
    assert int(own) == stream(SEED, "export", 0).word()
    assert source.drawn == 1


def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    generator = Generator(system_entropy(), "export")
    with generator._drbg._lock:  # as if another thread of the parent were in the middle of a request
        told = in_child(lambda: generator._drbg._lock.locked())
    assert told == "False"
    assert in_child(generator.word) != repr(generator.word())


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


# Nothing that was served stays in memory, no copy of a process repeats its parent, no input is taken twice.


def in_memory(source: WordSource) -> bytes:
    """Everything that the buffer of a source holds."""
    return source._buffer.tobytes()


def one_word(source: Stream) -> None:
    source.word()


def decks(source: Stream) -> None:
    shuffle(source, 40)
    deal_decks(source, 700, 40)


def numbers(source: Stream) -> None:
    many_below(source, 37, 9000)
    many_below(source, 1 << 64, 9000)


def octets(source: Stream) -> None:
    source.read(100_003)


def passed_over(source: Stream) -> None:
    source.skip_to(10_000)


@pytest.mark.parametrize("draw", [one_word, decks, numbers, octets, passed_over])
def test_no_word_that_was_served_is_left_in_the_buffer(draw: Callable[[Stream], None]) -> None:
    source, twin = stream(SEED, "export", 0), stream(SEED, "export", 0)
    draw(source)
    served = np.frombuffer(twin.read(8 * source.drawn), dtype="<u8")
    held = np.frombuffer(in_memory(source), dtype="<u8")
    assert len(np.intersect1d(served, held)) == 0
    # The words that wait are still the next ones.
    assert [source.word() for _ in range(3)] == [twin.word() for _ in range(3)]


def test_words_that_moved_to_the_front_are_not_left_behind_by_a_short_last_block() -> None:
    data = bytes(range(1, 129)) * 513
    source = recorded_words(data[: 65536 + 8])
    source.window()
    source.skip(8190)
    source.window(3)
    source.skip(3)
    assert not any(in_memory(source))


def raw_fork(function: Callable[[], object]) -> str:
    """What a function returns in a child that the interpreter's own hook never heard of."""
    return in_child(function, ctypes.PyDLL(None).fork)


linux = pytest.mark.skipif(sys.platform != "linux", reason="calls fork of the C library of Linux")


@linux
@pytest.mark.parametrize("page", [True, False], ids=["page", "process number"])
def test_a_child_made_by_the_c_library_never_repeats_its_parent(
    monkeypatch: pytest.MonkeyPatch, page: bool
) -> None:
    if not page:
        monkeypatch.setattr(forks, "_page", None)
    live, fixed = Generator(system_entropy(), "export"), stream(SEED, "export", 0)
    live.word(), fixed.word()
    drawn = [raw_fork(lambda: deal_decks(live, 1, 40).tolist()) for _ in range(2)]
    assert len({*drawn, repr(deal_decks(live, 1, 40).tolist())}) == 3
    assert all(deck.startswith("[[") for deck in drawn)
    assert raw_fork(lambda: deal_decks(fixed, 1, 40)).startswith(
        "DrbgError: this instance belongs to the parent"
    )
    # The parent noticed nothing and goes on.
    twin = stream(SEED, "export", 0)
    twin.word()
    assert fixed.word() == twin.word()


@linux
def test_a_single_word_is_not_repeated_either_where_the_kernel_empties_a_page() -> None:
    if forks._page is None:
        pytest.skip("this kernel has no page that is wiped on fork")
    live = Generator(system_entropy(), "export")
    live.word()
    assert raw_fork(live.word) != repr(live.word())


class Reset(Noise):
    """A device that starts over from its first sample after it gave so many."""

    def samples(self, count: int) -> bytes:
        if self.given >= self.after:
            self.given = self.after - 32
        return super().samples(count)


def test_a_repeated_entropy_input_is_refused() -> None:
    source = MonitoredEntropy(Reset(after=1024 + 32))
    source.entropy_input(32, 32)
    refuses(
        EntropyError,
        ("second time", lambda: source.entropy_input(32, 32)),
        ("not restarted", lambda: source.entropy_input(32, 32)),
    )


def test_a_machine_started_twice_from_one_snapshot_is_found_by_a_file_outside_of_it(tmp_path: Path) -> None:
    place = tmp_path / "seen"
    MonitoredEntropy(Noise(), seen=SeenInputs(place))
    with pytest.raises(EntropyError, match="second time"):
        MonitoredEntropy(Noise(), seen=SeenInputs(place))
    MonitoredEntropy(Noise(name="another"), seen=SeenInputs(place)).entropy_input(32, 32)
    assert place.stat().st_size == 3 * 32


def test_two_processes_that_share_a_file_of_inputs_see_each_others(tmp_path: Path) -> None:
    place = tmp_path / "seen"
    first, second = SeenInputs(place), SeenInputs(place)
    second.take(bytes(range(32)))
    first.take(bytes(range(1, 33)))
    for memory, data in ((first, bytes(range(32))), (second, bytes(range(1, 33)))):
        with pytest.raises(EntropyError, match="second time"):
            memory.take(data)


@pytest.mark.parametrize("content", [b"x", bytes(33)])
def test_a_torn_file_of_inputs_is_refused(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "seen"
    place.write_bytes(content)
    refuses(
        EntropyError,
        ("digests of 32 bytes", lambda: SeenInputs(place).take(bytes(32))),
        ("cannot be kept", lambda: SeenInputs(tmp_path / "none" / "seen").take(bytes(32))),
    )


def test_inputs_taken_out_of_the_file_are_missed(tmp_path: Path) -> None:
    seen = SeenInputs(tmp_path / "seen")
    seen.take(bytes(32))
    (tmp_path / "seen").write_bytes(b"")
    with pytest.raises(EntropyError, match="none taken away"):
        seen.take(bytes(31) + b"\1")


def reseeds(generator: Generator) -> list[str]:
    return [event.detail for event in generator.events if event.kind == "reseed"]


def test_a_generator_is_reseeded_after_so_many_rounds() -> None:
    generator = Generator(system_entropy(), "export", limits=RoundLimits(rounds=3))
    served = []
    for _ in range(10):
        served.append(generator.drawn)
        generator.begin_round()
        shuffle(generator, 40)
    assert reseeds(generator) == [ROUND_LIMIT] * 3
    assert [event.words for event in generator.events] == served[::3]


def test_a_round_into_which_a_reseed_falls_counts_for_the_new_seed() -> None:
    generator = Generator(system_entropy(), "export", limits=RoundLimits(rounds=1))
    generator.begin_round()
    generator.reseed()
    generator.begin_round()
    assert reseeds(generator) == ["requested", ROUND_LIMIT]


def test_a_generator_is_reseeded_when_its_seed_is_old() -> None:
    ticks = count(0.0, 0.4)
    limits = RoundLimits(seconds=1.0, clock=lambda: next(ticks))
    generator = Generator(system_entropy(), "export", limits=limits)
    for _ in range(6):
        generator.begin_round()
        generator.word()
    # A seed is dated when it is made; the third look is 1.2 seconds later.
    assert reseeds(generator) == [TIME_LIMIT, TIME_LIMIT]


def test_limits_between_rounds_that_nobody_asks_about_are_not_taken_for_kept() -> None:
    generator = Generator(system_entropy(), "export", limits=RoundLimits(rounds=3))
    with pytest.raises(DrbgError, match="begin_round comes before"):
        generator.word()


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"rounds": 0},
        {"rounds": True},
        {"rounds": 1.5},
        {"seconds": 1.0},
        {"seconds": 0.0, "clock": float},
        {"seconds": float("nan"), "clock": float},
        {"seconds": float("inf"), "clock": float},
        {"rounds": 1, "clock": float},
    ],
)
def test_limits_that_limit_nothing_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(RangeError):
        RoundLimits(**wrong)  # type: ignore[arg-type]


def test_reseeds_between_rounds_are_written_down_and_replayed() -> None:
    ticks = count(0.0, 0.3)
    limits = RoundLimits(rounds=4, seconds=1.0, clock=lambda: next(ticks))
    recorder = record_generator(system_entropy(), "export", limits=limits)
    for _ in range(9):
        recorder.begin_round()
        recorder.deal(40, 40)
    recorder.begin_round()
    recorder.close()
    recorder.reveal()
    told = {record["detail"] for record in recorder.records if record.get("event") == "reseed"}
    assert told == {ROUND_LIMIT, TIME_LIMIT}
    assert replay(recorder.text()).holds

"""Nothing that was served stays in memory, no copy of a process repeats its parent, no input is taken twice."""

import ctypes
import os
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from noise import Noise

from rng.entropy import MonitoredEntropy, SeenInputs, system_entropy
from rng.errors import DrbgError, EntropyError, RangeError, RngError
from rng.generator import ROUND_LIMIT, TIME_LIMIT, Generator, RoundLimits
from rng.replay import replay
from rng.shuffle import deal_decks, shuffle
from rng.streams import Stream, stream
from rng.transcript import record_generator
from rng.uniform import many_below
from rng.words import WordSource, recorded_words

SEED = bytes(range(32))


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
    read, write = os.pipe()
    if ctypes.PyDLL(None).fork() == 0:
        try:
            answer = repr(function())
        except RngError as error:
            answer = f"{type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.wait()
    return answer


linux = pytest.mark.skipif(sys.platform != "linux", reason="calls fork of the C library of Linux")


@linux
@pytest.mark.parametrize("page", [True, False], ids=["page", "process number"])
def test_a_child_made_by_the_c_library_never_repeats_its_parent(
    monkeypatch: pytest.MonkeyPatch, page: bool
) -> None:
    from rng import words as forks

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
    from rng import words as forks

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
    with pytest.raises(EntropyError, match="second time"):
        source.entropy_input(32, 32)
    with pytest.raises(EntropyError, match="not restarted"):
        source.entropy_input(32, 32)


def test_a_generator_meets_a_repeated_input_and_serves_nothing() -> None:
    generator = Generator(MonitoredEntropy(Reset(after=1024 + 48)), "export")
    generator.word()
    generator._entropy._noise.given = 1024  # type: ignore[attr-defined]
    with pytest.raises(EntropyError, match="second time"):
        generator.reseed()
    with pytest.raises(DrbgError):
        generator.word()


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
    with pytest.raises(EntropyError, match="digests of 32 bytes"):
        SeenInputs(place).take(bytes(32))
    with pytest.raises(EntropyError, match="cannot be kept"):
        SeenInputs(tmp_path / "none" / "seen").take(bytes(32))


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
        recorder.shuffle(40)
    recorder.begin_round()
    recorder.close()
    recorder.reveal()
    told = {record["detail"] for record in recorder.records if record.get("event") == "reseed"}
    assert told == {ROUND_LIMIT, TIME_LIMIT}
    assert replay(recorder.text()).holds

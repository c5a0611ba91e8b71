"""Planted faults in a transcript are all found, at the record that was touched."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

import pytest
from cli_support import refuses
from noise import Noise, dying, stuck

from rng.entropy import MonitoredEntropy, RecordedEntropy, system_entropy
from rng.errors import EntropyError, TranscriptError
from rng.generator import Generator, GeneratorEvent
from rng.replay import ReplayPromise, replay, replay_file
from rng.shuffle import shuffle
from rng.streams import stream
from rng.transcript import TranscriptRecorder, canonical, next_chain, record_generator, record_stream
from rng.uniform import below

SEED = bytes(range(32))


RECORDS = 11
"""Records of the play: its head, each draw and its end."""


def ended(recorder: TranscriptRecorder) -> TranscriptRecorder:
    """The same play, closed and revealed."""
    recorder.close()
    recorder.reveal()
    return recorder


def restarted(recorder: TranscriptRecorder) -> None:
    """Seeds the generator of a recorder afresh."""
    assert isinstance(recorder.source, Generator)
    recorder.source.restart()


def mended(noise: Noise, source: MonitoredEntropy, recorder: TranscriptRecorder) -> None:
    """Takes the fault away, and begins again with source and generator."""
    noise.fault = None
    source.restart()
    restarted(recorder)


def played() -> TranscriptRecorder:
    """Some play of every kind, closed and revealed."""
    recorder = record_stream(SEED, "round-exercise", 4)
    recorder.together_below((6,))
    recorder.deal(40, 40)
    recorder.deal(40, 5)
    recorder.deal_decks(30, 40)
    recorder.together_below((6, 6, 6))
    recorder.many_below(37, 10)
    recorder.read(11)
    recorder.deal_decks(3, 416)
    return ended(recorder)


def test_an_honest_transcript_holds() -> None:
    recorder = played()
    assert len(recorder.records) == RECORDS
    report = replay(recorder.text())
    assert report.holds
    assert report.draws == 8
    assert report.to_json()["first_difference"] is None
    source = stream(SEED, "round-exercise", 4)
    assert recorder.records[1]["value"] == [below(source, 6)]
    assert recorder.records[2]["value"] == list(shuffle(source, 40))
    assert recorder.records[2]["purpose"] == "round-exercise"


def test_a_live_generator_is_replayed_with_its_reseeds() -> None:
    recorder = record_generator(system_entropy(), "export", reseed_requests=1)
    recorder.deal(40, 40)
    recorder.deal_decks(6000, 40)
    recorder.reseed()
    recorder.together_below((10,))
    ended(recorder)
    events = [(r["event"], r["detail"]) for r in recorder.records if "event" in r]
    assert events[0][0] == "seed"
    assert events.count(("reseed", "reseed interval reached")) >= 2
    assert ("reseed", "requested") in events
    assert replay(recorder.text()).holds


def test_a_live_generator_that_failed_and_was_restarted_is_replayed() -> None:
    noise = Noise(stuck, after=1024 + 48)
    source = MonitoredEntropy(noise)
    recorder = record_generator(source, "export")
    recorder.deal(40, 40)
    with pytest.raises(EntropyError):
        recorder.reseed()
    mended(noise, source, recorder)
    recorder.deal(40, 40)
    ended(recorder)
    assert [r["event"] for r in recorder.records if "event" in r] == ["seed", "failure", "seed"]
    assert replay(recorder.text()).holds


def test_a_draw_that_failed_halfway_leaves_a_transcript_that_replays() -> None:
    # One large draw meets a reseed that succeeds and then one that fails; the draw is not recorded.
    source = MonitoredEntropy(noise := Noise(dying, after=1024 + 48 + 32))
    recorder = record_generator(source, "export", reseed_requests=1)
    recorder.deal(40, 40)
    with pytest.raises(EntropyError):
        recorder.deal_decks(50_000, 40)
    mended(noise, source, recorder)
    recorder.deal(40, 40)
    recorder.deal_decks(6000, 40)
    ended(recorder)
    events = [r["event"] for r in recorder.records if "event" in r]
    assert events[:4] == ["seed", "reseed", "failure", "seed"]
    assert replay(recorder.text()).holds


def test_seeds_are_hidden_until_the_reveal() -> None:
    recorder = record_stream(SEED, "export", 0)
    recorder.together_below((6,))
    with pytest.raises(TranscriptError, match="after play"):
        recorder.reveal()
    recorder.close()
    assert SEED.hex() not in recorder.text()
    with pytest.raises(TranscriptError, match="nothing is revealed"):
        replay(recorder.text())
    assert replay(recorder.text(), [SEED]).holds
    refuses(
        TranscriptError,
        ("not the one committed", lambda: replay(recorder.text(), [SEED[::-1]])),
        ("closed", lambda: recorder.together_below((6,))),
    )
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
    dropped[-2] = {"end": 7}
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
        {"draw": 0, "op": "decks", "n": 60_000, "count": 10_000},
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
        ("{", "record 1: not JSON"),
        ("[]", "record 1: an object"),
        ('{"chain":"00"}', "record 1: the chain breaks"),
        (rechained([{"transcript": 2}]), "version 1"),
        (rechained([{"transcript": 1, "consumption_rule": 9}]), "byte-consumption rule"),
        (rechained([{"transcript": 1, "consumption_rule": 1}]), "the end is missing"),
        (rechained([{**played().records[0], "commitments": 5}, {"end": 0}]), "record 1: a list of comm"),
    ],
)
def test_malformed_transcripts_are_refused_with_the_place(text: str, message: str) -> None:
    with pytest.raises(TranscriptError, match=message):
        replay(text, [SEED])


STRANGE: list[object] = [None, True, -1, 1.5, 10**30, "x", "00" * 32, [], [1], [None], [[]], {}, {"a": 1}]


@pytest.mark.parametrize("record", range(RECORDS))
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


def test_transcript_files_are_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "play.transcript"
    with pytest.raises(TranscriptError, match="cannot be read"):
        replay_file(path)
    path.write_text(played().text())
    assert replay_file(path).holds
    for content, message in (
        (b"\xff", "byte 0"),
        (played().text().replace("\n", "\r\n").encode(), "record 1: not the canonical text"),
    ):
        path.write_bytes(content)
        with pytest.raises(TranscriptError, match=message):
            replay_file(path)


def respelled(line: str, old: str, new: str) -> str:
    """A line with one piece of its text written otherwise, its meaning the same to a careless reader."""
    assert old in line
    return line.replace(old, new, 1)


SPELLINGS = [
    pytest.param(1, '{"chain"', '{"op":"many","chain"', id="duplicate key, the first one hidden"),
    pytest.param(1, '"draw":0', '"draw":0.0', id="0.0 for 0"),
    pytest.param(1, '"draw":0', '"draw":-0', id="-0 for 0"),
    pytest.param(1, '"draw":0', '"draw": 0', id="space"),
    pytest.param(1, '"op"', '"\\u006fp"', id="escape"),
    pytest.param(1, '"words":1}', '"words":1} ', id="trailing space"),
    pytest.param(0, '"transcript":1', '"transcript":1.0', id="1.0 in the header"),
    pytest.param(4, "\n", "\r\n", id="other line end"),
    pytest.param(4, "\n", "\n\n", id="empty line"),
    pytest.param(4, "\n", "\x0c", id="form feed"),
]


@pytest.mark.parametrize(("at", "old", "new"), SPELLINGS)
def test_a_line_that_is_not_canonical_is_refused(at: int, old: str, new: str) -> None:
    lines = [f"{line}\n" for line in played().lines]
    lines[at] = respelled(lines[at], old, new)
    with pytest.raises(TranscriptError, match=r"record [0-9]+: (not|the chain)"):
        replay("".join(lines))


@pytest.mark.parametrize(
    ("at", "change"),
    [
        (1, {"words": 1.0}),
        (1, {"draw": False}),
        (1, {"value": [4.0]}),
        (1, {"rejected": False}),
        (1, {"note": "x"}),
        (1, {"note": None}),
        (0, {"index": 4.0}),
        (0, {"consumption_rule": True}),
        (0, {"transcript": 1.0}),
        (-2, {"end": 10.0}),
        (-2, {"note": "x"}),
        (-2, {"commitments": []}),
        (-1, {"note": "x"}),
        (-1, {"reveal": [SEED.hex().upper()]}),
        (-1, {"reveal": [f" {SEED.hex()}"]}),
    ],
)
def test_another_spelling_or_an_extra_field_with_a_new_chain_is_found(
    at: int, change: dict[str, object]
) -> None:
    records = [dict(record) for record in played().records]
    if "value" in change:
        change = {"value": [float(value) for value in records[at]["value"]]}
    records[at] |= change
    with suppress(TranscriptError):
        assert not replay(rechained(records)).holds


def test_an_extra_field_in_a_failure_is_found() -> None:
    source = MonitoredEntropy(noise := Noise(stuck, after=1024 + 48))
    recorder = record_generator(source, "export")
    with pytest.raises(EntropyError):
        recorder.reseed()
    mended(noise, source, recorder)
    recorder.together_below((6,))
    ended(recorder)
    assert replay(recorder.text()).holds
    records = [dict(record) for record in recorder.records]
    at = next(i for i, record in enumerate(records) if record.get("event") == "failure")
    records[at]["note"] = "x"
    assert not replay(rechained(records)).holds


def test_a_seed_that_failed_at_its_nonce_leaves_a_transcript_that_replays() -> None:
    source = MonitoredEntropy(noise := Noise())
    recorder = record_generator(source, "export")
    # The entropy input of the restart is given and committed to, its nonce is not.
    noise.fault, noise.after = dying, noise.given + 32
    with pytest.raises(EntropyError):
        restarted(recorder)
    mended(noise, source, recorder)
    recorder.deal(40, 40)
    ended(recorder)
    assert [len(r["commitments"]) for r in recorder.records if "event" in r] == [2, 1, 2]
    assert replay(recorder.text()).holds


def published(recorder: TranscriptRecorder) -> ReplayPromise:
    """What an operator publishes: the commitments before play and the chain at its end."""
    opening = next(i for i, record in enumerate(recorder.records) if "commitments" in record)
    end = next(i for i, record in enumerate(recorder.records) if "end" in record)
    chains = [json.loads(line)["chain"] for line in recorder.lines]
    return ReplayPromise(tuple(recorder.records[opening]["commitments"]), chains[end], chains[opening])


def test_a_transcript_cut_and_rechained_fails_against_the_published_chain() -> None:
    honest = played()
    promise = published(honest)
    assert replay(honest.text(), promise=promise).promised == ("commitment", "opening", "chain")
    records = [dict(record) for record in honest.records]
    cut = rechained([*records[:4], {"end": 3}, records[-1]])
    # Every remaining draw is honest, so that only the promise tells.
    assert replay(cut).holds
    assert replay(cut).promised == ()
    with pytest.raises(TranscriptError, match="not the transcript that was promised: play ends with chain"):
        replay(cut, promise=ReplayPromise(chain=promise.chain))


def test_a_transcript_of_another_seed_fails_against_the_published_commitment() -> None:
    promise = published(played())
    other = record_stream(SEED[::-1], "round-exercise", 4)
    other.together_below((6,))
    ended(other)
    assert replay(other.text()).holds
    with pytest.raises(TranscriptError, match="not the transcript that was promised: it commits to"):
        replay(other.text(), promise=ReplayPromise(promise.commitments))


def test_a_live_generator_is_held_to_both_inputs_of_its_first_seed() -> None:
    recorder = record_generator(system_entropy(), "export", reseed_requests=1)
    recorder.deal_decks(6000, 40)
    ended(recorder)
    promise = published(recorder)
    assert len(promise.commitments) == 2
    assert replay(recorder.text(), promise=promise).holds
    for part in (promise.commitments[:1], promise.commitments[::-1], (*promise.commitments, "00" * 32)):
        with pytest.raises(TranscriptError, match="promised"):
            replay(recorder.text(), promise=ReplayPromise(part))


def ground(seeds: int) -> tuple[TranscriptRecorder, ReplayPromise]:
    """Play whose operator invents a failure after its first deck, and restarts on the best of some seeds.

    Returns:
        The transcript, every draw of which follows from its seeds, and what was published of it.
    """
    first = [b"\x01" * 32, b"\x02" * 16]

    def play(chosen: bytes) -> TranscriptRecorder:
        recorder = record_generator(RecordedEntropy([*first, chosen * 32, chosen * 16]), "export")
        recorder.deal(40, 40)
        recorder.event(GeneratorEvent(recorder.source.drawn, "failure", "the source is silent"), [])
        restarted(recorder)
        recorder.deal(40, 40)
        return ended(recorder)

    best = max(
        (play(bytes([seed + 3])) for seed in range(seeds)), key=lambda one: one.records[-3]["value"][0]
    )
    return best, published(best)


def test_an_invented_failure_and_a_restart_on_a_chosen_seed_are_named_and_not_shown() -> None:
    recorder, promise = ground(8)
    report = replay(recorder.text(), promise=promise)
    # Every draw is the same and both promises are kept: what was ground is what follows the restart.
    assert report.holds
    assert report.end_shown
    assert [(event.kind, event.record, event.draws_before) for event in report.events] == [
        ("failure", 4, 1),
        ("restart", 5, 1),
    ]
    assert not report.events[1].promised
    assert report.held == 1
    (said,) = report.undecided
    assert "draws 1 to 1: no commitment of the restart in record 5 was given from outside" in said
    # Published before what follows them, the commitments of the restart hold for it too.
    everything = tuple(one for record in recorder.records for one in record.get("commitments", []))
    assert (
        replay(recorder.text(), promise=ReplayPromise(everything, promise.chain, promise.opening)).undecided
        == ()
    )
    # And a restart on another seed than the one that was published is not the transcript that was promised.
    with pytest.raises(TranscriptError, match="not the transcript that was promised"):
        replay(recorder.text(), promise=ReplayPromise((*promise.commitments, "00" * 32, "11" * 32)))


def test_a_reseed_that_was_asked_for_is_ground_as_easily_and_named_as_well() -> None:
    recorder = record_generator(RecordedEntropy([bytes([n]) * 32 for n in range(1, 4)]), "export")
    recorder.together_below((6,))
    recorder.reseed()
    recorder.together_below((6,))
    ended(recorder)
    report = replay(recorder.text(), promise=published(recorder))
    assert [(event.kind, event.detail, event.promised) for event in report.events] == [
        ("reseed", "requested", False)
    ]
    assert report.held == 1
    assert len(report.undecided) == 1


def test_an_opening_that_commits_to_no_list_is_refused_and_not_an_internal_error() -> None:
    records = [dict(record) for record in played().records]
    records[0]["commitments"] = 5
    text = rechained(records)
    opening = json.loads(text.split("\n")[0])["chain"]
    with pytest.raises(TranscriptError, match="record 1: a list of commitments"):
        replay(text, promise=ReplayPromise(opening=opening))


def test_a_draw_between_a_failure_and_its_restart_is_a_difference() -> None:
    recorder, _ = ground(1)
    records = [dict(record) for record in recorder.records]
    # The failure is moved before the first draw: it would have stopped the generator.
    moved = [*records[:2], records[3], records[2], *records[4:]]
    difference = replay(rechained(moved)).first_difference
    assert difference is not None
    assert (difference.record, difference.field) == (4, "draw")
    assert "serves nothing until it is restarted" in difference.replayed


def test_the_last_draws_cut_off_and_rechained_are_not_shown_to_be_the_end() -> None:
    honest = played()
    promise = published(honest)
    records = [dict(record) for record in honest.records]
    cut = replay(
        rechained([*records[:4], {"end": 3}, records[-1]]),
        promise=ReplayPromise(promise.commitments, opening=promise.opening),
    )
    assert cut.holds
    assert cut.held == 3
    assert [sentence.split(":")[0] for sentence in cut.undecided] == ["the end is not proven"]
    assert replay(honest.text(), promise=promise).undecided == ()


def test_the_best_of_many_streams_of_one_committed_seed_is_not_what_was_opened() -> None:
    def play(index: int) -> TranscriptRecorder:
        recorder = record_stream(SEED, "round-exercise", index)
        recorder.deal(40, 40)
        return ended(recorder)

    opened = published(play(4))
    best = max(map(play, range(9)), key=lambda one: one.records[1]["value"][0])
    assert best.records[0]["index"] != 4
    # The seed is the committed one and every draw is the same: only the opening says which stream it was.
    told = replay(best.text(), promise=ReplayPromise(opened.commitments, published(best).chain))
    assert told.holds
    assert [sentence.split(",")[0] for sentence in told.undecided] == ["purpose"]
    with pytest.raises(TranscriptError, match="it opens with chain"):
        replay(best.text(), promise=opened)

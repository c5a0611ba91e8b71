"""Streams: disjoint by purpose and index, the same whoever draws them, never shared or copied."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rng.errors import DrbgError, RangeError
from rng.generator import PURPOSES, registered
from rng.shuffle import deal_decks
from rng.streams import MASTER_SEED_BYTES, stream, stream_seed

SEED = bytes(range(32))


def test_streams_differ_in_every_coordinate():
    seeds = [SEED, SEED[::-1], SEED + b"\0"]
    names = list(PURPOSES)
    indices = [0, 1, 2, 255, 256, 2**32, 2**64 - 1]
    derived = {(s, p, i): stream_seed(s, p, i) for s in seeds for p in names for i in indices}
    assert len(set(derived.values())) == len(derived)
    words = {stream(*key).read(8) for key in derived}
    assert len(words) == len(derived)


def test_blocks_of_many_streams_never_repeat():
    words = np.concatenate(
        [np.frombuffer(stream(SEED, "simulation-decks", i).read(65536), dtype="<u8") for i in range(40)]
    )
    # 327,680 words: a repeat has probability below 2^-28 if the streams are disjoint.
    assert len(np.unique(words)) == len(words)


def test_purpose_and_index_cannot_be_confused_with_each_other():
    # The length in front of the purpose keeps ("export", …) apart from any longer or shorter name.
    infos = {bytes([len(p)]) + p.encode() + i.to_bytes(8, "big") for p in PURPOSES for i in (0, 1, 2**63)}
    assert len(infos) == 3 * len(PURPOSES)


def test_the_result_does_not_depend_on_the_number_of_workers():
    def batch(index):
        return deal_decks(stream(SEED, "simulation-decks", index), 50, 40).tobytes()

    alone = [batch(index) for index in range(8)]
    for workers in (2, 4):
        with ThreadPoolExecutor(workers) as pool:
            assert list(pool.map(batch, range(8))) == alone


def test_unregistered_purposes_are_refused():
    for name in ("", "Simulation-decks", "decks", "export "):
        with pytest.raises(RangeError, match="not registered"):
            stream(SEED, name, 0)
        with pytest.raises(RangeError):
            registered(name)


@pytest.mark.parametrize("seed", [b"", bytes(31), "a" * 32, None, 7])
def test_short_or_wrong_master_seeds_are_refused(seed):
    assert MASTER_SEED_BYTES == 32
    with pytest.raises(RangeError, match="master seed"):
        stream(seed, "export", 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("index", [-1, 2**64, 1.0, True, "0"])
def test_indices_out_of_range_are_refused(index):
    with pytest.raises(RangeError, match="index"):
        stream(SEED, "export", index)  # type: ignore[arg-type]


def test_a_stream_is_never_copied_or_pickled_and_shows_no_secret():
    source = stream(SEED, "export", 1)
    source.word()
    for refused in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(DrbgError, match="never"):
            refused(source)  # type: ignore[operator]
    assert repr(source) == "<Stream export/1, 1 words drawn>"


def test_a_stream_belongs_to_one_thread():
    source = stream(SEED, "export", 1)
    source.word()
    caught = []

    def draw():
        for call in (source.word, lambda: deal_decks(source, 1, 40)):
            try:
                call()
            except DrbgError as error:
                caught.append(error)

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert len(caught) == 2
    assert source.drawn == 1


def test_a_closed_stream_serves_nothing_more():
    source = stream(SEED, "export", 1)
    source.word()
    source.close()
    with pytest.raises(DrbgError):
        source.word()


def test_negative_reads_and_skips_are_refused():
    source = stream(SEED, "export", 1)
    assert source.read(0) == b""
    for wrong in (-1, 1.5):
        with pytest.raises(RangeError):
            source.read(wrong)  # type: ignore[arg-type]
    source.window(3)
    for wrong_count in (-1, 10**6):
        with pytest.raises(RangeError):
            source.skip(wrong_count)

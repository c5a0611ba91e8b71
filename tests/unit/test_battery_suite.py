"""One runner for every kind of sample: what is sent away comes back as it is computed here."""

import pickle

import numpy as np
import pytest

from rng.battery import balls, cards, sequences, whole_stream
from rng.battery.bits import from_bytes
from rng.battery.planted.good import aes_ctr, uniform_numbers
from rng.battery.planted.shuffles import fisher_yates
from rng.draws import OrderedSample
from rng.errors import SampleError

CAGE = OrderedSample(49, 6)
ROWS = np.argsort(aes_ctr(4, 200 * 49).reshape(200, 49), axis=1)[:, :6].astype(np.uint8)
SAMPLES = [
    (sequences.BATTERY, sequences.IntegerDraws(uniform_numbers(aes_ctr, 1, 37, 500), 37), "frequency"),
    (cards.BATTERY, cards.DealtDecks(fisher_yates(aes_ctr, 2, 100), cards.four_suits(40)), "descents"),
    (balls.BATTERY, balls.DrawnBalls(CAGE, ROWS), "dispersion"),
]


def copied(it):
    """What arrives of what is sent."""
    return pickle.loads(pickle.dumps(it))  # noqa: S301 - our own bytes


def sent(work, items):
    """What an executor does to work: it is written down and read elsewhere."""
    there = copied(work)
    return (copied(there(copied(item))) for item in items)


@pytest.mark.parametrize(("suite", "sample", "name"), SAMPLES, ids=[suite.name for suite, _, _ in SAMPLES])
def test_a_test_that_is_sent_away_finds_the_same(suite, sample, name):
    told = []
    there = suite.run(sample, [name], running=sent, tell=lambda *far: told.append(far))
    assert there == suite.run(sample, [name])
    assert told == [(1, 1, "tests")]


def test_passes_over_a_stream_that_are_sent_away_find_the_same():
    bits = from_bytes(aes_ctr(7, 40_000).tobytes())
    assert whole_stream.run(bits, running=sent) == whole_stream.run(bits)


def test_every_suite_refuses_an_empty_choice_and_a_test_that_is_none():
    for suite, sample, _ in SAMPLES:
        with pytest.raises(SampleError, match="never a pass"):
            suite.run(sample, [])
        with pytest.raises(SampleError, match=f"no such test of {suite.name}: tarot"):
            suite.run(sample, ["tarot"])

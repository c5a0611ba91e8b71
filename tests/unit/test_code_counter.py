"""Counting each different row once is counting every row."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.kit.agreement import _as_faces
from certify.model.equipment import Kind, strip
from certify.model.joint_counts import JointCounts
from certify.model.round_table import CodeCounter, distinct_rows

AXES = (("sum", ("low", "middle", "high")), ("first", ("even", "odd")))


def codes(rows):
    """How rows end: by the sum of all items, and by the first."""
    total = rows.sum(axis=1, dtype=np.int64)
    return np.stack([(total > 3).astype(np.uint8) + (total > 9), rows[:, 0] % 2], axis=1).astype(np.uint8)


@given(
    faces=st.integers(1, 300),
    width=st.integers(1, 20),
    count=st.integers(0, 3_000),
    seed=st.integers(0, 2**32),
)
def test_counts_are_those_of_every_row_by_itself(faces, width, count, seed):
    kind = np.uint8 if faces <= 256 else np.uint16
    rows = np.random.default_rng(seed).integers(0, faces, size=(count, width)).astype(kind)
    expected = np.zeros((3, 2), dtype=np.int64)
    for low, odd in codes(rows).tolist():
        expected[low, odd] += 1
    assert CodeCounter(AXES, codes).count(rows) == JointCounts.dense(AXES, expected)
    distinct, times = distinct_rows(rows)
    assert times.sum() == count
    assert distinct.dtype == rows.dtype


@pytest.mark.parametrize(("faces", "width", "played"), [(38, 1, 38), (6, 3, 216), (40, 6, 100_000)])
def test_few_possible_rows_are_played_once_each_and_many_one_by_one(faces, width, played):
    rows = np.random.default_rng(1).integers(0, faces, size=(100_000, width)).astype(np.uint8)
    assert len(distinct_rows(rows)[0]) == played


@pytest.mark.parametrize(("takes_faces", "noticed"), [(True, True), (False, False)])
def test_a_play_through_that_takes_items_for_faces_is_told_so(takes_faces, noticed):
    reel = strip("reel", Kind.REEL, ("bar", "7", "bar", "7"), 1)
    rows = [(item,) for item in range(4)]

    def codes(given):
        # A seven wins; whoever takes an item for a face knows the first two alone.
        return (given == 1 if takes_faces else given % 2 == 1).astype(np.uint8)

    counter = CodeCounter((("bet", ("lose", "win")),), codes)
    subject = SimpleNamespace(
        reference=SimpleNamespace(equipment=(reel,)),
        rows=rows,
        table=lambda rows: np.array(rows, dtype=np.uint8),
        played=lambda name: [
            SimpleNamespace(outcomes={"bet": "win" if reel.name_of(item) == "7" else "lose"})
            for (item,) in rows
        ],
    )
    compiled = counter.outcomes(subject.table(rows))
    assert _as_faces(subject, "any", counter, compiled) is noticed

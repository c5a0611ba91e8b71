"""Counting each different row once is counting every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from certify.families.code_counter import CodeCounter, distinct_rows

AXES = (("sum", ("low", "middle", "high")), ("first", ("even", "odd")))


def codes(rows: NDArray[Any]) -> NDArray[np.uint8]:
    """How rows end: by the sum of all items, and by the first."""
    total = rows.sum(axis=1, dtype=np.int64)
    return np.stack([(total > 3).astype(np.uint8) + (total > 9), rows[:, 0] % 2], axis=1).astype(np.uint8)


@given(
    faces=st.integers(1, 300),
    width=st.integers(1, 20),
    count=st.integers(0, 3_000),
    seed=st.integers(0, 2**32),
)
def test_counts_are_those_of_every_row_by_itself(faces: int, width: int, count: int, seed: int) -> None:
    kind = np.uint8 if faces <= 256 else np.uint16
    rows = np.random.default_rng(seed).integers(0, faces, size=(count, width)).astype(kind)
    expected = np.zeros((3, 2), dtype=np.int64)
    for low, odd in codes(rows).tolist():
        expected[low, odd] += 1
    assert CodeCounter(AXES, codes, codes).count(rows).tolist() == expected.ravel().tolist()
    distinct, times = distinct_rows(rows)
    assert times.sum() == count
    assert distinct.dtype == rows.dtype


@pytest.mark.parametrize(("faces", "width", "played"), [(38, 1, 38), (6, 3, 216), (40, 6, 100_000)])
def test_few_possible_rows_are_played_once_each_and_many_one_by_one(
    faces: int, width: int, played: int
) -> None:
    rows = np.random.default_rng(1).integers(0, faces, size=(100_000, width)).astype(np.uint8)
    assert len(distinct_rows(rows)[0]) == played

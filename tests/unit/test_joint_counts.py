"""Joint counts: the same by every way of counting, without memory for what did not occur."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.errors import InputError
from certify.model.joint_counts import JointCounts, cell_of, named_cell

AXES = (("main", ("win", "push", "lose")), ("side", ("a", "b")))
MANY = tuple((f"bet-{number}", ("win", "push", "lose")) for number in range(44))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), max_size=50))
def test_every_way_of_counting_gives_the_same(codes):
    rows = np.array(codes, dtype=np.uint8).reshape(-1, 2)
    named = [tuple(AXES[at][1][code] for at, code in enumerate(row)) for row in codes]
    dense = np.zeros((3, 2), dtype=np.int64)
    for row in codes:
        dense[row] += 1
    counted = JointCounts.of_outcomes(AXES, named)
    assert counted == JointCounts.dense(AXES, dense) == JointCounts.of_codes(AXES, rows)
    assert counted == JointCounts.of_codes(AXES, rows, np.ones(len(rows), dtype=np.int64))
    assert counted.rounds == len(codes)
    assert counted.marginals() == {wager: counted.wager(wager) for wager, _ in AXES}
    assert list(counted.wager("main").values()) == dense.sum(axis=1).tolist()
    assert counted + JointCounts(AXES) == counted
    assert (counted + counted).rounds == 2 * counted.rounds


@given(st.lists(st.lists(st.integers(0, 2), min_size=44, max_size=44), max_size=5))
def test_forty_four_bets_take_memory_only_for_what_occurred(codes):
    counted = JointCounts.of_codes(MANY, np.array(codes, dtype=np.uint8).reshape(-1, 44))
    assert counted.possible == 3**44
    assert len(counted.cells) <= len(codes)
    named = [tuple(MANY[at][1][code] for at, code in enumerate(row)) for row in codes]
    assert counted == JointCounts.of_outcomes(MANY, named)
    for ended, _ in counted.outcomes():
        assert named_cell(MANY, cell_of(MANY, ended)) == ended


@pytest.mark.parametrize(
    "cells", [((6, 1),), ((-1, 1),), ((0, 0),), ((1, 1), (0, 1)), ((1, 1), (1, 2)), ((1.0, 1),), ((1, True),)]
)
def test_cells_that_cannot_be_are_refused(cells):
    with pytest.raises(InputError, match="joint outcome"):
        JointCounts(AXES, cells)


def test_counts_of_other_axes_and_unknown_outcomes_are_refused():
    with pytest.raises(InputError, match="cannot be added"):
        JointCounts(AXES) + JointCounts(MANY)
    with pytest.raises(InputError, match="'draw', expected one of win, push, lose"):
        JointCounts.of_outcomes(AXES, [("draw", "a")])
    with pytest.raises(InputError, match="settles no wager 'third'"):
        JointCounts(AXES).wager("third")

"""Drawings: a line is cut where it leaves the plot and nothing is drawn that was not measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.report.figures.played import _inside

heights = st.floats(min_value=-500, max_value=500)


def test_a_line_is_cut_exactly_at_the_edges() -> None:
    runs = _inside([(0, 0), (10, 20), (20, 0)], (10, 0))
    assert runs == [[(0, 0), (5, 10)], [(15, 10), (20, 0)]]


def test_a_line_wholly_inside_stays_one_line() -> None:
    points = [(0.0, 1.0), (1.0, 3.0), (2.0, 3.0), (3.0, 2.0)]
    assert _inside(points, (0, 5)) == [points]


def test_a_line_wholly_outside_is_not_drawn() -> None:
    assert _inside([(0, 7), (1, 7), (2, 9)], (0, 5)) == []


@given(st.lists(heights, min_size=2, max_size=30))
def test_what_is_drawn_lies_inside_and_on_the_line(values: list[float]) -> None:
    points = [(float(index), value) for index, value in enumerate(values)]
    for run in _inside(points, (100, -100)):
        for x, y in run:
            assert -100 - 1e-6 <= y <= 100 + 1e-6
            before = min(int(x), len(values) - 2)
            share = x - before
            on_line = values[before] + share * (values[before + 1] - values[before])
            assert y == pytest.approx(on_line, abs=1e-6)

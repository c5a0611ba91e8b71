"""Outcomes with approximate probabilities are tested as one, and those that state a net result by how they ended."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from certify.certification.audit import _ended_alike
from certify.simulation.inference import Cell, _over_outcomes

ROUNDS = 1_000_000
CELLS = tuple(
    Cell(outcome, count, Fraction(expected, ROUNDS), float(expected), 0.0)
    for outcome, count, expected in (
        ("lose", 500_300, 500_000),
        ("win", 399_700, 400_000),
        ("win:2:2", 62_000, 60_000),
        ("push:0:2", 38_000, 40_000),
    )
)


def test_what_is_exact_only_together_is_tested_together() -> None:
    wrong, near = (
        _over_outcomes(CELLS),
        _over_outcomes((*CELLS[:2], *(replace(cell, near=True) for cell in CELLS[2:]))),
    )
    assert wrong is not None
    assert wrong.p_value < 1e-6
    assert near is not None
    assert near.p_value > 0.5


def test_approximate_outcomes_that_come_too_often_together_are_found() -> None:
    more = (*CELLS[:2], *(replace(cell, count=cell.count + 1_000, near=True) for cell in CELLS[2:]))
    found = _over_outcomes(more)
    assert found is not None
    assert found.p_value < 1e-6


def test_at_other_pays_an_outcome_is_the_same_where_its_row_is_or_where_both_are_named_after_their_net_result() -> (
    None
):
    def row_of(outcome: str) -> str:
        return outcome.partition(":")[0]

    assert _ended_alike(row_of, "win:8:1", "win")
    assert _ended_alike(row_of, "win:6:2", "lose:-2:2")
    assert not _ended_alike(row_of, "push", "win")
    assert not _ended_alike(row_of, "lose", "win:8:1")

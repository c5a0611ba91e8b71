"""Outcomes that state a net result are told apart by how they ended."""

from __future__ import annotations

from certify.certification.audit import _ended_alike


def test_at_other_pays_an_outcome_is_the_same_where_its_row_is_or_where_both_are_named_after_their_net_result() -> (
    None
):
    def row_of(outcome: str) -> str:
        return outcome.partition(":")[0]

    assert _ended_alike(row_of, "win:8:1", "win")
    assert _ended_alike(row_of, "win:6:2", "lose:-2:2")
    assert not _ended_alike(row_of, "push", "win")
    assert not _ended_alike(row_of, "lose", "win:8:1")

"""Whole rounds of several people stand among the recalled rounds of a run, told to each person."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from free_bank_tables import game_of
from rounds_game import game as game_of_one_player

from certify.certification.recalled_rounds import ROUNDS, recalled_rounds
from certify.clauses.jurisdiction import regime_of
from certify.errors import TrustError
from certify.model.finding import Verdict
from certify.rounds import recall
from certify.rounds.recall import RoundRecord, check_recall, is_of_table, to_csv

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
PEOPLE = ("first banker", "seat 1", "seat 2")


def recalled(name: str = "sept-et-demi") -> tuple[RoundRecord, ...]:
    return recalled_rounds(game_of(name), regime_of(), bytes(32), START)


def test_a_run_recalls_whole_rounds_of_several_people_beside_those_of_one_player() -> None:
    records = recalled()
    at_tables = [one for one in records if is_of_table(one.round_id)]
    assert len(records) - len(at_tables) == ROUNDS
    assert [one.player_id for one in at_tables] == list(PEOPLE) * 5
    assert [one.status.split(" (")[0] for one in at_tables] == [*["complete"] * 9, *["void"] * 6]
    assert all("adopted" in one.status for one in at_tables)
    assert "*" in at_tables[7].player_choices  # decided for seat 1, who was away
    assert "person-left" in at_tables[6].intermediate_phases
    assert at_tables[9].void_reason == "planted for the test (decided by certify)"
    assert at_tables[12].void_reason.startswith("void since ")
    for person in PEOPLE:
        own = [one for one in at_tables if one.player_id == person]
        assert [one.funds_before for one in own[1:]] == [one.funds_after for one in own[:-1]]
    for place in range(0, len(at_tables), len(PEOPLE)):
        table = at_tables[place : place + len(PEOPLE)]
        assert len({one.round_id for one in table}) == 1
        assert (
            len({sum(int(getattr(one, when)) for one in table) for when in ("funds_before", "funds_after")})
            == 1
        )
    assert check_recall(records).verdict is Verdict.SATISFIED
    assert to_csv(records).count("@table/table-") == 15
    lacking = (*records[:-1], replace(records[-1], stakes=""))
    assert check_recall(lacking).verdict is Verdict.NOT_SATISFIED


def test_a_table_whose_rounds_do_not_replay_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def altered(edition: object, table: str, events: object) -> object:
        raise TrustError(f"event 3 of {table} does not replay")

    monkeypatch.setattr(recall, "replayed", altered)
    with pytest.raises(TrustError, match="@table/table does not replay"):
        recalled()


def test_a_game_of_one_player_and_a_house_recalls_no_table() -> None:
    records = recalled_rounds(game_of_one_player(), regime_of(), bytes(32), START)
    assert len(records) == ROUNDS
    assert not any(is_of_table(one.round_id) for one in records)

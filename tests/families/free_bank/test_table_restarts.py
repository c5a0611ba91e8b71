"""The ordinary run restarts the ledger behind every step of a round of several people, and finds one that forgets."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from free_bank_tables import game_of
from rounds_game import game as game_of_one_player

from certify.certification.restarting import restarted_tables
from certify.clauses.jurisdiction import regime_of
from certify.evidence.life import Situation
from certify.model.finding import Verdict
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.store import StoredRecord
from certify.simulation import StreamDecks

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


def restarts() -> Situation:
    game = game_of("sette-e-mezzo")
    decks = [tuple(deck) for deck in StreamDecks.of(game, bytes(32)).deal(0, 1).tolist()]
    (found,) = restarted_tables(game, regime_of(), bytes(32), START, decks)
    return found


def test_a_table_is_there_after_a_restart_behind_every_step() -> None:
    found = restarts()
    assert found.verdict is Verdict.SATISFIED
    assert found.trials >= 3
    assert found.adopted_terms
    assert "first banker" in found.observed


def test_a_ledger_that_writes_a_decision_late_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    append, late = SqliteStore.append, dict[Path, list[StoredRecord]]()

    def lazy(self: SqliteStore, records: Sequence[StoredRecord]) -> None:
        """Acknowledges the records of a decision, and writes them with the next ones."""
        if records[0].kind == "person-decided" and self.path not in late:
            late[self.path] = list(records)
            return
        append(self, [*late.pop(self.path, ()), *records])

    monkeypatch.setattr(SqliteStore, "append", lazy)
    found = restarts()
    assert found.verdict is Verdict.NOT_SATISFIED
    assert found.failures


def test_a_game_of_one_player_and_a_house_has_no_table_to_restart() -> None:
    game = game_of_one_player()
    deck = tuple(range(40))
    assert restarted_tables(game, regime_of(), bytes(32), START, [deck]) == ()

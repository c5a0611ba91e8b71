"""Systems of slots are tried on rounds that win every row of the paytable."""

from __future__ import annotations

from pathlib import Path

from certify.rounds.conformance.setting import rows_of
from certify.rounds.play import edition_of
from certify.submission import read_game

SLOT = read_game(Path("fixtures/games/slot-lines/game.toml"))


def test_the_fixed_part_wins_every_row_of_a_slot() -> None:
    rows = rows_of(edition_of(SLOT).play)
    assert rows.missed == ()
    assert {("main", row) for row in SLOT.wagers[0].paytable.ids} <= set(rows.reached)

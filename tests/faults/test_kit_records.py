"""What the kit compares: sentences of records are compared, and where nothing was planted nothing was noticed."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from certify.families import driver
from certify.families.registry import family_of
from certify.kit import run
from certify.kit.check import Checked
from certify.kit.run import records
from certify.kit.subject import Subject
from certify.model.finding import Verdict
from certify.submission import read_game

GAME = read_game(Path("fixtures/games/big-six/game.toml"))


def verdict_of_records() -> Verdict:
    found = next(iter(records(Subject(family_of(GAME), GAME, bytes(range(32)), 20))))
    assert found.law == "records"
    return found.verdict


def test_rounds_that_are_told_in_other_sentences_the_second_time_are_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert verdict_of_records() is Verdict.SATISFIED
    told = count()
    monkeypatch.setattr(driver, "_sentences", lambda reference, step: (f"sentence {next(told)}",))
    assert verdict_of_records() is Verdict.NOT_SATISFIED


def test_where_no_fault_could_be_planted_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "planted", lambda subject: ())
    found: list[Checked] = []
    assert run._planted(Subject(family_of(GAME), GAME, bytes(range(32)), 20), found) == ()
    assert [(one.law, one.verdict) for one in found] == [("planted-faults", Verdict.INCONCLUSIVE)]

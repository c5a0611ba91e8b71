"""Systems that break a rule of a game with a free bank: the exercise of the terms finds each."""

from __future__ import annotations

from datetime import UTC, datetime

import faulty_tables
import pytest
from click.testing import CliRunner
from free_bank_tables import GAMES, game_of, path_of, row_of

from certify.cli.rounds import rounds
from certify.model.finding import Verdict
from certify.rounds import exercise as exercising
from certify.rounds.exercise import exercise, situations_of
from certify.rounds.play import Play
from certify.rounds.system import reference_system
from certify.rounds.table import SystemFactory

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "cards", "system", "situation"),
    [
        ("sept-et-demi", "7 7 7 7", "shows_the_covered_card", "open-faces-shown"),
        ("sept-et-demi", "7 7 7 7", "returns_ties", "settlement"),
        # Learning what these offer takes a walk over many points.
        pytest.param(
            "sette-e-mezzo", "4 7 2 7 7", "swaps_after_a_hit", "open-faces-shown", marks=pytest.mark.slow
        ),
        pytest.param(
            "siete-y-media", "J 7 Q 7 7 7", "splits_half_the_bet", "bets-accepted", marks=pytest.mark.slow
        ),
    ],
)
def test_a_table_that_breaks_a_rule_is_found_and_a_sound_one_is_not(
    name: str, cards: str, system: str, situation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Play, "witnesses", lambda self, decks: ())
    monkeypatch.setattr(
        exercising, "situations_of", lambda play: [one for one in situations_of(play) if one.id == situation]
    )
    cheating: SystemFactory = getattr(faulty_tables, system)
    for under_test, verdict in (
        (cheating, Verdict.NOT_SATISFIED),
        (lambda *given: reference_system(*given), Verdict.SATISFIED),
    ):
        report = exercise(game_of(name), [row_of(cards)], START, system=under_test)
        assert report.verdict is verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("sept-et-demi", "shows_the_covered_card"),
        ("sept-et-demi", "returns_ties"),
        ("sette-e-mezzo", "swaps_after_a_hit"),
        ("siete-y-media", "splits_half_the_bet"),
    ],
)
def test_an_auditor_finds_it_from_the_command_line(name: str, system: str) -> None:
    arguments = ("exercise", str(path_of(name)), "--target", f"faulty_tables:{system}", "--decks", "3")
    called = CliRunner().invoke(rounds, [*arguments, "--seed", "5a" * 32], standalone_mode=False)
    assert called.return_value == 1
    assert "not satisfied" in called.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_conformance_stories_of_these_games_are_told_to_the_reference_system(name: str) -> None:
    target = ("--target", "certify.rounds.system:reference_system")
    arguments = ["conform", str(path_of(name)), *target, "--stories", "10", "--decks", "2"]
    called = CliRunner().invoke(rounds, [*arguments, "--seed", "5a" * 32], standalone_mode=False)
    assert called.return_value == 0
    assert "every promise was kept" in called.stdout

"""Rounds of several people in the ordinary exercise: every situation holds, and a table with a fault is found."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import faulty_tables
import pytest
from click.testing import CliRunner
from free_bank_tables import GAMES, game_of, path_of, row_of

from certify.cli.rounds import rounds
from certify.evidence.life import PersonRound, Situation
from certify.families.free_bank.player_banked import PlayerBankedRounds
from certify.model.finding import Verdict
from certify.rounds import exercise as exercising
from certify.rounds.exercise import exercise, exercise_several
from certify.rounds.further_situations import situations_of
from certify.rounds.play import Play, edition_of
from certify.rounds.player_banked.people import ADOPTED
from certify.rounds.table import SystemFactory
from certify.rounds.voiding import Machine

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def rows(count: int) -> list[tuple[int, ...]]:
    drawn = random.Random(5)  # noqa: S311 - any rounds will do
    return [tuple(drawn.sample(range(40), 40)) for _ in range(count)]


def exercised(
    name: str, kind: type[Machine] = Machine, count: int = 1
) -> tuple[tuple[Situation, ...], tuple[PersonRound, ...]]:
    return exercise_several(edition_of(game_of(name)), rows(count), START, kind)


@pytest.mark.parametrize("name", GAMES)
def test_every_situation_of_several_people_holds_under_terms_that_are_called_adopted(name: str) -> None:
    situations, people = exercised(name)
    assert {one.verdict for one in situations} == {Verdict.SATISFIED}
    assert all(one.adopted_terms and one.trials and one.evidence for one in situations)
    assert {entry.origin for entry in people} == {ADOPTED}
    ended = {entry.round: entry.ended for entry in people}
    assert list(ended.values()) == ["settled", "void by malfunction", "void at its term", "settled"]
    for number in ended:
        of_round = [entry for entry in people if entry.round == number]
        assert len(of_round) == 3
        assert sum(entry.net for entry in of_round) == 0
        assert sum(entry.banked for entry in of_round) == 1


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (faulty_tables.KeepsTheBanksCover, "malfunction-of-several"),
        (faulty_tables.PaysTheFirstSeatForAll, "settlement-of-several"),
    ],
)
def test_a_table_that_cheats_one_of_several_people_is_found(kind: type[Machine], found: str) -> None:
    situations, _ = exercised("sept-et-demi", kind)
    failed = {one.id for one in situations if one.verdict is Verdict.NOT_SATISFIED}
    assert found in failed
    shown = next(one for one in situations if one.id == found)
    assert shown.failures
    assert "expected" in shown.observed
    assert shown.evidence


def test_rows_of_several_seats_are_made_of_decks_of_one() -> None:
    decks = rows(2)
    first, second = PlayerBankedRounds().rows(decks, 5)
    assert first == (*decks[0], *decks[1], *decks[0])
    assert len(second) == 120


# --- one seat: tables that break a rule -------------------------------------------------------------------


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
        (lambda *given: faulty_tables.reference_system(*given), Verdict.SATISFIED),
    ):
        report = exercise(game_of(name), [row_of(cards)], START, system=under_test)
        assert report.verdict is verdict
        assert report.people is None


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


@pytest.mark.slow
def test_the_command_line_shows_rounds_of_several_people_person_by_person() -> None:
    arguments = ["exercise", str(path_of("sept-et-demi")), "--decks", "2", "--seed", "5a" * 32]
    called = CliRunner().invoke(rounds, arguments, standalone_mode=False)
    assert called.return_value == 0
    assert "first banker" in called.stdout
    assert called.stdout.count(ADOPTED) == 12

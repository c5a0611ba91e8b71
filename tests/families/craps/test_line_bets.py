"""The line bets of craps: published figures, legs that agree, rules that are read, faults that are noticed."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.certification.legs import agreement
from certify.errors import InputError, SubmissionError
from certify.exact import parse_percent
from certify.families.craps import second
from certify.families.craps.family import DONT, PASS, options, sees
from certify.families.driver import play
from certify.families.registry import family_of
from certify.families.witnesses import reachable_rows, witnesses
from certify.mathematics import analyze
from certify.mathematics.of_game import analyze_table, exposure
from certify.model.game import Game
from certify.model.strategy import ChoiceTable
from certify.submission.reader import parse_game, read_game

PATH = Path("fixtures/games/craps/game.toml")
TEXT = PATH.read_text("utf-8")
CRAPS = read_game(PATH)
POINTS = (4, 5, 6, 8, 9, 10)


@cache
def at(odds: str, barred: str = "12") -> Game:
    """Returns the game at other odds, or with another total barred."""
    changed = TEXT.replace('value = "3-4-5x"', f'value = "{odds}"').replace(
        'value = "12"', f'value = "{barred}"'
    )
    if odds == "none":
        changed = re.sub(r'\[\[wagers.paytable\]\]\nid = "(odds|lay)-[^[]*', "", changed)
    return parse_game(changed.encode(), "game.toml")


def some_odds(taken: int) -> ChoiceTable:
    """Returns the strategy that takes and lays odds on some points, one bit each."""
    chosen = {
        (sees(wager, point), options(wager, point)[taken >> place & 1])
        for place, (wager, point) in enumerate(product((PASS, DONT), POINTS))
    }
    return ChoiceTable("some", "by the point", frozenset(chosen))


def test_the_line_bets_have_their_textbook_fractions() -> None:
    analysis = analyze(CRAPS)
    assert analysis.wager(PASS).expectation == Fraction(-7, 495)
    assert analysis.wager(DONT).expectation == Fraction(-3, 220)
    (won,) = (o.probability for o in analysis.wager(PASS).outcomes if o.id == "win")
    assert won == Fraction(244, 495)


@pytest.mark.parametrize(
    ("odds", "edge"), [("1x", "0.848 %"), ("2x", "0.606 %"), ("3x", "0.471 %"), ("3-4-5x", "0.374 %")]
)
def test_odds_lower_the_edge_of_all_that_is_wagered_as_printed(odds: str, edge: str) -> None:
    # Printed by casinodealerswebsite.com, "House % summary"; see sources.md of the game.
    figures = analyze(at(odds), "full-odds").wager(PASS)
    assert figures.return_on_total_wagered is not None
    assert parse_percent(edge).stands_for(1 - figures.return_on_total_wagered)
    assert figures.expectation == Fraction(-7, 495)


def test_printed_returns_hold_and_the_sources_are_those_submitted() -> None:
    for claim in CRAPS.claims:
        assert claim.printed.stands_for(analyze(CRAPS).wager(claim.wager).return_to_player)
    digest = hashlib.sha256((PATH.parent / "sources.md").read_bytes()).hexdigest()
    assert CRAPS.sources[0].sha256 == digest


@settings(max_examples=6)
@given(st.integers(0, 4095), st.sampled_from(["none", "1x", "2x", "3-4-5x"]), st.sampled_from(["2", "12"]))
def test_the_closed_form_and_the_walk_of_the_round_agree_under_any_strategy(
    taken: int, odds: str, barred: str
) -> None:
    game, strategy = at(odds, barred), some_odds(taken)
    walked = analyze_table(game, strategy)
    for one in walked.wagers:
        assert sum(outcome.probability for outcome in one.outcomes) == 1
    counting = family_of(game).counting
    assert counting is not None
    assert counting(game, strategy) == {one.wager: one.return_to_player for one in walked.wagers}


@settings(max_examples=5)
@given(st.integers(0, 4095), st.binary(min_size=8, max_size=8), st.sampled_from(["none", "2x", "3-4-5x"]))
def test_reference_table_and_second_text_settle_every_row_alike(taken: int, key: bytes, odds: str) -> None:
    rows = np.frombuffer(hashlib.shake_128(key).digest(40 * 148), dtype=np.uint8).reshape(40, 148) % 6
    found = agreement(at(odds), some_odds(taken), rows)
    assert not found.differences
    assert "second text" in found.legs


def test_a_point_that_is_never_set_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.frombuffer(hashlib.shake_128(b"rows").digest(200 * 148), dtype=np.uint8).reshape(200, 148) % 6
    monkeypatch.setattr(second, "LAY", {point: lay for point, lay in second.LAY.items() if point != 6})
    assert agreement(CRAPS, some_odds(4095), rows).differences


def test_a_round_that_never_comes_to_its_end_is_refused_not_settled() -> None:
    never = np.array([[2, 2] + [0, 0] * 73], dtype=np.uint8)
    with pytest.raises(InputError, match="more than the 148 draws"):
        play(family_of(CRAPS).reference(CRAPS), never[0].tolist(), some_odds(0))


def test_every_row_has_a_witness_and_the_costliest_round_is_one_of_full_odds() -> None:
    found = {(one.wager, one.row) for one in witnesses(CRAPS, reachable_rows(CRAPS))}
    assert found == {
        *((PASS, row) for row in ("win", "odds-4-10", "odds-5-9", "odds-6-8", "lose")),
        *((DONT, row) for row in ("win", "lay-4-10", "lay-5-9", "lay-6-8", "push", "lose")),
    }
    # Seven units are won at 500.00 with odds taken on the line, and nothing is then bet against it.
    assert exposure(CRAPS).amount == 7 * 50_000


def test_the_line_alone_is_the_same_bet() -> None:
    alone = replace(CRAPS, wagers=CRAPS.wagers[:1])
    assert analyze(alone).wagers == analyze(CRAPS).wagers[:1]


def test_throws_that_are_not_stated_are_counted_from_the_text() -> None:
    (dice,) = parse_game(TEXT.replace("draws = 148\n", "").encode(), "game.toml").equipment
    # A four or ten as the point waits longest: 27 of 36 rolls decide nothing, and 2 draws are a roll.
    assert dice.supply % 2 == 0
    assert Fraction(1, 6) * Fraction(27, 36) ** (dice.supply // 2 - 1) < Fraction(1, 10**15)
    assert dice.supply <= 260


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('value = "3-4-5x"', 'value = "3-4x"', 'odds of "3-4x": expected "none"'),
        ('value = "3-4-5x"', 'value = "0x"', 'odds of "0x"'),
        ('value = "3-4-5x"', 'value = "9999x"', 'odds of "9999x"'),
        ('value = "3-4-5x"', "value = true", "expected text, got true"),
        ('value = "12"', 'value = "3"', "expected one of 12, 2"),
        ("draws = 148", "draws = 20", "20 draws of dice are stated: a whole round may need 144"),
        ("sides = 6", "sides = 8", "dice of six sides"),
        ('id = "odds-4-10"', 'id = "odds-4-11"', "odds-4-10"),
        ('pays = "0 to 1"', 'pays = "1 to 1"', "push"),
    ],
)
def test_a_submission_that_is_not_craps_is_refused(old: str, new: str, expected: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        parse_game(TEXT.replace(old, new, 1).encode(), "game.toml")
    assert any(expected in problem.message and problem.line for problem in caught.value.problems)

"""Games described in the submission alone have the figures that their sources print, and both texts agree."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from certify.certification.texts import texts_of
from certify.mathematics import analyze
from certify.model.figures import Analysis
from certify.model.game import Game
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
SEED = bytes(range(32))
QUICK = ("dragon-tiger", "casino-war", "red-dog", "andar-bahar")


@cache
def submitted(name: str) -> Game:
    return read_game(GAMES / name / "game.toml")


@cache
def analysed(name: str) -> Analysis:
    return analyze(submitted(name))


@pytest.mark.parametrize(
    ("name", "wager", "returned"),
    [
        ("dragon-tiger", "dragon", 1 - Fraction(31, 830)),
        ("dragon-tiger", "suited-tie", Fraction(51 * 7, 415)),
        # 23 of 311 second cards tie; in the war two units are lost, one won, or two on a further tie.
        ("casino-war", "tie", Fraction(11 * 23, 311)),
        ("casino-war", "bet", Fraction(969885, 993023)),
        ("red-dog", "bet", Fraction(16052, 16575)),
        ("andar-bahar", "bahar", 2 * Fraction(404, 833)),
        pytest.param("let-it-ride", "bet", Fraction(1044937, 1082900), marks=pytest.mark.slow),
        pytest.param("let-it-ride", "three-card-bonus", Fraction(5397, 5525), marks=pytest.mark.slow),
    ],
)
def test_the_return_of_a_wager_is_the_known_fraction(name: str, wager: str, returned: Fraction) -> None:
    assert analysed(name).wager(wager).return_to_player == returned


@pytest.mark.parametrize("name", [*QUICK, pytest.param("let-it-ride", marks=pytest.mark.slow)])
def test_both_texts_settle_every_state_and_dealt_rounds_alike(name: str) -> None:
    found = texts_of(submitted(name), SEED, analysed(name).strategy, 300)
    assert found is not None
    assert found.merging is not None
    assert (found.differing, found.dealt, found.shared) == (0, 300, ())

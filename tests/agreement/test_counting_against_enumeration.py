"""Returns counted forward over ordered deals by the reference rules, beside the enumerator's fractions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import perm
from pathlib import Path

import pytest

from certify.analysis import analyze
from certify.families.open_card import counting as open_card_counting
from certify.families.open_card.counting import counted_ante
from certify.families.open_card.rules import OpenCardTie
from certify.families.registry import family_of
from certify.families.sette_e_mezzo.counting_hands import counted_main
from certify.families.sette_e_mezzo.rules import Tie
from certify.families.seven_and_a_half.ordered_deals import players
from certify.model.game import Game
from certify.submission import parse_game

GAMES = Path(__file__).parents[2] / "fixtures" / "games"
SEVEN, CASINO, HOME = "playtech-7-e-mezzo", "us5632489-casino", "us5632489-home"


@cache
def game_of(name: str) -> Game:
    path = GAMES / name / "game.toml"
    return parse_game(path.read_bytes(), str(path))


PLAYS = [
    (name, wager, strategy)
    for name, wager in ((SEVEN, "main"), (CASINO, "ante"), (HOME, "ante"))
    for strategy in ("main-optimal", "always-second-card", "mimic-dealer", "stand-on:4")
]
QUICK = {*((CASINO, "ante", strategy) for _, _, strategy in PLAYS), (SEVEN, "main", "main-optimal")}
"""What is counted in a moment; where everybody draws as often as he likes, counting takes its time."""


@pytest.mark.parametrize(
    ("name", "wager", "strategy"),
    [pytest.param(*play, marks=() if play in QUICK else pytest.mark.slow) for play in PLAYS],
)
def test_both_ways_give_the_same_fraction(name: str, wager: str, strategy: str) -> None:
    game = game_of(name)
    analysis = analyze(game, strategy)
    counting = family_of(game).counting
    assert counting is not None
    assert counting.counted(game, analysis.strategy)[wager] == analysis.wager(wager).return_to_player


def test_against_the_known_return_of_the_casino_version() -> None:
    game = game_of(CASINO)
    assert counted_ante(game, analyze(game).strategy) == Fraction(201034, 137085)


@pytest.mark.parametrize("tie", list(OpenCardTie))
def test_every_reading_of_a_tie_is_counted_alike(tie: OpenCardTie) -> None:
    game = game_of(CASINO)
    other = replace(game, rules=replace(game.rules, tie=tie))
    analysis = analyze(other)
    assert counted_ante(other, analysis.strategy) == analysis.wager("ante").return_to_player


@pytest.mark.slow
def test_a_tie_that_pushes_is_counted_alike_in_7_e_mezzo() -> None:
    game = game_of(SEVEN)
    other = replace(game, rules=replace(game.rules, tie=Tie.PUSH))
    analysis = analyze(other)
    assert counted_main(other, analysis.strategy) == analysis.wager("main").return_to_player


def test_every_ordered_deal_of_the_first_cards_is_counted_once() -> None:
    pairs = players(lambda shown: lambda hand: True)
    assert sum(ways for _, _, ways in pairs) == perm(40, 2)


def test_a_dealer_who_plays_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    game = game_of(CASINO)
    analysis = analyze(game)
    monkeypatch.setattr(
        open_card_counting.open_card,
        "dealer_must_draw",
        lambda cards, rules: len(cards) == 1 and cards[0] < 16,
    )
    assert counted_ante(game, analysis.strategy) != analysis.wager("ante").return_to_player

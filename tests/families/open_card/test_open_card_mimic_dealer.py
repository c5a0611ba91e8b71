"""A player who mimics a dealer that must draw is made to draw as well."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from certify.families.open_card.rules import rules_of
from certify.mathematics import analyze
from certify.submission import read_game

HOME = read_game(Path(__file__).parents[3] / "fixtures/games/us5632489-home/game.toml")


def test_the_home_game_whose_dealer_always_draws_returns_this_to_a_player_who_mimics_him() -> None:
    game = replace(HOME, rules=replace(rules_of(HOME), dealer_always_draws=True))
    (ante,) = analyze(game, "mimic-dealer").wagers
    assert ante.return_to_player == Fraction(11621691257047513, 15993643506340500)

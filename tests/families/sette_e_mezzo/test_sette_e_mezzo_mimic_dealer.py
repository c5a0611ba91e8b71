"""A player who mimics a dealer that must draw on a first face draws there, whether the rules force him or not."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from certify.exact import percent_text
from certify.families.sette_e_mezzo.rules import rules_of
from certify.mathematics import analyze
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[3] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_without_the_forced_first_draw_a_player_who_mimics_the_dealer_still_makes_it() -> None:
    free = replace(GAME, rules=replace(rules_of(GAME), player_draws_on_first_face=False))
    found = {wager.wager: wager.return_to_player for wager in analyze(free, "mimic-dealer").wagers}
    assert percent_text(found["main"], 6) == "90.348343"
    assert found["main"] == Fraction(23850049708843, 26397882693000)
    forced = {wager.wager: wager.return_to_player for wager in analyze(GAME, "mimic-dealer").wagers}
    assert found == forced

"""Games of video poker on small decks, so that everything about them can be counted in more ways than one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from certify.model.equipment import FRENCH_SUITS, shoe
from certify.model.game import Game
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"

SMALL = {
    "jacks-or-better-9-6": (("10", "J", "Q", "K", "A"), 2, ()),
    "deuces-wild-full-pay": (("2", "3", "J", "K", "A"), 2, ()),
    "joker-poker-kings": (("J", "Q", "K", "A"), 2, ("joker", "joker 2")),
}
"""Ranks, suits and jokers of the small decks, by game."""


def game_of(name: str) -> Game:
    """Returns a submission of the fixtures."""
    return read_game(GAMES / name / "game.toml")


def small_game(name: str) -> Game:
    """Returns a game of the fixtures on a small deck."""
    ranks, suits, jokers = SMALL[name]
    deck = shoe("deck", ranks, FRENCH_SUITS[:suits], jokers=jokers)
    return replace(game_of(name), equipment=(deck,))

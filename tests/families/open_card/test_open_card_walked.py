"""The engine's walk of the games with an open card, under the family's own tables."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from dealing import stream_decks

from certify.certification.cross_checks import agreement_of_rounds
from certify.errors import InputError
from certify.families.driver import play
from certify.families.open_card.rules import rules_of
from certify.families.registry import family_of
from certify.kit.subject import Subject, differences, figures_of, walked_figures
from certify.mathematics import analyze, exposure
from certify.mathematics.of_game import analyze_table, plan_of
from certify.submission import read_game

GAMES = Path(__file__).parents[3] / "fixtures/games"
HOME = read_game(GAMES / "us5632489-home/game.toml")
CASINO = read_game(GAMES / "us5632489-casino/game.toml")


@pytest.fixture(scope="module")
def subject() -> Subject:
    return Subject(family_of(HOME), HOME, b"walk of the home version, 32 byte")


@pytest.mark.parametrize("name", plan_of(HOME).analysed)
def test_a_table_of_the_hands_that_a_strategy_comes_to_is_walked_without_asking_for_others(
    subject: Subject, name: str
) -> None:
    own = subject.analyses[name]
    (walked,) = subject.walked
    assert differences(figures_of(own), walked_figures(walked, own.strategy), "own", "engine") == []


def test_every_strategy_that_is_offered_by_name_is_one_of_the_game() -> None:
    offered = [name for name in plan_of(HOME).names if name == name.lower()]
    for name in offered:
        assert analyze(HOME, name).wagers[0].return_to_player > 0
    with pytest.raises(InputError, match="only found where the player may hold two cards"):
        analyze(HOME, "best-by-own-card")
    assert "best-by-own-card" not in offered


def test_a_strategy_without_a_decision_is_refused():
    table = analyze(HOME).strategy
    holes = replace(table, choices=frozenset(sorted(table.choices)[::2]))
    with pytest.raises(InputError, match="names no decision for"):
        analyze_table(HOME, holes)
    with pytest.raises(InputError, match="names no decision for"):
        agreement_of_rounds(stream_decks(bytes(range(32))), 10, HOME, holes)


def test_strategies_that_need_several_wagers_are_refused():
    with pytest.raises(InputError, match="one wager"):
        analyze(CASINO, "main-optimal", {"ante": Fraction(1)})
    with pytest.raises(InputError, match="open card"):
        analyze(CASINO, "jointly-optimal")


@pytest.mark.parametrize(
    ("game", "amount"),
    [(CASINO, 7_500), (HOME, 200)],
    ids=["casino", "home"],
)
def test_the_highest_win_is_shown_by_a_deal_that_the_engine_replays(game, amount):
    assert exposure(game).amount == amount
    king = replace(game.wager("ante").paytable.rows[0], pays=Fraction(0))
    paytable = replace(game.wager("ante").paytable, rows=(king, *game.wager("ante").paytable.rows[1:]))
    poorer = replace(game, wagers=(replace(game.wager("ante"), paytable=paytable),))
    for one in (game, poorer):
        highest = exposure(one)
        deck = (*highest.deck, *(card for card in range(40) if card not in highest.deck))
        played = play(family_of(CASINO).reference(one), deck, highest.decisions)
        assert played.net["ante"] * one.wager("ante").limits.maximum == highest.amount


def test_the_home_game_whose_dealer_always_draws_returns_this_to_a_player_who_mimics_him() -> None:
    game = replace(HOME, rules=replace(rules_of(HOME), dealer_always_draws=True))
    (ante,) = analyze(game, "mimic-dealer").wagers
    assert ante.return_to_player == Fraction(11621691257047513, 15993643506340500)

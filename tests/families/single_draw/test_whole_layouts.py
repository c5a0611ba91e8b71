"""Whole layouts in one submission: played as the twin plays them, and settled alike by both readings."""

from dataclasses import replace
from pathlib import Path

import pytest
from representatives import firsts

from certify.certification.texts import texts_of
from certify.mathematics import analyze, joint_figures
from certify.model.joint_counts import JointCounts
from certify.simulation import StreamDecks
from certify.simulation.volume import volume_of
from certify.submission import read_game

FIXTURES = Path(__file__).parents[3] / "fixtures"
CRAPS = read_game(FIXTURES / "games/craps-layout/game.toml")
ROULETTE = read_game(FIXTURES / "games/roulette-layout/game.toml")
SEED = bytes(range(32))


@pytest.mark.slow
@pytest.mark.parametrize("game", firsts([ROULETTE, CRAPS]), ids=lambda game: game.id)
def test_a_layout_is_played_as_its_twin_plays_it(game):
    counter = volume_of(game).counter(game, analyze(game).strategy)
    rows = StreamDecks.of(game, SEED).deal(0, 200)
    assert counter.count(rows) == JointCounts.of_outcomes(counter.axes, counter.twin(rows))


@pytest.mark.parametrize("game", firsts([ROULETTE, CRAPS]), ids=lambda game: game.id)
def test_both_readings_of_a_layout_settle_dealt_rounds_alike(game):
    found = texts_of(game, SEED, analyze(game).strategy, 60)
    assert found is not None
    assert (found.differing, found.shared) == (0, ())


@pytest.mark.slow
def test_bets_that_stand_against_each_other_vary_against_each_other():
    bets = {"pass-line", "dont-pass", "place-6", "big-6"}
    craps = joint_figures(replace(CRAPS, wagers=tuple(bet for bet in CRAPS.wagers if bet.id in bets)))
    assert craps.of_pair("pass-line", "dont-pass").correlation < -0.9
    assert craps.of_pair("place-6", "big-6").covariance > 0
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in craps.covariance)
    assert spread == craps.variance

"""The real deck: covariances of all wagers against the marginals."""

from pathlib import Path

from certify.mathematics import analyze, joint_figures
from certify.submission import read_game

GAME = read_game(Path(__file__).parents[2] / "fixtures/games/playtech-7-e-mezzo/game.toml")


def test_covariances_equal_those_of_the_marginals_and_the_joint_distribution():
    figures = joint_figures(GAME, "main-optimal")
    analysis = analyze(GAME)
    for wager, value in figures.returns.items():
        assert value == analysis.wager(wager).return_to_player
        assert figures.of_pair(wager, wager).covariance == analysis.wager(wager).variance
    spread = sum((1 if len({*pair.wagers}) == 1 else 2) * pair.covariance for pair in figures.covariance)
    assert figures.variance == spread

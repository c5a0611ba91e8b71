"""What rounds of any family come to on given rows: the reference round says the same, and what repeats is found."""

from pathlib import Path

import numpy as np
import pytest
from representatives import only

from certify.certification import cross_checks
from certify.certification.output_tests import draw_of
from certify.mathematics import analyze
from certify.model.strategy import MAIN_OPTIMAL
from certify.simulation.volume import ReferenceVolume
from certify.submission import read_game
from rng.battery.result import TestResult
from rng.battery.verdict import conclude
from rng.draws import draw_many
from rng.streams import stream

GAMES = Path("fixtures/games")
ROUNDS = 4_000


@pytest.mark.parametrize(
    "name",
    only(sorted(p.parent.name for p in GAMES.glob("*/game.toml")), "big-six", "us5632489-casino"),
)
def test_rounds_of_every_family_are_looked_at_in_order(name):
    game = read_game(GAMES / name / "game.toml")
    analysis = analyze(game, MAIN_OPTIMAL)
    rows = np.asarray(draw_many(stream(bytes(32), "battery-calibration", 5), draw_of(game.equipment), ROUNDS))
    good = list(cross_checks.wager_tests(game, analysis, rows))
    assert {"between-rounds", "over-time"} <= {one.test for one in good}
    assert conclude(good).word != "not satisfied"
    # Every fourth round is dealt as the one before.
    rows[4::4] = rows[3:-1:4]
    found = {one.test: one for one in cross_checks.wager_tests(game, analysis, rows)}
    between = found["between-rounds"]
    assert isinstance(between, TestResult)
    assert min(between.p_values) * len(between.p_values) < 1e-6


def test_the_reference_round_comes_to_the_same(monkeypatch):
    game = read_game(GAMES / "big-six" / "game.toml")
    analysis = analyze(game, MAIN_OPTIMAL)
    rows = np.asarray(draw_many(stream(bytes(32), "battery-calibration", 6), draw_of(game.equipment), 500))
    compiled = cross_checks.played(game, analysis, rows)
    monkeypatch.setattr(cross_checks, "volume_of", lambda _game: ReferenceVolume())
    monkeypatch.setattr(cross_checks, "has_own_volume", lambda _game: False)
    monkeypatch.setattr(cross_checks, "MOST_PLAIN", 300)
    plain = cross_checks.played(game, analysis, rows)
    for one, other in zip(compiled, plain, strict=True):
        assert (one.name, one.outcomes, one.law) == (other.name, other.outcomes, other.law)
        assert one.seen[:300].tolist() == other.seen.tolist()

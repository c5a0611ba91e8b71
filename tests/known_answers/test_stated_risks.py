"""The risks that a report states, held by reports of faultless games drawn from their exact distributions."""

from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from computing_again import once

from certify.certification.evidence import refused_at_most
from certify.certification.play_through import ALPHA, _in_stages
from certify.clauses import PlannedCampaign
from certify.mathematics import analyze
from certify.model import Verdict, WagerFigures
from certify.simulation import CountedWager, _cells, _judged, _mean
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
REPORTS = 33_334
"""Reports of each of three games: 10^5 in all."""


@dataclass(frozen=True)
class Drawn:
    """A campaign of which the outcomes were drawn by their probabilities instead of played."""

    rounds: int
    strategy: str
    counts: dict


def stages(game, analysis, source):
    """Draws campaigns of a faultless game as long as their margins need, and decides as a report does."""
    name = analysis.strategy.name
    laws = [
        (
            one.wager,
            [end.id for end in one.outcomes],
            np.array([float(end.probability) for end in one.outcomes]),
        )
        for one in analysis.wagers
    ]

    def campaign(planned):
        counts = {
            wager: dict(zip(ids, source.multinomial(planned.rounds, law / law.sum()).tolist(), strict=True))
            for wager, ids, law in laws
        }
        return Drawn(planned.rounds, name, counts)

    def counted(drawn, figures, game):
        counts = drawn.counts[figures.wager]
        return CountedWager(
            _cells(drawn.rounds, counts, figures), _mean(game, figures.wager, counts), None, ()
        )

    def compared(pairs):
        return _judged(pairs, counted, ALPHA, {one.wager: name for one in analysis.wagers})

    planned = PlannedCampaign(game, analysis, "", 1000)
    (first,) = compared([(campaign(planned), analysis, game)])
    planned = replace(planned, rounds=max(one.equivalence.rounds_needed for one in first))
    while True:
        (play,) = _in_stages(campaign, compared, [planned])
        yield play


@pytest.mark.slow
@pytest.mark.parametrize("name", ["playtech-7-e-mezzo", "craps", "jacks-or-better-9-6"])
def test_a_faultless_game_comes_into_doubt_and_is_refused_at_most_as_often_as_its_report_says(
    name, monkeypatch
):
    game = read_game(GAMES / name / "game.toml")
    analysis = analyze(game)
    # All reports are of these figures, which live as long as the test.
    monkeypatch.setattr(WagerFigures, "variance", property(once(WagerFigures.variance.fget, id)))
    drawn = stages(game, analysis, np.random.default_rng(7))
    plays = [next(drawn) for _ in range(REPORTS)]
    margins = sum(one.equivalence.asked for one in plays[0].agreements)
    for most, found in zip(
        refused_at_most(margins),
        (
            sum(play.first is not None for play in plays),
            sum(Verdict.NOT_SATISFIED in {one.verdict for one in play.agreements} for play in plays),
        ),
        strict=True,
    ):
        # Four standard deviations of as many refusals as the bound allows.
        assert found <= REPORTS * most + 4 * sqrt(REPORTS * most)
    # A rule that comes into doubt less often than a tenth as often would be another rule than the one that is stated.
    assert sum(play.first is not None for play in plays) > REPORTS * float(ALPHA) / 10

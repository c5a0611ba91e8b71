"""The family of the line bets of craps."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from certify.analysis.engine.own_figures import EngineReturns, OwnFigures
from certify.families.craps.exact.distribution import LineDistribution
from certify.families.craps.layout import coverage
from certify.families.craps.reference import CrapsRound
from certify.families.craps.rules import FAMILY_ID, rules_of
from certify.families.craps.strategy import FULL_ODDS, named
from certify.families.craps.submitted import CrapsSubmission
from certify.families.craps.volume.port import CrapsVolume
from certify.families.port import Family, StrategyPlan
from certify.model.game import Game

_SUBMISSION: Final = CrapsSubmission()


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: line bets alone, and full odds behind both."""
    if not rules_of(game).offers_odds:
        return StrategyPlan(("main-optimal",), ("main-optimal",), ("main-optimal",))
    return StrategyPlan(
        names=("main-optimal", FULL_ODDS, "jointly-optimal", "worst", "always:OPTION", "file:PATH.toml"),
        analysed=("main-optimal", FULL_ODDS),
        played=("main-optimal", FULL_ODDS),
        simpler=lambda _: (FULL_ODDS,),
    )


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Line bets of craps with their odds: two dice, rolled until the point or seven",
    rules=_SUBMISSION,
    reference=CrapsRound,
    plan=plan,
    exact=OwnFigures(CrapsRound, _SUBMISSION.row_of, LineDistribution(), named),
    counting=EngineReturns(CrapsRound, _SUBMISSION.row_of),
    volume=CrapsVolume(),
    messages=Path(__file__).parent / "messages",
    coverage=coverage,
)

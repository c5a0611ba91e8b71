"""The family of games of one draw."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from certify.analysis.engine.own_figures import EngineReturns, OwnFigures
from certify.families.port import Family
from certify.families.single_draw.exact.distribution import OneDrawDistribution
from certify.families.single_draw.layout import coverage
from certify.families.single_draw.reference import DrawnRound
from certify.families.single_draw.rules import FAMILY_ID
from certify.families.single_draw.submitted import SingleDrawSubmission
from certify.families.single_draw.volume.port import SingleDrawVolume

_SUBMISSION: Final = SingleDrawSubmission()

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Wagers decided by one draw of wheel, dice, balls, tickets or cards, described in the submission alone",
    rules=_SUBMISSION,
    reference=DrawnRound,
    exact=OwnFigures(DrawnRound, _SUBMISSION.row_of, distribution=OneDrawDistribution()),
    counting=EngineReturns(DrawnRound, _SUBMISSION.row_of),
    volume=SingleDrawVolume(),
    coverage=coverage,
    messages=Path(__file__).parent / "messages",
)

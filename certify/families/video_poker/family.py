"""The family of video poker games."""

from __future__ import annotations

from typing import Final

from certify.analysis.engine.one_lost_pay import OneLostPay
from certify.families.port import Family
from certify.families.video_poker.exact.port import VideoPokerExact, best_return, plan
from certify.families.video_poker.recipes import RECIPES
from certify.families.video_poker.reference import reference
from certify.families.video_poker.rules import FAMILY_ID
from certify.families.video_poker.submitted import VideoPokerSubmission
from certify.families.video_poker.volume.port import VideoPokerVolume

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Video poker with one draw: jacks or better, bonus tables, deuces or jokers wild",
    rules=VideoPokerSubmission(),
    reference=reference,
    volume=VideoPokerVolume(),
    recipes=RECIPES,
    plan=plan,
    exact=VideoPokerExact(),
    identify=OneLostPay(best_return),
)

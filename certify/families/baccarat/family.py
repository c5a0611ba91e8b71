"""The family of baccarat games."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from certify.families.baccarat.exact.port import BaccaratExact, plan
from certify.families.baccarat.recipes import RECIPES
from certify.families.baccarat.reference import reference
from certify.families.baccarat.rules import FAMILY_ID
from certify.families.baccarat.submitted import BaccaratSubmission, looked_at
from certify.families.baccarat.volume.port import BaccaratVolume
from certify.families.port import Family

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Baccarat (punto banco): player, banker and tie, pairs, dragon and panda bets",
    rules=BaccaratSubmission(),
    reference=reference,
    volume=BaccaratVolume(),
    recipes=RECIPES,
    plan=plan,
    exact=BaccaratExact(),
    looked_at=looked_at,
    messages=Path(__file__).parent / "messages",
)

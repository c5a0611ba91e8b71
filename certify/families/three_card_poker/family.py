"""The family of three card poker."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from certify.analysis.engine.one_lost_pay import OneLostPay
from certify.families.french_deck.deck import smaller
from certify.families.port import Family
from certify.families.three_card_poker.exact.port import ThreeCardExact, best_return, plan
from certify.families.three_card_poker.recipes import RECIPES
from certify.families.three_card_poker.reference import reference
from certify.families.three_card_poker.rules import FAMILY_ID
from certify.families.three_card_poker.submitted import ThreeCardSubmission
from certify.families.three_card_poker.volume.port import ThreeCardVolume

_SMALLER: Final = (("2 Q A", 4), ("A 2 3 4 5", 2))
"""Ranks and suits of decks on which every path is walked."""

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Three card poker: ante and play against a dealer who must qualify, pair plus, a bonus on six cards",
    rules=ThreeCardSubmission(),
    reference=reference,
    plan=plan,
    exact=ThreeCardExact(),
    identify=OneLostPay(best_return),
    volume=ThreeCardVolume(),
    recipes=RECIPES,
    smaller=partial(smaller, sizes=_SMALLER),
    messages=Path(__file__).parent / "messages",
)

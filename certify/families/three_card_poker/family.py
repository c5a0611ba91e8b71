"""The family of three card poker."""

from __future__ import annotations

from functools import partial
from typing import Final

from certify.analysis.engine.one_lost_pay import OneLostPay
from certify.analysis.hands.deck import smaller
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.port import Family
from certify.families.three_card_poker.exact import EXACT, plan, variants
from certify.families.three_card_poker.rules import FAMILY_ID
from certify.families.three_card_poker.second import settle
from certify.families.three_card_poker.submitted import SUBMITTED
from certify.families.three_card_poker.text import text_of

_SMALLER: Final = (("2 Q A", 4), ("A 2 3 4 5", 2))
"""Ranks and suits of decks on which every path is walked."""

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Three card poker: ante and play against a dealer who must qualify, pair plus, a bonus on six cards",
    rules=SUBMITTED,
    reference=text_of,
    variants=variants,
    plan=plan,
    exact=EXACT,
    identify=OneLostPay(EXACT.best_return).identify,
    volume=OneDecisionVolume(text_of),
    second=settle,
    smaller=partial(smaller, sizes=_SMALLER),
)

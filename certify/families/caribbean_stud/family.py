"""The family of Caribbean stud."""

from __future__ import annotations

from functools import partial
from typing import Final

from certify.analysis.engine.one_lost_pay import OneLostPay
from certify.analysis.hands.deck import smaller
from certify.families.caribbean_stud.decisions import charted
from certify.families.caribbean_stud.exact import EXACT, plan, variants
from certify.families.caribbean_stud.raise_rules import parse_rules
from certify.families.caribbean_stud.rules import FAMILY_ID
from certify.families.caribbean_stud.second import settle
from certify.families.caribbean_stud.submitted import SUBMITTED
from certify.families.caribbean_stud.text import text_of
from certify.families.one_decision.play import OneDecisionVolume
from certify.families.port import Family

_SMALLER: Final = (("A 2 3 4 5 K", 2), ("A K Q", 4))
"""Ranks and suits of decks on which every path is walked."""

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Caribbean stud: ante and raise against a dealer who must qualify, a progressive bet, a bonus on six cards",
    rules=SUBMITTED,
    reference=text_of,
    variants=variants,
    cards=lambda game, text, source: parse_rules(text, source),
    plan=plan,
    exact=EXACT,
    identify=OneLostPay(EXACT.best_return).identify,
    volume=OneDecisionVolume(text_of),
    second=settle,
    charted=charted,
    smaller=partial(smaller, sizes=_SMALLER),
)

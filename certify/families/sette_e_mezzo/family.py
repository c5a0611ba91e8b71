"""The family of 7 e Mezzo against the house."""

from __future__ import annotations

from typing import Final

from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
)
from certify.families.sette_e_mezzo.exact.figures import plan, read_card
from certify.families.sette_e_mezzo.exact.identify import identify
from certify.families.sette_e_mezzo.exact.joint_identification import together
from certify.families.sette_e_mezzo.figures import SetteEMezzoExact, counted
from certify.families.sette_e_mezzo.findings import SetteEMezzoSections, findings
from certify.families.sette_e_mezzo.rules import FAMILY_ID, STATED, variants
from certify.families.sette_e_mezzo.second import settle
from certify.families.sette_e_mezzo.text import text
from certify.families.seven_and_a_half.charted import charted_by_total

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="7 e Mezzo against the house: one player, a dealer with a fixed rule, two side bets",
    rules=STATED,
    text=text,
    second=settle,
    exact=SetteEMezzoExact(),
    strategies=FamilyStrategies(cards=read_card, plan=plan, charted=charted_by_total),
    sources=FamilySources(identify=identify, together=together),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(counting=counted),
    pages=FamilyPages(findings=findings, sections=SetteEMezzoSections()),
)

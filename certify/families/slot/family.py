"""The family of slots."""

from __future__ import annotations

from typing import Final

from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyForm,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
)
from certify.families.slot.drawn import reels_of
from certify.families.slot.exact.configurations import configurations
from certify.families.slot.exact.port import SlotExact, plan, variants
from certify.families.slot.reference import SlotRound
from certify.families.slot.rules import FAMILY_ID
from certify.families.slot.second import settle
from certify.families.slot.sections import SlotSections
from certify.families.slot.sheets import SlotSheets
from certify.families.slot.submitted import SlotSubmission
from certify.families.slot.variants import certified
from certify.families.slot.volume.port import SlotVolume
from certify.families.slot.witnesses import highest_row

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Slots: reels with lines, ways, wilds, scatters and features, described in the submission alone",
    rules=SlotSubmission(),
    reference=SlotRound.of,
    exact=SlotExact(highest_row),
    volume=SlotVolume(),
    second=settle,
    strategies=FamilyStrategies(plan=plan),
    sources=FamilySources(sheets=SlotSheets()),
    alternatives=FamilyAlternatives(variants=variants, certified=certified, configurations=configurations),
    pages=FamilyPages(sections=SlotSections(), reels=reels_of),
    form=FamilyForm(machine=True, derives=frozenset({"equipment", "paytable"})),
)

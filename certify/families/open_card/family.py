"""The family of Seven and a Half games with an open dealer's card."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from certify.families.open_card.counting import OpenCardCounting
from certify.families.open_card.exact.port import OpenCardExact, OpenCardIdentify, plan
from certify.families.open_card.printed_tables import OpenCardPrintedTables
from certify.families.open_card.reference import reference
from certify.families.open_card.rules import FAMILY_ID
from certify.families.open_card.sections import OpenCardSections, family_findings
from certify.families.open_card.submitted import OpenCardSubmission
from certify.families.open_card.volume.port import OpenCardVolume
from certify.families.port import Family
from certify.families.seven_and_a_half.charted import charted_by_total

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Seven and a Half with an open dealer's card: one player, a dealer with a fixed rule, one wager",
    rules=OpenCardSubmission(),
    reference=reference,
    volume=OpenCardVolume(),
    counting=OpenCardCounting(),
    findings=family_findings,
    sections=OpenCardSections(),
    plan=plan,
    exact=OpenCardExact(),
    identify=OpenCardIdentify(),
    printed=OpenCardPrintedTables(),
    charted=charted_by_total,
    messages=Path(__file__).parent / "messages",
)

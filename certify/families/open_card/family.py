"""The family of Seven and a Half games with an open dealer's card."""

from __future__ import annotations

from typing import Final

from certify.families.open_card.document import OpenCardPrintedTables, OpenCardSections, family_findings
from certify.families.open_card.identify import identify
from certify.families.open_card.readings import variants
from certify.families.open_card.rules import FAMILY_ID, STATED
from certify.families.open_card.second import settle
from certify.families.open_card.strategies import named, plan, read_card
from certify.families.open_card.text import listed, text
from certify.families.port import Family
from certify.families.seven_and_a_half.charted import charted_by_total

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Seven and a Half with an open dealer's card: one player, a dealer with a fixed rule, one wager",
    rules=STATED,
    text=text,
    second=settle,
    variants=variants,
    named=named,
    listed=listed,
    cards=read_card,
    plan=plan,
    identify=identify,
    findings=family_findings,
    sections=OpenCardSections(),
    printed=OpenCardPrintedTables(),
    charted=charted_by_total,
)

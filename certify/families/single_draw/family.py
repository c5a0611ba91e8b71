"""The family of games of one draw."""

from __future__ import annotations

from typing import Final

from certify.families.described.second import settle
from certify.families.port import Family, FamilyPages
from certify.families.single_draw.layout import coverage
from certify.families.single_draw.rules import FAMILY_ID, text
from certify.families.single_draw.submitted import SingleDrawSubmission

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Wagers decided by one draw of wheel, dice, balls, tickets or cards, described in the submission alone",
    rules=SingleDrawSubmission(),
    text=text,
    second=settle,
    pages=FamilyPages(coverage=coverage),
)

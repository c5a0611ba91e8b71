"""The family of Seven and a Half against a bank that plays as it likes."""

from __future__ import annotations

from typing import Final

from certify.families.free_bank.counting import counted
from certify.families.free_bank.exact.names import plan
from certify.families.free_bank.exact.pack_files import FreeBankCertificate
from certify.families.free_bank.exact.port import FreeBankExact
from certify.families.free_bank.exact.sensitivity import variants
from certify.families.free_bank.findings import findings
from certify.families.free_bank.recipes import RECIPES
from certify.families.free_bank.reference import reference
from certify.families.free_bank.rules import FAMILY_ID
from certify.families.free_bank.sections import FreeBankSections
from certify.families.free_bank.smaller import smaller
from certify.families.free_bank.submitted import SUBMITTED
from certify.families.free_bank.volume.port import FreeBankVolume
from certify.families.port import Family

FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Seven and a Half against a bank that plays as it likes: one seat or several, one bet",
    rules=SUBMITTED,
    reference=reference,
    volume=FreeBankVolume(),
    counting=counted,
    findings=findings,
    variants=variants,
    plan=plan,
    exact=FreeBankExact(),
    recipes=RECIPES,
    certificate=FreeBankCertificate(),
    sections=FreeBankSections(),
    smaller=smaller,
)

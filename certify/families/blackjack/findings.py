"""Findings about blackjack: by which convention split hands are played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from certify.families.blackjack.exact.splits import Convention
from certify.families.blackjack.exact.terms import terms_of
from certify.families.blackjack.rules import FAMILY_ID
from certify.families.port import FindingBasis
from certify.messages.say import say
from certify.model.finding import FindingDraft, Severity
from certify.model.strategy import MAIN_OPTIMAL

_NAME: Final = f"{FAMILY_ID}.finding.split-hands"


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields by which convention split hands are played, where there are any."""
    if MAIN_OPTIMAL not in basis.analyses or terms_of(basis.game).rules.split_hands < 2:
        return
    yield FindingDraft(
        Severity.NOTE,
        say(_NAME),
        say(f"{_NAME}.detail", convention=Convention.AS_UNSPLIT.value),
        reproduce="certify analyze {game} --strategy main-optimal",
        status="information",
        action=say("finding.action.information"),
    )

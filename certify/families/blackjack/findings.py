"""Findings about blackjack: by which convention split hands are played, and what it leaves out at most."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Final

from certify.families.blackjack.exact.seen import added
from certify.families.blackjack.exact.splits import Convention
from certify.families.blackjack.exact.strategies import plans, strategy_of
from certify.families.blackjack.exact.terms import terms_of
from certify.families.blackjack.rules import FAMILY_ID
from certify.families.port import FindingBasis
from certify.messages.say import say
from certify.model.finding import FindingDraft, Severity
from certify.model.strategy import MAIN_OPTIMAL

_GRID: Final = 10**6
"""Bounds are printed as whole millionths of a stake, rounded up."""


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields by which convention split hands are played, where any are, and what it leaves out at most."""
    terms = terms_of(basis.game)
    if MAIN_OPTIMAL not in basis.analyses or terms.rules.split_hands < 2:
        return
    which = "unbounded" if terms.rules.double_rescue else "seen"
    name = f"{FAMILY_ID}.finding.{which}"
    most = Fraction(0)
    if which == "seen":
        found = added(terms, plans(terms, strategy_of(basis.game, MAIN_OPTIMAL)))
        most = Fraction(ceil(found * _GRID), _GRID)
    yield FindingDraft(
        Severity.NOTE,
        say(name, most=most) if which == "seen" else say(name),
        say(f"{name}.detail", convention=Convention.AS_UNSPLIT.value),
        reproduce="certify analyze {game} --strategy main-optimal",
        status="information",
        action=say("finding.action.information"),
    )

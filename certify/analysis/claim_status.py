"""What a printed return is worth: confirmed by printed pays, fitted to pays recovered from it, or wrong."""

from __future__ import annotations

from certify.model.bounded import Figure, ends_of
from certify.model.claims import BY_PAYS, prints_as
from certify.model.finding import Verdict
from certify.model.game import Claim, Wager


def claim_status(claim: Claim, wager: Wager, exact: Figure) -> Verdict:
    """Returns the status of a printed return, which is the same wherever it is told.

    A figure is never confirmed by what was derived from it; that it is contradicted still counts.

    Args:
        claim: The printed return.
        wager: The wager that it speaks about.
        exact: The exact return that it is held against.
    """
    if not prints_as(claim, exact):
        low, high = ends_of(exact)
        apart = high < claim.printed.interval[0] or low >= claim.printed.interval[1]
        return Verdict.NOT_SATISFIED if apart or low == high else Verdict.INCONCLUSIVE
    fitted = wager.pays_are_recovered and claim.metric in BY_PAYS
    return Verdict.FITTED if fitted else Verdict.SATISFIED

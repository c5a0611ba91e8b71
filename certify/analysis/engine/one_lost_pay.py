"""Search for one lost pay in a family that finds best play by its own counting, anew for every candidate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.engine.adaptive_recovery import search_adapting
from certify.analysis.identification import printed_return
from certify.analysis.pay_bounds import PayBounds, check_bounds, lost_rows
from certify.analysis.pay_search import search_conclusion
from certify.errors import InputError
from certify.evidence.judged import Recovery
from certify.model.game import Game, repaid


@dataclass(frozen=True, slots=True)
class OneLostPay:
    """Which whole pay of a lost row reproduces the printed return of best play.

    Args:
        best: Returns the return of a wager under best play for the first one, as a number from 0.
    """

    best: Callable[[Game, str], Fraction]

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Recovery:
        """Returns the pays of the lost row that fit the printed return of a wager.

        Raises:
            InputError: No such wager, bounds that fit no row, or more than one lost row.
            NothingCheckedError: No return is printed for the wager, or none of its pays is lost.
        """
        claim = printed_return(game, wager)
        check_bounds(game, wager, bounds)
        lost = lost_rows(game, wager)
        if len(lost) > 1:
            raise InputError(
                f"{len(lost)} pays of {wager} are lost: best play is found anew for every candidate, expected one "
                "lost row"
            )
        search = search_adapting(
            claim,
            lost,
            bounds,
            lambda pays: self.best(repaid(game, {(wager, lost[0]): Fraction(pays[0])}), wager),
        )
        words = (*bounds.words(), ("strategy", "best for each candidate"))
        return claim.recovery(words, (search,), search_conclusion(claim, (search,)))

"""Which change of one stop of the strips explains a printed return."""

from __future__ import annotations

from fractions import Fraction

from certify.analysis.identification import printed_return
from certify.analysis.pay_bounds import PayBounds
from certify.evidence.recovery import Candidate, ReadingSearch, Recovery
from certify.families.slot.exact.one_stop import explained_by
from certify.families.slot.exact.round import round_figures
from certify.families.slot.rules import rules_of
from certify.model.game import Game
from certify.model.strategy import MAIN_OPTIMAL


class SlotIdentify:
    """Every change of one stop under which the exact return prints as the source does."""

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Recovery:
        """Returns the strips as submitted, or the changes of one stop, that return the printed figure.

        Raises:
            InputError: No such wager.
            NothingCheckedError: No return is printed.
        """
        claim, rules = printed_return(game, wager), rules_of(game)
        stated = round_figures(rules, wager).return_to_player
        found = [
            Candidate(
                {
                    f"{one.strips}, reel {one.reel}, stop {one.stop}": (
                        f"{one.instead} in place of {one.stated}"
                    )
                },
                MAIN_OPTIMAL,
                {},
                one.returned,
                fits=True,
            )
            for one in explained_by(rules, claim)
        ]
        # The change that moves the return to the middle of what prints so comes first.
        found.sort(key=lambda one: (abs(one.return_ - claim.value), *one.reading.items()))
        tried = sum(
            len(reel.symbols) * (len(rules.symbols) - 1) for one in rules.strip_sets for reel in one.reels
        )
        search = ReadingSearch(
            {}, MAIN_OPTIMAL, {}, tried, len(found), tuple(found[: bounds.limit]), _returns(found)
        )
        holds = claim.stands_for(stated)
        words = (("strips", "one stop shows another symbol; scatters, triggers and pays stay as they are"),)
        return claim.recovery(words, (search,), _conclusion(len(found), claim.text, holds=holds))


def _returns(found: list[Candidate]) -> tuple[Fraction, ...]:
    returns = sorted({one.return_ for one in found})
    return tuple(returns) if len(returns) <= 10 else ()


def _conclusion(fits: int, text: str, *, holds: bool) -> str:
    """Returns what follows.

    >>> _conclusion(1, "95.00 %", holds=False)
    'the strips as submitted do not return 95.00 %; one change of one stop does'
    """
    changes = f"{fits} changes of one stop do" if fits != 1 else "one change of one stop does"
    if holds:
        return f"the strips as submitted return {text}; so would {fits} that differ from them in one stop"
    if not fits:
        return f"neither the strips as submitted return {text}, nor any that differ from them in one stop"
    return f"the strips as submitted do not return {text}; {changes}"

"""A bank that weighs the open cards of every seat together, whoever sits there: a habit that a machine can keep.

It believes that each seat drew below one total and stood on it or more, and that each covered card is any of those
not in sight that fit. It goes on where that brings more, hand by hand, than stopping, all later cards being drawn
like the next one. It is a strategy and no best answer: with one seat its figures are exact like any other's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple

from certify.errors import InputError
from certify.families.free_bank.mixed_decisions import Chances
from certify.families.free_bank.rules import FreeBankRules, is_reale, total
from certify.families.free_bank.strategy import HIT, STAND, BankSees, Cards, Sees
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF

GRAIN: Final = 1 << 20
"""What a stake is counted in, so that every reading of the cards is whole numbers and decides alike everywhere."""

ROYAL: Final = SEVEN_AND_A_HALF + 1
"""End of a hand that is a reale."""

OVER: Final = SEVEN_AND_A_HALF + 2
"""End of a hand above 7½."""

ENDS: Final = OVER + 1


class BankNets(NamedTuple):
    """What the bank pays and collects, in whole parts of a stake.

    Args:
        stake: A stake.
        win: What a win costs it.
        full: What a seat's 7½ costs it.
        royal: What a seat's reale costs it.
        collects: What its 7½ collects from less.
        collects_from_full: What it collects from 7½.
    """

    stake: int
    win: int
    full: int
    royal: int
    collects: int
    collects_from_full: int


@dataclass(frozen=True, slots=True)
class OpenCardsBank:
    """A bank that weighs what lies open of all seats.

    Args:
        name: Name, as on the command line.
        least: Total in half points on which it believes that the seats stand.
        rules: Rules of play.
        pays: What a win, a 7½ and a reale are paid, in stakes.
        looks_at: What it looks at.
    """

    name: str
    least: int
    rules: FreeBankRules
    pays: tuple[Fraction, Fraction, Fraction]
    looks_at: str = "the open cards of every seat"

    def chances(self, sees: Sees, options: Sequence[str]) -> Chances:
        """Returns the one option that it takes.

        Raises:
            InputError: It was asked as a player.
        """
        if not isinstance(sees, BankSees):
            raise InputError(f"{self.name} is a strategy of the bank: expected one of a player")
        draws = HIT in options and self.draws(sees)
        return ((HIT if draws else STAND, Fraction(1)),)

    def table(self) -> object:
        """Returns the total that it believes in, and what hands are paid."""
        return {"believes": self.least, "pays": [str(pay) for pay in self.pays]}

    @property
    def nets(self) -> BankNets:
        """What the bank pays and collects, in whole parts of a stake."""
        rules, stake = self.rules, lcm(*(pay.denominator for pay in self.pays))
        win, full, royal = (int(pay * stake) for pay in self.pays)
        collected = (rules.bank_collects, rules.bank_collects_from_seven_and_a_half)
        return BankNets(stake, win, full, royal, *(units * stake for units in collected))

    def draws(self, sees: BankSees) -> bool:
        """Tells whether it draws on what it sees, by the compiled code."""
        # Only those who ask need what compiles.
        from certify.families.free_bank.open_cards_kernel import draws

        return draws(self, sees)


def end_of(hand: Cards, rules: FreeBankRules) -> int:
    """Returns how a hand ends if nothing is drawn to it.

    >>> end_of((6, 7), FreeBankRules(reale=True)), end_of((6, 4), FreeBankRules())
    (16, 17)
    """
    points = total(hand)
    if points > SEVEN_AND_A_HALF:
        return OVER
    return ROYAL if points == SEVEN_AND_A_HALF and rules.reale and is_reale(hand) else points

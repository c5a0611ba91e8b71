"""What hands net against every end of the dealer's: the reference round's settlement as tables, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from certify.families.blackjack import rules as ids
from certify.families.blackjack.reference import BlackjackRound
from certify.families.blackjack.rulebook import EndedDealer, EndedHand, How, MainEnd, by_sign, settled
from certify.families.blackjack.rules import outcome_of
from certify.families.blackjack.side_bets import ACE, TEN, VALUES

NATURAL, SUITED_NATURAL, BUST, GIVEN_UP, CHARLIE, SEVENS, SUITED_SEVENS, KINDS = range(22, 30)
"""How a hand ended; less than these: what it counts, held against the dealer's."""

NAMED: Final = {
    ids.NATURAL: NATURAL,
    ids.SUITED_NATURAL: SUITED_NATURAL,
    ids.CHARLIE: CHARLIE,
    ids.SEVENS: SEVENS,
    ids.SUITED_SEVENS: SUITED_SEVENS,
}
"""Ends that are a row of the paytable by themselves."""

LEAST_TOTAL, DEALER_BUST, DEALER_NATURAL, DEALER_ENDS = 17, 5, 6, 7
"""How the dealer's hand ends: 17 to 21 from nought on, bust, or a natural."""

_Kind = tuple[Fraction, Fraction, int]
"""What a hand nets, what of it is lost once, and its stake."""

BY_SIGN: Final = ""
"""In place of the row of a round that is named by the sign of its net result."""


@dataclass(frozen=True)
class Settlement:
    """The settlement of the main wager, told hand by hand.

    What several hands net is what each nets, less what is lost once for all of them: that is how much less two such
    hands lose than twice one of them.

    Args:
        round: The reference round.
    """

    round: BlackjackRound

    @cached_property
    def ends(self) -> tuple[EndedHand, ...]:
        """A hand for each end and stake, in the order of codes: twice the end, one more where it is doubled."""
        rows = {code: row for row, code in NAMED.items()}
        how = {
            BUST: How.BUST,
            GIVEN_UP: How.GIVEN_UP,
            CHARLIE: How.PAID,
            SEVENS: How.PAID,
            SUITED_SEVENS: How.PAID,
        }
        return tuple(
            EndedHand(how.get(end, How.STOOD), stake, min(end, 21), rows.get(end, ""))
            for end in range(KINDS)
            for stake in (1, 2)
        )

    def main_end(
        self, hands: tuple[EndedHand, ...], up: int, dealer: int, *, insured: bool = False
    ) -> MainEnd:
        """Returns how the main wager ends by the reference round's rulebook."""
        total = 22 if dealer == DEALER_BUST else 21 if dealer == DEALER_NATURAL else LEAST_TOTAL + dealer
        ended = EndedDealer(total, dealer == DEALER_NATURAL, self.round.looks(up))
        taken, early = self.round.rules.natural_takes, self.round.keeps_half(up)
        return settled(hands, ended, self.round.paytable, taken, insured=insured, early=early)

    @cached_property
    def singles(self) -> dict[tuple[int, int, int], MainEnd]:
        """How a round of one hand ends, by open card, dealer's end and code of the hand."""
        return {
            (up, dealer, code): self.main_end((hand,), up, dealer)
            for up, dealer in product(range(VALUES), range(DEALER_ENDS))
            for code, hand in enumerate(self.ends)
        }

    @cached_property
    def _once(self) -> dict[tuple[int, int, int], Fraction]:
        """What is lost once however many such hands there are, by the same."""
        found = {}
        for (up, dealer, code), one in self.singles.items():
            hand = self.ends[code]
            found[up, dealer, code] = 2 * one.net - self.main_end((hand, hand), up, dealer).net
        return found

    @cached_property
    def _insurance(self) -> tuple[MainEnd, MainEnd]:
        """How a round ends in which nothing but insurance is won or lost, without and with a natural."""
        push = self.ends[2 * NATURAL], self.ends[2 * 21]
        apart = (
            (self.main_end((hand,), ACE, end), self.main_end((hand,), ACE, end, insured=True))
            for hand, end in zip((push[1], push[0]), (4, DEALER_NATURAL), strict=True)
        )
        without, with_natural = (
            MainEnd(BY_SIGN, insured.net - bare.net, insured.staked - bare.staked) for bare, insured in apart
        )
        return without, with_natural

    @cached_property
    def unit(self) -> int:
        """Parts of a stake in which every net result is a whole number."""
        nets = [one.net for one in self.singles.values()] + [one.net for one in self._insurance]
        return lcm(2, *(net.denominator for net in nets), *(net.denominator for net in self._once.values()))

    @cached_property
    def rows(self) -> tuple[str, ...]:
        """Rows by which a round of one hand is named; first that of rounds that are named by the sign of their net."""
        return (BY_SIGN, *dict.fromkeys(row for one in self.singles.values() if (row := _row(one))))

    @cached_property
    def hands(self) -> int:
        """Most hands of a round."""
        return max(self.round.rules.split_hands, 1)

    @cached_property
    def most(self) -> int:
        """Parts of a stake that no round wins or loses more of."""
        nets = (abs(one.net) for one in (*self.singles.values(), *self._insurance))
        return int((2 * self.hands + 1) * max(nets) * self.unit)

    def table(self) -> NDArray[np.int64]:
        """Returns int64[3, open cards, dealer's ends, codes]: net result, what of it is lost once, and the row."""
        found = np.zeros((3, VALUES, DEALER_ENDS, 2 * KINDS), dtype=np.int64)
        for place, one in self.singles.items():
            found[:, *place] = one.net * self.unit, self._once[place] * self.unit, self.rows.index(_row(one))
        return found

    def insured(self) -> NDArray[np.int64]:
        """Returns what insurance nets, in parts of a stake, without and with a natural."""
        return np.array([int(one.net * self.unit) for one in self._insurance], dtype=np.int64)

    def outcome(self, row: int, net: int, halves: int) -> str:
        """Returns the outcome of a round by its row, its net result in parts and the half stakes staked."""
        parts = Fraction(net, self.unit)
        return outcome_of(self.rows[row] or by_sign(parts), parts, Fraction(halves, 2))

    def outcomes(self) -> tuple[str, ...]:
        """Returns every outcome that the main wager may have, some of which no round may reach."""
        named = {code for code, hand in enumerate(self.ends) if self._may_end(hand)}
        found = {one.outcome for (_, _, code), one in self.singles.items() if code in named}
        alike = {
            (
                frozenset(
                    (self.singles[up, dealer, code].net, self._once[up, dealer, code], self.ends[code].stake)
                    for code in named
                ),
                self._insurance[dealer == DEALER_NATURAL]
                if self.round.rules.insurance and up == ACE
                else None,
            )
            for up, dealer in product(range(VALUES), range(DEALER_ENDS))
            if dealer != DEALER_NATURAL or up in (ACE, TEN)
        }
        return tuple(sorted(found.union(*(self._of_several(*one) for one in alike))))

    def _may_end(self, hand: EndedHand) -> bool:
        """Tells whether a hand may end so: naturals are not doubled, and other rows are named by the paytable."""
        natural = hand.row in (ids.NATURAL, ids.SUITED_NATURAL)
        return not (natural and hand.stake > 1) and hand.row in ("", ids.NATURAL, *self.round.paytable.ids)

    def _of_several(self, kinds: frozenset[_Kind], insured: MainEnd | None) -> Iterator[str]:
        """Yields the outcomes of rounds of several hands, and of insured ones."""
        for number in range(1, self.hands + 1):
            for hands in combinations_with_replacement(sorted(kinds), number):
                lost = [once for _, once, _ in hands if once]
                net = sum((one for one, _, _ in hands), Fraction(0)) - sum(lost[1:], Fraction(0))
                staked = Fraction(sum(stake for _, _, stake in hands))
                if number > 1:
                    yield outcome_of(by_sign(net), net, staked)
                if insured is not None:
                    yield outcome_of(by_sign(net + insured.net), net + insured.net, staked + insured.staked)


def _row(end: MainEnd) -> str:
    return BY_SIGN if end.row == by_sign(end.net) else end.row

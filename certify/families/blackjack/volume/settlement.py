"""How rounds end by the ends of hands: codes of them, the reference round's settlement, and every outcome."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.reference import BlackjackRound
from certify.families.blackjack.rulebook import EndedDealer, EndedHand, How, MainEnd, by_sign, settled
from certify.families.blackjack.rules import outcome_of
from certify.families.blackjack.side_bets import ACE, TEN, VALUES

NATURAL, SUITED_NATURAL, BUST, GIVEN_UP, CHARLIE, SEVENS, SUITED_SEVENS, KINDS = range(22, 30)
"""How a hand ended; less than these: what it counts, held against the dealer's."""

ENDS: Final = 2 * KINDS + 1
"""More than there are codes of hands; 0 is none in a key."""

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


@dataclass(frozen=True)
class Settlement:
    """The settlement of the main wager, hand by hand.

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
    def once(self) -> dict[tuple[int, int, int], Fraction]:
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
            MainEnd("", insured.net - bare.net, insured.staked - bare.staked) for bare, insured in apart
        )
        return without, with_natural

    @cached_property
    def hands(self) -> int:
        """Most hands of a round."""
        return max(self.round.rules.split_hands, 1)

    def outcomes(self) -> tuple[str, ...]:
        """Returns every outcome that the main wager may have, some of which no round may reach."""
        named = {code for code, hand in enumerate(self.ends) if self._may_end(hand)}
        found = {one.outcome for (_, _, code), one in self.singles.items() if code in named}
        alike = {
            (
                frozenset(
                    (self.singles[up, dealer, code].net, self.once[up, dealer, code], self.ends[code].stake)
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
        """Returns whether a hand may end so: naturals are not doubled, and other rows are named by the paytable."""
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

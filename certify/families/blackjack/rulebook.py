"""How a finished round of blackjack is settled, for the reference round."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack.rules import BlackjackRules, Taken, outcome_of
from certify.model import Paytable

HALF: Final = Fraction(1, 2)


class How(StrEnum):
    """The state of a hand."""

    DRAWS = "draws"
    """It waits for a card."""
    PLAYS = "plays"
    """It waits for a decision."""
    DOUBLED = "doubled"
    """It got the card of a double, and may be given up."""
    STOOD = "stood"
    """It is held against the dealer's."""
    BUST = "bust"
    """It is lost."""
    PAID = "paid"
    """It won at once."""
    GIVEN_UP = "given up"
    """It was surrendered or, doubled, rescued."""


@dataclass(frozen=True, slots=True)
class EndedHand:
    """A hand that is finished.

    Args:
        how: Its state.
        stake: What is staked on it, in units of the initial stake.
        total: What it counts.
        row: Row by which it is paid at once, or as a natural; empty for all others.
    """

    how: How
    stake: int
    total: int
    row: str = ""


@dataclass(frozen=True, slots=True)
class EndedDealer:
    """The dealer's hand at the end.

    Args:
        total: What it counts; only a second card that shows a natural counts where nothing is left to beat.
        natural: Whether it is a natural.
        looked: Whether that was known before anybody played.
    """

    total: int
    natural: bool
    looked: bool


@dataclass(frozen=True, slots=True)
class MainEnd:
    """How the main wager ended.

    Args:
        row: Its row.
        net: Net result in units of the initial stake, insurance included.
        staked: Everything staked, insurance included.
    """

    row: str
    net: Fraction
    staked: Fraction

    @property
    def outcome(self) -> str:
        """Id of the outcome."""
        return outcome_of(self.row, self.net, self.staked)


def pay(paytable: Paytable | None, row: str, otherwise: int = 1) -> Fraction:
    """Returns what a row pays on one unit; a row that is not named pays what is usual."""
    named = paytable is not None and row in paytable.ids
    return paytable.pays(row) if named and paytable is not None else Fraction(otherwise)


def settled(
    hands: Sequence[EndedHand],
    dealer: EndedDealer,
    paytable: Paytable | None,
    rules: BlackjackRules,
    *,
    insured: bool,
    early: bool,
) -> MainEnd:
    """Returns how the main wager ends.

    Args:
        hands: The hands of the player.
        dealer: The dealer's hand.
        paytable: What the rows pay.
        rules: What a dealer's natural takes that shows only after play, and what twenty-one and twenty-two are worth.
        insured: Whether half the stake was set on a dealer's natural.
        early: Whether what is surrendered keeps half of it even against a natural.
    """
    staked = Fraction(sum(hand.stake for hand in hands))
    if dealer.natural and not dealer.looked:
        net = _against_late_natural(hands, paytable, rules, early=early)
    else:
        net = sum((_net(hand, dealer, paytable, rules) for hand in hands), Fraction(0))
    (first, *others) = hands
    if insured:
        net += HALF * pay(paytable, ids.INSURED, 2) if dealer.natural else -HALF
        staked += HALF
    if others or insured:
        return MainEnd(by_sign(net), net, staked)
    if first.row and net > 0:
        return MainEnd(first.row, net, staked)
    surrendered = first.how is How.GIVEN_UP and net == -HALF
    return MainEnd(ids.SURRENDERED if surrendered else by_sign(net), net, staked)


def by_sign(net: Fraction) -> str:
    """Returns the row by which a round of several hands, or with insurance, is named."""
    return ids.PUSH if net == 0 else ids.WIN if net > 0 else ids.LOSE


def _net(hand: EndedHand, dealer: EndedDealer, paytable: Paytable | None, rules: BlackjackRules) -> Fraction:
    """Returns the net result of a hand against a dealer whose natural, if any, was known before play."""
    if hand.how is How.GIVEN_UP:
        return -HALF * hand.stake
    if hand.how is How.BUST:
        return Fraction(-hand.stake)
    if hand.how is How.PAID or (hand.row and (rules.wins_21 or not dealer.natural)):
        return pay(paytable, hand.row) * hand.stake
    # Two naturals push; a natural beats every other hand of twenty-one.
    lead = hand.total - dealer.total if dealer.total <= 21 else 1
    if dealer.natural and not hand.row:
        lead = -1
    if rules.pushes_22 and dealer.total == 22:
        lead = 0
    if _always_wins(hand, rules):
        lead = 1
    if lead == 0:
        return pay(paytable, ids.PUSH, 0) * hand.stake
    return pay(paytable, ids.WIN) * hand.stake if lead > 0 else Fraction(-hand.stake)


def _always_wins(hand: EndedHand, rules: BlackjackRules) -> bool:
    return rules.wins_21 and hand.how is How.STOOD and hand.total == 21


def _against_late_natural(
    hands: Sequence[EndedHand], paytable: Paytable | None, rules: BlackjackRules, *, early: bool
) -> Fraction:
    """Returns the net result against a natural that shows after play."""
    net, bets, taken = Fraction(0), 0, rules.natural_takes
    original_is_lost = False
    for hand in hands:
        doubled = hand.stake > 1
        if hand.how is How.PAID or _always_wins(hand, rules):
            net += pay(paytable, hand.row or ids.WIN) * hand.stake
        elif hand.how is How.GIVEN_UP and (doubled or early):
            net -= HALF * hand.stake
        elif hand.row:
            net += pay(paytable, ids.PUSH, 0)
        elif taken is Taken.ALL or (taken is Taken.ORIGINAL_AND_BUSTED and hand.how is How.BUST):
            net -= hand.stake
        else:
            bets += 1
            original_is_lost = True
    if taken is Taken.ORIGINAL_AND_SPLIT:
        return net - bets
    return net - 1 if original_is_lost else net

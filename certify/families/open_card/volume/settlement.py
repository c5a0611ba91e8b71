"""Settlement of games with an open dealer's card, by the play-through's own account; totals in half points."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from certify.families.open_card.rules import OpenCardRules, OpenCardTie
from certify.families.open_card.volume.outcomes import (
    FINAL_BETS,
    OPEN_CARD_ENDS,
    OPEN_CARD_OUTCOMES,
    OPEN_FIRST_END,
)
from certify.families.seven_and_a_half.cards import CLASS_FACE, MATTA, rank_of
from certify.model.paytable import Paytable

FULL: Final = 15

POINTS: Final = (2, 4, 6, 8, 10, 12, 14, 1)
"""Half points of ace to 7 and of a face; the King of diamonds is a face once the first cards are dealt."""

WIN, PUSH, LOSE, BUST = range(len(OPEN_CARD_ENDS))


def kind_of(card: int) -> int:
    """Returns the class of a card: 0 to 6 for ace to 7, 7 for a face."""
    return min(rank_of(card), CLASS_FACE)


def is_king(card: int) -> bool:
    """Tells whether a first card ends the round at once."""
    return card == MATTA


def dealer_total(first: int, deck: Sequence[int], place: int, rules: OpenCardRules) -> int:
    """Returns the dealer's final total, above 7½ where it is bust.

    Args:
        first: The open card.
        deck: Card ids in dealing order.
        place: Place in the deck of the first card that the dealer would take.
        rules: Rules of play.
    """
    total, cards = POINTS[kind_of(first)], 1
    while cards < rules.dealer_maximum_cards and (
        total < rules.dealer_stands_on or (cards == 1 and rules.dealer_always_draws)
    ):
        total += POINTS[kind_of(deck[place + cards - 1])]
        cards += 1
    return total


def end_of(player: int, dealer: int) -> int:
    """Returns how a round ends between two final totals, the player's bust first."""
    if player > FULL:
        return BUST
    if dealer > FULL or dealer < player:
        return WIN
    return PUSH if dealer == player else LOSE


def code_of(end: int, bet: int) -> int:
    """Returns the outcome code of an end with a final bet."""
    return OPEN_FIRST_END + len(OPEN_CARD_ENDS) * FINAL_BETS.index(bet) + end


def net_antes(outcome: str, rules: OpenCardRules, paytable: Paytable) -> Fraction:
    """Returns the net result of an outcome in antes; everything staked is at risk and is paid alike."""
    code = OPEN_CARD_OUTCOMES.index(outcome)
    if code < OPEN_FIRST_END:
        return paytable.pays(outcome) if outcome in paytable.ids else Fraction(-1)
    place, end = divmod(code - OPEN_FIRST_END, len(OPEN_CARD_ENDS))
    staked = 1 + FINAL_BETS[place]
    if end == WIN:
        return staked * paytable.pays("win")
    if end == PUSH and rules.tie is OpenCardTie.PUSH:
        return Fraction(0)
    returned = 1 if end == PUSH and rules.tie is OpenCardTie.ANTE_RETURNED else 0
    return Fraction(returned - staked)

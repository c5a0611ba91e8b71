"""Rules of play of the Seven and a Half games with an open dealer's card; totals in half points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from certify.families.open_card.rules import OpenCardRules, OpenCardTie
from certify.families.seven_and_a_half.cards import MATTA, RANK_FIRST_FACE, SEVEN_AND_A_HALF, rank_of

ANTE: Final = "ante"
WAGER_IDS: Final = (ANTE,)

KING: Final = "king-of-diamonds"
DEALER_KING: Final = "dealer-king-of-diamonds"
WIN: Final = "win"
PUSH: Final = "push"
LOSE: Final = "lose"
BUST: Final = "bust"
FOLD: Final = "fold"

HIT: Final = "hit"
STAND: Final = "stand"


def is_king_of_diamonds(cards: Sequence[int]) -> bool:
    """Tells whether a hand begins with the King of diamonds, the only place where it counts 7½."""
    return cards[0] == MATTA


def hand_value(cards: Sequence[int]) -> int:
    """Returns the total of a hand in half points.

    The King of diamonds counts 7½ where it is the first card, and a half like every face card elsewhere.

    >>> hand_value([36]), hand_value([24, 36]), hand_value([0, 4])  # K; 7 and K; ace and 2
    (15, 15, 6)
    """
    return _hand_value(tuple(cards))


# Exact figures ask for the same hands hundreds of thousands of times; a hand's value depends on nothing else.
@lru_cache(maxsize=1 << 16)
def _hand_value(cards: tuple[int, ...]) -> int:
    if is_king_of_diamonds(cards):
        return SEVEN_AND_A_HALF
    return sum(1 if rank_of(card) >= RANK_FIRST_FACE else 2 * (rank_of(card) + 1) for card in cards)


def is_bust(cards: Sequence[int]) -> bool:
    """Tells whether a hand is worth more than 7½."""
    return hand_value(cards) > SEVEN_AND_A_HALF


def decisions(cards: Sequence[int], rules: OpenCardRules) -> tuple[str, ...]:
    """Returns what the player may decide on a hand: nothing on 7½, on a bust, or with a full hand.

    Where there is a final bet, the first decision names it: ``hit-2`` places two antes and takes a card.

    >>> decisions([0], OpenCardRules())
    ('fold', 'stand-1', 'hit-1', 'stand-2', 'hit-2')
    >>> decisions([0, 4, 8], OpenCardRules(final_bets=(), player_maximum_cards=40))
    ('stand', 'hit')
    """
    if hand_value(cards) >= SEVEN_AND_A_HALF or len(cards) >= rules.player_maximum_cards:
        return ()
    first = len(cards) == 1
    moves = (HIT,) if first and not rules.player_may_stand_on_first_card else (STAND, HIT)
    if first and rules.final_bets:
        return (FOLD, *(f"{move}-{bet}" for bet in rules.final_bets for move in moves))
    return moves


def dealer_must_draw(cards: Sequence[int], rules: OpenCardRules) -> bool:
    """Tells whether the dealer takes another card; it does not depend on the player's hand."""
    if len(cards) >= rules.dealer_maximum_cards or is_bust(cards):
        return False
    return hand_value(cards) < rules.dealer_stands_on or (rules.dealer_always_draws and len(cards) == 1)


def settle(player: Sequence[int], dealer: Sequence[int]) -> str:
    """Returns how a round ends in which nobody had the King of diamonds first and the player did not fold."""
    if is_bust(player):
        return BUST
    if is_bust(dealer) or hand_value(player) > hand_value(dealer):
        return WIN
    return PUSH if hand_value(player) == hand_value(dealer) else LOSE


def net_antes(outcome: str, final_bet: int, rules: OpenCardRules) -> int:
    """Returns the net result in antes of a round played to the end with a final bet of so many antes.

    >>> net_antes("win", 2, OpenCardRules()), net_antes("bust", 1, OpenCardRules())
    (3, -2)
    """
    if outcome == WIN:
        return 1 + final_bet
    if outcome == PUSH and rules.tie is not OpenCardTie.LOSE:
        return -final_bet if rules.tie is OpenCardTie.ANTE_RETURNED else 0
    return -(1 + final_bet)


def outcome_id(outcome: str, final_bet: int) -> str:
    """Returns the id of an outcome with its final bet, under which figures and evidence name it.

    >>> outcome_id("win", 2), outcome_id("win", 0)
    ('win-final-2', 'win')
    """
    return f"{outcome}-final-{final_bet}" if final_bet else outcome

"""Settlement for volume: the rulebook in small integers, written apart from the other two legs."""

from __future__ import annotations

from typing import Final

from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.sette_e_mezzo.volume.outcomes import (
    MAIN_BUST,
    MAIN_KING,
    MAIN_LOSE,
    MAIN_PUSH,
    MAIN_WIN,
    MANO_FLUSH,
    MANO_LOSE,
    MANO_ROYAL_FLUSH,
    MANO_STRAIGHT,
    MANO_STRAIGHT_FLUSH,
    MANO_THREE_OF_A_KIND,
    PAIR_FACES,
    PAIR_LOSE,
    PAIR_LOW,
    PAIR_NOT_UNCOVERED,
    PAIR_SEVENS,
)
from certify.families.seven_and_a_half.cards import (
    CLASS_FACE,
    CLASS_MATTA,
    DECK_SIZE,
    MATTA,
    rank_of,
    suit_of,
)

FULL: Final = 15
"""Seven and a half in half points."""

OVER: Final = 16
"""The code of every total above 7½: by how much a hand is bust settles nothing."""

KING: Final = 17
"""The code of a player's 7½ in two cards with the King of Denari."""

CLASS_OF: Final = tuple(
    CLASS_MATTA if card == MATTA else min(rank_of(card), CLASS_FACE) for card in range(DECK_SIZE)
)
"""Class of each card id."""

POINTS: Final = (2, 4, 6, 8, 10, 12, 14, 1, 0)
"""Half points of each class without the matta's own, which depends on the rest of the hand."""

_RUNS: Final = frozenset((0b111 << low) for low in range(5)) | {0b111 << CLASS_FACE}
# Sets of ranks in a row, one bit a rank: A-2-3 to 5-6-7 and J-Q-K. A run across 7-J or round from K
# to A is none.


def best_total(plain: int, matta: bool) -> int:
    """Returns the total of a hand, or OVER.

    The matta counts ½ or a whole number to 7. So it lifts an odd number of half points to exactly 15,
    an even one to 14, and 14 to 15 by its half; only from 15 on does even the half go over.

    Args:
        plain: Half points of the cards other than the matta.
        matta: Whether the hand holds the King of Denari.
    """
    if not matta:
        return plain if plain <= FULL else OVER
    if plain >= FULL:
        return OVER
    return FULL if plain % 2 == 1 or plain == FULL - 1 else FULL - 1


def dealer_draws(total: int, against: int, first_face: bool, rules: SetteEMezzoRules) -> bool:
    """Tells whether the dealer draws.

    Args:
        total: The dealer's total.
        against: The player's total, at most 15.
        first_face: Whether the dealer's hand is one face card.
        rules: Rules of play.
    """
    if first_face and rules.dealer_draws_on_first_face:
        return True
    chases = rules.dealer_chases_seven_and_a_half and against == FULL
    return total < (FULL if chases else rules.dealer_stands_on)


def main_code(player: int, dealer: int, rules: SetteEMezzoRules) -> int:
    """Returns the outcome of the main wager for the codes of two finished hands."""
    if player == OVER:
        return MAIN_BUST
    if player == KING and (rules.king_wins_against_dealer_seven_and_a_half or dealer != FULL):
        return MAIN_KING
    points = FULL if player == KING else player
    if dealer == OVER or dealer < points:
        return MAIN_WIN
    tied = dealer == points
    return MAIN_PUSH if tied and rules.tie is Tie.PUSH else MAIN_LOSE


def pair_code(first: int, second: int, bust: bool, rules: SetteEMezzoRules) -> int:
    """Returns the outcome of Partita Perfetta.

    Args:
        first: The player's first card.
        second: The dealer's first card.
        bust: Whether the player's hand is bust.
        rules: Rules of play.
    """
    if first >> 2 != second >> 2:
        return PAIR_LOSE
    if bust and rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER:
        return PAIR_NOT_UNCOVERED
    if first >> 2 == 6:
        return PAIR_SEVENS
    return PAIR_FACES if first >> 2 > 6 else PAIR_LOW


def poker_code(ranks: int, suited: bool) -> int:
    """Returns the outcome of Mano di Poker for three cards.

    Args:
        ranks: The set of their ranks, bit 0 for the ace to bit 9 for the king.
        suited: Whether they are of one suit.
    """
    run = ranks in _RUNS
    if run and suited:
        return MANO_ROYAL_FLUSH if ranks >> CLASS_FACE else MANO_STRAIGHT_FLUSH
    if ranks & (ranks - 1) == 0:
        return MANO_THREE_OF_A_KIND
    if suited:
        return MANO_FLUSH
    return MANO_STRAIGHT if run else MANO_LOSE


def poker_code_of(first: int, second: int, third: int) -> int:
    """Returns the outcome of Mano di Poker for three card ids."""
    ranks = 1 << rank_of(first) | 1 << rank_of(second) | 1 << rank_of(third)
    return poker_code(ranks, suit_of(first) == suit_of(second) == suit_of(third))

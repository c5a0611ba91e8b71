"""Rules of play of 7 e Mezzo, to be read beside the rulebook; totals in half points."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from certify.families.sette_e_mezzo import mano_di_poker
from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules, Tie
from certify.families.seven_and_a_half.cards import (
    MATTA,
    RANK_FIRST_FACE,
    RANK_SEVEN,
    SEVEN_AND_A_HALF,
    rank_of,
)
from certify.families.seven_and_a_half.submitted import RANK_VALUES

MAIN: Final = "main"
PARTITA_PERFETTA: Final = "partita-perfetta"
MANO_DI_POKER: Final = "mano-di-poker"
WAGER_IDS: Final = (MAIN, PARTITA_PERFETTA, MANO_DI_POKER)

KING_SEVEN_AND_A_HALF: Final = "king-of-denari-seven-and-a-half"
WIN: Final = "win"
PUSH: Final = "push"
LOSE: Final = "lose"
BUST: Final = "bust"

PAIR_OF_SEVENS: Final = "pair-of-sevens"
PAIR_OF_FACES: Final = "pair-of-faces"
PAIR_ACE_TO_SIX: Final = "pair-ace-to-six"
NOT_UNCOVERED: Final = "not-uncovered"

NO_SECOND_CARD: Final = "no-second-card"

MATTA_VALUES: Final[tuple[int, ...]] = (1, *range(2, 15, 2))
"""What the King of Denari may count: the value of any other card, ½ or 1 to 7."""

_VALUES: Final[tuple[int, ...]] = tuple(value for _, value in RANK_VALUES)


def is_face(card: int) -> bool:
    """Tells whether a card is a face card; the King of Denari is one."""
    return rank_of(card) >= RANK_FIRST_FACE


def hand_value(cards: Sequence[int]) -> int:
    """Returns the total of a hand in half points, the matta read for the best total not above 7½.

    A hand that is bust whatever the matta counts has the total in which the matta counts a half.

    Args:
        cards: Card ids of the hand.

    >>> hand_value([36, 24]), hand_value([36, 0])  # King of Denari with a seven, with an ace
    (15, 14)
    """
    return _hand_value(tuple(cards))


# Exact figures ask for the same hands hundreds of thousands of times; a hand's value depends on nothing else.
@lru_cache(maxsize=1 << 16)
def _hand_value(cards: tuple[int, ...]) -> int:
    total = sum(_VALUES[rank_of(card)] for card in cards if card != MATTA)
    if MATTA not in cards:
        return total
    readings = [total + value for value in MATTA_VALUES]
    return max((reading for reading in readings if reading <= SEVEN_AND_A_HALF), default=min(readings))


def is_bust(cards: Sequence[int]) -> bool:
    """Tells whether a hand is worth more than 7½."""
    return hand_value(cards) > SEVEN_AND_A_HALF


def is_king_seven_and_a_half(cards: Sequence[int]) -> bool:
    """Tells whether a hand is 7½ in two cards, one of them the King of Denari."""
    return len(cards) == 2 and MATTA in cards and hand_value(cards) == SEVEN_AND_A_HALF


def player_must_draw(cards: Sequence[int], rules: SetteEMezzoRules) -> bool:
    """Tells whether the player's hand draws by rule: a lone face card, King of Denari included."""
    return rules.player_draws_on_first_face and len(cards) == 1 and is_face(cards[0])


def player_may_decide(cards: Sequence[int], rules: SetteEMezzoRules) -> bool:
    """Tells whether the player may choose between hit and stand: below 7½ and no draw by rule."""
    return hand_value(cards) < SEVEN_AND_A_HALF and not player_must_draw(cards, rules)


def dealer_must_draw(cards: Sequence[int], player_value: int, rules: SetteEMezzoRules) -> bool:
    """Tells whether the dealer draws another card against a player who is not bust.

    Args:
        cards: The dealer's hand.
        player_value: The player's final total in half points, at most 15.
        rules: Rules of play.
    """
    if rules.dealer_draws_on_first_face and len(cards) == 1 and is_face(cards[0]):
        return True
    if player_value == SEVEN_AND_A_HALF and rules.dealer_chases_seven_and_a_half:
        return hand_value(cards) < SEVEN_AND_A_HALF
    return hand_value(cards) < rules.dealer_stands_on


def settle_main(player: Sequence[int], dealer: Sequence[int], rules: SetteEMezzoRules) -> str:
    """Returns the row of the main wager that a finished round falls in.

    Args:
        player: The player's final hand.
        dealer: The dealer's final hand; the first card alone where the player is bust.
        rules: Rules of play.
    """
    if is_bust(player):
        return BUST
    dealer_value = hand_value(dealer)
    beaten = dealer_value != SEVEN_AND_A_HALF or rules.king_wins_against_dealer_seven_and_a_half
    if is_king_seven_and_a_half(player) and beaten:
        return KING_SEVEN_AND_A_HALF
    if is_bust(dealer) or hand_value(player) > dealer_value:
        return WIN
    if hand_value(player) < dealer_value:
        return LOSE
    return PUSH if rules.tie is Tie.PUSH else LOSE


def settle_partita_perfetta(player: Sequence[int], dealer: Sequence[int], rules: SetteEMezzoRules) -> str:
    """Returns the row of Partita Perfetta: the first cards form a pair, the King of Denari being a King."""
    rank = rank_of(player[0])
    if rank != rank_of(dealer[0]):
        return LOSE
    if rules.pair_condition is PairCondition.DEALER_MUST_UNCOVER and is_bust(player):
        return NOT_UNCOVERED
    if rank == RANK_SEVEN:
        return PAIR_OF_SEVENS
    return PAIR_OF_FACES if is_face(player[0]) else PAIR_ACE_TO_SIX


def settle_mano_di_poker(player: Sequence[int], dealer: Sequence[int]) -> str:
    """Returns the row of Mano di Poker: the player's first two cards and the dealer's first."""
    if len(player) < 2:
        return NO_SECOND_CARD
    return mano_di_poker.classify(player[0], player[1], dealer[0]) or LOSE


def settle(
    player: Sequence[int], dealer: Sequence[int], rules: SetteEMezzoRules
) -> tuple[tuple[str, str], ...]:
    """Returns the row that each wager falls in, as pairs of wager id and row id."""
    return (
        (MAIN, settle_main(player, dealer, rules)),
        (PARTITA_PERFETTA, settle_partita_perfetta(player, dealer, rules)),
        (MANO_DI_POKER, settle_mano_di_poker(player, dealer)),
    )

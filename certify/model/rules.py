"""Rules of play of each family as parameters; every reading of a text is one of them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SEVEN_AND_A_HALF: Final = 15
"""The target of the game in half points."""


class Tie(StrEnum):
    """What happens to the main wager when player and dealer end on the same total."""

    LOSE = "lose"
    PUSH = "push"


class PairCondition(StrEnum):
    """When a pair of first cards wins Partita Perfetta."""

    UNCONDITIONAL = "unconditional"
    DEALER_MUST_UNCOVER = "dealer-must-uncover"


@dataclass(frozen=True, slots=True)
class SetteEMezzoRules:
    """Rules of ``playtech-7-e-mezzo``; totals are in half points.

    Args:
        tie: What a tie does to the main wager.
        king_wins_against_dealer_seven_and_a_half: Whether the player's two-card 7½ with the King of
            Denari is paid against a dealer's 7½; where not, such a round is settled as a tie.
        dealer_stands_on: Total on which the dealer stands against a player below 7½ (6 is three points).
        player_draws_on_first_face: Whether a first face card, King of Denari included, draws one more card.
        dealer_draws_on_first_face: The same for the dealer.
        dealer_chases_seven_and_a_half: Whether the dealer draws below 7½ against a player's 7½.
        pair_condition: When a pair of first cards wins Partita Perfetta.
    """

    tie: Tie = Tie.LOSE
    king_wins_against_dealer_seven_and_a_half: bool = False
    dealer_stands_on: int = 6
    player_draws_on_first_face: bool = True
    dealer_draws_on_first_face: bool = True
    dealer_chases_seven_and_a_half: bool = True
    pair_condition: PairCondition = PairCondition.DEALER_MUST_UNCOVER


class OpenCardTie(StrEnum):
    """What happens when player and dealer end on the same total in a game with an open dealer's card."""

    PUSH = "push"
    ANTE_RETURNED = "ante-returned"
    LOSE = "lose"


ANY_NUMBER: Final = 40
"""As a number of cards: as many as the deck holds."""


@dataclass(frozen=True, slots=True)
class OpenCardRules:
    """Rules of the Seven and a Half games in which the dealer's first card lies open; totals in half points.

    Args:
        final_bets: Multiples of the ante of which the player may choose one as a final bet before going on;
            empty where the ante is the only bet, and then nobody can fold.
        player_maximum_cards: Most cards in the player's hand, ANY_NUMBER for no limit.
        player_may_stand_on_first_card: Whether the player may do without a second card.
        dealer_stands_on: Total on which the dealer stands (12 is six points).
        dealer_maximum_cards: Most cards in the dealer's hand, ANY_NUMBER for no limit.
        dealer_always_draws: Whether the dealer's first card is never the last.
        tie: What a tie does: all bets returned, only the ante returned, or all lost.
    """

    final_bets: tuple[int, ...] = (1, 2)
    player_maximum_cards: int = 2
    player_may_stand_on_first_card: bool = True
    dealer_stands_on: int = 12
    dealer_maximum_cards: int = 2
    dealer_always_draws: bool = False
    tie: OpenCardTie = OpenCardTie.PUSH


Rules = SetteEMezzoRules | OpenCardRules
"""Rules of any family; code of one family asks for its own."""

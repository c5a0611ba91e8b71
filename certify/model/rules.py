"""Rules of play of the Sette e Mezzo family as parameters; every reading of a text is one of them."""

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

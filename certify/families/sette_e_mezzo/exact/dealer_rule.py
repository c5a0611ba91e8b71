"""When the dealer of 7 e Mezzo draws."""

from __future__ import annotations

from dataclasses import dataclass

from certify.families.sette_e_mezzo.rules import SetteEMezzoRules
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.counting import Hand
from certify.families.seven_and_a_half.values import is_first_face


@dataclass(frozen=True, slots=True)
class DealerRule:
    """When the dealer draws; totals in half points."""

    stands_on: int
    draws_on_first_face: bool
    chases_seven_and_a_half: bool

    def draws(self, hand: Hand, total: int, player: int) -> bool:
        """Tells whether the dealer draws on a hand against a player's total."""
        if self.draws_on_first_face and is_first_face(hand):
            return True
        chasing = self.chases_seven_and_a_half and player == SEVEN_AND_A_HALF
        return total < (SEVEN_AND_A_HALF if chasing else self.stands_on)


def dealer_rule(rules: SetteEMezzoRules) -> DealerRule:
    """Returns the dealer's part of the rules."""
    return DealerRule(
        rules.dealer_stands_on, rules.dealer_draws_on_first_face, rules.dealer_chases_seven_and_a_half
    )

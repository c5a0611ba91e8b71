"""Rules of the games with an open dealer's card as parameters; totals in half points."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from certify.families.own_rules import own_rules
from certify.families.port import RuleReader
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.submitted import require_target


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


RULE_IDS: Final = (
    "target",
    "final-bet",
    "player-maximum-cards",
    "player-may-stand-on-first-card",
    "dealer-stands-on",
    "dealer-maximum-cards",
    "dealer-always-draws",
    "tie",
)

_FINAL_BETS: Final[Mapping[str, tuple[int, ...]]] = {
    "none": (),
    "1 ante": (1,),
    "2 antes": (2,),
    "1 or 2 antes": (1, 2),
}
_CARDS: Final[Mapping[str, int]] = {"2": 2, "any number": ANY_NUMBER}


def read_rules(read: RuleReader) -> OpenCardRules:
    """Returns the rules that a submission states."""
    require_target(read)
    stands_on = read.points("dealer-stands-on", 12)
    if not 1 <= stands_on <= SEVEN_AND_A_HALF:
        read.refuse("dealer-stands-on", "the dealer's stand must lie between ½ and 7½")
    final_bets = _FINAL_BETS[read.choice("final-bet", tuple(_FINAL_BETS), "none")]
    maximum = _CARDS[read.choice("player-maximum-cards", tuple(_CARDS), "2")]
    if final_bets and maximum != 2:
        read.refuse(
            "player-maximum-cards",
            'a final bet is placed once, before the last card: expected "2" cards beside it',
        )
    return OpenCardRules(
        final_bets=final_bets,
        player_maximum_cards=maximum,
        player_may_stand_on_first_card=read.flag("player-may-stand-on-first-card", True),
        dealer_stands_on=stands_on,
        dealer_maximum_cards=_CARDS[read.choice("dealer-maximum-cards", tuple(_CARDS), "2")],
        dealer_always_draws=read.flag("dealer-always-draws", False),
        tie=OpenCardTie(read.choice("tie", tuple(OpenCardTie), OpenCardTie.PUSH)),
    )


FAMILY_ID: Final = "seven-and-a-half-open-card"
"""Id of the family, as submissions name it."""


rules_of: Final = own_rules(OpenCardRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""

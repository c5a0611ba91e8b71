"""Deals of video poker that show each row of a paytable, all five cards held."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.analysis.hands.held import HOLD_IDS
from certify.families.video_poker import rules as ids
from certify.model.witness import Recipe


def _dealt(*hands: str) -> tuple[Recipe, ...]:
    """Returns rounds in which a hand is held as dealt; where a card of one is lacking another one serves."""
    return tuple(Recipe(tuple(hand.split(", ")), (HOLD_IDS[0],)) for hand in hands)


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.BET, ids.ROYAL): _dealt("10 of hearts, J of hearts, Q of hearts, K of hearts, A of hearts"),
    (ids.BET, ids.FOUR_DEUCES): _dealt("2 of diamonds, 2 of hearts, 2 of spades, 2 of clubs, 9 of hearts"),
    (ids.BET, ids.WILD_ROYAL): _dealt(
        "10 of hearts, J of hearts, Q of hearts, K of hearts, 2 of spades",
        "10 of hearts, J of hearts, Q of hearts, K of hearts, joker",
    ),
    (ids.BET, ids.FIVE): _dealt(
        "9 of diamonds, 9 of hearts, 9 of spades, 9 of clubs, 2 of spades",
        "9 of diamonds, 9 of hearts, 9 of spades, 9 of clubs, joker",
    ),
    (ids.BET, ids.STRAIGHT_FLUSH): _dealt("5 of clubs, 6 of clubs, 7 of clubs, 8 of clubs, 9 of clubs"),
    (ids.BET, ids.ACES_WITH_KICKER): _dealt(
        "A of diamonds, A of hearts, A of spades, A of clubs, 3 of hearts"
    ),
    (ids.BET, ids.LOW_WITH_KICKER): _dealt(
        "3 of diamonds, 3 of hearts, 3 of spades, 3 of clubs, A of hearts"
    ),
    (ids.BET, ids.FOUR_ACES): _dealt("A of diamonds, A of hearts, A of spades, A of clubs, 9 of hearts"),
    (ids.BET, ids.FOUR_LOW): _dealt("3 of diamonds, 3 of hearts, 3 of spades, 3 of clubs, 9 of hearts"),
    (ids.BET, ids.FOUR): _dealt("9 of diamonds, 9 of hearts, 9 of spades, 9 of clubs, K of hearts"),
    (ids.BET, ids.FULL_HOUSE): _dealt("9 of diamonds, 9 of hearts, 9 of spades, K of clubs, K of hearts"),
    (ids.BET, ids.FLUSH): _dealt("3 of clubs, 6 of clubs, 7 of clubs, 10 of clubs, K of clubs"),
    (ids.BET, ids.STRAIGHT): _dealt("5 of diamonds, 6 of clubs, 7 of hearts, 8 of clubs, 9 of clubs"),
    (ids.BET, ids.THREE): _dealt("9 of diamonds, 9 of hearts, 9 of spades, K of clubs, 7 of hearts"),
    (ids.BET, ids.TWO_PAIR): _dealt("9 of diamonds, 9 of hearts, K of spades, K of clubs, 7 of hearts"),
    (ids.BET, ids.HIGH_PAIR): _dealt("A of diamonds, A of hearts, 9 of spades, 4 of clubs, 7 of hearts"),
    (ids.BET, ids.LOSE): _dealt("3 of diamonds, 5 of hearts, 7 of spades, 9 of clubs, J of hearts"),
}

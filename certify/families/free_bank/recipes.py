"""Rounds that show each row: as one would lay them out, whatever the suits are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET
from certify.families.free_bank.strategy import COVER, HIT, SPLIT, STAND
from certify.families.free_bank.submitted import SPANISH_SUITS
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, SUITS
from certify.model.witness import Recipe

_ROUNDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    # Ranks in dealing order (the player's first card, the bank's, then draws), and what is decided.
    rulebook.REALE: ("7 A J", (HIT, STAND)),
    rulebook.WIN: ("7 6", (STAND, STAND)),
    rulebook.LOSE: ("6 7", (STAND, STAND)),
    rulebook.BUST: ("7 6 5", (HIT,)),
    rulebook.BANK_SEVEN_AND_A_HALF: ("6 7 J", (STAND, HIT)),
    rulebook.BOTH_SEVEN_AND_A_HALF: ("A 7 6 J Q", (HIT, HIT, HIT)),
    rulebook.BOTH_REALE: ("7 7 J Q", (HIT, HIT)),
    rulebook.SEVEN_AND_A_HALF_WINS: ("A 5 6 J", (HIT, HIT, STAND)),
    rulebook.SPLIT: ("J 7 Q", (HIT, SPLIT, STAND, STAND, STAND)),
}


def _recipes(ranks: str, decisions: tuple[str, ...]) -> tuple[Recipe, ...]:
    # The suit of each card is the first that its rank has not used; in front of the decisions stands the cover,
    # where the game asks for one.
    dealt = ranks.split()
    found = []
    for suits in (SUITS, SPANISH_SUITS, FRENCH_SUITS):
        faces = tuple(f"{rank} of {suits[1 + dealt[:place].count(rank)]}" for place, rank in enumerate(dealt))
        found += [Recipe(faces, (COVER, *decisions)), Recipe(faces, decisions)]
    return tuple(found)


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (BET, row): _recipes(*shown) for row, shown in _ROUNDS.items()
}

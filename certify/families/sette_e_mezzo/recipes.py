"""Rounds of 7 e Mezzo that show each row of a paytable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.sette_e_mezzo import rulebook
from certify.families.sette_e_mezzo.strategy import HIT
from certify.model.witness import Recipe


def _shown(cards: str, *decisions: str) -> Recipe:
    return Recipe(tuple(cards.split(", ")), decisions)


# Where the rules differ in when the dealer draws, a recipe holds under all of them or a second one follows.
RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (rulebook.MAIN, rulebook.KING_SEVEN_AND_A_HALF): (
        _shown("K of Denari, 2 of Coppe, 7 of Denari, 7 of Coppe", HIT),
    ),
    (rulebook.MAIN, rulebook.WIN): (_shown("7 of Denari, 6 of Coppe, 7 of Coppe"),),
    (rulebook.MAIN, rulebook.PUSH): (
        _shown("7 of Denari, 7 of Coppe"),
        _shown("7 of Denari, 7 of Coppe, J of Denari, J of Coppe", HIT),
    ),
    (rulebook.MAIN, rulebook.LOSE): (_shown("A of Denari, 6 of Coppe, A of Coppe, J of Coppe"),),
    (rulebook.MAIN, rulebook.BUST): (_shown("7 of Denari, 6 of Coppe, 7 of Coppe", HIT),),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_OF_SEVENS): (_shown("7 of Denari, 7 of Coppe"),),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_OF_FACES): (
        _shown("J of Denari, J of Coppe, 7 of Denari, 7 of Coppe", HIT),
    ),
    (rulebook.PARTITA_PERFETTA, rulebook.PAIR_ACE_TO_SIX): (_shown("A of Denari, A of Coppe"),),
    (rulebook.PARTITA_PERFETTA, rulebook.NOT_UNCOVERED): (
        _shown("7 of Denari, 7 of Coppe, 7 of Spade", HIT),
    ),
    (rulebook.PARTITA_PERFETTA, rulebook.LOSE): (_shown("7 of Denari, 6 of Coppe"),),
    (rulebook.MANO_DI_POKER, "royal-flush"): (_shown("J of Coppe, Q of Coppe, K of Coppe", HIT),),
    (rulebook.MANO_DI_POKER, "straight-flush"): (_shown("A of Coppe, 2 of Coppe, 3 of Coppe", HIT),),
    (rulebook.MANO_DI_POKER, "three-of-a-kind"): (_shown("2 of Denari, 2 of Coppe, 2 of Spade", HIT),),
    (rulebook.MANO_DI_POKER, "flush"): (_shown("A of Coppe, 3 of Coppe, 5 of Coppe", HIT),),
    (rulebook.MANO_DI_POKER, "straight"): (_shown("A of Denari, 2 of Coppe, 3 of Coppe", HIT),),
    (rulebook.MANO_DI_POKER, rulebook.NO_SECOND_CARD): (_shown("2 of Denari, 3 of Coppe"),),
    (rulebook.MANO_DI_POKER, rulebook.LOSE): (_shown("A of Denari, 3 of Coppe, 3 of Spade", HIT),),
}

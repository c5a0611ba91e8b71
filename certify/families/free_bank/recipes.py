"""Rounds that show each row: as one would lay them out, whatever the suits are called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET, MOST_SEATS
from certify.families.free_bank.strategy import COVER, HIT, SPLIT, STAND
from certify.families.free_bank.submitted import SPANISH_SUITS
from certify.families.seven_and_a_half.cards import FRENCH_SUITS, SUITS
from certify.model.witness import Recipe

_ROUNDS: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    # Ranks in dealing order (the player's first card, the bank's, then draws), what the player decides, and the bank.
    rulebook.REALE: ("7 A J", (HIT,), (STAND,)),
    rulebook.WIN: ("7 6", (STAND,), (STAND,)),
    rulebook.LOSE: ("6 7", (STAND,), (STAND,)),
    rulebook.BUST: ("7 6 5", (HIT,), ()),
    rulebook.BANK_SEVEN_AND_A_HALF: ("6 7 J", (STAND,), (HIT,)),
    rulebook.BOTH_SEVEN_AND_A_HALF: ("A 7 6 J Q", (HIT, HIT), (HIT,)),
    rulebook.BOTH_REALE: ("7 7 J Q", (HIT,), (HIT,)),
    rulebook.SEVEN_AND_A_HALF_WINS: ("A 5 6 J", (HIT, HIT), (STAND,)),
    rulebook.SPLIT: ("J 7 Q", (HIT, SPLIT, STAND, STAND), (STAND,)),
}

_OTHERS: Final = ("2", "3", "4")
"""Ranks of the other seats' first cards, on which they stand."""


def _recipes(ranks: str, player: tuple[str, ...], bank: tuple[str, ...]) -> Iterator[Recipe]:
    # The suit of each card is the first that its rank has not used; in front of a seat's decisions stands the cover,
    # where the game asks for one.
    first, *rest = ranks.split()
    for others in range(MOST_SEATS):
        dealt = [first, *(_OTHERS[other // 4] for other in range(others)), *rest]
        # With another seat still in, the bank plays against a seat that exceeded 7½ too.
        last = bank or ((STAND,) if others else ())
        for suits in (SUITS, SPANISH_SUITS, FRENCH_SUITS):
            faces = tuple(
                f"{rank} of {suits[(1 + dealt[:place].count(rank)) % len(suits)]}"
                for place, rank in enumerate(dealt)
            )
            for cover in ((COVER,), ()):
                yield Recipe(faces, (*cover, *player, *(*cover, STAND) * others, *last))


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (BET, row): tuple(_recipes(*shown)) for row, shown in _ROUNDS.items()
}

"""Rounds that show each row of a paytable: the player's three cards, then the dealer's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.three_card_poker import rules as ids
from certify.model.witness import Recipe

_SUITS: Final = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}
_LOW_DEALER: Final = "2h 4c 7s"


def _played(player: str, dealer: str = _LOW_DEALER) -> tuple[Recipe, ...]:
    """Returns the round in which a hand is played against the dealer's."""
    cards = f"{player} {dealer}".split(" ")
    return (Recipe(tuple(f"{card[:-1]} of {_SUITS[card[-1]]}" for card in cards), (ids.PLAY,)),)


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.ANTE, ids.MINI_ROYAL): _played("Ad Kd Qd"),
    (ids.ANTE, ids.STRAIGHT_FLUSH): _played("9d 8d 7d"),
    (ids.ANTE, ids.THREE): _played("9d 9h 9c"),
    (ids.ANTE, ids.STRAIGHT): _played("9d 8h 7d"),
    (ids.ANTE, ids.UNQUALIFIED): _played("Ad Kd 9c"),
    (ids.ANTE, ids.WIN): _played("Ad Kd 9c", "Kh 4c 7s"),
    (ids.ANTE, ids.TIE): _played("Ad Kd 9c", "Ah Kh 9d"),
    (ids.ANTE, ids.LOSE): _played("Qd Jd 9c", "Kh 4c 7s"),
    (ids.PAIR_PLUS, ids.MINI_ROYAL): _played("Ad Kd Qd"),
    (ids.PAIR_PLUS, ids.STRAIGHT_FLUSH): _played("9d 8d 7d"),
    (ids.PAIR_PLUS, ids.THREE): _played("9d 9h 9c"),
    (ids.PAIR_PLUS, ids.STRAIGHT): _played("9d 8h 7d"),
    (ids.PAIR_PLUS, ids.FLUSH): _played("9d 5d Kd"),
    (ids.PAIR_PLUS, ids.PAIR): _played("9d 9c Kd"),
    (ids.PAIR_PLUS, ids.LOSE): _played("Ad Kd 9c"),
    (ids.SIX_CARDS, ids.ROYAL): _played("Ad Kd Qd", "Jd 10d 7s"),
    (ids.SIX_CARDS, ids.STRAIGHT_FLUSH): _played("9d 8d 7d", "6d 5d Ks"),
    (ids.SIX_CARDS, ids.FOUR): _played("9d 9h 9c", "9s 4c 7s"),
    (ids.SIX_CARDS, ids.FULL_HOUSE): _played("9d 9h 9c", "4s 4c 7s"),
    (ids.SIX_CARDS, ids.FLUSH): _played("Ad Kd 9d", "4d 3d 7s"),
    (ids.SIX_CARDS, ids.STRAIGHT): _played("9d 8h 7d", "6c 5c Ks"),
    (ids.SIX_CARDS, ids.THREE): _played("9d 9h 9c", "4s Kc 7s"),
    (ids.SIX_CARDS, ids.LOSE): _played("Ad Kd 9c"),
}

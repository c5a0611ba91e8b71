"""Rounds that show each row: the player's five cards, the dealer's open one, then the dealer's other four."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.caribbean_stud import rules as ids
from certify.model.witness import Recipe

_SUITS: Final = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}
_PAIR: Final = "2h 2s 4c 7s 10h"
_LOW: Final = "2h 3s 4c 7s 9h"


def _raised(player: str, dealer: str = _PAIR) -> tuple[Recipe, ...]:
    """Returns the round in which a hand is raised against the dealer's."""
    cards = f"{player} {dealer}".split(" ")
    return (Recipe(tuple(f"{card[:-1]} of {_SUITS[card[-1]]}" for card in cards), (ids.RAISE,)),)


_HANDS: Final = {
    ids.ROYAL: "Ad Kd Qd Jd 10d",
    ids.STRAIGHT_FLUSH: "Kd Qd Jd 10d 9d",
    ids.FOUR: "9d 9h 9c 9s Kd",
    ids.FULL_HOUSE: "9d 9h 9c Ks Kd",
    ids.FLUSH: "Ad Kd 9d 5d 3d",
    ids.STRAIGHT: "9d 8h 7d 6c 5c",
    ids.THREE: "9d 9h 9c Ks 5d",
    ids.TWO_PAIR: "9d 9h Kc Ks 5d",
}
_NOTHING: Final = "Ad Kh 9c 5s 3d"

RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    **{(ids.ANTE, row): _raised(hand) for row, hand in _HANDS.items()},
    # The lowest hand that qualifies with ace and king, and the highest that does not; others where another one must.
    (ids.ANTE, ids.WIN): (*_raised("Qd Qh 9c 5s 3d", "As Kc 4h 3s 2c"), *_raised("Qd Qh 9c 5s 3d")),
    (ids.ANTE, ids.UNQUALIFIED): (*_raised(_NOTHING, "Ac Qs Jc 10s 9h"), *_raised(_NOTHING, _LOW)),
    (ids.ANTE, ids.TIE): _raised("Ad Ah 9c 5s 3d", "Ac As 9d 5h 3c"),
    (ids.ANTE, ids.LOSE): _raised(_NOTHING),
    **{
        (wager, row): _raised(hand)
        for wager in (ids.PROGRESSIVE, ids.FIVE_PLUS_ONE)
        for row, hand in _HANDS.items()
        if row in ids.PROGRESSIVE_ROWS
    },
    (ids.PROGRESSIVE, ids.LOSE): _raised(_NOTHING),
    (ids.FIVE_PLUS_ONE, ids.LOSE): _raised(_NOTHING),
}

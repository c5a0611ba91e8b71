"""Rounds that show each row of a paytable: player, dealer, player, dealer's hole, then what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack import side_bets
from certify.model.witness import Recipe

_SUITS: Final = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}


def _dealt(*rounds: str) -> tuple[Recipe, ...]:
    """Returns rounds, each cards and after a colon what is decided; where one does not serve the next is tried.

    Spanish decks are without tens: each round is tried with queens and with jacks in their places too.
    """
    found = []
    for one in (one.replace("10", ten) for ten in ("10", "Q", "J") for one in rounds):
        cards, _, decided = one.partition(":")
        faces = tuple(f"{card[:-1]} of {_SUITS[card[-1]]}" for card in cards.split())
        found.append(Recipe(faces, tuple(decided.split())))
    return tuple(found)


_LOST: Final = _dealt("10h 6s 9d 10c 5h: stand", "10h 6s 9d 10c 5h")

RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.MAIN, ids.SUITED_NATURAL): _dealt("Ah 6s Kh 10c"),
    (ids.MAIN, ids.NATURAL): _dealt("Ah 6s Kd 10c"),
    (ids.MAIN, ids.SUITED_SEVENS): _dealt("7h 6s 7h 10c 7h: hit"),
    (ids.MAIN, ids.SEVENS): _dealt("7h 6s 7d 10c 7s: hit"),
    (ids.MAIN, ids.CHARLIE): _dealt(
        "2h 6s 3d 10c 2d 3h 4h 2s: hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit hit",
    ),
    (ids.MAIN, ids.WIN): _dealt("10h 6s 9d 10c 10d: stand", "10h 6s 9d 10c: stand"),
    (ids.MAIN, ids.PUSH): _dealt("10h 6s 9d 7c 6d: stand"),
    (ids.MAIN, ids.LOSE): _LOST,
    (ids.PERFECT_PAIRS, side_bets.PERFECT): _dealt("9h 6s 9h"),
    (ids.PERFECT_PAIRS, side_bets.COLOURED): _dealt("9h 6s 9d"),
    (ids.PERFECT_PAIRS, side_bets.MIXED): _dealt("9h 6s 9c"),
    (ids.PERFECT_PAIRS, ids.LOSE): _LOST,
    (ids.TWENTY_ONE_THREE, side_bets.SUITED_THREE): _dealt("6s 6s 6s"),
    (ids.TWENTY_ONE_THREE, side_bets.STRAIGHT_FLUSH): _dealt("7s 6s 8s"),
    (ids.TWENTY_ONE_THREE, side_bets.THREE): _dealt("6h 6s 6d"),
    (ids.TWENTY_ONE_THREE, side_bets.STRAIGHT): _dealt("7h 6s 8d"),
    (ids.TWENTY_ONE_THREE, side_bets.FLUSH): _dealt("2s 6s 9s"),
    (ids.TWENTY_ONE_THREE, ids.LOSE): _LOST,
    (ids.LUCKY_LADIES, side_bets.QUEENS_AND_NATURAL): _dealt("Qh As Qh Kc", "Qh As Qh Kc: decline"),
    (ids.LUCKY_LADIES, side_bets.QUEENS): _dealt("Qh 6s Qh Kc"),
    (ids.LUCKY_LADIES, side_bets.MATCHED): _dealt("Kh 6s Kh Kc"),
    (ids.LUCKY_LADIES, side_bets.SUITED): _dealt("Kh 6s 10h Kc"),
    (ids.LUCKY_LADIES, side_bets.TWENTY): _dealt("Kh 6s 10d Kc"),
    (ids.LUCKY_LADIES, ids.LOSE): _LOST,
}

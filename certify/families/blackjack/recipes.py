"""Rounds that show each row of a paytable: player, dealer, player, dealer's hole, then what is drawn.

Where the dealer takes no second card before the player is done, the hole is what the player draws first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.blackjack import rules as ids
from certify.families.blackjack import side_bets
from certify.model.witness import Recipe

_SUITS: Final = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}


_TENS: Final = (("10", "10"), ("10", "Q"), ("10", "J"), ("10", "K"), ("K", "J"), ("K", "10"))
"""A rank, and one that is dealt in its place: Spanish decks are without tens, and any card may be taken out."""

_COLOURS: Final = ("dhsc", "hdsc", "dhcs", "hdcs", "scdh", "csdh", "schd", "cshd")
"""Suits in place of diamonds, hearts, spades and clubs, so that cards of one colour stay so."""


def _dealt(*rounds: str) -> tuple[Recipe, ...]:
    """Returns rounds, each cards and after a colon what is decided; where one does not serve the next is tried.

    Each is tried with other tens and suits too, and without suits, as an endless deck may have none.
    """
    found = []
    for one in rounds:
        cards, _, decided = one.partition(":")
        for rank, other in _TENS:
            dealt = [(other if card[:-1] == rank else card[:-1], card[-1]) for card in cards.split()]
            faces = [
                tuple(f"{name} of {_SUITS[suits['dhsc'.index(suit)]]}" for name, suit in dealt)
                for suits in _COLOURS
            ]
            found += [
                Recipe(some, tuple(decided.split())) for some in (*faces, tuple(name for name, _ in dealt))
            ]
    return tuple(dict.fromkeys(found))


_LOST: Final = _dealt("10h 6s 9d 10c 5h: stand", "10h 6s 9d 10c 5h")

RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.MAIN, ids.SUITED_NATURAL): _dealt("Ah 6s Kh 10c"),
    (ids.MAIN, ids.NATURAL): _dealt("Ah 6s Kd 10c"),
    (ids.MAIN, ids.SUITED_SEVENS): _dealt("7h 6s 7h 10c 7h: hit", "7h 6s 7h 7h: hit"),
    (ids.MAIN, ids.SEVENS): _dealt("7h 6s 7d 10c 7s: hit", "7h 6s 7d 7s: hit"),
    (ids.MAIN, ids.CHARLIE): _dealt(
        "2h 6s 3d 10c 2d 3h 4h 2s: hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit hit",
        "2h 6s 2d 2s 2c 3h 3d 3s: hit hit hit hit hit",
        "2h 6s 2d 10c 2s 2c 2h 2d 2s: hit hit hit hit hit",
        "2h 6s 2d 2s 2c 2h 2d 2s: hit hit hit hit hit",
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

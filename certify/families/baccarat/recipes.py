"""Deals of baccarat that show each row of a paytable: player, banker, player, banker, then what is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.families.baccarat import rules as ids
from certify.model.witness import Recipe


def _dealt(cards: str) -> tuple[Recipe, ...]:
    return (Recipe(tuple(cards.split(", "))),)


_PLAYER_WINS: Final = "4 of diamonds, 2 of diamonds, 5 of diamonds, 5 of hearts"
_BANKER_WINS: Final = "2 of diamonds, 4 of diamonds, 5 of hearts, 5 of diamonds"
_TIE: Final = "3 of diamonds, 2 of diamonds, 4 of diamonds, 5 of hearts"
_SIX: Final = "2 of diamonds, K of diamonds, 3 of hearts, 6 of diamonds, K of hearts"
_DRAGON: Final = "2 of diamonds, K of diamonds, 3 of hearts, A of diamonds, Q of hearts, 6 of hearts"
_PANDA: Final = "2 of diamonds, K of diamonds, 3 of hearts, 7 of diamonds, 3 of clubs"

_PLAYER_PAIR: Final = "2 of diamonds, K of diamonds, 2 of hearts, 7 of diamonds"
_BANKER_PAIR: Final = "K of diamonds, 2 of diamonds, 7 of diamonds, 2 of hearts"
_NATURALS: Final = "4 of diamonds, 4 of hearts, 5 of diamonds, 5 of hearts"

# The hand that loses stays at nothing: it draws a card without points.
_PLAYER_BY: Final = {
    margin: f"2 of diamonds, K of diamonds, 3 of hearts, Q of diamonds, {third} of clubs, J of diamonds"
    for margin, third in ((9, "4"), (8, "3"), (7, "2"), (6, "A"), (5, "10"), (4, "9"))
}
_BANKER_BY: Final = {
    margin: "K of diamonds, {} of hearts, Q of diamonds, {} of clubs, J of diamonds, {} of spades".format(
        *cards
    )
    for margin, cards in (
        (9, ("A", "2", "6")),
        (8, ("A", "2", "5")),
        (7, ("3", "4", "K")),
        (6, ("2", "4", "K")),
        (5, ("2", "3", "K")),
        (4, ("A", "3", "K")),
    )
}


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.PLAYER, ids.WIN): _dealt(_PLAYER_WINS),
    (ids.PLAYER, ids.PUSH): _dealt(_TIE),
    (ids.PLAYER, ids.LOSE): _dealt(_BANKER_WINS),
    (ids.BANKER, ids.WIN): _dealt(_BANKER_WINS),
    (ids.BANKER, ids.WIN_ON_SIX): _dealt(_SIX),
    (ids.BANKER, ids.WIN_ON_THREE_CARD_SEVEN): _dealt(_DRAGON),
    (ids.BANKER, ids.PUSH): _dealt(_TIE),
    (ids.BANKER, ids.LOSE): _dealt(_PLAYER_WINS),
    (ids.TIE, ids.WIN): _dealt(_TIE),
    (ids.TIE, ids.LOSE): _dealt(_PLAYER_WINS),
    (ids.DRAGON, ids.WIN): _dealt(_DRAGON),
    (ids.DRAGON, ids.LOSE): _dealt(_TIE),
    (ids.PANDA, ids.WIN): _dealt(_PANDA),
    (ids.PANDA, ids.LOSE): _dealt(_TIE),
    (ids.PLAYER_PAIR, ids.WIN): _dealt(_PLAYER_PAIR),
    (ids.PLAYER_PAIR, ids.LOSE): _dealt(_BANKER_PAIR),
    (ids.BANKER_PAIR, ids.WIN): _dealt(_BANKER_PAIR),
    (ids.BANKER_PAIR, ids.LOSE): _dealt(_PLAYER_PAIR),
    (ids.EITHER_PAIR, ids.WIN): _dealt(_PLAYER_PAIR),
    (ids.EITHER_PAIR, ids.LOSE): _dealt(_TIE),
    (ids.PERFECT_PAIR, ids.TWO_PERFECT_PAIRS): _dealt(
        "2 of diamonds, K of diamonds, 2 of diamonds, K of diamonds"
    ),
    (ids.PERFECT_PAIR, ids.ONE_PERFECT_PAIR): _dealt(
        "2 of diamonds, K of diamonds, 2 of diamonds, 7 of diamonds"
    ),
    (ids.PERFECT_PAIR, ids.LOSE): _dealt(_PLAYER_PAIR),
    (ids.PLAYER_DRAGON_BONUS, ids.NATURAL_WIN): _dealt(_PLAYER_WINS),
    (ids.PLAYER_DRAGON_BONUS, ids.NATURAL_TIE): _dealt(_NATURALS),
    (ids.PLAYER_DRAGON_BONUS, ids.LOSE): _dealt(_BANKER_WINS),
    (ids.BANKER_DRAGON_BONUS, ids.NATURAL_WIN): _dealt(_BANKER_WINS),
    (ids.BANKER_DRAGON_BONUS, ids.NATURAL_TIE): _dealt(_NATURALS),
    (ids.BANKER_DRAGON_BONUS, ids.LOSE): _dealt(_PLAYER_WINS),
    **{
        (wager, row): _dealt(deals[margin])
        for wager, deals in ((ids.PLAYER_DRAGON_BONUS, _PLAYER_BY), (ids.BANKER_DRAGON_BONUS, _BANKER_BY))
        for margin, row in ids.MARGINS.items()
    },
}

"""Rules of baccarat as parameters, and the ids of its wagers and rows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from certify.errors import InputError
from certify.families.own_rules import own_rules
from certify.families.port import RuleReader

FAMILY_ID: Final = "baccarat"
"""Id of the family, as submissions name it."""

PLAYER: Final = "player"
BANKER: Final = "banker"
TIE: Final = "tie"
PLAYER_PAIR: Final = "player-pair"
BANKER_PAIR: Final = "banker-pair"
EITHER_PAIR: Final = "either-pair"
PERFECT_PAIR: Final = "perfect-pair"
DRAGON: Final = "dragon-7"
PANDA: Final = "panda-8"
PLAYER_DRAGON_BONUS: Final = "player-dragon-bonus"
BANKER_DRAGON_BONUS: Final = "banker-dragon-bonus"

WIN: Final = "win"
PUSH: Final = "push"
LOSE: Final = "lose"
WIN_ON_SIX: Final = "win-on-six"
WIN_ON_THREE_CARD_SEVEN: Final = "win-on-three-card-seven"
ONE_PERFECT_PAIR: Final = "one-perfect-pair"
TWO_PERFECT_PAIRS: Final = "two-perfect-pairs"
NATURAL_WIN: Final = "natural-win"
NATURAL_TIE: Final = "natural-tie"
MARGINS: Final = {
    9: "win-by-nine",
    8: "win-by-eight",
    7: "win-by-seven",
    6: "win-by-six",
    5: "win-by-five",
    4: "win-by-four",
}
"""Rows of the dragon bonus by the points between the hands; less than four points lose."""


class BankerWinApart(StrEnum):
    """Which winning hands of the banker have a pay of their own."""

    NONE = "none"
    """All win alike, mostly less a commission."""
    SIX = "total of six"
    """A win on a total of six, which no-commission games pay at half."""
    THREE_CARD_SEVEN = "three-card seven"
    """A win on a total of seven with three cards, which EZ baccarat pushes."""


@dataclass(frozen=True, slots=True)
class BaccaratRules:
    """Rules of punto banco; the tableau by which the third cards are drawn is the same everywhere.

    Args:
        banker_win_apart: Which winning hands of the banker have a row of their own.
    """

    banker_win_apart: BankerWinApart = BankerWinApart.NONE


RULE_IDS: Final = ("tableau", "banker-win-apart")

_BONUS_ROWS: Final = (NATURAL_WIN, NATURAL_TIE, *MARGINS.values())
_ROWS: Final = {
    PLAYER: (WIN, PUSH),
    BANKER: (WIN, PUSH),
    TIE: (WIN,),
    PLAYER_PAIR: (WIN,),
    BANKER_PAIR: (WIN,),
    EITHER_PAIR: (WIN,),
    PERFECT_PAIR: (TWO_PERFECT_PAIRS, ONE_PERFECT_PAIR),
    DRAGON: (WIN,),
    PANDA: (WIN,),
    PLAYER_DRAGON_BONUS: _BONUS_ROWS,
    BANKER_DRAGON_BONUS: _BONUS_ROWS,
}
_APART: Final = {
    BankerWinApart.NONE: (),
    BankerWinApart.SIX: (WIN_ON_SIX,),
    BankerWinApart.THREE_CARD_SEVEN: (WIN_ON_THREE_CARD_SEVEN,),
}

WAGER_IDS: Final = tuple(_ROWS)
PAIR_WAGERS: Final = frozenset({PLAYER_PAIR, BANKER_PAIR, EITHER_PAIR, PERFECT_PAIR})
"""Wagers for which the ranks of the first cards matter beside their values."""


def read_rules(read: RuleReader) -> BaccaratRules:
    """Returns the rules that a submission states."""
    read.choice("tableau", ("punto banco",), "punto banco")
    return BaccaratRules(
        BankerWinApart(read.choice("banker-win-apart", tuple(BankerWinApart), BankerWinApart.NONE))
    )


rules_of: Final = own_rules(BaccaratRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def rows_of(rules: BaccaratRules, wager: str) -> tuple[str, ...]:
    """Returns the rows of a wager that return something, in the order of a paytable.

    Raises:
        InputError: The family has no such wager.
    """
    if wager not in _ROWS:
        raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(WAGER_IDS)}")
    rows = _ROWS[wager]
    return (WIN, *_APART[rules.banker_win_apart], PUSH) if wager == BANKER else rows

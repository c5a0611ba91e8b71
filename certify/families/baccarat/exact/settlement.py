"""How every wager of baccarat ends, by the account of the exact figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from certify.families.baccarat.exact.counting import PERFECT, UNPAIRED, End
from certify.families.baccarat.rules import (
    BANKER,
    BANKER_DRAGON_BONUS,
    BANKER_PAIR,
    DRAGON,
    EITHER_PAIR,
    LOSE,
    MARGINS,
    NATURAL_TIE,
    NATURAL_WIN,
    ONE_PERFECT_PAIR,
    PANDA,
    PERFECT_PAIR,
    PLAYER,
    PLAYER_DRAGON_BONUS,
    PLAYER_PAIR,
    PUSH,
    TIE,
    TWO_PERFECT_PAIRS,
    WIN,
    WIN_ON_SIX,
    WIN_ON_THREE_CARD_SEVEN,
    BaccaratRules,
    BankerWinApart,
)


def outcome_of(rules: BaccaratRules, wager: str, end: End) -> str:
    """Returns how a wager ends."""
    if wager == BANKER:
        return _banker(rules, end)
    return _SETTLED[wager](end)


def _banker(rules: BaccaratRules, end: End) -> str:
    if end.banker <= end.player:
        return PUSH if end.banker == end.player else LOSE
    if rules.banker_win_apart is BankerWinApart.SIX and end.banker == 6:
        return WIN_ON_SIX
    if rules.banker_win_apart is BankerWinApart.THREE_CARD_SEVEN and _dragon(end):
        return WIN_ON_THREE_CARD_SEVEN
    return WIN


def _player(end: End) -> str:
    if end.player > end.banker:
        return WIN
    return PUSH if end.player == end.banker else LOSE


def _dragon(end: End) -> bool:
    return end.banker > end.player and end.banker == 7 and end.banker_cards == 3


def _won(won: bool) -> str:
    return WIN if won else LOSE


def _perfect(end: End) -> str:
    pairs = (end.player_pair == PERFECT) + (end.banker_pair == PERFECT)
    if pairs == 2:
        return TWO_PERFECT_PAIRS
    return ONE_PERFECT_PAIR if pairs else LOSE


def _bonus(own: int, other: int, natural: bool) -> str:
    if natural and own >= other:
        return NATURAL_WIN if own > other else NATURAL_TIE
    return MARGINS[own - other] if not natural and own - other >= min(MARGINS) else LOSE


_SETTLED: Final[Mapping[str, Callable[[End], str]]] = {
    PLAYER: _player,
    TIE: lambda end: _won(end.player == end.banker),
    PLAYER_PAIR: lambda end: _won(end.player_pair != UNPAIRED),
    BANKER_PAIR: lambda end: _won(end.banker_pair != UNPAIRED),
    EITHER_PAIR: lambda end: _won(end.player_pair != UNPAIRED or end.banker_pair != UNPAIRED),
    PERFECT_PAIR: _perfect,
    DRAGON: lambda end: _won(_dragon(end)),
    PANDA: lambda end: _won(end.player == 8 and end.player_cards == 3 and end.banker < 8),
    PLAYER_DRAGON_BONUS: lambda end: _bonus(end.player, end.banker, end.natural),
    BANKER_DRAGON_BONUS: lambda end: _bonus(end.banker, end.player, end.natural),
}

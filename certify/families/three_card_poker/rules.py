"""Rules of three card poker as parameters, and the ids of wagers, rows and outcomes that all parts share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from certify.families.own_rules import own_rules
from certify.families.port import RuleReader

FAMILY_ID: Final = "three-card-poker"
"""Id of the family, as submissions name it."""

ANTE: Final = "ante-play"
PAIR_PLUS: Final = "pair-plus"
SIX_CARDS: Final = "six-card-bonus"
WAGER_IDS: Final = (ANTE, PAIR_PLUS, SIX_CARDS)

PLAY, FOLD = "play", "fold"
OPTIONS: Final = (FOLD, PLAY)
"""What may be decided, the less committing option first."""

WIN, LOSE, TIE, UNQUALIFIED = "win", "lose", "push", "unqualified"
ENDS: Final = (UNQUALIFIED, WIN, TIE, LOSE)
"""How a hand that is played ends: the dealer does not qualify, or loses, or the hands are equal, or the dealer wins."""

MINI_ROYAL, STRAIGHT_FLUSH, THREE = "mini-royal", "straight-flush", "three-of-a-kind"
STRAIGHT, FLUSH, PAIR = "straight", "flush", "pair"
HANDS: Final = (MINI_ROYAL, STRAIGHT_FLUSH, THREE, STRAIGHT, FLUSH, PAIR)
"""Hands of three cards from the highest; a hand is paid for the first that it fits and a paytable names."""

ROYAL, FOUR, FULL_HOUSE = "royal-flush", "four-of-a-kind", "full-house"
SIX_HANDS: Final = (ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE)
"""The best five of six cards that may be paid, from the highest."""

BONUSES: Final = (MINI_ROYAL, STRAIGHT_FLUSH, THREE, STRAIGHT)
"""Hands on which a played ante may be paid a bonus, whatever the dealer holds."""

_LOWEST: Final = {"any hand": 0, "jack high": 9, "queen high": 10, "king high": 11, "ace high": 12}
_SETTLED, _LOST = "settled", "lost"

RULE_IDS: Final = ("dealer-qualifies", "side-bets-after-fold")


@dataclass(frozen=True, slots=True)
class ThreeCardRules:
    """Rules of three card poker.

    Args:
        lowest: Place in RANKS of the highest card with which a dealer without a pair or better qualifies.
        fold_loses_all: Whether a player who folds loses every other bet too.
    """

    lowest: int = 10
    fold_loses_all: bool = False


def read_rules(read: RuleReader) -> ThreeCardRules:
    """Returns the rules that a submission states."""
    return ThreeCardRules(
        lowest=_LOWEST[read.choice("dealer-qualifies", "queen high", tuple(_LOWEST))],
        fold_loses_all=read.choice("side-bets-after-fold", _SETTLED, (_SETTLED, _LOST)) == _LOST,
    )


def words_of(rules: ThreeCardRules) -> dict[str, str]:
    """Returns the rules in the words of a submission."""
    lowest = next(words for words, place in _LOWEST.items() if place == rules.lowest)
    return dict(zip(RULE_IDS, (lowest, _LOST if rules.fold_loses_all else _SETTLED), strict=True))


rules_of: Final = own_rules(ThreeCardRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def row_of(outcome: str) -> str:
    """Returns the row of an outcome: the hand that is paid a bonus, else how the ante ended; a fold loses.

    >>> row_of("straight-flush-lose"), row_of("straight-flush"), row_of("fold"), row_of("push")
    ('straight-flush', 'straight-flush', 'lose', 'push')
    """
    hand, _, end = outcome.rpartition("-")
    if hand and end in ENDS:
        return hand
    return LOSE if outcome == FOLD else outcome

"""Rules of Caribbean stud as parameters, and the ids of wagers, rows and outcomes that all parts share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from certify.families.port import RuleReader
from certify.families.rules_access import own_rules

FAMILY_ID: Final = "caribbean-stud"
"""Id of the family, as submissions name it."""

ANTE: Final = "ante-raise"
PROGRESSIVE: Final = "progressive"
FIVE_PLUS_ONE: Final = "five-plus-one"
WAGER_IDS: Final = (ANTE, PROGRESSIVE, FIVE_PLUS_ONE)

RAISE, FOLD = "raise", "fold"
OPTIONS: Final = (FOLD, RAISE)
"""What may be decided, the less committing option first."""

WIN, LOSE, TIE, UNQUALIFIED = "win", "lose", "push", "unqualified"

ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE = "royal-flush", "straight-flush", "four-of-a-kind", "full-house"
FLUSH, STRAIGHT, THREE, TWO_PAIR = "flush", "straight", "three-of-a-kind", "two-pair"
HANDS: Final = (ROYAL, STRAIGHT_FLUSH, FOUR, FULL_HOUSE, FLUSH, STRAIGHT, THREE, TWO_PAIR)
"""Hands of five cards that may have a row of their own, from the highest; a pair or less has none."""

RAISE_ROWS: Final = (*HANDS, WIN)
"""Rows by which a winning raise is paid; the last one pays a pair or less."""

PROGRESSIVE_ROWS: Final = HANDS[:7]
FIVE_PLUS_ONE_ROWS: Final = HANDS[:7]
"""Hands on which the bets on the cards may be paid, from the highest."""

ANY, ACE, ACE_KING, PAIR = "any hand", "ace high", "ace king high", "pair"
LOWEST: Final = (ANY, ACE, ACE_KING, PAIR)
"""Lowest hands with which a dealer may have to qualify, from the lowest."""

_SETTLED, _LOST = "settled", "lost"

RULE_IDS: Final = ("dealer-qualifies", "raise", "side-bets-after-fold")


@dataclass(frozen=True, slots=True)
class StudRules:
    """Rules of Caribbean stud.

    Args:
        lowest: Lowest hand with which the dealer qualifies, one of LOWEST.
        antes: Antes that a raise adds.
        fold_loses_all: Whether a player who folds loses every other bet too.
    """

    lowest: str = ACE_KING
    antes: int = 2
    fold_loses_all: bool = False


def read_rules(read: RuleReader) -> StudRules:
    """Returns the rules that a submission states."""
    return StudRules(
        lowest=read.choice("dealer-qualifies", ACE_KING, LOWEST),
        antes=read.whole("raise", 2, 1, 4),
        fold_loses_all=read.choice("side-bets-after-fold", _SETTLED, (_SETTLED, _LOST)) == _LOST,
    )


rules_of: Final = own_rules(StudRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def row_of(outcome: str) -> str:
    """Returns the row of an outcome: itself, but that a fold loses.

    >>> row_of("flush"), row_of("fold")
    ('flush', 'lose')
    """
    return LOSE if outcome == FOLD else outcome

"""What a submission of Caribbean stud states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.analysis.hands.deck import not_whole
from certify.families.caribbean_stud import rules as ids
from certify.families.stated import Stated
from certify.model.game import Game

_POSSIBLE: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (*ids.RAISE_ROWS, ids.UNQUALIFIED, ids.TIE),
    ids.PROGRESSIVE: ids.PROGRESSIVE_ROWS,
    ids.FIVE_PLUS_ONE: ids.FIVE_PLUS_ONE_ROWS,
}
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {
    # A royal flush without a row is paid as the straight flush that it is.
    ids.ANTE: (ids.ROYAL,),
    ids.PROGRESSIVE: (ids.ROYAL, ids.STRAIGHT, ids.THREE),
    ids.FIVE_PLUS_ONE: (ids.ROYAL,),
}


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name, and the optional ones that it does name."""
    named = {row for one in game.wagers if one.id == wager for row in one.paytable.ids}
    # Where every hand qualifies, no round ends with a dealer who does not.
    never = {ids.UNQUALIFIED} if ids.rules_of(game).lowest == ids.ANY else set[str]()
    possible = (row for row in _POSSIBLE[wager] if row not in never)
    return tuple(row for row in possible if row in named or row not in _OPTIONAL[wager])


SUBMITTED: Final = Stated(
    family=ids.FAMILY_ID,
    rule_ids=ids.RULE_IDS,
    wager_ids=ids.WAGER_IDS,
    rules=ids.read_rules,
    rows=_rows,
    complaint=lambda game: not_whole(game.equipment),
    required=(ids.ANTE,),
    row=ids.row_of,
)
"""Rules, wagers, rows and deck of Caribbean stud."""

"""What a submission of three card poker states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from certify.analysis.hands.deck import not_whole
from certify.families.stated import Stated
from certify.families.three_card_poker import rules as ids
from certify.model.game import Game

_POSSIBLE: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (*ids.BONUSES, ids.UNQUALIFIED, ids.WIN, ids.TIE),
    ids.PAIR_PLUS: ids.HANDS,
    ids.SIX_CARDS: ids.SIX_HANDS,
}
_OPTIONAL: Final[Mapping[str, tuple[str, ...]]] = {ids.ANTE: ids.BONUSES, ids.PAIR_PLUS: (ids.MINI_ROYAL,)}


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name; bonuses of the ante and mini royals may be left out."""
    named = {row for one in game.wagers if one.id == wager for row in one.paytable.ids}
    # Where every hand qualifies, no round ends with a dealer who does not.
    never = {ids.UNQUALIFIED} if ids.rules_of(game).lowest == 0 else set[str]()
    optional = _OPTIONAL.get(wager, ())
    return tuple(
        row for row in _POSSIBLE[wager] if row not in never and (row in named or row not in optional)
    )


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
"""Rules, wagers, rows and deck of three card poker."""

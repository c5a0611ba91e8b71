"""What a submission of three card poker states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import InputError
from certify.families.french_deck.deck import not_whole
from certify.families.port import Problems, RuleReader, TableForm
from certify.families.three_card_poker import rules as ids
from certify.families.three_card_poker.rules import FAMILY_ID, RULE_IDS, WAGER_IDS, ThreeCardRules, read_rules
from certify.model.game import Game

_REQUIRED: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (ids.UNQUALIFIED, ids.WIN, ids.TIE),
    ids.PAIR_PLUS: ids.HANDS[1:],
    ids.SIX_CARDS: ids.SIX_HANDS,
}
_POSSIBLE: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (*ids.BONUSES, *_REQUIRED[ids.ANTE]),
    ids.PAIR_PLUS: ids.HANDS,
    ids.SIX_CARDS: ids.SIX_HANDS,
}


class ThreeCardSubmission:
    """Rules, wagers, rows and deck of three card poker."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = WAGER_IDS
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> ThreeCardRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game; records a deck that does not fit."""
        if game.equipment and (complaint := not_whole(game.equipment)):
            problems.add(("equipment",), complaint)
        return game

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the ante."""
        return (ids.ANTE,)

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows that a paytable must name; bonuses of the ante and mini royals may be left out.

        Raises:
            InputError: The family has no such wager.
        """
        if wager not in WAGER_IDS:
            raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(WAGER_IDS)}")
        named = {
            *_REQUIRED[wager],
            *(row for one in game.wagers if one.id == wager for row in one.paytable.ids),
        }
        # Where every hand qualifies, no round ends with a dealer who does not.
        never = {ids.UNQUALIFIED} if ids.rules_of(game).lowest == 0 else set[str]()
        return tuple(row for row in _POSSIBLE[wager] if row in named and row not in never)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of the paytable, every one of which some round falls in, and the losing one."""
        return (*self.paid_rows(game, wager), ids.LOSE)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome: a hand with a bonus is in the row of the bonus, a fold is lost."""
        return ids.row_of(outcome)

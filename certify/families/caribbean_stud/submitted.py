"""What a submission of Caribbean stud states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from certify.errors import InputError
from certify.families.caribbean_stud import rules as ids
from certify.families.caribbean_stud.rules import FAMILY_ID, RULE_IDS, WAGER_IDS, StudRules, read_rules
from certify.families.french_deck.deck import not_whole
from certify.families.port import Problems, RuleReader, TableForm
from certify.model.game import Game

_POSSIBLE: Final[Mapping[str, tuple[str, ...]]] = {
    ids.ANTE: (*ids.RAISE_ROWS, ids.UNQUALIFIED, ids.TIE),
    ids.PROGRESSIVE: ids.PROGRESSIVE_ROWS,
    ids.FIVE_PLUS_ONE: ids.FIVE_PLUS_ONE_ROWS,
}
_OPTIONAL: Final[Mapping[str, frozenset[str]]] = {
    # A royal flush without a row is paid as the straight flush that it is.
    ids.ANTE: frozenset({ids.ROYAL}),
    ids.PROGRESSIVE: frozenset({ids.ROYAL, ids.STRAIGHT, ids.THREE}),
    ids.FIVE_PLUS_ONE: frozenset({ids.ROYAL}),
}


class StudSubmission:
    """Rules, wagers, rows and deck of Caribbean stud."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = WAGER_IDS
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> StudRules:
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
        """Returns the rows that a paytable must name, and the optional ones that it does name.

        Raises:
            InputError: The family has no such wager.
        """
        if wager not in WAGER_IDS:
            raise InputError(f"{FAMILY_ID} has no wager {wager!r}: expected one of {', '.join(WAGER_IDS)}")
        named = {row for one in game.wagers if one.id == wager for row in one.paytable.ids}
        # Where every hand qualifies, no round ends with a dealer who does not.
        never = {ids.UNQUALIFIED} if ids.rules_of(game).lowest == ids.ANY else set[str]()
        possible = (row for row in _POSSIBLE[wager] if row not in never)
        return tuple(row for row in possible if row in named or row not in _OPTIONAL[wager])

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of the paytable, every one of which some round falls in, and the losing one."""
        return (*self.paid_rows(game, wager), ids.LOSE)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome: itself, but that a fold is lost."""
        return ids.row_of(outcome)

"""What a submission of baccarat states, and which rows its rounds can reach."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from certify.families.baccarat.rules import (
    LOSE,
    RULE_IDS,
    TWO_PERFECT_PAIRS,
    WAGER_IDS,
    BaccaratRules,
    read_rules,
    rows_of,
    rules_of,
)
from certify.families.port import Problems, RuleReader, TableForm
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS, Equipment, Kind
from certify.model.game import Game

MOST_CARDS: Final = 6
"""Cards of the longest round: three for each hand."""


class BaccaratSubmission:
    """Rules, wagers, rows and equipment of baccarat."""

    rule_ids: tuple[str, ...] = RULE_IDS
    wager_ids: tuple[str, ...] = WAGER_IDS
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = {}

    def read(self, rules: RuleReader) -> BaccaratRules:
        """Returns the rules of play."""
        return read_rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game; records where it is not dealt from one shoe of French cards."""
        complaint = _complaint(game.equipment) if game.equipment else ""
        if complaint:
            problems.add(("equipment",), complaint)
        return game

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: a table offers what it likes."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that return something.

        Raises:
            InputError: The family has no such wager.
        """
        return rows_of(rules_of(game), wager)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some deal falls in, winning ones first.

        Raises:
            InputError: The family has no such wager.
        """
        # A shoe of one deck holds each card once: nothing pairs perfectly, let alone twice.
        rows = rows_of(rules_of(game), wager)
        if TWO_PERFECT_PAIRS in rows and max(game.equipment[0].copies) == 1:
            rows = ()
        return (*rows, LOSE)

    def row_of(self, outcome: str) -> str:
        """Returns the row of an outcome: itself."""
        return outcome


def looked_at(game: Game) -> tuple[Equipment, ...]:
    """Returns the shoe as far as a round can look at it: six cards."""
    return tuple(replace(shoe, supply=min(MOST_CARDS, shoe.supply)) for shoe in game.equipment)


def _complaint(equipment: tuple[Equipment, ...]) -> str:
    """Returns what is wrong with the equipment, nothing where it serves."""
    if [piece.kind for piece in equipment] != [Kind.SHOE]:
        return "baccarat is dealt from one shoe: expected one piece of the kind shoe"
    (shoe,) = equipment
    strange = [rank for rank in shoe.ranks if rank not in FRENCH_RANKS]
    if strange or any(suit not in FRENCH_SUITS for suit in shoe.suits):
        return (
            f"baccarat is dealt from French cards: expected ranks of {', '.join(FRENCH_RANKS)} "
            f"and suits of {', '.join(FRENCH_SUITS)}"
        )
    if any(" of " not in face for face in shoe.faces):
        return "baccarat is dealt without jokers"
    if shoe.size < MOST_CARDS:
        return f"a shoe of {shoe.size} cards: expected at least {MOST_CARDS}, three for each hand"
    return ""
